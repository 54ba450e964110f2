// Tests printf in kernels: every conversion, with flags, width and precision.
// expect: [42] [-7] [   42] [42   ] [00042] [+42] [ 42]
// expect: [4294967295] [52] [2a] [2A] [0x2a] [052] [0X2A]
// expect: [9223372036854775807] [-9223372036854775808] [18446744073709551615]
// expect: [ffffffffffffffff] [1234567890123] [77]
// expect: [3.141593] [3.14] [   3.1416] [3.141593e+00] [3.14159] [-0.000000] [inf]
// expect: [1.5] [1.500E+00] [0x1.8p+0] [100000] [1e+06] [+2.50]
// expect: [a] [  b] [c  ] [%]
// expect: [a constant] [          right] [left           ] [cut] [  cu]
// expect: [a string that was made on the device]
// expect: [(nil)] [0x10]
// expect: [    7] [8    ]
// expect: char -5 short 300 bool 1 long 123456789012
// expect: no arguments
// expect: returned 3
// expect: returned 0
// expect: order: 0 1 2 3
// expect: 1 2 3 4 5 6 7 8 9 10 11 12 0.5 1.5
// expect: lane 5 of warp 1
// expect: from a function: 99
#include <cstdio>

#include <cuda_runtime.h>

__device__ char made_here[64];
__device__ const char* const kConstant = "a constant";

__device__ __noinline__ void print_from_function(int value) {
    printf("from a function: %d\n", value);
}

__global__ void integers() {
    printf("[%d] [%i] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, -7, 42, 42, 42, 42, 42);
    printf("[%u] [%o] [%x] [%X] [%#x] [%#o] [%#X]\n", 4294967295u, 42u, 42u, 42u, 42u, 42u, 42u);
    printf("[%lld] [%lld] [%llu]\n", 9223372036854775807ll, -9223372036854775807ll - 1,
           18446744073709551615ull);
    printf("[%lx] [%ld] [%hd]\n", ~0ul, 1234567890123l, static_cast<short>(77));
}
__global__ void floats() {
    printf("[%f] [%.2f] [%9.4f] [%e] [%g] [%f] [%f]\n", 3.14159265, 3.14159265, 3.14159265,
           3.14159265, 3.14159265, -0.0, 1e300 * 1e300);
    printf("[%g] [%.3E] [%a] [%g] [%g] [%+.2f]\n", 1.5f, 1.5f, 1.5, 1e5, 1e6, 2.5f);
}
__global__ void text() {
    printf("[%c] [%3c] [%-3c] [%%]\n", 'a', 'b', 'c');
    printf("[%s] [%15s] [%-15s] [%.3s] [%4.2s]\n", kConstant, "right", "left", "cut here",
           "cut here");
    const char* source = "a string that was made on the device";
    int at = 0;
    for (; source[at]; ++at) made_here[at] = source[at];
    made_here[at] = 0;
    printf("[%s]\n", made_here);
    printf("[%p] [%p]\n", static_cast<void*>(nullptr), reinterpret_cast<void*>(16));
    printf("[%*d] [%*d]\n", 5, 7, -5, 8);
    const char small = -5;
    const short middle = 300;
    printf("char %d short %d bool %d long %ld\n", small, middle, true, 123456789012l);
    printf("no arguments\n");
    printf("returned %d\n", printf("%s", "") + printf("%s%s", "", ""));
    printf("returned %d\n", printf(""));
}
__global__ void order() {
    if (threadIdx.x == 0) printf("order:");
    __syncwarp(0xf);
    printf(" %d", threadIdx.x);
    if (threadIdx.x == 0) printf("");
}
__global__ void newline() {
    printf("\n");
}
__global__ void many() {
    printf("%d %d %d %d %d %d %d %d %d %d %d %lld %g %g\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12ll,
           0.5, 1.5);
}
__global__ void some_lane() {
    if (threadIdx.x == 37) printf("lane %d of warp %d\n", threadIdx.x % 32, threadIdx.x / 32);
}
__global__ void in_function() {
    print_from_function(99);
}

int main() {
    integers<<<1, 1>>>();
    floats<<<1, 1>>>();
    text<<<1, 1>>>();
    order<<<1, 4>>>();
    newline<<<1, 1>>>();
    many<<<1, 1>>>();
    some_lane<<<1, 64>>>();
    in_function<<<1, 1>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
}
