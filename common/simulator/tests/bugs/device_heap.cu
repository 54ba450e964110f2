// Mistakes with malloc and free in kernels.
#include "../cases.h"

__global__ void one_too_many(int* out, int n) {
    int* values = static_cast<int*>(malloc(4 * sizeof(int)));
    for (int i = 0; i <= n; ++i) values[i] = i;  // bug past_the_end: memcheck: out of bounds
    out[0] = values[n - 1];
    free(values);
}
static void past_the_end() {
    one_too_many<<<1, 1>>>(device_zeros<int>(1), 4);
}

__global__ void far_away(int* out, long distance) {
    int* values = static_cast<int*>(malloc(100));
    values[0] = 1;
    values[distance] = 7;  // bug far_past_the_end: memcheck: out of bounds
    out[0] = values[0];
    free(values);
}
static void far_past_the_end() {
    far_away<<<1, 1>>>(device_zeros<int>(1), 262148);
}

__global__ void reads_after_free(int* out) {
    int* values = static_cast<int*>(malloc(64));
    values[1] = 5;
    free(values);  // other read_after_free
    out[0] = values[1];  // bug read_after_free: memcheck: use after free
}
static void read_after_free() {
    reads_after_free<<<1, 1>>>(device_zeros<int>(1));
}

// Adds to memory that another thread has already freed.
__global__ void adds_after_free(int* out) {
    __shared__ int* values;
    if (threadIdx.x == 0) values = static_cast<int*>(malloc(128));
    __syncthreads();
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) free(values);  // other atomic_after_free
    __syncthreads();
    atomicAdd(&values[threadIdx.x], 1);  // bug atomic_after_free: memcheck: use after free
    out[threadIdx.x] = 1;
}
static void atomic_after_free() {
    adds_after_free<<<1, 32>>>(device_zeros<int>(32));
}

__global__ void never_allocated(int** kept) {
    *kept = static_cast<int*>(malloc(16));
    **kept = 1;
}
__global__ void before_the_block(int** kept) {
    (*kept)[-4] = 1;  // bug before_the_first_block: memcheck: out of bounds
}
static void before_the_first_block() {
    int** kept = device_zeros<int*>(1);
    never_allocated<<<1, 1>>>(kept);
    before_the_block<<<1, 1>>>(kept);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"past_the_end", past_the_end},
                        {"far_past_the_end", far_past_the_end},
                        {"read_after_free", read_after_free},
                        {"atomic_after_free", atomic_after_free},
                        {"before_the_first_block", before_the_first_block},
                    });
}
