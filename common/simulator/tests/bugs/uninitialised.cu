// Reads of uninitialised memory.
// by clang sum_without_zero: clang attributes the read and the sum to one line
#include "../cases.h"

template <class T>
static T* device_raw(std::size_t count) {
    T* data = nullptr;
    need(cudaMalloc(&data, count * sizeof(T)));
    return data;
}

__global__ void add_one(int* x) {
    x[threadIdx.x] += 1;  // bug never_written: initcheck: uninitialised global read
}
static void never_written() {
    add_one<<<1, 64>>>(device_raw<int>(64));
}

// The program passes an element count to cudaMemset, which expects bytes.
__global__ void copy(int* out, const int* in) {
    out[threadIdx.x] = in[threadIdx.x];  // bug memset_of_elements: initcheck: uninitialised global read
}
static void memset_of_elements() {
    int* in = device_raw<int>(64);
    need(cudaMemset(in, 0, 64));
    copy<<<1, 64>>>(device_zeros<int>(64), in);
}

// One kernel writes every other element, and the next kernel reads all of them.
__global__ void write_even(int* x) {
    x[2 * threadIdx.x] = threadIdx.x;
}
__global__ void sum_all(int* out, const int* x) {
    atomicAdd(out, x[threadIdx.x]);  // bug gaps_in_output: initcheck: uninitialised global read
}
static void gaps_in_output() {
    int* x = device_raw<int>(64);
    write_even<<<1, 32>>>(x);
    sum_all<<<1, 64>>>(device_zeros<int>(1), x);
}

__global__ void count_even(int* counter, const int* values) {
    if (values[threadIdx.x] % 2 == 0) atomicAdd(counter, 1);  // bug counter_never_cleared: initcheck: uninitialised global read
}
static void counter_never_cleared() {
    count_even<<<1, 32>>>(device_raw<int>(1), device_iota<int>(32));
}

// A copy of uninitialised memory is also uninitialised.
__global__ void scale(float* out, const float* in) {
    out[threadIdx.x] = 2 * in[threadIdx.x];  // bug copied_before_written: initcheck: uninitialised global read
}
static void copied_before_written() {
    float *from = device_raw<float>(32), *to = device_zeros<float>(32);
    need(cudaMemcpy(to, from, 32 * sizeof(float), cudaMemcpyDeviceToDevice));
    scale<<<1, 32>>>(device_zeros<float>(32), to);
}

// The buffer is half a vector longer than the data that was written to it.
__global__ void last_row(float4* out, const float4* in) {
    out[threadIdx.x] = in[threadIdx.x];  // bug last_vector_half_written: initcheck: uninitialised global read
}
static void last_vector_half_written() {
    float* in = device_raw<float>(128);
    need(cudaMemset(in, 0, 126 * sizeof(float)));
    last_row<<<1, 32>>>(reinterpret_cast<float4*>(device_zeros<float>(128)),
                        reinterpret_cast<float4*>(in));
}

// A guard leaves part of the tile unwritten, but the loop that reads the tile has no guard.
__global__ void transpose_ragged(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    if (y < rows && x < cols) tile[y][x] = in[y * cols + x];
    __syncthreads();
    out[y * 32 + x] = tile[x][y];  // bug ragged_tile: initcheck: uninitialised shared read
}
static void ragged_tile() {
    transpose_ragged<<<1, dim3(32, 32)>>>(device_zeros<float>(1024), device_iota<float>(30 * 31),
                                          30, 31);
}

__global__ void read_padding(float* out, const float* in) {
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x + 1];  // bug padding_read: initcheck: uninitialised shared read
}
static void padding_read() {
    read_padding<<<1, dim3(32, 32)>>>(device_zeros<float>(1024), device_iota<float>(1024));
}

__global__ void sum_in_shared(int* out, const int* in) {
    __shared__ int sums[32];
    for (int i = 0; i < 4; ++i) sums[threadIdx.x] += in[i * 32 + threadIdx.x];  // bug sum_without_zero: initcheck: uninitialised shared read
    out[threadIdx.x] = sums[threadIdx.x];
}
static void sum_without_zero() {
    sum_in_shared<<<1, 32>>>(device_zeros<int>(32), device_iota<int>(128));
}

__global__ void count_shared(int* out, const int* values) {
    __shared__ int bins[8];
    if (threadIdx.x < 7) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[values[threadIdx.x] % 8], 1);  // bug one_bin_not_cleared: initcheck: uninitialised shared read
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}
static void one_bin_not_cleared() {
    count_shared<<<1, 32>>>(device_zeros<int>(8), device_iota<int>(32));
}

// A block must not rely on values that an earlier block has left in shared memory.
__global__ void first_block_writes(int* out) {
    __shared__ int value[32];
    if (blockIdx.x == 0) value[threadIdx.x] = 7;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = value[threadIdx.x];  // bug left_by_another_block: initcheck: uninitialised shared read
}
static void left_by_another_block() {
    first_block_writes<<<4, 32>>>(device_zeros<int>(128));
}

// Without short-circuit evaluation, the branch depends on both comparisons of the unwritten value.
__global__ void count_in_range(int* count) {
    __shared__ int values[64];
    if (threadIdx.x < 32) values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int value = values[threadIdx.x];  // bug range_of_unwritten_values: initcheck: uninitialised shared read
    if ((value > 3) & (value < 9)) atomicAdd(count, 1);
}
static void range_of_unwritten_values() {
    count_in_range<<<1, 64>>>(device_zeros<int>(1));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"never_written", never_written},
                        {"memset_of_elements", memset_of_elements},
                        {"gaps_in_output", gaps_in_output},
                        {"counter_never_cleared", counter_never_cleared},
                        {"copied_before_written", copied_before_written},
                        {"last_vector_half_written", last_vector_half_written},
                        {"ragged_tile", ragged_tile},
                        {"padding_read", padding_read},
                        {"sum_without_zero", sum_without_zero},
                        {"one_bin_not_cleared", one_bin_not_cleared},
                        {"left_by_another_block", left_by_another_block},
                        {"range_of_unwritten_values", range_of_unwritten_values},
                    });
}
