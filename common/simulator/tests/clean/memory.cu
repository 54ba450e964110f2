// Correct accesses to every memory space, up to the last byte.
#include "../cases.h"

#include <algorithm>

// clean ragged_edge
__global__ void copy_guarded(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}
static void ragged_edge() {
    float* out = device_zeros<float>(37 * 53);
    copy_guarded<<<dim3(2, 5), dim3(32, 8)>>>(out, device_iota<float>(37 * 53), 37, 53);
    const auto host = to_host(out, 37 * 53);
    for (int i = 0; i < 37 * 53; ++i) expect(host[i] == i, "copy");
}

// clean whole_vectors_and_tail
__global__ void copy_vectors(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n)
        reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
    else
        for (int k = 4 * i; k < n; ++k) out[k] = in[k];
}
static void whole_vectors_and_tail() {
    float* out = device_zeros<float>(1003);
    copy_vectors<<<3, 128>>>(out, device_iota<float>(1003), 1003);
    const auto host = to_host(out, 1003);
    for (int i = 0; i < 1003; ++i) expect(host[i] == i, "copy");
}

// clean vectors_of_every_size
__global__ void vectors(char* bytes, int* out) {
    const int t = threadIdx.x;
    const char2 a = reinterpret_cast<char2*>(bytes)[t];
    const short4 b = reinterpret_cast<short4*>(bytes)[t];
    const double2 c = reinterpret_cast<double2*>(bytes)[t];
    const uint3 d = reinterpret_cast<uint3*>(bytes)[t];
    out[t] = a.x + a.y + (b.x == b.y) + (c.x == c.y) + (d.x == d.z);
}
static void vectors_of_every_size() {
    int* out = device_zeros<int>(32);
    vectors<<<1, 32>>>(device_zeros<char>(512), out);
    for (const int sum : to_host(out, 32)) expect(sum == 3, "all zeros");
}

// clean memset_then_read
__global__ void sum_bytes(int* out, const unsigned char* in) {
    atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]);
}
static void memset_then_read() {
    unsigned char* in = nullptr;
    need(cudaMalloc(&in, 301));
    need(cudaMemset(in, 1, 301));
    int* out = device_zeros<int>(1);
    sum_bytes<<<7, 43>>>(out, in);
    expect(to_host(out, 1)[0] == 301, "sum");
}

// clean pitched_rows
__global__ void fill_rows(float* out, size_t pitch, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col < cols)
        reinterpret_cast<float*>(reinterpret_cast<char*>(out) + row * pitch)[col] = row * 100 + col;
}
static void pitched_rows() {
    float* out = nullptr;
    size_t pitch = 0;
    need(cudaMallocPitch(&out, &pitch, 75 * sizeof(float), 20));
    fill_rows<<<dim3(3, 20), 32>>>(out, pitch, 20, 75);
    std::vector<float> host(20 * 75);
    need(cudaMemcpy2D(host.data(), 75 * 4, out, pitch, 75 * 4, 20, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20 * 75; ++i) expect(host[i] == i / 75 * 100 + i % 75, "row");
}

// clean written_by_earlier_kernel
__global__ void write_half(int* x, int first) {
    x[2 * threadIdx.x + first] = threadIdx.x;
}
__global__ void read_all(int* out, const int* x) {
    atomicAdd(out, x[threadIdx.x]);
}
static void written_by_earlier_kernel() {
    int* x = nullptr;
    need(cudaMalloc(&x, 64 * sizeof(int)));
    write_half<<<1, 32>>>(x, 0);
    write_half<<<1, 32>>>(x, 1);
    int* out = device_zeros<int>(1);
    read_all<<<1, 64>>>(out, x);
    expect(to_host(out, 1)[0] == 2 * 31 * 16, "sum");
}

// clean copied_between_buffers
static void copied_between_buffers() {
    int *from = device_iota<int>(64), *to = nullptr;
    need(cudaMalloc(&to, 64 * sizeof(int)));
    need(cudaMemcpyAsync(to, from, 64 * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
    int* out = device_zeros<int>(1);
    read_all<<<1, 64>>>(out, to);
    expect(to_host(out, 1)[0] == 63 * 32, "sum");
}

// clean freed_and_allocated_again
static void freed_and_allocated_again() {
    for (int round = 0; round < 20; ++round) {
        int* x = device_iota<int>(64 + round);
        int* out = device_zeros<int>(1);
        read_all<<<1, 64>>>(out, x);
        expect(to_host(out, 1)[0] == 63 * 32, "sum");
        need(cudaFree(x));
        need(cudaFree(out));
    }
}

// clean constants_and_symbols
__constant__ float weights[5];
__device__ int counter;
__device__ float results[64];
__global__ void use_symbols() {
    results[threadIdx.x] = weights[threadIdx.x % 5] * 2;
    atomicAdd(&counter, 1);
}
static void constants_and_symbols() {
    const float host[5] = {1, 2, 3, 4, 5};
    need(cudaMemcpyToSymbol(weights, host, sizeof host));
    use_symbols<<<1, 64>>>();
    float got[64];
    int count = 0;
    need(cudaMemcpyFromSymbol(got, results, sizeof got));
    need(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    expect(count == 64, "count");
    for (int i = 0; i < 64; ++i) expect(got[i] == host[i % 5] * 2, "weight");
}

// clean device_variable_starts_at_zero
__device__ int table[32];
__global__ void read_table(int* out) {
    out[threadIdx.x] = table[threadIdx.x] + 1;
}
static void device_variable_starts_at_zero() {
    int* out = device_zeros<int>(32);
    read_table<<<1, 32>>>(out);
    for (const int value : to_host(out, 32)) expect(value == 1, "zero");
}

// clean local_arrays
__global__ void sort_eight(int* out, const int* in) {
    int few[8];
    for (int i = 0; i < 8; ++i) few[i] = in[(threadIdx.x * 5 + i * 3) % 64];
    for (int i = 1; i < 8; ++i) {
        for (int k = i; k > 0 && few[k - 1] > few[k]; --k) {
            const int other = few[k];
            few[k] = few[k - 1];
            few[k - 1] = other;
        }
    }
    out[threadIdx.x] = few[in[threadIdx.x] % 8];
}
static void local_arrays() {
    int* out = device_zeros<int>(64);
    sort_eight<<<1, 64>>>(out, device_iota<int>(64));
    const auto host = to_host(out, 64);
    for (int t = 0; t < 64; ++t) {
        std::vector<int> few;
        for (int i = 0; i < 8; ++i) few.push_back((t * 5 + i * 3) % 64);
        std::sort(few.begin(), few.end());
        expect(host[t] == few[t % 8], "sorted");
    }
}

// clean recursion
__device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recurse(int* out) {
    out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}
static void recursion() {
    int* out = device_zeros<int>(32);
    recurse<<<1, 32>>>(out);
    expect(to_host(out, 32)[11] == 89, "fibonacci");
}

// clean structs_by_value
struct Settings {
    double scale;
    int offsets[5];
    char letter;
};
__global__ void use_settings(double* out, Settings settings, short add, float4 vector) {
    out[threadIdx.x] =
        settings.scale * settings.offsets[threadIdx.x % 5] + settings.letter + add + vector.z;
}
static void structs_by_value() {
    double* out = device_zeros<double>(10);
    use_settings<<<1, 10>>>(out, Settings{1.5, {1, 2, 3, 4, 5}, 'A'}, -2, float4{1, 2, 3, 4});
    const auto host = to_host(out, 10);
    for (int i = 0; i < 10; ++i) expect(host[i] == 1.5 * (i % 5 + 1) + 65 - 2 + 3, "value");
}

// clean unions_in_shared
union Bits {
    float number;
    unsigned word;
    unsigned char bytes[4];
};
__global__ void swap_bytes(unsigned* out, const float* in) {
    __shared__ Bits bits[32];
    bits[threadIdx.x].number = in[threadIdx.x];
    __syncwarp();
    Bits other;
    for (int k = 0; k < 4; ++k) other.bytes[k] = bits[31 - threadIdx.x].bytes[3 - k];
    out[threadIdx.x] = other.word;
}
static void unions_in_shared() {
    unsigned* out = device_zeros<unsigned>(32);
    swap_bytes<<<1, 32>>>(out, device_iota<float>(32));
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) {
        const float number = static_cast<float>(31 - i);
        unsigned word;
        std::memcpy(&word, &number, 4);
        expect(host[i] == __builtin_bswap32(word), "bytes");
    }
}

// clean partial_tile_with_same_guard
__global__ void tile_with_guard(float* out, const float* in, int n) {
    __shared__ float tile[64];
    if (threadIdx.x < n) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
static void partial_tile_with_same_guard() {
    float* out = device_zeros<float>(50);
    tile_with_guard<<<1, 64>>>(out, device_iota<float>(50), 50);
    const auto host = to_host(out, 50);
    for (int i = 0; i < 50; ++i) expect(host[i] == 49 - i, "value");
}

// clean managed_and_pinned
static void managed_and_pinned() {
    int *managed = nullptr, *pinned = nullptr;
    need(cudaMallocManaged(&managed, sizeof(int)));
    need(cudaMallocHost(&pinned, 64 * sizeof(int)));
    *managed = 0;
    for (int i = 0; i < 64; ++i) pinned[i] = i;
    read_all<<<1, 64>>>(managed, pinned);
    need(cudaDeviceSynchronize());
    expect(*managed == 63 * 32, "sum");
}

// clean pointers_in_memory
struct Node {
    int value;
    Node* next;
};
__global__ void link(Node* nodes, int n) {
    const int i = threadIdx.x;
    nodes[i].value = i;
    nodes[i].next = i + 1 < n ? &nodes[i + 1] : nullptr;
}
__global__ void follow(int* out, const Node* node) {
    int sum = 0;
    for (; node != nullptr; node = node->next) sum += node->value;
    *out = sum;
}
static void pointers_in_memory() {
    Node* nodes = nullptr;
    need(cudaMalloc(&nodes, 40 * sizeof(Node)));
    int* out = device_zeros<int>(1);
    link<<<1, 40>>>(nodes, 40);
    follow<<<1, 1>>>(out, nodes);
    expect(to_host(out, 1)[0] == 39 * 20, "sum");
}

// clean generic_pointer_to_either
__device__ __noinline__ int sum_of(const int* values, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += values[i];
    return sum;
}
__global__ void both_spaces(int* out, const int* in) {
    __shared__ int values[32];
    values[threadIdx.x] = in[threadIdx.x] * 2;
    __syncthreads();
    out[threadIdx.x] = sum_of(threadIdx.x % 2 ? values : in, 32);
}
static void generic_pointer_to_either() {
    int* out = device_zeros<int>(32);
    both_spaces<<<1, 32>>>(out, device_iota<int>(32));
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) expect(host[i] == 496 * (1 + i % 2), "sum");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"ragged_edge", ragged_edge},
                        {"whole_vectors_and_tail", whole_vectors_and_tail},
                        {"vectors_of_every_size", vectors_of_every_size},
                        {"memset_then_read", memset_then_read},
                        {"pitched_rows", pitched_rows},
                        {"written_by_earlier_kernel", written_by_earlier_kernel},
                        {"copied_between_buffers", copied_between_buffers},
                        {"freed_and_allocated_again", freed_and_allocated_again},
                        {"constants_and_symbols", constants_and_symbols},
                        {"device_variable_starts_at_zero", device_variable_starts_at_zero},
                        {"local_arrays", local_arrays},
                        {"recursion", recursion},
                        {"structs_by_value", structs_by_value},
                        {"unions_in_shared", unions_in_shared},
                        {"partial_tile_with_same_guard", partial_tile_with_same_guard},
                        {"managed_and_pinned", managed_and_pinned},
                        {"pointers_in_memory", pointers_in_memory},
                        {"generic_pointer_to_either", generic_pointer_to_either},
                    });
}
