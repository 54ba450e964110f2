// Tests mma.sync for every shape and type: products of small matrices in a warp's registers. The
// sums are exact, because all values are integers. The host uses the PTX manual's element layout.
// expect: f16: ok
// expect: f16, summed in f16: ok
// expect: bf16: ok
// expect: tf32: ok
// expect: f64: ok
// expect: s8 and u8: ok
// expect: s4 and u4: ok
// expect: bits: ok
// expect: sums beyond 32 bits: ok
// expect: what is no number: ok
// expect: the lower bits of tf32 do not count: ok
#include <cmath>
#include <cstdint>
#include <cstring>

#include "check.h"

// ---- instructions, with the number of registers per lane for each of d, a and b ----

#define KERNEL(name, text, type, letter, nd, na, nb, places, ...)                                   \
    __global__ void name(type* d, const type* a, const type* b, const type* c) {                    \
        type x[8], y[4], z[4];                                                                      \
        for (int k = 0; k < na; ++k) x[k] = a[na * threadIdx.x + k];                                \
        for (int k = 0; k < nb; ++k) y[k] = b[nb * threadIdx.x + k];                                \
        for (int k = 0; k < nd; ++k) z[k] = c[nd * threadIdx.x + k];                                \
        asm volatile("mma" text " " places ";" : DESTINATION_##nd(letter) : __VA_ARGS__);           \
        for (int k = 0; k < nd; ++k) d[nd * threadIdx.x + k] = z[k];                                \
    }
#define DESTINATION_2(letter) "+" letter(z[0]), "+" letter(z[1])
#define DESTINATION_4(letter) DESTINATION_2(letter), "+" letter(z[2]), "+" letter(z[3])
#define SHAPE_442(name, text, type, letter)                                                          \
    KERNEL(name, text, type, letter, 4, 4, 2, "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}", \
           letter(x[0]), letter(x[1]), letter(x[2]), letter(x[3]), letter(y[0]), letter(y[1]))
#define SHAPE_421(name, text, type, letter)                                                     \
    KERNEL(name, text, type, letter, 4, 2, 1, "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3}",    \
           letter(x[0]), letter(x[1]), letter(y[0]))
#define SHAPE_242(name, text, type, letter)                                                       \
    KERNEL(name, text, type, letter, 2, 4, 2, "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1}",         \
           letter(x[0]), letter(x[1]), letter(x[2]), letter(x[3]), letter(y[0]), letter(y[1]))
#define SHAPE_221(name, text, type, letter)                                           \
    KERNEL(name, text, type, letter, 2, 2, 1, "{%0,%1}, {%2,%3}, {%4}, {%0,%1}",      \
           letter(x[0]), letter(x[1]), letter(y[0]))
#define SHAPE_211(name, text, type, letter) \
    KERNEL(name, text, type, letter, 2, 1, 1, "{%0,%1}, {%2}, {%3}, {%0,%1}", letter(x[0]), letter(y[0]))
#define SHAPE_484(name, text, type, letter)                                                            \
    KERNEL(name, text, type, letter, 4, 8, 4,                                                          \
           "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3}",             \
           letter(x[0]), letter(x[1]), letter(x[2]), letter(x[3]), letter(x[4]), letter(x[5]),         \
           letter(x[6]), letter(x[7]), letter(y[0]), letter(y[1]), letter(y[2]), letter(y[3]))

#define WORDS(shape, name, text) SHAPE_##shape(name, ".sync.aligned." text, std::uint32_t, "r")
#define DOUBLES(shape, name, text) SHAPE_##shape(name, ".sync.aligned." text, double, "d")

WORDS(421, f16_k8, "m16n8k8.row.col.f32.f16.f16.f32")
WORDS(442, f16_k16, "m16n8k16.row.col.f32.f16.f16.f32")
WORDS(221, f16_f16_k8, "m16n8k8.row.col.f16.f16.f16.f16")
WORDS(242, f16_f16_k16, "m16n8k16.row.col.f16.f16.f16.f16")
WORDS(421, bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32")
WORDS(442, bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32")
WORDS(421, tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32")
WORDS(442, tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32")
DOUBLES(211, f64_m8_k4, "m8n8k4.row.col.f64.f64.f64.f64")
DOUBLES(421, f64_k4, "m16n8k4.row.col.f64.f64.f64.f64")
DOUBLES(442, f64_k8, "m16n8k8.row.col.f64.f64.f64.f64")
DOUBLES(484, f64_k16, "m16n8k16.row.col.f64.f64.f64.f64")
WORDS(211, s8_m8_k16, "m8n8k16.row.col.s32.s8.s8.s32")
WORDS(421, s8_k16, "m16n8k16.row.col.s32.s8.u8.s32")
WORDS(442, s8_k32, "m16n8k32.row.col.s32.u8.s8.s32")
WORDS(442, u8_k32, "m16n8k32.row.col.s32.u8.u8.s32")
WORDS(442, s8_k32_saturated, "m16n8k32.row.col.satfinite.s32.s8.s8.s32")
WORDS(442, s8_k32_wrapped, "m16n8k32.row.col.s32.s8.s8.s32")
WORDS(211, s4_m8_k32, "m8n8k32.row.col.s32.s4.s4.s32")
WORDS(421, s4_k32, "m16n8k32.row.col.s32.s4.u4.s32")
WORDS(442, s4_k64, "m16n8k64.row.col.satfinite.s32.u4.s4.s32")
WORDS(211, xor_m8_k128, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
WORDS(421, and_k128, "m16n8k128.row.col.s32.b1.b1.s32.and.popc")
WORDS(442, xor_k256, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")

// ---- elements as bits ----

enum class Type { f16, bf16, tf32, f32, f64, s8, u8, s4, u4, b1, s32 };

static int bits_of(Type type) {
    switch (type) {
        case Type::b1: return 1;
        case Type::s4:
        case Type::u4: return 4;
        case Type::s8:
        case Type::u8: return 8;
        case Type::f16:
        case Type::bf16: return 16;
        case Type::f64: return 64;
        default: return 32;
    }
}

template <class To, class From>
static To as(From from) {
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

/// Converts a number to f16. The number must be zero or a normal f16 number.
static std::uint16_t half_of(float value) {
    const auto bits = as<std::uint32_t>(value);
    const std::uint32_t rest = bits & 0x7fffffff;
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | (rest ? (rest - (112u << 23)) >> 13 : 0));
}

static std::uint64_t encode(Type type, int value) {
    const int bits = bits_of(type);
    switch (type) {
        case Type::f16: return half_of(static_cast<float>(value));
        case Type::bf16: return as<std::uint32_t>(static_cast<float>(value)) >> 16;
        case Type::tf32:
        case Type::f32: return as<std::uint32_t>(static_cast<float>(value));
        case Type::f64: return as<std::uint64_t>(static_cast<double>(value));
        default: return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
    }
}

/// Returns a number that the type can represent. If the type is signed, it is sometimes negative.
static int some(Type type, int k) {
    const int mixed = (k * 37 + k / 7 * 11) % 97;
    switch (type) {
        case Type::b1: return mixed % 3 == 0;
        case Type::u4: return mixed % 16;
        case Type::s4: return mixed % 16 - 8;
        case Type::u8: return mixed * 5 % 256;
        case Type::s8: return mixed * 5 % 256 - 128;
        default: return mixed % 17 - 8;
    }
}

// ---- the element layout from the manual ----

struct Shape {
    int m, n, k;
};
struct Place {
    int row, col;
};

/// Returns the position of element `i` of a lane if a register contains `each` elements.
static Place place_a(int i, int lane, int each, Shape shape) {
    const int piece = i / each, rows = shape.m / 8;
    return {lane / 4 + 8 * (piece % rows), lane % 4 * each + i % each + 4 * each * (piece / rows)};
}
static Place place_b(int i, int lane, int each) {
    return {lane % 4 * each + i % each + 4 * each * (i / each), lane / 4};
}
static Place place_c(int i, int lane) {
    return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

template <class Word, class At>
static std::vector<Word> spread(Type type, int elements, At at) {
    const int each = std::max(1, static_cast<int>(8 * sizeof(Word)) / bits_of(type));
    std::vector<Word> words(32 * elements / each);
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < elements; ++i) {
            std::uint64_t piece = encode(type, at(i, lane));
            std::uint64_t whole = 0;
            Word& word = words[(lane * elements + i) / each];
            std::memcpy(&whole, &word, sizeof word);
            whole |= piece << i % each * bits_of(type);
            std::memcpy(&word, &whole, sizeof word);
        }
    return words;
}

// ---- one instruction ----

static bool all_right = true;

enum class Product { numbers, exclusive_or, both };

template <class Word>
static void check(const char* name, void (*kernel)(Word*, const Word*, const Word*, const Word*), Shape shape, Type a,
                  Type b, Type d, Product product = Product::numbers) {
    const auto at_a = [&](int row, int col) { return some(a, row * shape.k + col); };
    const auto at_b = [&](int row, int col) { return some(b, row * shape.n + col + 5); };
    const auto at_c = [&](int row, int col) { return some(Type::s32, row * 13 + col); };
    const int each = std::max(1, static_cast<int>(8 * sizeof(Word)) / bits_of(a));
    const int of_a = shape.m * shape.k / 32, of_b = shape.n * shape.k / 32, of_c = shape.m * shape.n / 32;
    const DeviceArray<Word> x(spread<Word>(a, of_a, [&](int i, int lane) {
        const Place p = place_a(i, lane, each, shape);
        return at_a(p.row, p.col);
    }));
    const DeviceArray<Word> y(spread<Word>(b, of_b, [&](int i, int lane) {
        const Place p = place_b(i, lane, each);
        return at_b(p.row, p.col);
    }));
    const std::vector<Word> start = spread<Word>(d, of_c, [&](int i, int lane) {
        const Place p = place_c(i, lane);
        return at_c(p.row, p.col);
    });
    const DeviceArray<Word> z(start), out(start.size());
    kernel<<<1, 32>>>(out, x, y, z);
    const std::vector<Word> wanted = spread<Word>(d, of_c, [&](int i, int lane) {
        const Place p = place_c(i, lane);
        int sum = at_c(p.row, p.col);
        for (int k = 0; k < shape.k; ++k) {
            const int left = at_a(p.row, k), right = at_b(k, p.col);
            sum += product == Product::numbers ? left * right
                   : product == Product::both  ? (left & right)
                                               : (left ^ right);
        }
        return sum;
    });
    const std::vector<Word> got = out.read();
    if (std::memcmp(got.data(), wanted.data(), got.size() * sizeof(Word)) == 0) return;
    std::printf("%s: wrong\n", name);
    all_right = false;
}
#define CHECK(kernel, ...) check(#kernel, kernel, __VA_ARGS__)

static void group(const char* name) {
    std::printf("%s: %s\n", name, all_right ? "ok" : "wrong");
    all_right = true;
}

static void fill(std::vector<std::uint32_t>& words, std::uint32_t value) {
    words.assign(words.size(), value);
}

/// Multiplies matrices in which all words are a, b or c. Returns lane 0's first register.
static std::uint32_t alike(void (*kernel)(std::uint32_t*, const std::uint32_t*, const std::uint32_t*,
                                          const std::uint32_t*),
                           std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::vector<std::uint32_t> as(128), bs(64), cs(128);
    fill(as, a), fill(bs, b), fill(cs, c);
    const DeviceArray<std::uint32_t> x(as), y(bs), z(cs), out(128);
    kernel<<<1, 32>>>(out, x, y, z);
    return out.read()[0];
}

static void limits() {
    constexpr std::uint32_t kMost = 0x7fffffff, kOnes = 0x01010101, kMinus = 0xffffffff;
    all_right = alike(s8_k32_saturated, kOnes, kOnes, kMost - 5) == kMost &&
                alike(s8_k32_wrapped, kOnes, kOnes, kMost - 5) == kMost - 5 + 32 &&
                alike(s8_k32_saturated, kMinus, kOnes, 0x80000003) == 0x80000000;
    group("sums beyond 32 bits");
    const std::uint32_t one = as<std::uint32_t>(1.0f), infinity = 0x7f800000;
    const auto is_nan = [](std::uint32_t bits) { return std::isnan(as<float>(bits)); };
    all_right = is_nan(alike(tf32_k8, infinity, 0, one)) && alike(tf32_k8, infinity, one, one) == infinity &&
                is_nan(alike(tf32_k8, infinity, one, infinity | 0x80000000)) &&
                alike(f16_k16, 0x7bff7bff, 0x7bff7bff, 0) == as<std::uint32_t>(65504.0f * 65504.0f * 16) &&
                (alike(f16_f16_k16, 0x7bff7bff, 0x3c003c00, 0) & 0x7fff) == 0x7c00;
    group("what is no number");
    all_right = alike(tf32_k8, one | 0x1fff, one, 0) == as<std::uint32_t>(8.0f);
    group("the lower bits of tf32 do not count");
}

int main() {
    CHECK(f16_k8, {16, 8, 8}, Type::f16, Type::f16, Type::f32);
    CHECK(f16_k16, {16, 8, 16}, Type::f16, Type::f16, Type::f32);
    group("f16");
    CHECK(f16_f16_k8, {16, 8, 8}, Type::f16, Type::f16, Type::f16);
    CHECK(f16_f16_k16, {16, 8, 16}, Type::f16, Type::f16, Type::f16);
    group("f16, summed in f16");
    CHECK(bf16_k8, {16, 8, 8}, Type::bf16, Type::bf16, Type::f32);
    CHECK(bf16_k16, {16, 8, 16}, Type::bf16, Type::bf16, Type::f32);
    group("bf16");
    CHECK(tf32_k4, {16, 8, 4}, Type::tf32, Type::tf32, Type::f32);
    CHECK(tf32_k8, {16, 8, 8}, Type::tf32, Type::tf32, Type::f32);
    group("tf32");
    CHECK(f64_m8_k4, {8, 8, 4}, Type::f64, Type::f64, Type::f64);
    CHECK(f64_k4, {16, 8, 4}, Type::f64, Type::f64, Type::f64);
    CHECK(f64_k8, {16, 8, 8}, Type::f64, Type::f64, Type::f64);
    CHECK(f64_k16, {16, 8, 16}, Type::f64, Type::f64, Type::f64);
    group("f64");
    CHECK(s8_m8_k16, {8, 8, 16}, Type::s8, Type::s8, Type::s32);
    CHECK(s8_k16, {16, 8, 16}, Type::s8, Type::u8, Type::s32);
    CHECK(s8_k32, {16, 8, 32}, Type::u8, Type::s8, Type::s32);
    CHECK(u8_k32, {16, 8, 32}, Type::u8, Type::u8, Type::s32);
    group("s8 and u8");
    CHECK(s4_m8_k32, {8, 8, 32}, Type::s4, Type::s4, Type::s32);
    CHECK(s4_k32, {16, 8, 32}, Type::s4, Type::u4, Type::s32);
    CHECK(s4_k64, {16, 8, 64}, Type::u4, Type::s4, Type::s32);
    group("s4 and u4");
    CHECK(xor_m8_k128, {8, 8, 128}, Type::b1, Type::b1, Type::s32, Product::exclusive_or);
    CHECK(and_k128, {16, 8, 128}, Type::b1, Type::b1, Type::s32, Product::both);
    CHECK(xor_k256, {16, 8, 256}, Type::b1, Type::b1, Type::s32, Product::exclusive_or);
    group("bits");
    limits();
}
