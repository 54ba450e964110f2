// printf in kernels: a format string and a buffer of arguments become text.
//
// Idea    Each conversion is taken out of the format, made one that the host's snprintf reads the
//         same way, and given the argument that nvcc put into the buffer.
// Buffer  nvcc lays the arguments out like the members of a struct: int and smaller in 4 bytes,
//         long, pointers and doubles in 8, each aligned to its size.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct FormatSource {
    /// Copies `bytes` bytes at `offset` of the argument buffer; false when they cannot be read.
    std::function<bool(u32 offset, u32 bytes, void* to)> argument;
    /// The string at a device address; nothing when it cannot be read.
    std::function<std::optional<std::string>(u64 address)> string;
};

struct Formatted {
    std::string text;
    int arguments = 0;    ///< that were used: what printf returns on a GPU
    std::string problem;  ///< not empty: could not be read, and why
};

Formatted format_printf(const std::string& format, const FormatSource& source);

}  // namespace coalesce::simulator
