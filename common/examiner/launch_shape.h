/// \file
/// The number of blocks and threads in a launch.
#pragma once

#include <array>
#include <string>

namespace coalesce {

/// Returns two sizes as text: "32 x 8".
inline std::string format_product(long long first, long long second) {
    return std::to_string(first) + " x " + std::to_string(second);
}

/// The launch configuration that `configure` returns for a shape. Its values may be invalid.
struct LaunchShape {
    std::array<long long, 3> grid{1, 1, 1};   ///< number of blocks along x, y and z
    std::array<long long, 3> block{1, 1, 1};  ///< threads per block along x, y and z
    long long shared_bytes = 0;               ///< bytes of dynamic shared memory per block

    long long blocks() const { return grid[0] * grid[1] * grid[2]; }
    /// Returns the number of threads per block.
    long long threads() const { return block[0] * block[1] * block[2]; }
    /// Returns, for example, "a grid of 4 x 8 blocks of 32 x 8 threads".
    std::string text() const;
};

}  // namespace coalesce
