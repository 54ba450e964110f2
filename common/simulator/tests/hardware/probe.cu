// Runs every instruction of instructions.inc on the device, with the operands of inputs.h, and
// prints a digest of each instruction's results. instructions.inc lists an H200's digests.
//
//     nvcc -cudart shared -arch=sm_90 -std=c++20 -o probe probe.cu && ./probe
//     ./probe --raw FILE    also writes all results, 8 bytes each, in the order of the list
//
// Idea   Each line of the list becomes a specialisation of `execute` for its line number, which
//        contains the instruction as inline assembly. A kernel applies it to all samples.
#include <stdio.h>
#include <string.h>

#include <vector>

#include "inputs.h"

using namespace coalesce::hardware;

// The C++ type and the inline assembly constraint for each type letter in the list.
using type_b = unsigned short;  // 8 bits, in a 16-bit register
using type_h = unsigned short;
using type_r = unsigned int;
using type_l = unsigned long long;
#define CONSTRAINT_b "h"
#define CONSTRAINT_h "h"
#define CONSTRAINT_r "r"
#define CONSTRAINT_l "l"
constexpr int width_h = 16, width_r = 32, width_l = 64;
constexpr unsigned long long mask_b = 0xff, mask_h = 0xffff, mask_r = 0xffffffff, mask_l = ~0ull;

using u64 = unsigned long long;

template <int kLine>
__device__ u64 execute(u64 a, u64 b, u64 c, u64 d);

#define EXECUTE(D, TEXT, ...)                                              \
    template <>                                                            \
    __device__ u64 execute<__LINE__>(u64 a, u64 b, u64 c, u64 d) {         \
        type_##D result;                                                   \
        asm volatile(TEXT : "=" CONSTRAINT_##D(result) : __VA_ARGS__);     \
        return result & mask_##D;                                          \
    }
#define IN(X, value) CONSTRAINT_##X((type_##X)value)

#define UNARY(D, A, NAME, DIGEST) EXECUTE(D, NAME " %0, %1;", IN(A, a))
#define BINARY(D, A, B, NAME, DIGEST) EXECUTE(D, NAME " %0, %1, %2;", IN(A, a), IN(B, b))
#define TERNARY(D, A, B, C, NAME, DIGEST) \
    EXECUTE(D, NAME " %0, %1, %2, %3;", IN(A, a), IN(B, b), IN(C, c))
#define INSERT(A, NAME, DIGEST) \
    EXECUTE(A, NAME " %0, %1, %2, %3, %4;", IN(A, a), IN(A, b), IN(r, c), IN(r, d))
#define LOP3(TABLE, DIGEST) \
    EXECUTE(r, "lop3.b32 %0, %1, %2, %3, " #TABLE ";", IN(r, a), IN(r, b), IN(r, c))
#define PREDICATE_OF_C "{.reg .pred p, q, c; .reg .u32 x, y; and.b32 x, %3, 1; setp.ne.u32 c, x, 0; "
#define P_AND_Q "selp.u32 x, 1, 0, p; selp.u32 y, 2, 0, q; or.b32 %0, x, y;}"
#define SELECT(A, NAME, DIGEST) \
    EXECUTE(A, PREDICATE_OF_C NAME " %0, %1, %2, c;}", IN(A, a), IN(A, b), IN(r, c))
#define TESTP(A, NAME, DIGEST) \
    EXECUTE(r, "{.reg .pred p; " NAME " p, %1; selp.u32 %0, 1, 0, p;}", IN(A, a))
#define SETP1(A, NAME, DIGEST) \
    EXECUTE(r, "{.reg .pred p; " NAME " p, %1, %2; selp.u32 %0, 1, 0, p;}", IN(A, a), IN(A, b))
#define SETPC1(A, NAME, DIGEST) \
    EXECUTE(r, PREDICATE_OF_C NAME " p, %1, %2, c; selp.u32 %0, 1, 0, p;}", IN(A, a), IN(A, b), IN(r, c))
#define SETP(A, NAME, DIGEST) \
    EXECUTE(r, PREDICATE_OF_C NAME " p|q, %1, %2; " P_AND_Q, IN(A, a), IN(A, b), IN(r, c))
#define SETPC(A, NAME, DIGEST) \
    EXECUTE(r, PREDICATE_OF_C NAME " p|q, %1, %2, c; " P_AND_Q, IN(A, a), IN(A, b), IN(r, c))
#include "instructions.inc"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef INSERT
#undef LOP3
#undef SELECT
#undef TESTP
#undef SETP
#undef SETPC
#undef SETP1
#undef SETPC1

struct Sources {
    const u64 *a, *b, *c, *d;
};

template <int kLine>
__global__ void run(Sources in, u64* out) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < kSamples) out[i] = execute<kLine>(in.a[i], in.b[i], in.c[i], in.d[i]);
}

struct Entry {
    const char* name;
    void (*kernel)(Sources, u64*);
    int widths[4];
    u64 digest;
};
const Entry kEntries[] = {
#define UNARY(D, A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, 32, 32, 32}, DIGEST},
#define BINARY(D, A, B, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, width_##B, 32, 32}, DIGEST},
#define TERNARY(D, A, B, C, NAME, DIGEST) \
    {NAME, run<__LINE__>, {width_##A, width_##B, width_##C, 32}, DIGEST},
#define INSERT(A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, width_##A, 32, 32}, DIGEST},
#define LOP3(TABLE, DIGEST) {"lop3.b32 " #TABLE, run<__LINE__>, {32, 32, 32, 32}, DIGEST},
#define SELECT(A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, width_##A, 32, 32}, DIGEST},
#define TESTP(A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, 32, 32, 32}, DIGEST},
#define SETP(A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, width_##A, 32, 32}, DIGEST},
#define SETPC(A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, width_##A, 32, 32}, DIGEST},
#define SETP1(A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, width_##A, 32, 32}, DIGEST},
#define SETPC1(A, NAME, DIGEST) {NAME, run<__LINE__>, {width_##A, width_##A, 32, 32}, DIGEST},
#include "instructions.inc"
};

/// Returns the device address of all samples of the `width`-bit operand at `position`.
u64* sources_of(int width, int position) {
    static u64* made[65][4];
    u64*& values = made[width][position];
    if (values == nullptr) {
        std::vector<u64> samples(kSamples);
        for (uint32_t i = 0; i < kSamples; ++i) samples[i] = operand(width, position, i);
        cudaMalloc(&values, kSamples * sizeof(u64));
        cudaMemcpy(values, samples.data(), kSamples * sizeof(u64), cudaMemcpyHostToDevice);
    }
    return values;
}

int main(int argc, char** argv) {
    FILE* raw = argc == 3 && strcmp(argv[1], "--raw") == 0 ? fopen(argv[2], "wb") : nullptr;
    u64* out;
    cudaMalloc(&out, kSamples * sizeof(u64));
    std::vector<u64> results(kSamples);
    int different = 0;
    for (const Entry& entry : kEntries) {
        const Sources in{sources_of(entry.widths[0], 0), sources_of(entry.widths[1], 1),
                         sources_of(entry.widths[2], 2), sources_of(entry.widths[3], 3)};
        entry.kernel<<<(kSamples + 255) / 256, 256>>>(in, out);
        const cudaError_t error = cudaMemcpy(results.data(), out, kSamples * sizeof(u64), cudaMemcpyDeviceToHost);
        if (error != cudaSuccess) {
            printf("%s: %s\n", entry.name, cudaGetErrorString(error));
            return 1;
        }
        u64 sum = 0;
        for (uint32_t i = 0; i < kSamples; ++i) sum = digest(sum, i, results[i]);
        if (raw != nullptr) fwrite(results.data(), sizeof(u64), kSamples, raw);
        if (sum == entry.digest) continue;
        ++different;
        printf("%s 0x%llx\n", entry.name, sum);
    }
    if (raw != nullptr) fclose(raw);
    printf("%d of %zu instructions differ from the list\n", different, sizeof kEntries / sizeof kEntries[0]);
    return different != 0;
}
