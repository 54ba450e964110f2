// The second file of the program in main.cu.
#include "shared.h"

__device__ int offset_of_both = 100;
__constant__ int table[4] = {1, 2, 3, 4};

// main.cu also defines a static function and a static variable with these names.
static __device__ int own = 7;
static __device__ __noinline__ int get_own(const int* unused) {
    return unused ? own : 0;
}

static __device__ __noinline__ int negate(int value) {
    return -value;
}
__device__ Operation chosen_operation = negate;

__device__ int multiply(int a, int b) {
    return a * b;
}

struct Square : Shape {
    __device__ int corners() const override { return 4; }
};
__device__ Square square;
__device__ const Shape* make_square() {
    return new Square;
}

__global__ void write_from_other_file(int* out) {
    dynamic[threadIdx.x] = static_cast<int>(threadIdx.x);
    const int sum = add_block_sum(1);
    if (threadIdx.x != 0) return;
    out[0] = get_own(out);
    out[1] = sum + dynamic[1];
    out[2] = host_value();
    printf("printed by kernels.cu\n");
}
