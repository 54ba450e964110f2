// Helpers for the tests of single instructions. Each line of a test has a PTX instruction and
// an equivalent C++ expression.
//
//     GROUP("sums");
//     BINARY("add.s32 %0, %1, %2;", s32, s32, s32, u32(a) + u32(b));
//
// compiles a kernel from the PTX, and compares its results with the C++ expression for combinations
// of edge values and for pseudo-random values. Types have their PTX names. The source operands are
// a, b, c, e. A test prints "sums: ok", or the first wrong instruction of the group, with its
// operands.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "check.h"

using s16 = std::int16_t;
using u16 = std::uint16_t;
using s32 = std::int32_t;
using u32 = std::uint32_t;
using s64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
using b16 = u16;
using b32 = u32;
using b64 = u64;
using s128 = __int128;
using u128 = unsigned __int128;

// ---- operands ----

/// Returns the bit patterns of type T at which the behaviour of instructions changes.
template <class T>
std::vector<T> edges() {
    if constexpr (std::is_integral_v<T>) {
        constexpr T kMost = std::numeric_limits<T>::max(), kLeast = std::numeric_limits<T>::min();
        return {0,
                1,
                2,
                7,
                31,
                32,
                33,
                T(64),
                T(255),
                T(0x8005),
                T(-1),
                T(-2),
                T(-7),
                kMost,
                T(kMost / 2 + 1),
                kLeast,
                T(kLeast + 1)};
    } else {
        using Limits = std::numeric_limits<T>;
        const T half_normal = Limits::min() / 2;
        return {0,
                T(-0.0),
                1,
                -1,
                T(1.5),
                -7,
                Limits::max(),
                Limits::lowest(),
                Limits::min(),
                half_normal,
                -half_normal,
                Limits::denorm_min(),
                -Limits::denorm_min(),
                Limits::infinity(),
                -Limits::infinity(),
                Limits::quiet_NaN()};
    }
}

/// Store values of all types as bits, so that less code is instantiated per type.
template <class T>
u64 bits_of(T value) {
    u64 bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
T value_of(u64 bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
std::vector<T> values_of(const std::vector<u64>& bits) {
    std::vector<T> values(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) values[i] = value_of<T>(bits[i]);
    return values;
}
inline std::string shown_bits(u64 bits, std::size_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%0*llx", int(2 * bytes), bits);
    return text;
}

class Random {
public:
    u64 bits() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return (state_ ^ state_ >> 29) * 0xbf58476d1ce4e5b9ull;
    }
    /// Returns random bits such that small numbers are as frequent as large ones.
    u64 value() { return bits() >> bits() % 64 ^ (bits() >> 40 & 1 ? ~0ull : 0ull); }

private:
    u64 state_ = 1;
};

/// The values with which a source operand of an instruction is tested.
struct Source {
    std::size_t bytes;
    std::vector<u64> edges;
};
template <class T>
Source source_of() {
    Source source{sizeof(T), {}};
    for (const T& edge : edges<T>()) source.edges.push_back(bits_of(edge));
    return source;
}

/// Returns values for each source: all combinations of edge values (if few), then 3000 random
/// samples.
inline std::vector<std::vector<u64>> operands(const std::vector<Source>& sources) {
    std::vector<std::vector<u64>> columns(sources.size());
    std::size_t combinations = 1;
    for (const Source& source : sources) combinations *= source.edges.size();
    if (combinations > 8192) combinations = 0;
    for (std::size_t i = 0; i < combinations; ++i) {
        std::size_t index = i;
        for (std::size_t s = 0; s < sources.size(); ++s) {
            const std::vector<u64>& edges = sources[s].edges;
            columns[s].push_back(edges[index % edges.size()]);
            index /= edges.size();
        }
    }
    Random random;
    for (int i = 0; i < 3000; ++i) {
        for (std::size_t s = 0; s < sources.size(); ++s) {
            const std::vector<u64>& edges = sources[s].edges;
            const bool edge = random.bits() >> 40 & 1;
            const u64 value = edge ? edges[random.bits() % edges.size()] : random.value();
            columns[s].push_back(value & ~0ull >> (64 - 8 * sources[s].bytes));
        }
    }
    return columns;
}

// ---- the list of instructions ----

/// An instruction. Its constructor adds it to the list.
class Instruction {
public:
    explicit Instruction(std::string group) : group(std::move(group)) { all().push_back(this); }
    virtual ~Instruction() = default;
    virtual std::string fault() const = 0;  ///< the first wrong result, or ""
    static std::vector<const Instruction*>& all() {
        static std::vector<const Instruction*> all;
        return all;
    }

    const std::string group;
};
inline std::string& group_of_next() {
    static std::string name;
    return name;
}

/// Compares the results of `kernel` with those of `answer` on the host. The instruction has the
/// result type D and the source types S.
template <class D, class... S>
class Listed : public Instruction {
public:
    using Kernel = void (*)(std::size_t, D*, const S*...);
    using Answer = D (*)(S...);
    Listed(const char* text, Kernel kernel, Answer answer)
        : Instruction(group_of_next()), text_(text), kernel_(kernel), answer_(answer) {}
    std::string fault() const override { return fault(std::index_sequence_for<S...>()); }

private:
    template <std::size_t... I>
    std::string fault(std::index_sequence<I...>) const {
        const std::vector<std::vector<u64>> columns = operands({source_of<S>()...});
        const std::size_t count = columns[0].size();
        DeviceArray<D> out(count);
        launch(count, out, DeviceArray<S>(values_of<S>(columns[I]))...);
        const std::vector<D> got = out.read();
        for (std::size_t i = 0; i < count; ++i) {
            const D wanted = answer_(value_of<S>(columns[I][i])...);
            if (std::memcmp(&got[i], &wanted, sizeof wanted) == 0) continue;
            std::string text = std::string(text_) + " of";
            ((text += " " + shown_bits(columns[I][i], sizeof(S))), ...);
            return text + " is " + shown_bits(bits_of(got[i]), sizeof(D)) + ", expected " +
                   shown_bits(bits_of(wanted), sizeof(D));
        }
        return "";
    }
    void launch(std::size_t count, D* out, const DeviceArray<S>&... in) const {
        kernel_<<<unsigned(count + 127) / 128, 128>>>(count, out, in...);
        MUST(cudaGetLastError());
        MUST(cudaDeviceSynchronize());  // keeps the operands allocated until the kernel has ended
    }

    const char* const text_;
    const Kernel kernel_;
    const Answer answer_;
};

struct Group {
    explicit Group(const char* name) { group_of_next() = name; }
};

/// Runs all instructions, and prints one line per group, in source order.
inline void run_instructions() {
    const std::vector<const Instruction*>& all = Instruction::all();
    for (std::size_t i = 0; i < all.size();) {
        const std::string& group = all[i]->group;
        std::string fault;
        for (; i < all.size() && all[i]->group == group; ++i) {
            if (fault.empty()) fault = all[i]->fault();
        }
        std::printf("%s: %s\n", group.c_str(), fault.empty() ? "ok" : fault.c_str());
    }
}

// ---- macros for writing tests ----

// The inline assembly constraint for registers of each type.
#define LETTER_s16 "h"
#define LETTER_u16 "h"
#define LETTER_b16 "h"
#define LETTER_s32 "r"
#define LETTER_u32 "r"
#define LETTER_b32 "r"
#define LETTER_s64 "l"
#define LETTER_u64 "l"
#define LETTER_b64 "l"
#define LETTER_f32 "f"
#define LETTER_f64 "d"

#define JOIN_NOW(x, y) x##y
#define JOIN(x, y) JOIN_NOW(x, y)
#define GROUP(name) static const Group JOIN(group_, __COUNTER__)(name)

#define UNARY(text, D, A, ...) UNARY_AS(JOIN(unary_, __COUNTER__), text, D, A, __VA_ARGS__)
#define UNARY_AS(id, text, D, A, ...)                                \
    __global__ void id(std::size_t count, D* out, const A* as) {     \
        const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; \
        if (i >= count) return;                                      \
        D d;                                                         \
        asm(text : "=" LETTER_##D(d) : LETTER_##A(as[i]));           \
        out[i] = d;                                                  \
    }                                                                \
    static const Listed<D, A> JOIN(id, _listed)(                     \
        text, id, [](A a) -> D { return static_cast<D>(__VA_ARGS__); })

#define BINARY(text, D, A, B, ...) BINARY_AS(JOIN(binary_, __COUNTER__), text, D, A, B, __VA_ARGS__)
#define BINARY_AS(id, text, D, A, B, ...)                                     \
    __global__ void id(std::size_t count, D* out, const A* as, const B* bs) { \
        const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;          \
        if (i >= count) return;                                               \
        D d;                                                                  \
        asm(text : "=" LETTER_##D(d) : LETTER_##A(as[i]), LETTER_##B(bs[i])); \
        out[i] = d;                                                           \
    }                                                                         \
    static const Listed<D, A, B> JOIN(id, _listed)(                           \
        text, id, [](A a, B b) -> D { return static_cast<D>(__VA_ARGS__); })

#define TERNARY(text, D, A, B, C, ...) \
    TERNARY_AS(JOIN(ternary_, __COUNTER__), text, D, A, B, C, __VA_ARGS__)
#define TERNARY_AS(id, text, D, A, B, C, ...)                                                    \
    __global__ void id(std::size_t count, D* out, const A* as, const B* bs, const C* cs) {       \
        const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;                             \
        if (i >= count) return;                                                                  \
        D d;                                                                                     \
        asm(text : "=" LETTER_##D(d) : LETTER_##A(as[i]), LETTER_##B(bs[i]), LETTER_##C(cs[i])); \
        out[i] = d;                                                                              \
    }                                                                                            \
    static const Listed<D, A, B, C> JOIN(id, _listed)(                                           \
        text, id, [](A a, B b, C c) -> D { return static_cast<D>(__VA_ARGS__); })

#define QUATERNARY(text, D, A, B, C, E, ...) \
    QUATERNARY_AS(JOIN(quaternary_, __COUNTER__), text, D, A, B, C, E, __VA_ARGS__)
#define QUATERNARY_AS(id, text, D, A, B, C, E, ...)                                        \
    __global__ void id(std::size_t count, D* out, const A* as, const B* bs, const C* cs,   \
                       const E* es) {                                                      \
        const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;                       \
        if (i >= count) return;                                                            \
        D d;                                                                               \
        asm(text                                                                           \
            : "=" LETTER_##D(d)                                                            \
            : LETTER_##A(as[i]), LETTER_##B(bs[i]), LETTER_##C(cs[i]), LETTER_##E(es[i])); \
        out[i] = d;                                                                        \
    }                                                                                      \
    static const Listed<D, A, B, C, E> JOIN(id, _listed)(                                  \
        text, id, [](A a, B b, C c, E e) -> D { return static_cast<D>(__VA_ARGS__); })

/// Tests an expression in a, b, c, e. It is compiled for the device and also evaluated on the host.
#define EXPRESSION(D, T, ...) EXPRESSION_AS(JOIN(expression_, __COUNTER__), D, T, __VA_ARGS__)
#define EXPRESSION_AS(id, D, T, ...)                                                     \
    __global__ void id(std::size_t count, D* out, const T* as, const T* bs, const T* cs, \
                       const T* es) {                                                    \
        const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;                     \
        if (i >= count) return;                                                          \
        [[maybe_unused]] const T a = as[i], b = bs[i], c = cs[i], e = es[i];             \
        out[i] = static_cast<D>(__VA_ARGS__);                                            \
    }                                                                                    \
    static const Listed<D, T, T, T, T> JOIN(id, _listed)(                                \
        #__VA_ARGS__, id,                                                                \
        []([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c,             \
           [[maybe_unused]] T e) -> D { return static_cast<D>(__VA_ARGS__); })
