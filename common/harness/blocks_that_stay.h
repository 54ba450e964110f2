/// \file
/// Computes how many persistent blocks to launch. A persistent block processes many tiles in
/// sequence.
#pragma once

#include <cuda_runtime.h>

#include "harness/harness.h"

/// Returns how many blocks of `threads` threads and `bytes` bytes of dynamic shared memory can be
/// resident on the device. Returns fewer if a block would process fewer than `fewest_tiles` tiles.
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
