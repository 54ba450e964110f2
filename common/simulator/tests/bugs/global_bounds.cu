// Out-of-bounds accesses to global memory, each caused by a mistake that learners make.
// by clang store_to_parameter: clang changes a copy of the parameter
#include "../cases.h"

// The arrays have `n` elements, but the grid has more than `n` threads.
__global__ void double_all(float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];  // bug missing_bounds_check: memcheck: out of bounds
}
static void missing_bounds_check() {
    double_all<<<4, 256>>>(device_zeros<float>(1000), device_iota<float>(1000));
}

__global__ void fill(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = i;  // bug off_by_one: memcheck: out of bounds
}
static void off_by_one() {
    fill<<<4, 256>>>(device_zeros<int>(1000), 1000);
}

// The pitch is in bytes, but the kernel adds it to an index of floats.
__global__ void clear_pitched(float* out, size_t pitch, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[row * pitch + col] = 0;  // bug pitch_in_bytes: memcheck: out of bounds
}
static void pitch_in_bytes() {
    float* out = nullptr;
    size_t pitch = 0;
    need(cudaMallocPitch(&out, &pitch, 100 * sizeof(float), 32));
    clear_pitched<<<dim3(4, 4), dim3(32, 8)>>>(out, pitch, 32, 100);
}

__global__ void difference(int* out, const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] - in[i - 1];  // bug before_the_beginning: memcheck: out of bounds
}
static void before_the_beginning() {
    difference<<<1, 64>>>(device_zeros<int>(64), device_iota<int>(64), 64);
}

// The last tiles extend beyond the edges of the matrix, and the kernel has no guard.
__global__ void transpose_unguarded(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < cols) {
        const float value = in[row * cols + col];  // bug ragged_edge: memcheck: out of bounds
        out[col * rows + row] = value;
    }
}
static void ragged_edge() {
    transpose_unguarded<<<dim3(1, 2), dim3(32, 32)>>>(device_zeros<float>(40 * 32),
                                                      device_iota<float>(40 * 32), 40, 32);
}

// The last float4 begins inside the array but ends outside of it.
__global__ void copy_vectors(float4* out, const float4* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n) out[i] = in[i];  // bug vector_tail: memcheck: out of bounds
}
static void vector_tail() {
    copy_vectors<<<2, 128>>>(reinterpret_cast<float4*>(device_zeros<float>(1004)),
                             reinterpret_cast<float4*>(device_iota<float>(1001)), 1001);
}

__global__ void shift_right(int* out, const int* in, unsigned by) {
    const unsigned i = threadIdx.x;
    out[i] = in[i - by];  // bug unsigned_underflow: memcheck: out of bounds
}
static void unsigned_underflow() {
    shift_right<<<1, 32>>>(device_zeros<int>(32), device_iota<int>(32), 5);
}

__global__ void read_freed(int* out, const int* in) {
    out[threadIdx.x] = in[threadIdx.x];  // bug use_after_free: memcheck: use after free
}
static void use_after_free() {
    int* out = device_zeros<int>(32);
    int* in = device_iota<int>(32);
    need(cudaFree(in));
    read_freed<<<1, 32>>>(out, in);
}

__global__ void through_null(int* out) {
    out[threadIdx.x] = 1;  // bug null_pointer: memcheck: out of bounds
}
static void null_pointer() {
    through_null<<<1, 32>>>(nullptr);
}

__global__ void sum_host_data(int* out, const int* in) {
    atomicAdd(out, in[threadIdx.x]);  // bug host_pointer: memcheck: out of bounds
}
static void host_pointer() {
    static int on_the_host[32];
    sum_host_data<<<1, 32>>>(device_zeros<int>(1), on_the_host);
}

__global__ void square(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = static_cast<float>(i) * i;  // bug elements_for_bytes: memcheck: out of bounds
}
static void elements_for_bytes() {
    float* out = nullptr;
    need(cudaMalloc(&out, 1000));  // too small: 1000 bytes instead of 1000 floats
    square<<<4, 256>>>(out, 1000);
}

__global__ void histogram(int* bins, const int* values) {
    atomicAdd(&bins[values[threadIdx.x]], 1);  // bug atomic_past_the_end: memcheck: out of bounds
}
static void atomic_past_the_end() {
    histogram<<<1, 33>>>(device_zeros<int>(32), device_iota<int>(33));
}

__device__ int table[16];
__global__ void fill_table() {
    table[threadIdx.x] = threadIdx.x;  // bug device_variable: memcheck: out of bounds
}
static void device_variable() {
    fill_table<<<1, 17>>>();
}

__constant__ float coefficients[4];
__global__ void use_coefficients(float* out, int first) {
    out[threadIdx.x] = coefficients[first + threadIdx.x];  // bug constant_variable: memcheck: out of bounds
}
static void constant_variable() {
    const float values[4] = {1, 2, 3, 4};
    need(cudaMemcpyToSymbol(coefficients, values, sizeof values));
    use_coefficients<<<1, 4>>>(device_zeros<float>(4), 2);
}

// The grid covers the matrix, but the store swaps the row and the column.
__global__ void store_swapped(float* out, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[col * cols + row] = 1;  // bug rows_for_cols: memcheck: out of bounds
}
static void rows_for_cols() {
    store_swapped<<<dim3(4, 1), dim3(32, 8)>>>(device_zeros<float>(8 * 128), 8, 128);
}

// A kernel must not modify its parameters.
struct Pair {
    int first, second;
};
static __device__ __noinline__ void set_to_one(int* value) {
    *value = 1;  // bug store_to_parameter: memcheck: out of bounds
}
__global__ void change_parameter(int* out, const __grid_constant__ Pair pair) {
    set_to_one(const_cast<int*>(&pair.second));
    *out = pair.second;
}
static void store_to_parameter() {
    change_parameter<<<1, 1>>>(device_zeros<int>(1), Pair{2, 3});
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"store_to_parameter", store_to_parameter},
                        {"missing_bounds_check", missing_bounds_check},
                        {"off_by_one", off_by_one},
                        {"pitch_in_bytes", pitch_in_bytes},
                        {"before_the_beginning", before_the_beginning},
                        {"ragged_edge", ragged_edge},
                        {"vector_tail", vector_tail},
                        {"unsigned_underflow", unsigned_underflow},
                        {"use_after_free", use_after_free},
                        {"null_pointer", null_pointer},
                        {"host_pointer", host_pointer},
                        {"elements_for_bytes", elements_for_bytes},
                        {"atomic_past_the_end", atomic_past_the_end},
                        {"device_variable", device_variable},
                        {"constant_variable", constant_variable},
                        {"rows_for_cols", rows_for_cols},
                    });
}
