// Recognizes special registers: %tid, %laneid, %clock64 and so on.
#pragma once

#include <string_view>

namespace coalesce::simulator::ptx {

/// Reports whether a special register with this name exists. `name` includes the percent sign but
/// not the element: "%tid", not "%tid.x".
bool is_special_register(std::string_view name);
/// Reports whether the register is a clock, whose value changes while a kernel runs: %clock,
/// %clock64, %globaltimer_lo and so on.
bool is_clock(std::string_view name);

}  // namespace coalesce::simulator::ptx
