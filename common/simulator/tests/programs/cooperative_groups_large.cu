// Tests cooperative groups: tiles that span several warps, and asynchronous copies by a block.
// expect: tiles of several warps: ok
// expect: asynchronous copies: ok
// not built by clang: its cooperative groups support no tile larger than a warp, and no copies
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

/// Tiles of more than one warp synchronise through shared memory that CUDA reserves.
__global__ void large_tiles(int* out) {
    __shared__ cg::block_tile_memory<256> memory;
    const auto b = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<64>(b);
    __shared__ int values[256];
    const int rank = b.thread_rank();
    for (int round = 0; round < 3; ++round) {
        values[rank] = rank + round;
        tile.sync();
        const int neighbour = values[rank / 64 * 64 + (rank + 33) % 64];
        tile.sync();
        const int sum = cg::reduce(tile, neighbour, cg::plus<int>());
        out[blockIdx.x * 256 + rank] = sum * 100 + tile.shfl(rank, 40) % 64;
    }
}

__global__ void copies(int* out, const int* in) {
    __shared__ int tile[128];
    const auto b = cg::this_thread_block();
    cg::memcpy_async(b, tile, in + blockIdx.x * 128, sizeof tile);
    cg::wait(b);
    out[blockIdx.x * 128 + b.thread_rank()] = tile[127 - b.thread_rank()];
}

template <class Answer>
void check(const char* name, const DeviceArray<int>& out, int count, Answer answer) {
    std::vector<int> got = out.read();
    got.resize(count);
    expect_equal(name, got, for_threads<int>(count, answer));
}

int main() {
    DeviceArray<int> out(8 * 128);
    large_tiles<<<4, 256>>>(out);
    check("tiles of several warps", out, 4 * 256, [](int i) {
        const int first = i % 256 / 64 * 64;
        return (64 * (first + 2) + 63 * 32) * 100 + 40;
    });
    DeviceArray<int> sevens(for_threads<int>(8 * 128, [](int i) { return i * 7; }));
    copies<<<8, 128>>>(out, sevens);
    check("asynchronous copies", out, 8 * 128,
          [](int i) { return (i / 128 * 128 + 127 - i % 128) * 7; });
}
