// Tests calls of functions that are not inlined.
// expect: scalars: ok
// expect: many arguments: ok
// expect: structs by value: ok
// expect: results through pointers: ok
// expect: calls in divergent branches: ok
// expect: calls of calls: ok
// expect: floats and doubles: ok
// expect: a barrier in a function: ok
// expect: a return out of the middle: ok
// expect: short types: ok
#include "check.h"

__host__ __device__ __noinline__ int scalar(int a, int b) {
    return a * 3 - b;
}

__host__ __device__ __noinline__ int many(int a, char b, short c, long long d, float e, double f,
                                          unsigned g, bool h, int i, int j) {
    return a + b * 2 + c * 3 + static_cast<int>(d % 1000) + static_cast<int>(e * 4) +
           static_cast<int>(f * 5) + static_cast<int>(g % 7) + h * 100 + i * j;
}

struct Pair {
    int first;
    double second;
    char tag[5];
};
__host__ __device__ __noinline__ Pair turn(Pair p, int by) {
    Pair result{p.first + by, p.second * by, {}};
    for (int i = 0; i < 5; ++i) result.tag[i] = p.tag[4 - i];
    return result;
}
__host__ __device__ int with_struct(int i) {
    const Pair p = turn({i, i * 0.5, {'a', 'b', 'c', 'd', static_cast<char>(i)}}, 3);
    return p.first * 7 + static_cast<int>(p.second * 2) + p.tag[0] * 1000 + p.tag[4];
}

__host__ __device__ __noinline__ void divide(int a, int b, int* quotient, int* remainder) {
    *quotient = a / b;
    *remainder = a % b;
}
__host__ __device__ int through_pointers(int i) {
    int quotient, remainder;
    divide(i * 17, i % 5 + 1, &quotient, &remainder);
    return quotient * 10 + remainder;
}

__host__ __device__ __noinline__ int odd_case(int i) {
    return i * 11;
}
__host__ __device__ __noinline__ int even_case(int i) {
    return i / 2 + 5;
}
__host__ __device__ int divergent(int i) {
    int sum = 0;
    for (int k = 0; k < i % 4; ++k) sum += (i + k) % 2 ? odd_case(i + k) : even_case(i - k);
    return sum;
}

__host__ __device__ __noinline__ int level_3(int i) {
    return i ^ 0x33;
}
__host__ __device__ __noinline__ int level_2(int i) {
    return level_3(i + 1) + level_3(i + 2);
}
__host__ __device__ __noinline__ int level_1(int i) {
    return level_2(i) * 2 - level_3(i);
}

__host__ __device__ __noinline__ double mixed(float a, double b) {
    return a * 0.5 + b;
}
__host__ __device__ int reals(int i) {
    return static_cast<int>(mixed(i * 1.5f, i * 0.25) * 8);
}

__device__ __noinline__ void meet(int* memory, int value) {
    memory[threadIdx.x] = value;
    __syncthreads();
}
__global__ void barrier_inside(int* out) {
    __shared__ int memory[96];
    meet(memory, threadIdx.x * 5);
    const int first = memory[95 - threadIdx.x];
    __syncthreads();
    meet(memory, first + 1);
    out[threadIdx.x] = memory[95 - threadIdx.x];
}

__host__ __device__ __noinline__ int search(int i) {
    for (int k = 2; k < 100; ++k) {
        if (i % k == 0) return k;
        if (k > i) return -k;
    }
    return 0;
}

__host__ __device__ __noinline__ signed char narrow(signed char a, unsigned char b,
                                                    unsigned short c) {
    return static_cast<signed char>(a + b - c);
}
__host__ __device__ int shorts(int i) {
    return narrow(static_cast<signed char>(i * 3), static_cast<unsigned char>(200 + i),
                  static_cast<unsigned short>(i * 1000));
}

__host__ __device__ int call_scalar(int i) {
    return scalar(i, 7) + scalar(2, i);
}
__host__ __device__ int call_many(int i) {
    return many(i, static_cast<char>(i), static_cast<short>(-i), i * 1000003ll, i * 0.25f,
                i * 0.125, i * 3u, i % 2, i, 3);
}

template <int (*Function)(int)>
__global__ void apply(int* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = Function(blockIdx.x * blockDim.x + threadIdx.x);
}

template <int (*Function)(int)>
void test(const char* name) {
    DeviceArray<int> out(200);
    apply<Function><<<2, 100>>>(out);
    expect_equal(name, out.read(), for_threads<int>(200, Function));
}

int main() {
    test<call_scalar>("scalars");
    test<call_many>("many arguments");
    test<with_struct>("structs by value");
    test<through_pointers>("results through pointers");
    test<divergent>("calls in divergent branches");
    test<level_1>("calls of calls");
    test<reals>("floats and doubles");
    DeviceArray<int> out(96);
    barrier_inside<<<1, 96>>>(out);
    expect_equal("a barrier in a function", out.read(),
                 for_threads<int>(96, [](int i) { return i * 5 + 1; }));
    test<search>("a return out of the middle");
    test<shorts>("short types");
}
