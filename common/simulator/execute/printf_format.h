// printf in kernels: formats a string with a buffer of arguments.
//
// Idea    Each conversion is extracted from the format, converted to one that the host's snprintf
//         interprets in the same way, and given its argument from nvcc's buffer.
// Buffer  nvcc arranges the arguments like the members of a struct: int and smaller types in 4
//         bytes, long, pointers and doubles in 8 bytes, each aligned to its size.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct FormatSource {
    /// Copies `bytes` bytes at `offset` of the argument buffer. Returns false if they cannot be
    /// read.
    std::function<bool(u32 offset, u32 bytes, void* to)> argument;
    /// Returns the string at a device address, or nothing if it cannot be read.
    std::function<std::optional<std::string>(u64 address)> string;
};

struct Formatted {
    std::string text;
    int arguments = 0;    ///< the number of used arguments, which printf returns on a GPU
    std::string problem;  ///< if not empty, why something could not be read
};

Formatted format_printf(const std::string& format, const FormatSource& source);

}  // namespace coalesce::simulator
