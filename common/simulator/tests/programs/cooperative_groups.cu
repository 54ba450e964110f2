// Tests cooperative groups within a block, and the grid group.
// expect: block: ok
// expect: tiles: ok
// expect: reduce and scan: ok
// expect: coalesced groups: ok
// expect: labelled partition: ok
// expect: binary partition: ok
// expect: grid barrier: ok
// expect: grid barrier in a loop: ok
// expect: a grid of too many blocks: refused
// expect-stderr: apicheck: cudaErrorCooperativeLaunchTooLarge from
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void block(int* out) {
    const cg::thread_block b = cg::this_thread_block();
    __shared__ int tile[96];
    tile[b.thread_rank()] = b.thread_rank() * 2;
    b.sync();
    out[b.thread_rank()] = tile[b.size() - 1 - b.thread_rank()] + b.group_index().x;
}

__global__ void tiles(int* out) {
    const auto t = cg::tiled_partition<8>(cg::this_thread_block());
    int value = threadIdx.x;
    for (int distance = 4; distance > 0; distance /= 2) value += t.shfl_xor(value, distance);
    value = value * 100 + t.meta_group_rank() * 10 + t.thread_rank();
    const int everybody = t.all(t.thread_rank() < 8) + 2 * t.any(threadIdx.x == 20) +
                          4 * __popc(t.ballot(threadIdx.x % 2));
    t.sync();
    out[threadIdx.x] = value * 100 + everybody;
}

__global__ void reduce_scan(int* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int value = threadIdx.x % 7 + 1;
    const int sum = cg::reduce(warp, value, cg::plus<int>());
    const int most = cg::reduce(warp, value, cg::greater<int>());
    const int before = cg::exclusive_scan(warp, value);
    const int until = cg::inclusive_scan(warp, value, cg::plus<int>());
    out[threadIdx.x] = sum * 100000 + most * 10000 + before + (until - before == value ? 5000 : 0);
}

__global__ void coalesced(int* out, int* counter) {
    out[threadIdx.x] = -1;
    if (threadIdx.x % 3 == 0) {
        const cg::coalesced_group g = cg::coalesced_threads();
        int first = 0;
        if (g.thread_rank() == 0) first = atomicAdd(counter, g.size());
        out[threadIdx.x] = g.shfl(first, 0) >= 0;
        g.sync();
    }
}

__global__ void labelled(int* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto mates = cg::labeled_partition(warp, threadIdx.x % 5);
    const int sum = cg::reduce(mates, static_cast<int>(threadIdx.x % 32), cg::plus<int>());
    out[threadIdx.x] = sum * 100 + mates.size();
}
__global__ void binary(int* out) {
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto mates = cg::binary_partition(warp, threadIdx.x % 32 < 10);
    out[threadIdx.x] = mates.size() * 100 + mates.thread_rank();
}

__global__ void whole_grid(int* data, int* out) {
    const cg::grid_group grid = cg::this_grid();
    data[grid.thread_rank()] = grid.thread_rank() * 3;
    grid.sync();
    out[grid.thread_rank()] =
        data[grid.size() - 1 - grid.thread_rank()] + (grid.is_valid() ? 1 : 0);
}

/// Jacobi iterations. In each round, every cell becomes the sum of its neighbours.
__global__ void jacobi(unsigned* cells, unsigned* next, int rounds) {
    const cg::grid_group grid = cg::this_grid();
    const unsigned n = grid.size(), i = grid.thread_rank();
    for (int r = 0; r < rounds; ++r) {
        next[i] = cells[(i + 1) % n] + cells[(i + n - 1) % n];
        grid.sync();
        unsigned* swap = cells;
        cells = next, next = swap;
    }
}

template <class Answer>
void check(const char* name, const DeviceArray<int>& out, int count, Answer answer) {
    std::vector<int> got = out.read();
    got.resize(count);
    expect_equal(name, got, for_threads<int>(count, answer));
}

int main() {
    constexpr int kBlocks = 12, kThreads = 96, kTotal = kBlocks * kThreads;
    DeviceArray<int> out(kTotal), data(kTotal);
    block<<<1, 96>>>(out);
    check("block", out, 96, [](int i) { return (95 - i) * 2; });
    tiles<<<1, 64>>>(out);
    check("tiles", out, 64, [](int i) {
        const int first = i / 8 * 8, sum = 8 * first + 28;
        const int everybody = 1 + 2 * (i / 8 == 2) + 4 * 4;
        return (sum * 100 + i / 8 * 10 + i % 8) * 100 + everybody;
    });
    reduce_scan<<<1, 64>>>(out);
    check("reduce and scan", out, 64, [](int i) {
        int sum = 0, before = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k)
            sum += k % 7 + 1, before += k < i ? k % 7 + 1 : 0;
        return sum * 100000 + 7 * 10000 + before + 5000;
    });
    DeviceArray<int> counter(1);
    coalesced<<<1, 64>>>(out, counter);
    // The hardware may group lanes arbitrarily, but each of the 22 lanes must be counted once.
    std::vector<int> got = out.read();
    got.resize(65);
    got[64] = counter.read()[0];
    expect_equal("coalesced groups", got, for_threads<int>(65, [](int i) {
                     return i == 64 ? 22 : i % 3 ? -1 : 1;
                 }));
    labelled<<<1, 32>>>(out);
    check("labelled partition", out, 32, [](int i) {
        int sum = 0, size = 0;
        for (int k = i % 5; k < 32; k += 5) sum += k, ++size;
        return sum * 100 + size;
    });
    binary<<<1, 64>>>(out);
    check("binary partition", out, 64,
          [](int i) { return i % 32 < 10 ? 1000 + i % 32 : 2200 + i % 32 - 10; });

    int *d = data, *o = out;
    void* arguments[] = {&d, &o};
    MUST(cudaLaunchCooperativeKernel(whole_grid, dim3(kBlocks), dim3(kThreads), arguments, 0,
                                     nullptr));
    check("grid barrier", out, kTotal, [](int i) { return (kTotal - 1 - i) * 3 + 1; });

    std::vector<unsigned> cells =
        for_threads<unsigned>(kTotal, [](int i) { return i * 2654435761u; });
    DeviceArray<unsigned> a(cells), b(kTotal);
    unsigned *pa = a, *pb = b;
    int rounds = 10;
    void* jacobi_arguments[] = {&pa, &pb, &rounds};
    MUST(cudaLaunchCooperativeKernel(jacobi, dim3(kBlocks), dim3(kThreads), jacobi_arguments, 0,
                                     nullptr));
    for (int r = 0; r < rounds; ++r)
        cells = for_threads<unsigned>(kTotal, [&](int i) {
            return cells[(i + 1) % kTotal] + cells[(i + kTotal - 1) % kTotal];
        });
    expect_equal("grid barrier in a loop", a.read(), cells);

    const cudaError_t error = cudaLaunchCooperativeKernel(whole_grid, dim3(1000000), dim3(kThreads),
                                                          arguments, 0, nullptr);
    std::printf("a grid of too many blocks: %s\n",
                error == cudaErrorCooperativeLaunchTooLarge ? "refused" : cudaGetErrorName(error));
}
