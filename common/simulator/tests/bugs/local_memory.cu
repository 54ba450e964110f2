// Mistakes with arrays and structs in local memory.
#include "../cases.h"

// ---- elements that were never written ----

__global__ void counts_few(int* out, int written, int read) {
    int counts[16];
    for (int i = 0; i < written; ++i) counts[(i * 5) & 15] = i;
    int large = 0;
    for (int i = 0; i < read; ++i)
        if (counts[(i * 3) & 15] > 2) ++large;  // bug unwritten_element: initcheck: uninitialised local read
    out[threadIdx.x] = large;
}
static void unwritten_element() {
    counts_few<<<1, 32>>>(device_zeros<int>(32), 4, 16);
}

__device__ __noinline__ int sum_of(const int* values, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];  // bug unwritten_in_a_function: initcheck: uninitialised local read
    return sum;
}
__global__ void sums_too_many(int* out, int written, int read) {
    int values[8];
    for (int i = 0; i < written; ++i) values[i] = i;
    out[threadIdx.x] = sum_of(values, read);
}
static void unwritten_in_a_function() {
    sums_too_many<<<1, 32>>>(device_zeros<int>(32), 7, 8);
}

// A call reuses the stack memory of an earlier call, but must not read the values left there.
__device__ __noinline__ int last_of(int count, bool fills) {
    int values[8];
    for (int i = 0; fills && i < count; ++i) values[i] = i;
    return values[count & 7] > 1 ? 1 : 0;  // bug values_of_an_earlier_call: initcheck: uninitialised local read
}
__global__ void calls_twice(int* out, int count) {
    out[threadIdx.x] = last_of(count + 1, true);
    out[threadIdx.x] += last_of(count, false);
}
static void values_of_an_earlier_call() {
    calls_twice<<<1, 32>>>(device_zeros<int>(32), 6);
}

// An unwritten element is copied to a second array before it is used.
__global__ void copies_unwritten(int* out, int written) {
    int first[8], second[8];
    for (int i = 0; i < written; ++i) first[i] = i;
    for (int i = 0; i < 8; ++i) second[(i + threadIdx.x) & 7] = first[i];
    int large = 0;
    for (int i = 0; i < 8; ++i)
        if (second[(i * 3) & 7] > 2) ++large;  // bug copy_of_unwritten: initcheck: uninitialised local read
    out[threadIdx.x] = large;
}
static void copy_of_unwritten() {
    copies_unwritten<<<1, 32>>>(device_zeros<int>(32), 7);
}

// ---- pointers to local variables of another thread ----

__global__ void shares_pointer(int* out) {
    __shared__ int* values;
    int own[4] = {static_cast<int>(threadIdx.x), 1, 2, 3};
    if (threadIdx.x == 0) values = own;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x & 3] + own[0];  // bug read_of_another_thread: memcheck: another thread's variable
}
static void read_of_another_thread() {
    shares_pointer<<<1, 64>>>(device_zeros<int>(64));
}

__global__ void collects(int* out) {
    __shared__ int* result;
    int sum = 0;
    if (threadIdx.x == 7) result = &sum;
    __syncthreads();
    if (threadIdx.x == 0) *result = 5;  // bug write_to_another_thread: memcheck: another thread's variable
    __syncthreads();
    if (threadIdx.x == 7) out[0] = *result;
}
static void write_to_another_thread() {
    collects<<<1, 32>>>(device_zeros<int>(1));
}

// A shuffle passes the address of lane 0's local variable to the other lanes.
__global__ void shuffles_pointer(int* out) {
    int values[2] = {static_cast<int>(threadIdx.x), 1};
    const auto own = reinterpret_cast<unsigned long long>(values);
    const int* first = reinterpret_cast<const int*>(__shfl_sync(~0u, own, 0));
    out[threadIdx.x] = first[threadIdx.x & 1];  // bug pointer_by_shuffle: memcheck: another thread's variable
}
static void pointer_by_shuffle() {
    shuffles_pointer<<<1, 32>>>(device_zeros<int>(32));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"unwritten_element", unwritten_element},
                        {"unwritten_in_a_function", unwritten_in_a_function},
                        {"values_of_an_earlier_call", values_of_an_earlier_call},
                        {"copy_of_unwritten", copy_of_unwritten},
                        {"read_of_another_thread", read_of_another_thread},
                        {"write_to_another_thread", write_to_another_thread},
                        {"pointer_by_shuffle", pointer_by_shuffle},
                    });
}
