// The registers that the machine provides: %tid, %laneid, %clock64 ...
#pragma once

#include <string_view>

namespace coalesce::simulator::ptx {

/// `name` with its percent sign and without an element: "%tid", not "%tid.x".
bool is_special_register(std::string_view name);
/// Of the name of such a register: it goes on while a kernel runs. %clock, %clock64, %globaltimer_lo ...
bool is_clock(std::string_view name);

}  // namespace coalesce::simulator::ptx
