// not built by clang: cuda_bf16.h is part of NVIDIA's toolkit
// Tests atomics and reductions: every operation, type, scope and state space.
// expect: unsigned int: ok
// expect: int: ok
// expect: unsigned long long: ok
// expect: long long: ok
// expect: float sum: ok
// expect: double sum: ok
// expect: bfloat16 sums: ok
// expect: vectors of floats: ok
// expect: compare and swap loop: ok
// expect: old values: ok
// expect: wrapping increment: ok
// expect: wrapping decrement: ok
// expect: scopes: ok
// expect: shared memory: ok
// expect: generic pointers: ok
// expect: exchange of 64 bits: ok
// expect: float subnormals: ok
// expect: histogram: ok
#include <cuda_bf16.h>
#include <algorithm>

#include "check.h"

constexpr int kBlocks = 4, kThreads = 96, kTotal = kBlocks * kThreads;

__host__ __device__ unsigned scrambled(unsigned i) {
    return (i + 1) * 2654435761u;
}
__device__ int thread_number() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/// Applies each atomic operation to a different cell.
template <class T>
__global__ void integers(T* cells) {
    const T value = static_cast<T>(scrambled(thread_number()));
    atomicAdd(&cells[0], value);
    atomicMin(&cells[1], value);
    atomicMax(&cells[2], value);
    atomicAnd(&cells[3], value | T{1});
    atomicOr(&cells[4], value & T{0xff00});
    atomicXor(&cells[5], value);
}

template <class T>
std::vector<T> integers_on_host(std::vector<T> cells) {
    for (int i = 0; i < kTotal; ++i) {
        const T value = static_cast<T>(scrambled(i));
        using U = std::make_unsigned_t<T>;
        cells[0] = static_cast<T>(static_cast<U>(cells[0]) + static_cast<U>(value));
        cells[1] = std::min(cells[1], value);
        cells[2] = std::max(cells[2], value);
        cells[3] &= value | T{1};
        cells[4] |= value & T{0xff00};
        cells[5] ^= value;
    }
    return cells;
}

template <class T>
void test_integers(const char* name) {
    const std::vector<T> start = {5, 1000, static_cast<T>(-1000), static_cast<T>(-1), 0x10, 0};
    DeviceArray<T> cells(start);
    integers<<<kBlocks, kThreads>>>(static_cast<T*>(cells));
    expect_equal(name, cells.read(), integers_on_host(start));
}

/// CUDA's atomicAdd has no overload for long long. (PTX has every s64 atomic except add.)
__global__ void long_longs(long long* cells) {
    const long long value = static_cast<long long>(static_cast<int>(scrambled(thread_number())))
                            << 20;
    atomicMin(&cells[0], value);
    atomicMax(&cells[1], value);
    atomicAdd(reinterpret_cast<unsigned long long*>(&cells[2]),
              static_cast<unsigned long long>(value));
}

/// The sums are exact in any order, because all values are small multiples of 1/2.
__global__ void float_sum(float* cell) {
    atomicAdd(cell, static_cast<float>(thread_number() % 7));
}
__global__ void double_sum(double* cell) {
    atomicAdd(cell, thread_number() % 7 + 0.5);
}

__global__ void bfloat_sums(__nv_bfloat16* one, __nv_bfloat162* two) {
    if (thread_number() >= 128) return;  // 8 bits of precision, so sums are exact up to 256
    atomicAdd(one, __float2bfloat16(1.0f));
    atomicAdd(two, __floats2bfloat162_rn(0.5f, 2.0f));
}
__global__ void float_vectors(float2* two, float4* four) {
    const float i = thread_number() % 5;
    atomicAdd(two, make_float2(i, 1));
    const float4 old = atomicAdd(four, make_float4(1, 2, 3, i));
    if (old.y != 2 * old.x || old.z != 3 * old.x) four->w = -1;
}

/// Multiplies atomically with compare-and-swap, because CUDA has no atomic multiplication.
__global__ void product(unsigned* cell) {
    const unsigned factor = scrambled(thread_number()) | 1;
    unsigned old = *cell, assumed;
    do {
        assumed = old;
        old = atomicCAS(cell, assumed, assumed * factor);
    } while (old != assumed);
}

__global__ void tickets(unsigned* counter, unsigned* taken) {
    atomicAdd(&taken[atomicAdd(counter, 1)], 1);
}
__global__ void increments(unsigned* cell, unsigned* seen) {
    atomicAdd(&seen[atomicInc(cell, 9)], 1);
}
__global__ void decrements(unsigned* cell, unsigned* seen) {
    atomicAdd(&seen[atomicDec(cell, 9)], 1);
}

__global__ void scopes(unsigned* cells) {
    atomicAdd_block(&cells[blockIdx.x], 1);
    atomicAdd_system(&cells[4], 1);
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(&cells[5]) : "memory");
    asm volatile("red.release.sys.global.max.u32 [%0], %1;" ::"l"(&cells[6]), "r"(thread_number())
                 : "memory");
    unsigned old;
    asm volatile("atom.acq_rel.cta.global.add.u32 %0, [%1+28], 2;"
                 : "=r"(old)
                 : "l"(cells + blockIdx.x)
                 : "memory");
    if (old % 2) cells[7 + blockIdx.x] = 0;
}

__global__ void in_shared(unsigned* out) {
    __shared__ unsigned sum, most;
    __shared__ unsigned long long wide;
    __shared__ float real;
    if (threadIdx.x == 0) sum = 0, most = 0, wide = 0, real = 0;
    __syncthreads();
    atomicAdd(&sum, threadIdx.x);
    atomicMax(&most, scrambled(threadIdx.x));
    atomicAdd(&wide, 1ull << 33);
    atomicAdd(&real, 0.5f);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = sum, out[1] = most, out[2] = static_cast<unsigned>(wide >> 33),
        out[3] = static_cast<unsigned>(real);
    }
}

__device__ __noinline__ void add_through(unsigned* pointer) {
    atomicAdd(pointer, 1);
}
__global__ void generic(unsigned* out) {
    __shared__ unsigned here;
    if (threadIdx.x == 0) here = 100;
    __syncthreads();
    add_through(threadIdx.x % 2 ? &here : out);
    __syncthreads();
    if (threadIdx.x == 0) out[1] = here;
}

__global__ void exchange(unsigned long long* cells) {
    // At the end, each value must be in the cell or have been returned to exactly one thread.
    const unsigned long long mine = (1ull << 40) + thread_number();
    const unsigned long long got = atomicExch(&cells[0], mine);
    atomicAdd(&cells[1], got);
}

__global__ void subnormals(float* global, float* out) {
    __shared__ float shared;
    if (threadIdx.x == 0) {
        shared = 1e-40f;
        atomicAdd(&shared, 1e-40f);
        *out = shared;
        atomicAdd(global, 1e-40f);
    }
}

__global__ void histogram(const unsigned* values, int count, unsigned* bins) {
    __shared__ unsigned mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = thread_number(); i < count; i += kTotal) atomicAdd(&mine[values[i] >> 28], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
    test_integers<unsigned>("unsigned int");
    test_integers<int>("int");
    test_integers<unsigned long long>("unsigned long long");
    {
        std::vector<long long> wanted = {1000, -1000, 7};
        DeviceArray<long long> cells(wanted);
        long_longs<<<kBlocks, kThreads>>>(cells);
        for (int i = 0; i < kTotal; ++i) {
            const long long value =
                static_cast<long long>(static_cast<int>(scrambled(i))) * (1 << 20);
            wanted = {std::min(wanted[0], value), std::max(wanted[1], value), wanted[2] + value};
        }
        expect_equal("long long", cells.read(), wanted);
    }
    {
        float floats = 0;
        double doubles = 0;
        for (int i = 0; i < kTotal; ++i) floats += i % 7, doubles += i % 7 + 0.5;
        DeviceArray<float> cell(1);
        float_sum<<<kBlocks, kThreads>>>(cell);
        expect_equal("float sum", cell.read(), {floats});
        DeviceArray<double> wide(1);
        double_sum<<<kBlocks, kThreads>>>(wide);
        expect_equal("double sum", wide.read(), {doubles});
    }
    {
        DeviceArray<__nv_bfloat16> one(1);
        DeviceArray<__nv_bfloat162> two(1);
        bfloat_sums<<<kBlocks, kThreads>>>(one, two);
        const __nv_bfloat162 pair = two.read()[0];
        expect_equal<float>(
            "bfloat16 sums",
            {__bfloat162float(one.read()[0]), __low2float(pair), __high2float(pair)},
            {128, 64, 256});
    }
    {
        DeviceArray<float2> two(1);
        DeviceArray<float4> four(1);
        float_vectors<<<kBlocks, kThreads>>>(two, four);
        float sum = 0;
        for (int i = 0; i < kTotal; ++i) sum += i % 5;
        const float2 a = two.read()[0];
        const float4 b = four.read()[0];
        expect_equal<float>("vectors of floats", {a.x, a.y, b.x, b.y, b.z, b.w},
                            {sum, kTotal, kTotal, 2 * kTotal, 3 * kTotal, sum});
    }
    {
        unsigned wanted = 1;
        for (int i = 0; i < kTotal; ++i) wanted *= scrambled(i) | 1;
        DeviceArray<unsigned> cell({1u});
        product<<<kBlocks, kThreads>>>(cell);
        expect_equal("compare and swap loop", cell.read(), {wanted});
    }
    {
        DeviceArray<unsigned> counter(1), taken(kTotal);
        tickets<<<kBlocks, kThreads>>>(counter, taken);
        expect_equal("old values", taken.read(), std::vector<unsigned>(kTotal, 1));
    }
    {
        std::vector<unsigned> wanted(10, kTotal / 10);
        for (int i = 0; i < kTotal % 10; ++i) ++wanted[i];
        DeviceArray<unsigned> up({0u}), seen(10);
        increments<<<kBlocks, kThreads>>>(up, seen);
        expect_equal("wrapping increment", seen.read(), wanted);
        std::reverse(wanted.begin(), wanted.end());
        DeviceArray<unsigned> down({9u}), seen_down(10);
        decrements<<<kBlocks, kThreads>>>(down, seen_down);
        expect_equal("wrapping decrement", seen_down.read(), wanted);
    }
    {
        DeviceArray<unsigned> cells(11);
        scopes<<<kBlocks, kThreads>>>(cells);
        expect_equal<unsigned>(
            "scopes", cells.read(),
            {kThreads, kThreads, kThreads, kThreads, kTotal, kTotal, kTotal - 1, 2 * kThreads,
             2 * kThreads, 2 * kThreads, 2 * kThreads});
    }
    {
        unsigned sum = 0, most = 0;
        for (unsigned i = 0; i < kThreads; ++i) sum += i, most = std::max(most, scrambled(i));
        DeviceArray<unsigned> out(4);
        in_shared<<<1, kThreads>>>(out);
        expect_equal<unsigned>("shared memory", out.read(), {sum, most, kThreads, kThreads / 2});
    }
    {
        DeviceArray<unsigned> out(2);
        generic<<<1, kThreads>>>(out);
        expect_equal<unsigned>("generic pointers", out.read(), {kThreads / 2, 100 + kThreads / 2});
    }
    {
        DeviceArray<unsigned long long> cells(2);
        exchange<<<kBlocks, kThreads>>>(cells);
        unsigned long long sum = 0;
        for (int i = 0; i < kTotal; ++i) sum += (1ull << 40) + i;
        const std::vector<unsigned long long> got = cells.read();
        expect_equal<unsigned long long>("exchange of 64 bits", {got[0] + got[1]}, {sum});
    }
    {
        // Atomics flush subnormal floats to zero in global memory, but not in shared memory.
        DeviceArray<float> global({1e-40f}), out(1);
        subnormals<<<1, 32>>>(global, out);
        expect_equal<bool>("float subnormals",
                           {global.read()[0] == 0, out.read()[0] == 1e-40f + 1e-40f}, {true, true});
    }
    {
        std::vector<unsigned> values(5000), wanted(16);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = scrambled(i * 3), ++wanted[values[i] >> 28];
        DeviceArray<unsigned> in(values), bins(16);
        histogram<<<kBlocks, kThreads>>>(in, static_cast<int>(values.size()), bins);
        expect_equal("histogram", bins.read(), wanted);
    }
}
