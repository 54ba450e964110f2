// From launches that were seen to the rule behind them: how large the grid is for a matrix of any
// shape, and what the kernel is given.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace coalesce::recorder {

/// One argument of a launch, as a number; a pointer as its address.
struct Argument {
    bool is_pointer = false;
    std::int64_t value = 0;
};

/// How a kernel is launched.
struct LaunchShape {
    std::string kernel = "";    ///< as in the PTX
    std::string function = "";  ///< as in the program: "transpose_tiled<32>"
    std::array<unsigned, 3> grid{}, block{};
    std::size_t shared = 0;  ///< bytes of dynamic shared memory
    std::vector<Argument> arguments = {};
};

/// A launch for a matrix.
struct Sample {
    int rows = 0, cols = 0;
    LaunchShape launch;
    std::int64_t out = 0, in = 0;  ///< the addresses of the matrices
};

/// Launches that follow no rule that is known here, in words for the reader: "its grid follows no simple rule".
struct NoRule : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// {"square": {...}, "other": {...}}, each {"kernel", "function", "block", "shared", "grid": [axis, axis, axis],
/// "arguments": ["out", "in", "rows", "cols"]}. An argument may be a number, too. An axis is {"of", "size"}: how many
/// pieces of `size` cover "rows", "cols" or "elements"; of "one" there is one. More that it may have: "tile": the
/// pieces are of "tiles" with that side; "plus": so many more are to be covered; "times": so often; "most": no more blocks than that.
/// Throws NoRule when no such rule gives every sample.
nlohmann::ordered_json launch_rule(const std::vector<Sample>& samples);

}  // namespace coalesce::recorder
