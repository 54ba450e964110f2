// Tests cp.async.bulk, which copies consecutive bytes or a box, to shared memory and back.
// expect: runs there and back: ok
// expect: two copies, one mbarrier: ok
// expect: a box: ok
// expect: a box, swizzled over 32 bytes: ok
// expect: a box, swizzled over 64 bytes: ok
// expect: a box, swizzled over 128 bytes: ok
// expect: swizzles follow the address: ok
// expect: a box that hangs over: ok
// expect: a box before the beginning: ok
// expect: filled with NaNs: ok
// expect: bytes: ok
// expect: a box of three dimensions: ok
// expect: a box there and back: ok
// expect: stores end at the edge: ok
// expect: stages: ok
#include <cuda.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "../bulk.h"
#include "check.h"

constexpr int kRows = 40, kCols = 72;  // size of the array that most tests copy from
constexpr int kWords = 2048;           // size of the shared memory, in words

__global__ void there_and_back(int* out, const int* in) {
    __shared__ __align__(128) int run[256];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        expect_bytes(arrived, sizeof run);
        load_run(run, in + blockIdx.x * 256, sizeof run, arrived);
    }
    __syncthreads();
    wait(arrived, 0);
    const int value = run[255 - threadIdx.x];
    __syncthreads();
    run[threadIdx.x] = value;
    fence_for_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_run(out + blockIdx.x * 256, run, sizeof run);
        commit_stores();
        wait_for_stores<0>();
    }
}

__global__ void two_copies(int* out, const int* in) {
    __shared__ __align__(128) int run[2][32];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        load_run(run[0], in + 64, sizeof run[0], arrived);
        load_run(run[1], in + 4, sizeof run[1], arrived);
        expect_bytes(arrived, sizeof run);
    }
    __syncthreads();
    wait(arrived, 0);
    out[threadIdx.x] = run[0][threadIdx.x] - run[1][threadIdx.x];
}

/// Loads a box to byte `offset` of shared memory, and copies all of shared memory to `out`.
__global__ void dump(int* out, const __grid_constant__ CUtensorMap map, int x, int y, int offset,
                     int bytes) {
    __shared__ __align__(1024) int words[kWords];
    __shared__ uint64_t arrived;
    for (int i = threadIdx.x; i < kWords; i += 32) words[i] = -1;
    fence_for_copies();
    if (threadIdx.x == 0) init(arrived, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect_bytes(arrived, bytes);
        load_box(reinterpret_cast<char*>(words) + offset, map, x, y, arrived);
    }
    wait(arrived, 0);
    for (int i = threadIdx.x; i < kWords; i += 32) out[i] = words[i];
}

__global__ void three_dimensions(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ __align__(128) int box[2 * 3 * 4];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        expect_bytes(arrived, sizeof box);
        asm volatile(
            "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(box)),
            "l"(&map), "r"(8), "r"(2), "r"(1), "r"(shared_address(&arrived))
            : "memory");
    }
    __syncthreads();
    wait(arrived, 0);
    if (threadIdx.x < 24) out[threadIdx.x] = box[threadIdx.x];
}

/// Loads a box, changes it and stores it elsewhere.
__global__ void move_box(const __grid_constant__ CUtensorMap from,
                         const __grid_constant__ CUtensorMap to, int x, int y) {
    __shared__ __align__(1024) int box[16 * 32];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        expect_bytes(arrived, sizeof box);
        load_box(box, from, 4, 2, arrived);
    }
    __syncthreads();
    wait(arrived, 0);
    for (int i = threadIdx.x; i < 16 * 32; i += 32) box[i] += 1000000;
    fence_for_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_box(to, box, x, y);
        commit_stores();
        wait_for_reads<0>();
    }
}

/// Loads rows of 64 ints ahead of time into a ring of three buffers, doubles and stores them.
__global__ void stages(int* out, const int* in, int rounds) {
    constexpr int kStages = 3;
    __shared__ __align__(128) int loaded[kStages][64];
    __shared__ __align__(128) int stored[2][64];
    __shared__ uint64_t arrived[kStages];
    const auto load = [&](int round) {
        expect_bytes(arrived[round % kStages], sizeof loaded[0]);
        load_run(loaded[round % kStages], in + 64 * round, sizeof loaded[0],
                 arrived[round % kStages]);
    };
    if (threadIdx.x == 0) {
        for (int s = 0; s < kStages; ++s) init(arrived[s], 1);
        for (int s = 0; s < kStages - 1; ++s) load(s);
    }
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        if (threadIdx.x == 0) {
            if (round + kStages - 1 < rounds) load(round + kStages - 1);
            wait_for_reads<1>();
        }
        __syncthreads();
        wait(arrived[round % kStages], round / kStages % 2);
        stored[round % 2][threadIdx.x] = 2 * loaded[round % kStages][threadIdx.x ^ 1];
        fence_for_copies();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_run(out + 64 * round, stored[round % 2], sizeof stored[0]);
            commit_stores();
        }
    }
    if (threadIdx.x == 0) wait_for_stores<0>();
}

// ---- expected results ----

int element(int row, int col) {
    return row * 1000 + col;
}
std::vector<int> array() {
    return for_threads<int>(kRows * kCols, [](int i) { return element(i / kCols, i % kCols); });
}

/// Returns the contents of shared memory after a box of `rows` x `cols` has been copied from (y,
/// x). Swizzling XORs the index of a 16-byte chunk with the lowest `bits` bits of `address / 128`.
std::vector<int> loaded(int rows, int cols, int x, int y, int offset, int bits) {
    std::vector<int> words(kWords, -1);
    for (int i = 0; i < rows * cols; ++i) {
        const int row = y + i / cols, col = x + i % cols;
        int address = offset + 4 * i;
        address ^= (address / 128 & ((1 << bits) - 1)) * 16;
        const bool inside = row >= 0 && row < kRows && col >= 0 && col < kCols;
        words[address / 4] = inside ? element(row, col) : 0;
    }
    return words;
}

void test_box(const char* name, const int* in, int rows, int cols, int x, int y, int offset,
              int bits) {
    DeviceArray<int> out(kWords);
    const CUtensorMap map =
        map_of(in, kRows, kCols, rows, cols, {.swizzle = static_cast<CUtensorMapSwizzle>(bits)});
    dump<<<1, 32>>>(out, map, x, y, offset, 4 * rows * cols);
    expect_equal(name, out.read(), loaded(rows, cols, x, y, offset, bits));
}

void test_swizzle_by_address(const int* in) {
    std::vector<int> got, wanted;
    for (int bits = 1; bits <= 3; ++bits) {
        for (int offset = 128; offset < 1024; offset += 128) {
            DeviceArray<int> out(kWords);
            const int cols = 4 << bits;
            dump<<<1, 32>>>(out,
                            map_of(in, kRows, kCols, 16, cols,
                                   {.swizzle = static_cast<CUtensorMapSwizzle>(bits)}),
                            8, 3, offset, 64 * cols);
            for (int word : out.read()) got.push_back(word);
            for (int word : loaded(16, cols, 8, 3, offset, bits)) wanted.push_back(word);
        }
    }
    expect_equal("swizzles follow the address", got, wanted);
}

void test_nans() {
    const std::vector<float> values = for_threads<float>(64, [](int i) { return 1.0f + i; });
    DeviceArray<float> in(values);
    DeviceArray<int> out(kWords);
    const CUtensorMap map = map_of(in, 8, 8, 4, 8,
                                   {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                    .fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA});
    dump<<<1, 32>>>(out, map, 4, 6, 0, 4 * 8 * 4);
    const std::vector<int> words = out.read();
    // Any NaN is correct.
    const std::vector<float> got = for_threads<float>(32, [&](int i) {
        float value;
        std::memcpy(&value, &words[i], 4);
        return std::isnan(value) ? -1.0f : value;
    });
    expect_equal("filled with NaNs", got, for_threads<float>(32, [&](int i) {
                     const int row = 6 + i / 8, col = 4 + i % 8;
                     return row < 8 && col < 8 ? values[row * 8 + col] : -1.0f;
                 }));
}

void test_bytes() {
    // Rows have 50 bytes and a pitch of 64, so columns 50 to 63 of the box are out of bounds.
    const std::vector<unsigned char> bytes = for_threads<unsigned char>(
        64 * 8, [](int i) { return static_cast<unsigned char>(i * 7 + 1); });
    DeviceArray<unsigned char> in(bytes);
    DeviceArray<int> out(kWords);
    const CUtensorMap map = map_of(
        in, 8, 50, 4, 32, {.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, .element_bytes = 1, .pitch = 64});
    dump<<<1, 32>>>(out, map, 32, 5, 0, 4 * 32);
    const std::vector<int> words = out.read();
    const auto* got = reinterpret_cast<const unsigned char*>(words.data());
    expect_equal("bytes", std::vector<unsigned char>(got, got + 128),
                 for_threads<unsigned char>(128, [&](int i) {
                     const int row = 5 + i / 32, col = 32 + i % 32;
                     return row < 8 && col < 50 ? bytes[row * 64 + col]
                                                : static_cast<unsigned char>(0);
                 }));
}

void test_three_dimensions() {
    constexpr int kSide = 16;  // an array of 3 planes of 16 x 16
    DeviceArray<int> in(for_threads<int>(3 * kSide * kSide, [](int i) { return i; })), out(24);
    CUtensorMap map;
    const cuuint64_t size[] = {kSide, kSide, 3}, strides[] = {4 * kSide, 4 * kSide * kSide};
    const cuuint32_t box[] = {4, 3, 2}, steps[] = {1, 1, 1};
    map_encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, static_cast<int*>(in), size, strides, box,
                  steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    three_dimensions<<<1, 32>>>(out, map);
    expect_equal("a box of three dimensions", out.read(), for_threads<int>(24, [](int i) {
                     return (1 + i / 12) * kSide * kSide + (2 + i / 4 % 3) * kSide + 8 + i % 4;
                 }));
}

void test_move(const char* name, const int* in, int x, int y) {
    DeviceArray<int> out(kRows * kCols);
    const MapOptions swizzled = {.swizzle = CU_TENSOR_MAP_SWIZZLE_128B};
    move_box<<<1, 32>>>(map_of(in, kRows, kCols, 16, 32, swizzled),
                        map_of(out, kRows, kCols, 16, 32, swizzled), x, y);
    expect_equal(name, out.read(), for_threads<int>(kRows * kCols, [&](int i) {
                     const int row = i / kCols - y, col = i % kCols - x;
                     const bool moved = row >= 0 && row < 16 && col >= 0 && col < 32;
                     return moved ? element(2 + row, 4 + col) + 1000000 : 0;
                 }));
}

int main() {
    DeviceArray<int> in(array());
    {
        DeviceArray<int> out(1024);
        there_and_back<<<4, 256>>>(out, in);
        expect_equal("runs there and back", out.read(), for_threads<int>(1024, [](int i) {
                         return array()[i / 256 * 256 + 255 - i % 256];
                     }));
    }
    {
        DeviceArray<int> out(32);
        two_copies<<<1, 32>>>(out, in);
        expect_equal("two copies, one mbarrier", out.read(),
                     for_threads<int>(32, [](int i) { return array()[64 + i] - array()[4 + i]; }));
    }
    test_box("a box", in, 16, 64, 8, 3, 256, 0);
    test_box("a box, swizzled over 32 bytes", in, 16, 8, 8, 3, 0, 1);
    test_box("a box, swizzled over 64 bytes", in, 16, 16, 8, 3, 0, 2);
    test_box("a box, swizzled over 128 bytes", in, 16, 32, 8, 3, 0, 3);
    test_swizzle_by_address(in);
    test_box("a box that hangs over", in, 16, 32, 52, 30, 0, 3);
    test_box("a box before the beginning", in, 16, 32, -8, -5, 0, 3);
    test_nans();
    test_bytes();
    test_three_dimensions();
    test_move("a box there and back", in, 20, 11);
    test_move("stores end at the edge", in, 60, 30);
    {
        DeviceArray<int> out(64 * 9);
        stages<<<1, 64>>>(out, in, 9);
        expect_equal("stages", out.read(),
                     for_threads<int>(64 * 9, [](int i) { return 2 * array()[i ^ 1]; }));
    }
}
