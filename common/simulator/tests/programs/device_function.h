// Runs a function on the device for many values, and compares the results with a host function's.
//
//     Group group("add");
//     group.check("add.rn.f32", pairs, DEVICE_2("add.rn.f32", float, "=f", float, "f"), host);
//
// A group prints "NAME: ok", or its first difference. Programs with groups need the option
// `// nvcc: --extended-lambda`.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "check.h"

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

template <class To, class From>
To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From));
    To result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}
inline float f32(u32 bits) {
    return bits_as<float>(bits);
}
inline double f64(u64 bits) {
    return bits_as<double>(bits);
}

// Defines a device function that consists of one instruction. D is the type of the result, and DR
// is its constraint.
#define DEVICE_1(TEXT, D, DR, A, AR)          \
    [] __device__(A a) {                      \
        D d;                                  \
        asm(TEXT " %0, %1;" : DR(d) : AR(a)); \
        return d;                             \
    }
#define DEVICE_2(TEXT, D, DR, A, AR)                     \
    [] __device__(A a, A b) {                            \
        D d;                                             \
        asm(TEXT " %0, %1, %2;" : DR(d) : AR(a), AR(b)); \
        return d;                                        \
    }
#define DEVICE_3(TEXT, D, DR, A, AR)                                \
    [] __device__(A a, A b, A c) {                                  \
        D d;                                                        \
        asm(TEXT " %0, %1, %2, %3;" : DR(d) : AR(a), AR(b), AR(c)); \
        return d;                                                   \
    }

// ---- values ----

/// Generates the same sequence of pseudo-random numbers in every run.
class Noise {
public:
    u64 next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ ^ state_ >> 29;
    }

private:
    u64 state_ = 0x123456789abcdefu;
};

/// Columns of operands. Call i gets its operands from element i of each column.
template <class T>
using Columns = std::vector<std::vector<T>>;

/// Returns all combinations of `count` edge values, then `number_random` values of random(noise).
template <class T, class Random>
Columns<T> choices(int count, const std::vector<T>& edges, int number_random, Random random) {
    Columns<T> columns(count);
    std::size_t total = 1;
    for (int k = 0; k < count; ++k) total *= edges.size();
    for (std::size_t i = 0; i < total; ++i) {
        std::size_t rest = i;
        for (auto& column : columns) {
            column.push_back(edges[rest % edges.size()]);
            rest /= edges.size();
        }
    }
    Noise noise;
    for (int i = 0; i < number_random; ++i)
        for (auto& column : columns) column.push_back(random(noise));
    return columns;
}

template <class T>
std::vector<T> with_negatives(std::vector<T> values) {
    for (std::size_t i = 0, n = values.size(); i < n; ++i) values.push_back(-values[i]);
    return values;
}

inline std::vector<float> edges_of(float) {
    return with_negatives<float>({0,
                                  f32(1),
                                  f32(0x00000fff),
                                  f32(0x007fffff),
                                  f32(0x00800000),
                                  f32(0x00800001),
                                  0x1p-75f,
                                  0x1p-24f,
                                  0.5f,
                                  f32(0x3f7fffff),
                                  1,
                                  f32(0x3f800001),
                                  1.5f,
                                  2,
                                  3,
                                  0x1p23f,
                                  0x1p24f + 2,
                                  0x1p64f,
                                  0x1p127f,
                                  f32(0x7f7fffff),
                                  f32(0x7f800000),
                                  f32(0x7f800001),
                                  f32(0x7fc12345)});
}
inline std::vector<double> edges_of(double) {
    return with_negatives<double>({0,
                                   f64(1),
                                   f64(0xfffff),
                                   f64(0x000fffffffffffff),
                                   f64(0x0010000000000000),
                                   f64(0x0010000000000001),
                                   0x1p-538,
                                   0x1p-53,
                                   0.5,
                                   f64(0x3fefffffffffffff),
                                   1,
                                   f64(0x3ff0000000000001),
                                   1.5,
                                   2,
                                   3,
                                   0x1p52,
                                   0x1p53 + 2,
                                   0x1p512,
                                   0x1p1023,
                                   f64(0x7fefffffffffffff),
                                   f64(0x7ff0000000000000),
                                   f64(0x7ff0000000000001),
                                   f64(0x7ff8123456789abc)});
}

/// Returns random bits. Every other number is near 1, so that sums often depend on both operands.
template <class T>
T random_float(Noise& noise) {
    if constexpr (sizeof(T) == 8) {
        const u64 bits = noise.next();
        return f64(bits & 1 ? bits
                            : (bits & 0x800fffffffffffffu) |
                                  (bits >> 33 & 31) * 0x0010000000000000u + 0x3f00000000000000u);
    } else {
        const u32 bits = static_cast<u32>(noise.next() >> 20);
        return f32(bits & 1 ? bits
                            : (bits & 0x807fffffu) + (bits >> 27 & 15) * 0x00800000u + 0x3c000000u);
    }
}
template <class T>
Columns<T> float_operands(int count) {
    // Use fewer edge values, because there would be too many triples.
    std::vector<T> edges = edges_of(T{});
    if (count == 3) {
        std::vector<T> some;
        for (std::size_t i = 0; i < edges.size(); i += 3) some.push_back(edges[i]);
        edges = some;
    }
    return choices<T>(count, edges, 4000, random_float<T>);
}

// ---- running ----

template <class D, class F, class... A>
__global__ void apply_to_all(F function, int count, D* out, const A*... in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = function(in[i]...);
}

template <class T>
std::string bits_shown(T value) {
    u64 bits = 0;
    constexpr std::size_t kShown = sizeof value < sizeof bits ? sizeof value : sizeof bits;
    std::memcpy(&bits, &value, kShown);
    char text[32];
    std::snprintf(text, sizeof text, "0x%0*llx", static_cast<int>(2 * kShown),
                  static_cast<unsigned long long>(bits));
    return text;
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}
/// Compares results. All NaNs are considered equal.
template <class T>
bool same_number(const T& a, const T& b) {
    return same_bits(a, b) || (a != a && b != b);
}

class Group {
public:
    explicit Group(std::string name) : name_(std::move(name)) {}
    ~Group() {
        if (is_ok_) std::printf("%s: ok\n", name_.c_str());
    }
    Group(const Group&) = delete;

    /// Compares the device's results with those of the function `host` on the same operands. A
    /// result is correct if `good(got, wanted)` returns true.
    template <class A, class F, class Host, class Good>
    void check(const char* what, const Columns<A>& columns, F device, Host host, Good good) {
        run(what, columns, device, host, good);
    }
    template <class A, class F, class Host>
    void check(const char* what, const Columns<A>& columns, F device, Host host) {
        using D = decltype(host_result(host, columns));
        check(what, columns, device, host, same_bits<D>);
    }

private:
    template <class Host, class A>
    static auto host_result(Host host, const Columns<A>&) {
        if constexpr (std::is_invocable_v<Host, A>)
            return host(A{});
        else if constexpr (std::is_invocable_v<Host, A, A>)
            return host(A{}, A{});
        else
            return host(A{}, A{}, A{});
    }
    template <class Host, class A>
    static auto host_at(Host host, const Columns<A>& c, std::size_t i) {
        if constexpr (std::is_invocable_v<Host, A>)
            return host(c[0][i]);
        else if constexpr (std::is_invocable_v<Host, A, A>)
            return host(c[0][i], c[1][i]);
        else
            return host(c[0][i], c[1][i], c[2][i]);
    }

    template <class A, class F, class Host, class Good>
    void run(const char* what, const Columns<A>& c, F device, Host host, Good good) {
        using D = decltype(host_result(host, c));
        const int count = static_cast<int>(c[0].size());
        DeviceArray<D> out(count);
        constexpr int kThreads = 256;
        const int blocks = (count + kThreads - 1) / kThreads;
        DeviceArray<A> first(c[0]);
        if constexpr (std::is_invocable_v<Host, A>) {
            apply_to_all<D, F, A><<<blocks, kThreads>>>(device, count, out, first);
        } else {
            DeviceArray<A> second(c[1]);
            if constexpr (std::is_invocable_v<Host, A, A>) {
                apply_to_all<D, F, A, A><<<blocks, kThreads>>>(device, count, out, first, second);
            } else {
                DeviceArray<A> third(c[2]);
                apply_to_all<D, F, A, A, A>
                    <<<blocks, kThreads>>>(device, count, out, first, second, third);
                MUST(cudaDeviceSynchronize());
            }
            MUST(cudaDeviceSynchronize());
        }
        const std::vector<D> got = out.read();
        for (int i = 0; i < count; ++i) {
            const D wanted = host_at(host, c, i);
            if (good(got[i], wanted)) continue;
            fail(what, c, i, bits_shown(got[i]), bits_shown(wanted));
            return;
        }
    }
    template <class A>
    void fail(const char* what, const Columns<A>& c, int i, std::string got, std::string wanted) {
        is_ok_ = false;
        std::printf("%s: %s of", name_.c_str(), what);
        for (const auto& column : c) std::printf(" %s", bits_shown(column[i]).c_str());
        std::printf(" is %s, expected %s\n", got.c_str(), wanted.c_str());
    }

    std::string name_;
    bool is_ok_ = true;
};
