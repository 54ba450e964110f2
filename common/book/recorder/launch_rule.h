// Finds the rule behind observed launches: how the grid depends on the shape of the matrix, and
// which arguments are passed.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce::recorder {

/// One argument of a launch, as a number. A pointer is represented by its address.
struct Argument {
    bool is_pointer = false;
    std::int64_t value = 0;
};

/// A kernel's launch.
struct LaunchShape {
    std::string kernel = "";    ///< the kernel's name in the PTX
    std::string function = "";  ///< the kernel's name in the program: "transpose_tiled<32>"
    std::array<unsigned, 3> grid{}, block{};
    std::size_t shared_bytes = 0;  ///< the dynamic shared memory in bytes
    std::vector<Argument> arguments = {};
};

/// A matrix shape and the launch that was observed for it.
struct ObservedLaunch {
    int rows = 0, cols = 0;
    LaunchShape launch;
    std::int64_t out_address = 0, in_address = 0;  ///< the addresses of the matrices
};

/// Thrown if the launches follow no known rule. The message is a clause for the reader, such as
/// "its grid follows no simple rule".
struct NoLaunchRule : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns {"square": {...}, "other": {...}}, each with {"kernel", "function", "block", "shared",
/// "grid": [axis, axis, axis], "arguments": ["out", "in", "rows", "cols"]}. An argument may also be
/// a number. An axis is {"of", "size"}: the number of blocks is the extent "of" ("rows", "cols" or
/// "elements") divided by "size", rounded up. If "of" is "one", there is a single block. An axis
/// may have more keys. "tile": the side of a tile, if "of" counts tiles. "plus": a number that is
/// added to the extent. "times": a factor by which the quotient is multiplied. "most": the maximum
/// number of blocks. Throws NoLaunchRule if no such rule explains all samples.
nlohmann::ordered_json find_launch_rule(const std::vector<ObservedLaunch>& samples);

}  // namespace coalesce::recorder
