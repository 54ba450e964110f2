// Finds the rule that observed launches follow: how the grid depends on the shape of the matrix,
// and which arguments are passed.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce::recorder {

/// One argument of a launch, as a number. For a pointer, the number is its address.
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

/// A matrix shape, and the launch observed for this shape.
struct ObservedLaunch {
    int rows = 0, cols = 0;
    LaunchShape launch;
    std::int64_t out_address = 0, in_address = 0;  ///< the addresses of the matrices
};

/// Thrown if the launches follow no known rule. The message continues a sentence about the variant,
/// as in "its grid size is not a simple function of the shape".
struct NoLaunchRule : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns {"square": RULE, "other": RULE}: one rule for launches with as many blocks along x as
/// along y, and one for all other launches. RULE is {"kernel", "function", "block", "shared",
/// "grid": [AXIS, AXIS, AXIS], "arguments"}. Each argument is "out", "in", "rows", "cols" or a
/// number. AXIS is {"of", "size"}, and if needed "plus", "times", "most" and "tile". AXIS gives the
/// number of blocks along an axis of the grid:
///     min(ceil((of + plus) / size) * times, most)
/// "of" is "one" (for 1), "rows", "cols", "elements", or "tiles" with sides of "tile" elements.
/// Throws NoLaunchRule if no such rule explains all samples.
nlohmann::ordered_json find_launch_rule(const std::vector<ObservedLaunch>& samples);

}  // namespace coalesce::recorder
