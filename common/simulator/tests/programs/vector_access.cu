// Tests loads and stores of 1 to 16 bytes, as scalars and vectors, in global and shared memory.
// expect: char: ok
// expect: char2: ok
// expect: char4: ok
// expect: unsigned char: ok
// expect: short: ok
// expect: short2: ok
// expect: short4: ok
// expect: int: ok
// expect: int2: ok
// expect: int3: ok
// expect: int4: ok
// expect: float2: ok
// expect: float4: ok
// expect: long long: ok
// expect: longlong2: ok
// expect: double2: ok
// expect: bool: ok
// expect: sign extension: ok
// expect: some lanes only: ok
#include <cstring>

#include "check.h"

constexpr int kThreads = 96;

/// Copies a block's elements to shared memory, and stores them in reverse order.
template <class T>
__global__ void turn(T* out, const T* in) {
    __shared__ T tile[kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[kThreads - 1 - threadIdx.x];
}

template <class T>
void test(const char* name) {
    constexpr int kCount = 2 * kThreads;
    std::vector<unsigned char> bytes(kCount * sizeof(T));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
        if (std::is_same_v<T, bool>) bytes[i] &= 1;
    }
    std::vector<unsigned char> wanted(bytes.size());
    for (int i = 0; i < kCount; ++i) {
        const int from = i / kThreads * kThreads + kThreads - 1 - i % kThreads;
        std::memcpy(&wanted[i * sizeof(T)], &bytes[from * sizeof(T)], sizeof(T));
    }
    DeviceArray<unsigned char> in(bytes), out(bytes.size());
    turn<T><<<2, kThreads>>>(reinterpret_cast<T*>(static_cast<unsigned char*>(out)),
                             reinterpret_cast<const T*>(static_cast<unsigned char*>(in)));
    expect_equal(name, out.read(), wanted);
}

__global__ void extend(long long* out, const signed char* bytes, const short* shorts,
                       const unsigned char* unsigned_bytes) {
    const int i = threadIdx.x;
    out[i] = bytes[i] * 1000000ll + shorts[i] * 1000ll + unsigned_bytes[i];
}

__global__ void some(float4* out, const float4* in) {
    const int i = threadIdx.x;
    if (i % 3 == 1) out[i] = in[i];
    if (i % 5 == 4) out[i].z = -1;
}

int main() {
    test<char>("char");
    test<char2>("char2");
    test<char4>("char4");
    test<unsigned char>("unsigned char");
    test<short>("short");
    test<short2>("short2");
    test<short4>("short4");
    test<int>("int");
    test<int2>("int2");
    test<int3>("int3");
    test<int4>("int4");
    test<float2>("float2");
    test<float4>("float4");
    test<long long>("long long");
    test<longlong2>("longlong2");
    test<double2>("double2");
    test<bool>("bool");
    {
        const auto bytes =
            for_threads<signed char>(64, [](int i) { return static_cast<signed char>(i * 37); });
        const auto shorts =
            for_threads<short>(64, [](int i) { return static_cast<short>(i * 3701); });
        const auto plain = for_threads<unsigned char>(
            64, [](int i) { return static_cast<unsigned char>(i * 41); });
        DeviceArray<signed char> a(bytes);
        DeviceArray<short> b(shorts);
        DeviceArray<unsigned char> c(plain);
        DeviceArray<long long> out(64);
        extend<<<1, 64>>>(out, a, b, c);
        expect_equal("sign extension", out.read(), for_threads<long long>(64, [&](int i) {
                         return bytes[i] * 1000000ll + shorts[i] * 1000ll + plain[i];
                     }));
    }
    {
        const auto values = for_threads<float>(64 * 4, [](int i) { return i * 0.5f; });
        DeviceArray<float> in(values), out(64 * 4);
        some<<<1, 64>>>(reinterpret_cast<float4*>(static_cast<float*>(out)),
                        reinterpret_cast<const float4*>(static_cast<float*>(in)));
        expect_equal("some lanes only", out.read(), for_threads<float>(64 * 4, [&](int k) {
                         const int i = k / 4;
                         return i % 5 == 4 && k % 4 == 2 ? -1.0f : i % 3 == 1 ? values[k] : 0.0f;
                     }));
    }
}
