// Tests multicast copies of tensor boxes to several blocks of a cluster.
// expect: to all: ok
// expect: to some: ok
// expect: from the last block alone: ok
// expect: swizzled: ok
// expect: over the edge: ok
// expect: with a cache policy: ok
// expect: three dimensions: ok
// expect: one box after another: ok
// expect: a product of matrices: ok
#include <cuda.h>

#include "../bulk.h"
#include "cluster_check.h"

constexpr int kRows = 64, kCols = 96;  // size of the array
constexpr int kBoxRows = 8, kBoxCols = 32;
constexpr int kBoxWords = kBoxRows * kBoxCols;

/// Copies a box to the same address in each block of `ranks`, and signals their mbarriers.
__device__ void load_box_to(void* to, const CUtensorMap& map, int x, int y, uint64_t& barrier,
                            unsigned ranks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_at(to)),
        "l"(&map), "r"(x), "r"(y), "r"(shared_at(&barrier)), "h"(static_cast<unsigned short>(ranks))
        : "memory");
}
/// Sets all words to 9, and initialises an mbarrier that expects `bytes` bytes.
__device__ void prepare(int* words, int count, uint64_t& barrier, unsigned bytes) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) words[i] = 9;
    fence_for_copies();
    if (threadIdx.x == 0) {
        init(barrier, 1);
        if (bytes) expect_bytes(barrier, bytes);
    }
    cluster_sync();
}
__device__ void write(int* out, const int* words, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) out[blockIdx.x * count + i] = words[i];
    cluster_sync();
}

/// Each block whose rank is in `senders` copies one box to all blocks in `ranks`.
__global__ void share(int* out, const __grid_constant__ CUtensorMap map, unsigned senders,
                      unsigned ranks, int x) {
    __shared__ alignas(1024) int boxes[4][kBoxWords];
    __shared__ uint64_t barrier;
    const unsigned rank = rank_in_cluster();
    const bool receives = ranks >> rank & 1;
    prepare(boxes[0], 4 * kBoxWords, barrier, receives ? __popc(senders) * kBoxWords * 4 : 0);
    if (threadIdx.x == 0 && (senders >> rank & 1))
        load_box_to(boxes[rank], map, x, blockIdx.x * kBoxRows, barrier, ranks);
    if (receives) wait(barrier, 0);
    write(out, boxes[0], 4 * kBoxWords);
}

__global__ void with_policy(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int box[kBoxWords];
    __shared__ uint64_t barrier;
    prepare(box, kBoxWords, barrier, sizeof box);
    if (threadIdx.x == 0 && rank_in_cluster() == 0) {
        uint64_t policy;
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
            ".multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(
                shared_at(box)),
            "l"(&map), "r"(32), "r"(8), "r"(shared_at(&barrier)),
            "h"(static_cast<unsigned short>(3)), "l"(policy)
            : "memory");
    }
    wait(barrier, 0);
    write(out, box, kBoxWords);
}

__global__ void three_dimensions(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int box[64];
    __shared__ uint64_t barrier;
    prepare(box, 64, barrier, sizeof box);
    if (threadIdx.x == 0 && rank_in_cluster() == 1)
        asm volatile(
            "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
            ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_at(box)),
            "l"(&map), "r"(8), "r"(1), "r"(2), "r"(shared_at(&barrier)),
            "h"(static_cast<unsigned short>(3))
            : "memory");
    wait(barrier, 0);
    write(out, box, 64);
}

/// Blocks take turns sending a box to all blocks, and add up the boxes that they receive.
__global__ void rounds(int* out, const __grid_constant__ CUtensorMap map, int count) {
    __shared__ alignas(128) int box[kBoxWords];
    __shared__ uint64_t barrier;
    prepare(box, kBoxWords, barrier, 0);
    const int rank = static_cast<int>(rank_in_cluster()),
              blocks = static_cast<int>(blocks_in_cluster());
    int sum = 0;
    for (int r = 0; r < count; ++r) {
        if (threadIdx.x == 0) expect_bytes(barrier, sizeof box);
        cluster_sync();
        if (threadIdx.x == 0 && r % blocks == rank)
            load_box_to(box, map, 0, r * kBoxRows, barrier, (1u << blocks) - 1);
        wait(barrier, r % 2);
        for (int i = threadIdx.x; i < kBoxWords; i += blockDim.x) sum += box[i] * (r + 1);
        cluster_sync();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Computes c = a * b for 32 x 32 matrices in clusters of 2 x 2 blocks. Each block computes a 16 x
/// 16 part of c. Blocks in a row share a part of a, and blocks in a column share a part of b.
__global__ void multiply(int* c, const __grid_constant__ CUtensorMap a,
                         const __grid_constant__ CUtensorMap b) {
    __shared__ alignas(128) int rows[16][16], columns[16][16];
    __shared__ uint64_t barrier;
    const int i = threadIdx.x % 16, j = threadIdx.x / 16;
    const unsigned x = blockIdx.x, y = blockIdx.y;
    if (threadIdx.x == 0) init(barrier, 1);
    int sum = 0;
    for (int step = 0; step < 2; ++step) {
        if (threadIdx.x == 0) expect_bytes(barrier, sizeof rows + sizeof columns);
        cluster_sync();
        // The rank of a block is x + 2 * y.
        if (threadIdx.x == 0 && x == 0)
            load_box_to(rows, a, step * 16, y * 16, barrier, 3 << 2 * y);
        if (threadIdx.x == 0 && y == 0) load_box_to(columns, b, x * 16, step * 16, barrier, 5 << x);
        wait(barrier, step);
        for (int k = 0; k < 16; ++k) sum += rows[j][k] * columns[k][i];
        cluster_sync();
    }
    c[(y * 16 + j) * 32 + x * 16 + i] = sum;
}

int element(int row, int col) {
    return row < kRows && col < kCols ? row * 1000 + col : 0;
}
/// Returns word i of a block after `share` in a cluster of 4. Words outside of the boxes are 9.
int shared_word(int i, unsigned senders, unsigned ranks, int x, bool swizzled = false) {
    const int block = i / (4 * kBoxWords), box = i / kBoxWords % 4, word = i % kBoxWords;
    if (!(ranks >> block % 4 & 1) || !(senders >> box & 1)) return 9;
    const int row = word / kBoxCols, chunk = word % kBoxCols / 4 ^ (swizzled ? row % 8 : 0);
    return element((block / 4 * 4 + box) * kBoxRows + row, x + chunk * 4 + word % 4);
}

CUtensorMap map_of_cube(const int* array) {
    CUtensorMap map;
    const cuuint64_t size[] = {16, 8, 8}, pitch[] = {16 * 4, 16 * 8 * 4};
    const cuuint32_t box[] = {8, 4, 2}, steps[] = {1, 1, 1};
    if (map_encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, const_cast<int*>(array), size, pitch,
                      box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        std::printf("no map of a cube\n");
    return map;
}

int main() {
    const DeviceArray<int> out(8 * 4 * kBoxWords);
    const DeviceArray<int> in(
        for_threads<int>(kRows * kCols, [](int i) { return element(i / kCols, i % kCols); }));
    int* words = out;
    const auto first = [&](int count) {
        auto values = out.read();
        values.resize(count);
        return values;
    };
    const CUtensorMap map = map_of(in, kRows, kCols, kBoxRows, kBoxCols);
    const auto shares = [&](const char* name, const CUtensorMap& of, int blocks, unsigned senders,
                            unsigned ranks, int x, bool swizzled = false) {
        in_clusters(share, blocks, 64, 4, words, of, senders, ranks, x);
        expect_equal(name, first(blocks * 4 * kBoxWords),
                     for_threads<int>(blocks * 4 * kBoxWords, [&](int i) {
                         return shared_word(i, senders, ranks, x, swizzled);
                     }));
    };
    shares("to all", map, 8, 15, 15, 32);
    shares("to some", map, 4, 15, 10, 0);
    shares("from the last block alone", map, 4, 8, 7, 64);
    MapOptions options;
    options.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    shares("swizzled", map_of(in, kRows, kCols, kBoxRows, kBoxCols, options), 4, 15, 15, 32, true);
    shares("over the edge", map, 4, 15, 15, 80);

    in_clusters(with_policy, 2, 64, 2, words, map);
    expect_equal("with a cache policy", first(2 * kBoxWords),
                 for_threads<int>(2 * kBoxWords, [](int i) {
                     return element(8 + i % kBoxWords / kBoxCols, 32 + i % kBoxCols);
                 }));
    in_clusters(three_dimensions, 2, 64, 2, words, map_of_cube(in));
    expect_equal("three dimensions", first(128), for_threads<int>(128, [](int i) {
                     const int at = (2 + i % 64 / 32) * 128 + (1 + i % 32 / 8) * 16 + 8 + i % 8;
                     return element(at / kCols, at % kCols);
                 }));
    in_clusters(rounds, 4, 64, 4, words, map, 7);
    expect_equal("one box after another", first(256), for_threads<int>(256, [](int i) {
                     int sum = 0;
                     for (int r = 0; r < 7; ++r)
                         for (int w = i % 64; w < kBoxWords; w += 64)
                             sum += element(r * kBoxRows + w / kBoxCols, w % kBoxCols) * (r + 1);
                     return sum;
                 }));

    const DeviceArray<int> a(for_threads<int>(1024, [](int i) { return i % 37 - 5; })),
        b(for_threads<int>(1024, [](int i) { return i % 23 - 9; }));
    MUST(launch_clusters(multiply, dim3(2, 2), dim3(256), dim3(2, 2), 0, words,
                         map_of(a, 32, 32, 16, 16), map_of(b, 32, 32, 16, 16)));
    expect_equal("a product of matrices", first(1024), for_threads<int>(1024, [](int i) {
                     int sum = 0;
                     for (int k = 0; k < 32; ++k)
                         sum += ((i / 32 * 32 + k) % 37 - 5) * ((k * 32 + i % 32) % 23 - 9);
                     return sum;
                 }));
}
