// From launches that were seen to the rule behind them: how large the grid is for a matrix of any
// shape.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace coalesce::recorder {

/// How a kernel is launched.
struct LaunchShape {
    std::string kernel;  ///< as in the PTX
    std::array<unsigned, 3> grid{}, block{};
    std::size_t shared = 0;  ///< bytes of dynamic shared memory
};

/// A launch for a matrix.
struct Sample {
    int rows = 0, cols = 0;
    LaunchShape launch;
};

/// {"square": {...}, "other": {...}}, each {"kernel", "block", "shared", "grid": [[extent, size], ...]}:
/// for every axis, how many pieces of `size` cover "rows", "cols" or "elements"; of "one" there is one.
/// Throws when no such rule gives every sample.
nlohmann::ordered_json launch_rule(const std::vector<Sample>& samples, const std::string& variant);

}  // namespace coalesce::recorder
