// Tests that loads sign-extend s8 and s16, and zero-extend u8 and u16: in all state spaces, to 16,
// 32 and 64 bits, as scalars and vectors, and for all lanes or some of them.
// expect: global: ok
// expect: generic, to global: ok
// expect: generic, to shared: ok
// expect: shared, by a register of 64 bits: ok
// expect: shared, by one of 32: ok
// expect: local: ok
// expect: constant: ok
#include "check.h"

constexpr int kBytes = 8, kValues = 11, kThreads = 45;

__constant__ signed char in_constant[kBytes * kThreads];

/// Loads the 8 bytes at `address` in every way. Every third thread skips the vector loads.
#define LOAD_ALL(SPACE, constraint, address)                                      \
    asm volatile("ld" SPACE ".s8 %0, [%2]; ld" SPACE ".s16 %1, [%2 + 2];"         \
                 : "=r"(i[0]), "=r"(i[1])                                         \
                 : constraint(address));                                          \
    asm volatile("ld" SPACE ".u8 %0, [%2 + 1]; ld" SPACE ".u16 %1, [%2 + 4];"     \
                 : "=r"(i[2]), "=r"(i[3])                                         \
                 : constraint(address));                                          \
    asm volatile("ld" SPACE ".s8 %0, [%2 + 3]; ld" SPACE ".s16 %1, [%2 + 6];"     \
                 : "=l"(l[0]), "=l"(l[1])                                         \
                 : constraint(address));                                          \
    asm volatile("ld" SPACE ".s8 %0, [%1 + 5];" : "=h"(h) : constraint(address)); \
    if (threadIdx.x % 3) {                                                        \
        asm volatile("ld" SPACE ".v2.s8 {%0, %1}, [%2 + 4];"                      \
                     : "=r"(i[4]), "=r"(i[5])                                     \
                     : constraint(address));                                      \
        asm volatile("ld" SPACE ".v2.s16 {%0, %1}, [%2];"                         \
                     : "=l"(l[2]), "=l"(l[3])                                     \
                     : constraint(address));                                      \
    }

enum class Where { global, generic_global, generic_shared, shared, shared_narrow, local, constant };

template <Where kWhere>
__global__ void load(long long* out, const signed char* in) {
    __shared__ __align__(8) signed char tile[kBytes * kThreads];
    __align__(8) volatile signed char own[kBytes];
    int i[6] = {};
    long long l[4] = {};
    short h = 0;
    const int first = threadIdx.x * kBytes;
    for (int k = 0; k < kBytes; ++k) own[k] = tile[first + k] = in[first + k];
    __syncthreads();
    if constexpr (kWhere == Where::global) {
        LOAD_ALL(".global", "l", __cvta_generic_to_global(in + first))
    } else if constexpr (kWhere == Where::generic_global) {
        LOAD_ALL("", "l", in + first)
    } else if constexpr (kWhere == Where::generic_shared) {
        LOAD_ALL("", "l", tile + first)
    } else if constexpr (kWhere == Where::shared) {
        LOAD_ALL(".shared", "l", __cvta_generic_to_shared(tile + first))
    } else if constexpr (kWhere == Where::shared_narrow) {
        LOAD_ALL(".shared", "r", static_cast<unsigned>(__cvta_generic_to_shared(tile + first)))
    } else if constexpr (kWhere == Where::local) {
        LOAD_ALL(".local", "l", __cvta_generic_to_local(const_cast<signed char*>(own)))
    } else {
        LOAD_ALL(".const", "l", __cvta_generic_to_constant(in_constant + first))
    }
    long long* const to = out + threadIdx.x * kValues;
    for (int k = 0; k < 6; ++k) to[k] = i[k];
    for (int k = 0; k < 4; ++k) to[6 + k] = l[k];
    to[10] = h;
}

std::vector<long long> wanted_from(const std::vector<signed char>& in) {
    std::vector<long long> wanted;
    for (int t = 0; t < kThreads; ++t) {
        const signed char* at = &in[t * kBytes];
        const auto u8 = [&](int k) { return static_cast<unsigned char>(at[k]); };
        const auto s16 = [&](int k) { return static_cast<short>(u8(k) | u8(k + 1) << 8); };
        const auto u16 = [&](int k) { return static_cast<unsigned short>(s16(k)); };
        const bool vectors = t % 3;
        const long long all[kValues] = {at[0],
                                        s16(2),
                                        u8(1),
                                        u16(4),
                                        vectors ? at[4] : 0,
                                        vectors ? at[5] : 0,
                                        at[3],
                                        s16(6),
                                        vectors ? s16(0) : 0,
                                        vectors ? s16(2) : 0,
                                        at[5]};
        wanted.insert(wanted.end(), all, all + kValues);
    }
    return wanted;
}

template <Where kWhere>
void test(const char* name, const std::vector<signed char>& bytes) {
    DeviceArray<signed char> in(bytes);
    DeviceArray<long long> out(kThreads * kValues);
    load<kWhere><<<1, kThreads>>>(out, in);
    expect_equal(name, out.read(), wanted_from(bytes));
}

int main() {
    std::vector<signed char> bytes(kBytes * kThreads);
    for (std::size_t k = 0; k < bytes.size(); ++k)
        bytes[k] = static_cast<signed char>(k * 2654435761u >> 24);
    cudaMemcpyToSymbol(in_constant, bytes.data(), bytes.size());
    test<Where::global>("global", bytes);
    test<Where::generic_global>("generic, to global", bytes);
    test<Where::generic_shared>("generic, to shared", bytes);
    test<Where::shared>("shared, by a register of 64 bits", bytes);
    test<Where::shared_narrow>("shared, by one of 32", bytes);
    test<Where::local>("local", bytes);
    test<Where::constant>("constant", bytes);
}
