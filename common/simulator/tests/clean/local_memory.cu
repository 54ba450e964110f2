// The correct counterparts of ../bugs/local_memory.cu, and other kernels that use local memory.
#include "../cases.h"

// clean counts_of_all
__global__ void counts_all(int* out, int n) {
    int counts[16] = {};
    for (int i = 0; i < n; ++i) ++counts[(i * 5) & 15];
    int large = 0;
    for (int i = 0; i < 16; ++i)
        if (counts[(i * 3) & 15] > 2) ++large;
    out[threadIdx.x] = large;
}
static void counts_of_all() {
    int* out = device_zeros<int>(32);
    counts_all<<<1, 32>>>(out, 48);
    expect(to_host(out, 32)[31] == 16, "counts");
}

// The array contains the largest values so far. The kernel reads only elements that it has written.
// clean partly_filled
__global__ void keeps_largest(float* out, const float* in, int n, int most) {
    float best[8];
    int count = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (count == most && in[i] <= best[count - 1]) continue;
        int at = count < most ? count++ : count - 1;
        for (; at > 0 && best[at - 1] < in[i]; --at) best[at] = best[at - 1];
        best[at] = in[i];
    }
    for (int k = 0; k < most; ++k) out[threadIdx.x * most + k] = k < count ? best[k] : -1;
}
static void partly_filled() {
    float* out = device_zeros<float>(64 * 5);
    keeps_largest<<<1, 64>>>(out, device_iota<float>(200), 200, 5);
    const auto all = to_host(out, 64 * 5);
    expect(all[0] == 192 && all[4] == -1, "largest values");
}

struct Padded {
    char tag;
    double value;
    short count;
};
__device__ __noinline__ Padded make_padded(int i) {
    Padded made;
    made.tag = static_cast<char>(i);
    made.value = i;
    made.count = static_cast<short>(i);
    return made;
}
// clean padding_in_a_local_array
__global__ void stores_padded(Padded* out) {
    Padded all[4];
    for (int i = 0; i < 4; ++i) all[i] = make_padded(threadIdx.x + i);
    out[threadIdx.x] = all[threadIdx.x & 3];
}
__global__ void sums_padded(double* out, const Padded* in) {
    const Padded one = in[threadIdx.x];
    out[threadIdx.x] = one.tag + one.value + one.count;
}
static void padding_in_a_local_array() {
    double* out = device_zeros<double>(32);
    Padded* padded;
    need(cudaMalloc(&padded, 32 * sizeof(Padded)));
    stores_padded<<<1, 32>>>(padded);
    sums_padded<<<1, 32>>>(out, padded);
    expect(to_host(out, 32)[5] == 18, "sum of members");
}

// A pointer may refer to local, shared or global memory.
// clean pointer_to_any_space
__global__ void chooses(float* out, const float* in) {
    __shared__ float shared[8];
    float own[8];
    for (int i = 0; i < 8; ++i) own[i] = i;
    if (threadIdx.x < 8) shared[threadIdx.x] = 100 + threadIdx.x;
    __syncthreads();
    const float* chosen = threadIdx.x % 3 == 0 ? own : threadIdx.x % 3 == 1 ? shared : in;
    out[threadIdx.x] = chosen[threadIdx.x & 7];
}
static void pointer_to_any_space() {
    float* out = device_zeros<float>(64);
    chooses<<<1, 64>>>(out, device_iota<float>(8));
    const auto all = to_host(out, 64);
    expect(all[3] == 3 && all[4] == 104 && all[5] == 5, "values");
}

// Pointers to a thread's own variables pass through shared memory, functions and a list.
struct Node {
    Node* next;
    int value;
};
__device__ __noinline__ int sum_of(const Node* first) {
    int sum = 0;
    for (; first != nullptr; first = first->next) sum += first->value;
    return sum;
}
// clean pointers_to_own_variables
__global__ void links(int* out, int count) {
    __shared__ Node* first[64];
    Node nodes[8];
    first[threadIdx.x] = nullptr;
    for (int i = 0; i < count; ++i) {
        nodes[i] = {first[threadIdx.x], static_cast<int>(threadIdx.x) + i};
        first[threadIdx.x] = &nodes[i];
    }
    __syncthreads();
    out[threadIdx.x] = sum_of(first[threadIdx.x]);
}
static void pointers_to_own_variables() {
    int* out = device_zeros<int>(64);
    links<<<1, 64>>>(out, 5);
    expect(to_host(out, 64)[10] == 60, "sum of the list");
}

// clean recursion
__device__ int depth_first(int level, int seed) {
    int children[3];
    for (int k = 0; k < 3; ++k) children[k] = seed * 3 + k;
    if (level == 0) return children[seed % 3];
    int sum = 0;
    for (int k = 0; k < 3; ++k) sum += depth_first(level - 1, children[k]);
    return sum;
}
__global__ void recurses(int* out) {
    out[threadIdx.x] = depth_first(3, threadIdx.x);
}
static void recursion() {
    int* out = device_zeros<int>(32);
    recurses<<<1, 32>>>(out);
    expect(to_host(out, 32)[0] > 0, "sum");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"counts_of_all", counts_of_all},
                        {"partly_filled", partly_filled},
                        {"padding_in_a_local_array", padding_in_a_local_array},
                        {"pointer_to_any_space", pointer_to_any_space},
                        {"pointers_to_own_variables", pointers_to_own_variables},
                        {"recursion", recursion},
                    });
}
