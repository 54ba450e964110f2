/// \file
/// Computes how many persistent blocks to launch. A persistent block processes many tiles in
/// sequence.
#pragma once

#include <cuda_runtime.h>

#include "harness/harness.h"

/// Returns the number of blocks of `threads` threads and `bytes` bytes of dynamic shared memory
/// that can be resident on the device. Returns fewer blocks if each block would otherwise get fewer
/// than 4 of the `tiles` tiles.
template <class Kernel>
int blocks_that_stay(Kernel kernel, int threads, int bytes, int tiles) {
    constexpr int min_tiles_per_block = 4;
    int blocks_per_multiprocessor = 0, multiprocessors = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor, kernel, threads,
                                                  bytes);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    const int max_blocks = blocks_per_multiprocessor * multiprocessors;
    const int blocks = static_cast<int>(ceil_div(tiles, min_tiles_per_block));
    return blocks < max_blocks ? blocks : max_blocks;
}
