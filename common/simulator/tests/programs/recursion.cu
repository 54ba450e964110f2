// Tests recursive functions whose depth differs between lanes.
// expect: factorial: ok
// expect: fibonacci: ok
// expect: mutual: ok
// expect: ackermann: ok
// expect: local arrays in every call: ok
// expect: permutations: ok
#include "check.h"

__host__ __device__ __noinline__ long long factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}
__host__ __device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ bool is_odd(int n);
__host__ __device__ __noinline__ bool is_even(int n) {
    return n == 0 || is_odd(n - 1);
}
__host__ __device__ __noinline__ bool is_odd(int n) {
    return n != 0 && is_even(n - 1);
}

__host__ __device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

/// Each call has its own local array, which nested calls must not change.
__host__ __device__ __noinline__ int with_array(int depth, int seed) {
    int values[4];
    for (int i = 0; i < 4; ++i) values[(seed + i) % 4] = seed * (i + 1) + depth;
    const int below = depth > 0 ? with_array(depth - 1, seed + 1) : 0;
    return below + values[depth % 4] * 2 + values[seed % 4];
}

__host__ __device__ __noinline__ int permutations(int* values, int from, int count) {
    if (from == count) return values[0] * 1000 + values[1] * 100 + values[2] * 10 + values[3];
    int sum = 0;
    for (int i = from; i < count; ++i) {
        int swap = values[from];
        values[from] = values[i], values[i] = swap;
        sum = sum * 3 + permutations(values, from + 1, count);
        swap = values[from];
        values[from] = values[i], values[i] = swap;
    }
    return sum;
}

__host__ __device__ long long factorials(int i) {
    return factorial(i % 21);
}
__host__ __device__ long long fibonaccis(int i) {
    return fibonacci(i % 13);
}
__host__ __device__ long long parities(int i) {
    return is_even(i) * 2 + is_odd(i);
}
__host__ __device__ long long ackermanns(int i) {
    return ackermann(i % 3, i % 5);
}
__host__ __device__ long long arrays(int i) {
    return with_array(i % 12, i);
}
__host__ __device__ long long orders(int i) {
    int values[4] = {i % 10, i % 7, i % 5, i % 3};
    return permutations(values, 0, 4);
}

template <long long (*Function)(int)>
__global__ void apply(long long* out) {
    out[threadIdx.x] = Function(threadIdx.x);
}

template <long long (*Function)(int)>
void test(const char* name) {
    DeviceArray<long long> out(70);
    apply<Function><<<1, 70>>>(out);
    expect_equal(name, out.read(), for_threads<long long>(70, Function));
}

int main() {
    MUST(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    test<factorials>("factorial");
    test<fibonaccis>("fibonacci");
    test<parities>("mutual");
    test<ackermanns>("ackermann");
    test<arrays>("local arrays in every call");
    test<orders>("permutations");
}
