// Knows the registers that the machine provides: %tid, %laneid, %clock64 ...
#pragma once

#include <string_view>

namespace coalesce::simulator::ptx {

/// Returns whether there is such a register. `name` has its percent sign but no element: "%tid",
/// not "%tid.x".
bool is_special_register(std::string_view name);
/// Returns whether this register's value changes while a kernel runs: %clock, %clock64,
/// %globaltimer_lo ...
bool is_clock(std::string_view name);

}  // namespace coalesce::simulator::ptx
