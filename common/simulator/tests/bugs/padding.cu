// Uninitialised bytes are copied as part of structs, and later affect a result.
#include "../cases.h"

struct Found {
    bool yes;
    long at;
};
struct Maybe {
    bool has;
    float value;
};
template <class T>
static T* device_raw(std::size_t count) {
    T* data = nullptr;
    need(cudaMalloc(&data, count * sizeof(T)));
    return data;
}
__global__ void fill(Found* to) {
    to[threadIdx.x].yes = threadIdx.x % 2;
    to[threadIdx.x].at = threadIdx.x;
}
static Found* filled() {
    Found* data = device_raw<Found>(32);
    fill<<<1, 32>>>(data);
    return data;
}
/// Fills an array with elements whose `value` is not initialised.
__global__ void fill_empty(Maybe* to) {
    to[threadIdx.x].has = false;
}
static Maybe* empty() {
    Maybe* data = device_raw<Maybe>(32);
    fill_empty<<<1, 32>>>(data);
    return data;
}
template <class T>
__global__ void copy(T* to, const T* from) {
    to[threadIdx.x] = from[threadIdx.x];
}

// Compares structs word by word, including the padding, as memcmp does.
__global__ void compare(int* different, const Found* a, const Found* b) {
    const long* x = reinterpret_cast<const long*>(a + threadIdx.x);
    const long* y = reinterpret_cast<const long*>(b + threadIdx.x);
    for (int i = 0; i < 2; ++i)
        if (x[i] != y[i]) different[threadIdx.x] = 1;  // bug compared_by_words: initcheck: uninitialised global read
}
static void compared_by_words() {
    compare<<<1, 32>>>(device_zeros<int>(32), filled(), filled());
}

// Padding remains uninitialised when it is copied.
__global__ void compare_copy(int* different, const Found* a) {
    const int* x = reinterpret_cast<const int*>(a + threadIdx.x);
    if (x[0] + x[1] == 7) different[threadIdx.x] = 1;  // bug copied_over_zeros: initcheck: uninitialised global read
}
static void copied_over_zeros() {
    Found *once = device_zeros<Found>(32), *twice = device_zeros<Found>(32);
    copy<<<1, 32>>>(once, filled());
    copy<<<1, 32>>>(twice, once);
    compare_copy<<<1, 32>>>(device_zeros<int>(32), twice);
}

__global__ void hash(unsigned* out, const Found* in) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(in + threadIdx.x);
    unsigned sum = 0;
    for (int i = 0; i < static_cast<int>(sizeof(Found)); ++i) sum = 31 * sum + bytes[i];  // bug hashed_bytes: initcheck: uninitialised global read
    out[threadIdx.x] = sum;
}
static void hashed_bytes() {
    hash<<<1, 32>>>(device_zeros<unsigned>(32), filled());
}

__global__ void copy_found(Found* to, const Found* from) {
    to[threadIdx.x] = from[threadIdx.x];  // bug struct_never_written: initcheck: uninitialised global read
}
static void struct_never_written() {
    copy_found<<<1, 32>>>(device_zeros<Found>(32), device_raw<Found>(32));
}

__global__ void values(float* out, const Maybe* in) {
    out[threadIdx.x] = in[threadIdx.x].value;  // bug member_never_written: initcheck: uninitialised global read
}
static void member_never_written() {
    values<<<1, 32>>>(device_zeros<float>(32), empty());
}

__global__ void doubled(float* out, const Maybe* in) {
    out[threadIdx.x] = 2 * in[threadIdx.x].value;  // bug copied_then_used: initcheck: uninitialised global read
}
static void copied_then_used() {
    Maybe* to = device_zeros<Maybe>(32);
    copy<<<1, 32>>>(to, empty());
    doubled<<<1, 32>>>(device_zeros<float>(32), to);
}

__global__ void through_host(float* out, const Maybe* in) {
    out[threadIdx.x] = 2 * in[threadIdx.x].value;  // bug copied_by_the_host_then_used: initcheck: uninitialised global read
}
static void copied_by_the_host_then_used() {
    Maybe* to = device_zeros<Maybe>(32);
    need(cudaMemcpy(to, empty(), 32 * sizeof(Maybe), cudaMemcpyDeviceToDevice));
    through_host<<<1, 32>>>(device_zeros<float>(32), to);
}

__global__ void through_shared(float* out, const Maybe* in) {
    __shared__ Maybe tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = 2 * tile[31 - threadIdx.x].value;  // bug used_in_shared: initcheck: uninitialised shared read
}
static void used_in_shared() {
    through_shared<<<1, 32>>>(device_zeros<float>(32), empty());
}

// Block 0 reads initialised values. Block 1 executes the same code on uninitialised values.
__global__ void two_blocks(float* out, const Maybe* first, const Maybe* second) {
    __shared__ Maybe tile[32];
    const Maybe* in = blockIdx.x == 0 ? first : second;
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = 2 * tile[31 - threadIdx.x].value;  // bug only_in_the_second_block: initcheck: uninitialised shared read
}
static void only_in_the_second_block() {
    two_blocks<<<2, 32>>>(device_zeros<float>(64), device_zeros<Maybe>(32), empty());
}

__global__ void compare_in_shared(int* out) {
    __shared__ Found tile[32];
    tile[threadIdx.x].yes = true;
    tile[threadIdx.x].at = threadIdx.x;
    __syncthreads();
    const long* x = reinterpret_cast<const long*>(tile);
    if (x[2 * threadIdx.x] == 1) out[threadIdx.x] = 1;  // bug compared_in_shared: initcheck: uninitialised shared read
}
static void compared_in_shared() {
    compare_in_shared<<<1, 32>>>(device_zeros<int>(32));
}

struct Bits {
    unsigned a : 8, b : 24;
};
__global__ void write_one_field(Bits* bits) {
    bits[threadIdx.x].a = 5;
}
__global__ void use_other_field(int* out, const Bits* bits) {
    out[threadIdx.x] = bits[threadIdx.x].b + 1;  // bug field_never_written: initcheck: uninitialised global read
}
static void field_never_written() {
    Bits* bits = device_raw<Bits>(32);
    write_one_field<<<1, 32>>>(bits);
    use_other_field<<<1, 32>>>(device_zeros<int>(32), bits);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"compared_by_words", compared_by_words},
                        {"copied_over_zeros", copied_over_zeros},
                        {"hashed_bytes", hashed_bytes},
                        {"struct_never_written", struct_never_written},
                        {"member_never_written", member_never_written},
                        {"copied_then_used", copied_then_used},
                        {"copied_by_the_host_then_used", copied_by_the_host_then_used},
                        {"used_in_shared", used_in_shared},
                        {"only_in_the_second_block", only_in_the_second_block},
                        {"compared_in_shared", compared_in_shared},
                        {"field_never_written", field_never_written},
                    });
}
