/// \file
/// How many blocks to start when blocks stay for many tiles each.
#pragma once

#include <cuda_runtime.h>

#include "harness/harness.h"

/// As many blocks as the device holds at a time, with so many threads and bytes of dynamic shared memory
/// each; but no more than leave each some tiles to go through.
template <class Kernel>
int blocks_that_stay(Kernel kernel, int threads, int bytes, int tiles) {
    constexpr int fewest_tiles = 4;
    int on_each = 0, multiprocessors = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel, threads, bytes);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    const int most = on_each * multiprocessors;
    const int blocks = static_cast<int>(ceil_div(tiles, fewest_tiles));
    return blocks < most ? blocks : most;
}
