// Accesses to addresses that are not multiples of the access size.
// by clang shared_at_one: clang drops the misaligned store, because nothing reads its result
#include "../cases.h"

__global__ void copy_from_one(float4* out, const float* in) {
    out[threadIdx.x] = *reinterpret_cast<const float4*>(in + 1 + 4 * threadIdx.x);  // bug float4_at_one: memcheck: misaligned
}
static void float4_at_one() {
    copy_from_one<<<1, 32>>>(reinterpret_cast<float4*>(device_zeros<float>(128)),
                             device_iota<float>(256));
}

// Row 0 is aligned but row 1 is not, because the pitch is an odd number of floats.
__global__ void copy_rows(float* out, const float* in, int cols) {
    const float2 value =
        *reinterpret_cast<const float2*>(in + threadIdx.y * cols + 2 * threadIdx.x);  // bug float2_odd_pitch: memcheck: misaligned
    out[threadIdx.y * 32 + threadIdx.x] = value.x + value.y;
}
static void float2_odd_pitch() {
    copy_rows<<<1, dim3(32, 2)>>>(device_zeros<float>(64), device_iota<float>(65 * 2), 65);
}

__global__ void store_double(float* out) {
    *reinterpret_cast<double*>(out + 1) = 1.0;  // bug double_at_four: memcheck: misaligned
}
static void double_at_four() {
    store_double<<<1, 1>>>(device_zeros<float>(4));
}

__global__ void count_odd(unsigned char* bytes) {
    atomicAdd(reinterpret_cast<int*>(bytes + 2), 1);  // bug atomic_at_two: memcheck: misaligned
}
static void atomic_at_two() {
    count_odd<<<1, 32>>>(device_zeros<unsigned char>(64));
}

__global__ void store_shared(int* out, int at) {
    __shared__ __align__(16) char buffer[256];
    *reinterpret_cast<int*>(buffer + at + 4 * threadIdx.x) = 1;  // bug shared_at_one: memcheck: misaligned
    out[threadIdx.x] = *reinterpret_cast<int*>(buffer + at + 4 * threadIdx.x);
}
static void shared_at_one() {
    store_shared<<<1, 32>>>(device_zeros<int>(32), 1);
}

// Not inlined, because a compiler that sees the buffer's alignment would read the int byte by byte.
__device__ __noinline__ int int_at(const char* place) {
    return *reinterpret_cast<const int*>(place);  // bug local_at_three: memcheck: misaligned
}
__global__ void read_local(int* out, int at) {
    alignas(16) char buffer[64];
    for (int i = 0; i < 64; ++i) buffer[i] = static_cast<char>(i * at);
    out[threadIdx.x] = int_at(buffer + at);
}
static void local_at_three() {
    read_local<<<1, 32>>>(device_zeros<int>(32), 3);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"float4_at_one", float4_at_one},
                        {"float2_odd_pitch", float2_odd_pitch},
                        {"double_at_four", double_at_four},
                        {"atomic_at_two", atomic_at_two},
                        {"shared_at_one", shared_at_one},
                        {"local_at_three", local_at_three},
                    });
}
