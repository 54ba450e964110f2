// Pointer arithmetic across the bounds of allocations, in permitted ways.
#include "../cases.h"

// clean pointer_before_the_first
__global__ void counts_from_one(int* out, int n) {
    for (int i = threadIdx.x + 1; i <= n; i += blockDim.x) out[i] = i;
}
static void pointer_before_the_first() {
    device_zeros<int>(256);
    int* out = device_zeros<int>(256);
    counts_from_one<<<1, 64>>>(out - 1, 256);
    expect(to_host(out, 256)[255] == 256, "last element");
}

// clean pointer_past_the_end
__global__ void counts_down(int* end, int n) {
    for (int i = threadIdx.x + 1; i <= n; i += blockDim.x) end[-i] = i;
}
static void pointer_past_the_end() {
    int* out = device_zeros<int>(1024);
    device_zeros<int>(1024);
    counts_down<<<1, 64>>>(out + 1024, 1024);
    expect(to_host(out, 1024)[0] == 1024, "first element");
}

// clean exchanged_buffers
__global__ void exchanges(int* from, int* to, int n, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[n - 1 - i] + 1;
        __syncthreads();
        int* other = from;
        from = to;
        to = other;
    }
}
static void exchanged_buffers() {
    int* first = device_zeros<int>(100);
    exchanges<<<1, 64>>>(first, device_zeros<int>(100), 100, 4);
    expect(to_host(first, 1)[0] == 4, "rounds");
}

// The distance from the first array to the second is loaded from memory.
// clean distance_from_memory
__global__ void adds_distance(char* base, const long* distances) {
    reinterpret_cast<int*>(base + distances[blockIdx.x])[threadIdx.x] = blockIdx.x;
}
static void distance_from_memory() {
    char* first = device_zeros<char>(1024);
    char* second = device_zeros<char>(1024);
    adds_distance<<<2, 32>>>(first, to_device(std::vector<long>{0, second - first}));
    expect(to_host(reinterpret_cast<int*>(second), 32)[31] == 1, "second array");
}

// Adjacent host pages are registered one by one, and used as one array.
// clean registered_in_parts
__global__ void adds_one(int* data) {
    ++data[blockIdx.x * blockDim.x + threadIdx.x];
}
static void registered_in_parts() {
    static int memory[3 * 1024];
    const auto address = reinterpret_cast<std::size_t>(memory);
    int* page = reinterpret_cast<int*>((address + 4095) / 4096 * 4096);
    need(cudaHostRegister(page, 4096, cudaHostRegisterDefault));
    need(cudaHostRegister(page + 1024, 4096, cudaHostRegisterDefault));
    adds_one<<<16, 128>>>(page);
    need(cudaDeviceSynchronize());
    expect(page[2047] == 1, "last element");
    need(cudaHostUnregister(page));
    need(cudaHostUnregister(page + 1024));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"pointer_before_the_first", pointer_before_the_first},
                        {"pointer_past_the_end", pointer_past_the_end},
                        {"exchanged_buffers", exchanged_buffers},
                        {"distance_from_memory", distance_from_memory},
                        {"registered_in_parts", registered_in_parts},
                    });
}
