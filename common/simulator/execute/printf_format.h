// Implements printf in kernels: formats a string, with arguments from a buffer.
//
// Idea    The host's snprintf formats each conversion of the format string, such as %5.2f. The
//         argument of the conversion is read from the buffer in which nvcc's code passes the
//         arguments.
// Buffer  The arguments are arranged like the members of a struct. An int or a smaller type takes 4
//         bytes, and a long, a pointer or a double takes 8 bytes. Each argument is aligned to its
//         size.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct FormatSource {
    /// Copies `bytes` bytes from `offset` in the argument buffer to `destination`. Returns false if
    /// the bytes cannot be read.
    std::function<bool(u32 offset, u32 bytes, void* destination)> read_argument;
    /// Returns the string at a device address, or nothing if the string cannot be read.
    std::function<std::optional<std::string>(u64 address)> read_string;
};

struct Formatted {
    std::string text;
    /// The number of arguments that the format string uses. printf in a kernel returns this number.
    int argument_count = 0;
    /// The reason why an argument or a string could not be read; "" if there was no problem.
    std::string problem;
};

Formatted format_printf(const std::string& format, const FormatSource& source);

}  // namespace coalesce::simulator
