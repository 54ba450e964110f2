/// \file
/// How many blocks of how many threads a launch has.
#pragma once

#include <array>
#include <string>

namespace coalesce {

/// What `configure` answered for a shape, before anything is checked.
struct LaunchShape {
    std::array<long long, 3> grid{1, 1, 1};   ///< blocks
    std::array<long long, 3> block{1, 1, 1};  ///< threads of a block
    long long shared_bytes = 0;               ///< dynamic shared memory of a block

    /// Blocks in all.
    long long blocks() const { return grid[0] * grid[1] * grid[2]; }
    /// Threads of a block.
    long long threads() const { return block[0] * block[1] * block[2]; }
    /// "a grid of 4 x 8 blocks of 32 x 8 threads"
    std::string text() const;
};

}  // namespace coalesce
