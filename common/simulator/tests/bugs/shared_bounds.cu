// Accesses beyond the end of shared and local arrays.
#include "../cases.h"

// The column index is one too large, but only the last row extends beyond the array.
__global__ void shift_tile(float* out, const float* in) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x + 1] = in[threadIdx.y * 32 + threadIdx.x];  // bug one_column_over: memcheck: out of bounds
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x + 1];
}
static void one_column_over() {
    shift_tile<<<1, dim3(32, 32)>>>(device_zeros<float>(1024), device_iota<float>(1024));
}

__global__ void reverse_dynamic(int* out, const int* in) {
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = in[threadIdx.x];  // bug dynamic_too_small: memcheck: out of bounds
    __syncthreads();
    out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
static void dynamic_too_small() {
    reverse_dynamic<<<1, 128, 127 * sizeof(int)>>>(device_zeros<int>(128), device_iota<int>(128));
}

__global__ void scale_dynamic(int* out) {
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = 2 * threadIdx.x;  // bug dynamic_forgotten: memcheck: out of bounds
    out[threadIdx.x] = buffer[threadIdx.x];
}
static void dynamic_forgotten() {
    scale_dynamic<<<1, 32>>>(device_zeros<int>(32));
}

__global__ void from_the_left(int* out, const int* in) {
    __shared__ int row[64];
    row[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = row[threadIdx.x - 1];  // bug shared_before_begin: memcheck: out of bounds
}
static void shared_before_begin() {
    from_the_left<<<1, 64>>>(device_zeros<int>(64), device_iota<int>(64));
}

// The stencil has a halo on each side, but the array has space for only one of them.
__global__ void stencil(float* out, const float* in) {
    __shared__ float row[129];
    row[threadIdx.x + 1] = in[threadIdx.x + 1];
    if (threadIdx.x == 0) row[0] = in[0];
    __syncwarp();  // prevents clang from merging the two stores
    if (threadIdx.x == 127) row[threadIdx.x + 2] = in[threadIdx.x + 2];  // bug halo_too_short: memcheck: out of bounds
    __syncthreads();
    out[threadIdx.x] = row[threadIdx.x] + row[threadIdx.x + 1];
}
static void halo_too_short() {
    stencil<<<1, 128>>>(device_zeros<float>(128), device_iota<float>(130));
}

__global__ void count_shared(int* out, const int* values) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[values[threadIdx.x]], 1);  // bug shared_atomic_past_end: memcheck: out of bounds
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}
static void shared_atomic_past_end() {
    count_shared<<<1, 32>>>(device_zeros<int>(16), device_iota<int>(32));
}

__global__ void sort_few(int* out, const int* in, int count) {
    int few[8];
    for (int i = 0; i < count; ++i) few[i] = in[i] + threadIdx.x;  // bug local_overrun: memcheck: out of bounds
    int best = few[0];
    for (int i = 1; i < 8; ++i) best = max(best, few[i]);
    out[threadIdx.x] = best + few[count & 7];
}
static void local_overrun() {
    sort_few<<<1, 32>>>(device_zeros<int>(32), device_iota<int>(64), 64);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"one_column_over", one_column_over},
                        {"dynamic_too_small", dynamic_too_small},
                        {"dynamic_forgotten", dynamic_forgotten},
                        {"shared_before_begin", shared_before_begin},
                        {"halo_too_short", halo_too_short},
                        {"shared_atomic_past_end", shared_atomic_past_end},
                        {"local_overrun", local_overrun},
                    });
}
