// Helpers for the tests of CUDA's integer functions: lists of calls with expected values. Each list
// becomes a kernel and a host function.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

using u32 = unsigned;
using u64 = unsigned long long;
using s64 = long long;

constexpr int kMost = 80;  // maximum number of functions in a group

struct Operands {
    u32 a, b, c;
};
struct Results {
    u64 of[kMost];
};

// A group is a list of F(call on the device, expected value). The calls become a kernel, and the
// values become a host function. The operands are a, b, c (unsigned), i, j, k (signed), and 64-bit
// numbers.
#define OPERANDS                                                                 \
    [[maybe_unused]] const u32 a = o.a, b = o.b, c = o.c;                        \
    [[maybe_unused]] const int i = static_cast<int>(a), j = static_cast<int>(b); \
    [[maybe_unused]] const int k = static_cast<int>(c);                          \
    [[maybe_unused]] const u64 wa = u64{a} << 32 | b, wb = u64{c} << 32 | a;     \
    [[maybe_unused]] const s64 wi = static_cast<s64>(wa), wj = static_cast<s64>(wb);
#define F_DEVICE(call, meaning) r.of[next++] = static_cast<u64>(call);
#define F_HOST(call, meaning) r.of[next++] = static_cast<u64>(meaning);
#define F_NAME(call, meaning) #call,

/// Returns part `at` of a word that consists of signed or unsigned parts of `bits` bits.
static int part(u32 word, int bits, int at, bool has_sign) {
    const u32 value = word >> at * bits & ((1u << bits) - 1);
    return has_sign && value >> (bits - 1) ? static_cast<int>(value) - (1 << bits)
                                           : static_cast<int>(value);
}
template <class Body>
static u32 each(u32 a, u32 b, int bits, bool has_sign, Body body) {
    u32 word = 0;
    for (int at = 0; at < 32 / bits; ++at) {
        const u32 value =
            static_cast<u32>(body(part(a, bits, at, has_sign), part(b, bits, at, has_sign)));
        word |= (value & ((1u << bits) - 1)) << at * bits;
    }
    return word;
}
static int clamped(int x, int least, int most) {
    return x < least ? least : x > most ? most : x;
}
static u32 sum_of_differences(u32 a, u32 b, int bits, bool has_sign) {
    int sum = 0;
    for (int at = 0; at < 32 / bits; ++at) {
        const int d = part(a, bits, at, has_sign) - part(b, bits, at, has_sign);
        sum += d < 0 ? -d : d;
    }
    return static_cast<u32>(sum);
}
#define EACH(n, sign, expression)           \
    each(a, b, 32 / n == 16 ? 16 : 8, sign, \
         [](int x, [[maybe_unused]] int y) { return expression; })
#define MOST(n) (n == 2 ? 32767 : 127)

#define GROUP(group, LIST)                                                         \
    __global__ void group(const Operands* operands, Results* results, int count) { \
        const int n = blockIdx.x * blockDim.x + threadIdx.x;                       \
        if (n >= count) return;                                                    \
        const Operands o = operands[n];                                            \
        OPERANDS                                                                   \
        Results& r = results[n];                                                   \
        int next = 0;                                                              \
        LIST(F_DEVICE)                                                             \
    }                                                                              \
    static int group##_on_host(const Operands& o, Results& r) {                    \
        OPERANDS                                                                   \
        int next = 0;                                                              \
        LIST(F_HOST)                                                               \
        return next;                                                               \
    }                                                                              \
    static const char* const group##_names[] = {LIST(F_NAME)};
constexpr int kCount = 1000;
static Operands operands[kCount];
static Results got[kCount];

static void fill_operands() {
    const u32 edges[] = {0,          1,          31,         32,         33,         0x7f,
                         0x80,       0x7fff8000, 0x80008000, 0x7fffffff, 0x80000000, 0xffffffff,
                         0x7f80ff01, 0x00ff8001, 0xff00ff00, 0x00ffffff};
    u32 random = 12345;
    const auto next = [&] { return random = random * 1664525 + 1013904223; };
    for (int n = 0; n < kCount; ++n) {
        operands[n] = {next(), next(), next()};
        if (n < 256) operands[n] = {edges[n % 16], edges[n / 16], edges[(n * 7 + n / 16) % 16]};
    }
}

static void compare(const char* what, void (*kernel)(const Operands*, Results*, int),
                    int (*on_host)(const Operands&, Results&), const char* const* names) {
    Operands* in;
    Results* out;
    cudaMalloc(&in, sizeof operands);
    cudaMalloc(&out, sizeof got);
    cudaMemset(out, 0, sizeof got);
    cudaMemcpy(in, operands, sizeof operands, cudaMemcpyHostToDevice);
    kernel<<<(kCount + 127) / 128, 128>>>(in, out, kCount);
    const bool ran = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(in);
    cudaFree(out);
    int wrong = 0;
    for (int n = 0; n < kCount && ran; ++n) {
        Results wanted;
        const int functions = on_host(operands[n], wanted);
        for (int f = 0; f < functions; ++f) {
            if (wanted.of[f] == got[n].of[f] || wrong++ > 3) continue;
            std::printf("%s(a %08x, b %08x, c %08x) is %llx, not %llx\n", names[f], operands[n].a,
                        operands[n].b, operands[n].c, got[n].of[f], wanted.of[f]);
        }
    }
    std::printf("%s: %s\n", what, ran && wrong == 0 ? "ok" : "WRONG");
}
