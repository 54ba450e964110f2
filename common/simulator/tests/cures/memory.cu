// Bugs with memory. Each has the advice that its report gives, and a twin that follows this advice.
#include "twins.h"

#include <new>

// ---- global memory ----

// The product of two ints exceeds the range of int.
template <bool fixed>
__global__ void marks_rows(char* cells, int rows, int pitch, int count) {
    const int row = threadIdx.x * rows;
    if constexpr (fixed) {
        const size_t at = size_t(row) * pitch;
        if (at < count) cells[at] = 1;
    } else {
        if (row * pitch < count) cells[row * pitch] = 1;  // bug overflow: memcheck: out of bounds
    }
}
// cure overflow: The index has probably overflowed: compute it as size_t
template <bool fixed>
void overflow() {
    char* cells = device_zeros<char>(1 << 20);
    marks_rows<fixed><<<1, 64>>>(cells, 65536, 1024, 1 << 20);
    if (fixed) expect(to_host(cells, 1)[0] == 1, "mark");
}

// The difference of two pointers leads from one array into another.
template <bool fixed>
__global__ void fills(int* to, long from, int count) {
    const long i = from + threadIdx.x;
    if (!fixed || i < count)
        to[i] = 7;  // bug other_array: memcheck: out of bounds // bug other_array: globalrace: not checked
}
// cure other_array: Compare the index with the number of elements before the access
template <bool fixed>
void other_array() {
    int *one = device_zeros<int>(1024), *two = device_zeros<int>(1024);
    fills<fixed><<<1, 32>>>(one, two - one, 1024);
    if (fixed) expect(to_host(two, 1)[0] == 0, "the other array");
}

template <bool fixed>
__global__ void loads_vector(float4* out, const float* in) {
    const float* from = fixed ? &in[4 * threadIdx.x] : &in[4 * threadIdx.x + 1];
    out[threadIdx.x] = *reinterpret_cast<const float4*>(from);  // bug vector_at_one: memcheck: misaligned
}
// cure vector_at_one: needs an index divisible by 4
template <bool fixed>
void vector_at_one() {
    float4* out = device_zeros<float4>(32);
    loads_vector<fixed><<<1, 32>>>(out, device_iota<float>(256));
    if (fixed) expect(to_host(out, 32)[31].w == 127, "vector");
}

struct Shape {
    __host__ __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __host__ __device__ explicit Square(float side) : side(side) {}
    __host__ __device__ float area() const override { return side * side; }
};
__global__ void constructs(Square* square) {
    new (square) Square(3);
}
__global__ void asks_for_area(float* out, const Shape* shape) {
    *out = shape->area();  // bug object_of_the_host: memcheck: out of bounds
}
// cure object_of_the_host: Construct objects with virtual functions in a kernel
template <bool fixed>
void object_of_the_host() {
    float* out = device_zeros<float>(1);
    Square *square, of_host(3);
    need(cudaMalloc(&square, sizeof *square));
    if (fixed)
        constructs<<<1, 1>>>(square);
    else
        need(cudaMemcpy(square, static_cast<void*>(&of_host), sizeof of_host, cudaMemcpyDefault));
    asks_for_area<<<1, 1>>>(out, square);
    if (fixed) expect(to_host(out, 1)[0] == 9, "area");
}

// ---- the heap of malloc in kernels ----

template <bool fixed>
__global__ void frees_early(int* out) {
    __shared__ int* values;
    if (threadIdx.x == 0) values = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
    __syncthreads();
    int* mine = values;
    mine[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int value = mine[blockDim.x - 1 - threadIdx.x];  // bug freed_by_another_thread: memcheck: use after free
    if (fixed) __syncthreads();
    if (threadIdx.x == 0) free(mine);  // other freed_by_another_thread
    out[threadIdx.x] = value;
}
// cure freed_by_another_thread: reach a barrier (__syncthreads()) before one thread calls free()
template <bool fixed>
void freed_by_another_thread() {
    int* out = device_zeros<int>(128);
    frees_early<fixed><<<1, 128>>>(out);
    if (fixed) expect(to_host(out, 128)[0] == 127, "value of the last thread");
}

template <bool fixed>
__global__ void frees_before_it_reads(int* out) {
    int* values = static_cast<int*>(malloc(64));
    values[1] = 5;
    if (!fixed) free(values);  // other freed_by_the_thread
    *out = values[1];           // bug freed_by_the_thread: memcheck: use after free
    if (fixed) free(values);
}
// cure freed_by_the_thread: Call free() only after the last access.
template <bool fixed>
void freed_by_the_thread() {
    int* out = device_zeros<int>(1);
    frees_before_it_reads<fixed><<<1, 1>>>(out);
    if (fixed) expect(to_host(out, 1)[0] == 5, "value");
}

template <bool fixed>
__global__ void frees_twice(int* out) {
    int* values = static_cast<int*>(malloc(64));
    *out = values != nullptr;
    free(values);
    if (!fixed) free(values);  // bug freed_twice: memcheck: invalid free
}
// cure freed_twice: free each pointer once
template <bool fixed>
void freed_twice() {
    int* out = device_zeros<int>(1);
    frees_twice<fixed><<<1, 1>>>(out);
    if (fixed) expect(to_host(out, 1)[0] == 1, "allocated");
}

template <bool fixed>
__global__ void one_too_many(int* out, int count) {
    int* values = static_cast<int*>(malloc((fixed ? count : 4) * sizeof(int)));
    for (int i = 0; i < count; ++i) values[i] = i;  // bug block_too_short: memcheck: out of bounds
    *out = values[count - 1];
    free(values);
}
// cure block_too_short: Request count * sizeof(element) bytes from malloc()
template <bool fixed>
void block_too_short() {
    int* out = device_zeros<int>(1);
    one_too_many<fixed><<<1, 1>>>(out, 5);
    if (fixed) expect(to_host(out, 1)[0] == 4, "last value");
}

template <bool fixed>
__global__ void uses_null(int* out) {
    int* values = static_cast<int*>(malloc(1 << 20));
    if (fixed && !values) return;
    values[threadIdx.x] = 1;  // bug heap_is_full: memcheck: out of bounds
    out[threadIdx.x] = values[threadIdx.x];
}
// cure heap_is_full: Check that malloc() in the kernel did not return null.
template <bool fixed>
void heap_is_full() {
    int* out = device_zeros<int>(32);
    uses_null<fixed><<<1, 32>>>(out);
    if (fixed) expect(to_host(out, 1)[0] == 1, "value of the first thread");
}

// ---- local memory ----

template <bool fixed>
__global__ void counts_some(int* out, int count, int all) {
    int seen[16];
    if constexpr (fixed)
        for (int& one : seen) one = 0;
    for (int i = 0; i < count; ++i) seen[i * 5 & 15] = i;
    int sum = 0;
    for (int i = 0; i < all; ++i)
        if (seen[i * 3 & 15] > 2) ++sum;  // bug local_never_set: initcheck: uninitialised local read
    out[threadIdx.x] = sum;
}
// cure local_never_set: Initialize the array or struct where it is declared
template <bool fixed>
void local_never_set() {
    int* out = device_zeros<int>(32);
    counts_some<fixed><<<1, 32>>>(out, 4, 16);
    if (fixed) expect(to_host(out, 1)[0] == 1, "count");
}

template <bool fixed>
__global__ void lends_its_array(int* out) {
    __shared__ const int* lent;
    __shared__ int copied[4];
    int mine[4] = {int(threadIdx.x), 1, 2, 3};
    if (threadIdx.x == 0) {
        lent = mine;
        for (int i = 0; i < 4; ++i) copied[i] = mine[i];
    }
    __syncthreads();
    const int* from = fixed ? copied : lent;
    out[threadIdx.x] = from[threadIdx.x & 3] + mine[0];  // bug lent_array: memcheck: another thread's variable
}
// cure lent_array: Pass the values to other threads through shared memory
template <bool fixed>
void lent_array() {
    int* out = device_zeros<int>(64);
    lends_its_array<fixed><<<1, 64>>>(out);
    if (fixed) expect(to_host(out, 64)[63] == 66, "sum");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {TWINS(overflow), TWINS(other_array), TWINS(vector_at_one),
                     TWINS(object_of_the_host), TWINS(freed_by_another_thread),
                     TWINS(freed_by_the_thread), TWINS(freed_twice), TWINS(block_too_short),
                     TWINS(heap_is_full), TWINS(local_never_set), TWINS(lent_array)});
}
