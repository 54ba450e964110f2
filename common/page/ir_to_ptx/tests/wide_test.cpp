// Tests integers wider than 64 bits. The results of operations for which the GPU has no instruction
// are compared with the host's.
#include <doctest/doctest.h>

#include <bit>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

namespace {

__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

u128 of(u64 high, u64 low) {
    return u128{high} << 64 | low;
}

/// Values near the limits of both 64-bit halves.
const std::vector<u128> values = {0,
                                  1,
                                  3,
                                  1000000007,
                                  of(0, 0xFFFFFFFFFFFFFFFF),
                                  of(1, 0),
                                  of(1, 0x8000000000000001),
                                  of(0x1234567, 0x89ABCDEF01234567),
                                  of(0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF),
                                  of(0x8000000000000000, 0),
                                  of(0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFF1)};

/// Runs `operations`, which compute %d from %a and %b, for every pair of values. Returns the
/// results. Thread k reads its pair from in[4k] to in[4k + 3].
std::vector<u128> all_of(const std::string& operations,
                         const std::vector<std::pair<u128, u128>>& pairs,
                         const std::string& rest = "") {
    std::vector<u64> in;
    for (const auto& [a, b] : pairs) {
        for (const u64 word : {u64(a), u64(a >> 64), u64(b), u64(b >> 64)}) in.push_back(word);
    }
    const std::string ir = kernel(
        "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
        "  %pa = getelementptr [2 x i128], ptr %in, i32 %t\n"
        "  %pb = getelementptr i128, ptr %pa, i64 1\n  %po = getelementptr i128, ptr %out, i32 %t\n"
        "  %a = load i128, ptr %pa, align 16\n  %b = load i128, ptr %pb, align 16\n" +
            operations + "  store i128 %d, ptr %po, align 16\n  ret void",
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" + rest);
    const auto words = run(ir, in, {.threads = unsigned(pairs.size()), .words = 2 * pairs.size()});
    std::vector<u128> results;
    for (std::size_t k = 0; k < pairs.size(); ++k)
        results.push_back(of(words[2 * k + 1], words[2 * k]));
    return results;
}

std::vector<std::pair<u128, u128>> all_pairs(bool without_zero) {
    std::vector<std::pair<u128, u128>> pairs;
    for (const u128 a : values)
        for (const u128 b : values)
            if (b != 0 || !without_zero) pairs.emplace_back(a, b);
    return pairs;
}

/// Compares the results of an operation with those that `expected` computes on the host, for every
/// pair of values.
template <class Expected>
void check(const std::string& operations, Expected expected, const std::string& rest = "",
           bool without_zero = false) {
    CAPTURE(operations);
    const auto pairs = all_pairs(without_zero);
    const std::vector<u128> results = all_of(operations, pairs, rest);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto& [a, b] = pairs[k];
        CAPTURE(k);
        CHECK((results[k] == u128(expected(a, b))));
    }
}

std::string called_function(const std::string& name, const std::string& more = "") {
    return "  %d = call i128 @llvm." + name + ".i128(i128 %a" + more + ")\n";
}
std::string declared(const std::string& name, const std::string& more = "") {
    return "declare i128 @llvm." + name + ".i128(i128" + more + ")\n";
}

u128 same_bits(double value) {
    return std::bit_cast<u64>(value);
}
u128 same_bits(float value) {
    return std::bit_cast<u32>(value);
}

}  // namespace

TEST_CASE("division and remainder are correct") {
    check(
        "  %d = udiv i128 %a, %b\n", [](u128 a, u128 b) { return a / b; }, "", true);
    check(
        "  %d = urem i128 %a, %b\n", [](u128 a, u128 b) { return a % b; }, "", true);
    const auto overflows = [](u128 a, u128 b) { return a == u128{1} << 127 && b == ~u128{0}; };
    check(
        "  %d = sdiv i128 %a, %b\n",
        [&](u128 a, u128 b) { return overflows(a, b) ? a : u128(i128(a) / i128(b)); }, "", true);
    check(
        "  %d = srem i128 %a, %b\n",
        [&](u128 a, u128 b) { return overflows(a, b) ? 0 : u128(i128(a) % i128(b)); }, "", true);
}

TEST_CASE("a quotient with a wrong lowest bit is detected") {
    const auto pairs = all_pairs(true);
    const auto results = all_of("  %s = udiv i128 %a, %b\n  %d = xor i128 %s, 1\n", pairs);
    for (std::size_t k = 0; k < pairs.size(); ++k)
        CHECK(results[k] != pairs[k].first / pairs[k].second);
}

TEST_CASE("a conversion to floating point rounds once") {
    const std::string to = "  %w = zext i64 %l to i128\n  %d = add i128 %w, 0\n";
    check("  %f = uitofp i128 %a to double\n  %l = bitcast double %f to i64\n" + to,
          [](u128 a, u128) { return same_bits(double(a)); });
    check("  %f = sitofp i128 %a to double\n  %l = bitcast double %f to i64\n" + to,
          [](u128 a, u128) { return same_bits(double(i128(a))); });
    const std::string from_float =
        "  %n = bitcast float %f to i32\n  %l = zext i32 %n to i64\n" + to;
    check("  %f = uitofp i128 %a to float\n" + from_float,
          [](u128 a, u128) { return same_bits(float(a)); });
    check("  %f = sitofp i128 %a to float\n" + from_float,
          [](u128 a, u128) { return same_bits(float(i128(a))); });
}

TEST_CASE("a conversion from floating point drops the fraction") {
    // Shift the integers right by one bit, so that the floating-point numbers are at most 2^127.
    const std::string wide = "  %h = lshr i128 %a, 1\n  %f = uitofp i128 %h to double\n",
                      narrow = "  %h = lshr i128 %a, 1\n  %f = uitofp i128 %h to float\n";
    check(wide + "  %d = fptoui double %f to i128\n",
          [](u128 a, u128) { return u128(double(a >> 1)); });
    check(narrow + "  %d = fptoui float %f to i128\n",
          [](u128 a, u128) { return u128(float(a >> 1)); });
    check(wide + "  %g = fmul double %f, -2.500000e-01\n  %d = fptosi double %g to i128\n",
          [](u128 a, u128) { return i128(double(a >> 1) * -0.25); });
    check(narrow + "  %g = fmul float %f, -2.500000e-01\n  %d = fptosi float %g to i128\n",
          [](u128 a, u128) { return i128(float(a >> 1) * -0.25f); });
}

TEST_CASE("maxima, absolute values, bit counts and rotations are correct") {
    const auto two = [](const char* name, auto expected) {
        check(called_function(name, ", i128 %b"), expected, declared(name, ", i128"));
    };
    two("umin", [](u128 a, u128 b) { return a < b ? a : b; });
    two("umax", [](u128 a, u128 b) { return a < b ? b : a; });
    two("smin", [](u128 a, u128 b) { return i128(a) < i128(b) ? a : b; });
    two("smax", [](u128 a, u128 b) { return i128(a) < i128(b) ? b : a; });
    check(
        called_function("abs", ", i1 false"), [](u128 a, u128) { return i128(a) < 0 ? 0 - a : a; },
        declared("abs", ", i1"));
    const auto bits = [](u128 a, auto count) {
        int sum = 0;
        for (int k = 0; k < 128; ++k) sum += count(a, k);
        return sum;
    };
    check(
        called_function("ctpop"),
        [&](u128 a, u128) { return bits(a, [](u128 v, int k) { return int(v >> k & 1); }); },
        declared("ctpop"));
    check(
        called_function("ctlz", ", i1 false"),
        [&](u128 a, u128) { return bits(a, [](u128 v, int k) { return v >> k == 0; }); },
        declared("ctlz", ", i1"));
    check(
        called_function("cttz", ", i1 false"),
        [&](u128 a, u128) { return bits(a, [](u128 v, int k) { return v << k == 0; }); },
        declared("cttz", ", i1"));
    check(
        called_function("fshl", ", i128 %b, i128 %b"),
        [](u128 a, u128 b) { return b % 128 ? a << b % 128 | b >> (128 - b % 128) : a; },
        declared("fshl", ", i128, i128"));
    check(
        called_function("fshr", ", i128 %b, i128 %b"),
        [](u128 a, u128 b) { return b % 128 ? b >> b % 128 | a << (128 - b % 128) : b; },
        declared("fshr", ", i128, i128"));
    check(
        called_function("bswap"),
        [](u128 a, u128) { return of(__builtin_bswap64(u64(a)), __builtin_bswap64(u64(a >> 64))); },
        declared("bswap"));
}

TEST_CASE("overflow of sums and products is detected") {
    const auto overflow = [](const std::string& name, auto expected) {
        check("  %r = call { i128, i1 } @llvm." + name +
                  ".with.overflow.i128(i128 %a, i128 %b)\n"
                  "  %n = extractvalue { i128, i1 } %r, 0\n  %o = extractvalue { i128, i1 } %r, 1\n"
                  "  %w = zext i1 %o to i128\n  %d = xor i128 %n, %w\n",
              expected, "declare { i128, i1 } @llvm." + name + ".with.overflow.i128(i128, i128)\n");
    };
    overflow("uadd", [](u128 a, u128 b) {
        u128 d = 0;
        const bool is_over = __builtin_add_overflow(a, b, &d);
        return d ^ u128(is_over);
    });
    overflow("usub", [](u128 a, u128 b) {
        u128 d = 0;
        const bool is_over = __builtin_sub_overflow(a, b, &d);
        return d ^ u128(is_over);
    });
    overflow("umul", [](u128 a, u128 b) {
        u128 d = 0;
        const bool is_over = __builtin_mul_overflow(a, b, &d);
        return d ^ u128(is_over);
    });
}

TEST_CASE("a switch on a 128-bit value compares both halves") {
    const std::string chosen = R"(  switch i128 %a, label %other [
    i128 1, label %one
    i128 18446744073709551616, label %high
    i128 -15, label %negative
  ]
one:
  br label %done
high:
  br label %done
negative:
  br label %done
other:
  br label %done
done:
  %d = phi i128 [ 10, %one ], [ 20, %high ], [ 30, %negative ], [ 40, %other ]
)";
    check(chosen, [](u128 a, u128) {
        return a == 1 ? 10 : a == of(1, 0) ? 20 : a == ~u128{0} - 14 ? 30 : 40;
    });
}

TEST_CASE("the bits above a 100-bit integer have no effect in registers or memory") {
    const u128 mask = (u128{1} << 100) - 1;
    const std::string narrow = "  %x = trunc i128 %a to i100\n  %y = trunc i128 %b to i100\n";
    check(narrow + "  %s = add i100 %x, %y\n  %q = lshr i100 %s, 3\n  %d = zext i100 %q to i128\n",
          [&](u128 a, u128 b) { return ((a + b) & mask) >> 3; });
    const auto signed_100 = [](u128 a) { return i128(a << 28) >> 28; };
    check(narrow + "  %c = icmp slt i100 %x, %y\n  %d = zext i1 %c to i128\n",
          [&](u128 a, u128 b) { return signed_100(a) < signed_100(b); });
    check(narrow + "  %c = icmp eq i100 %x, %y\n  %d = zext i1 %c to i128\n",
          [&](u128 a, u128 b) { return (a & mask) == (b & mask); });
    check(narrow + "  %d = sext i100 %x to i128\n", [&](u128 a, u128) { return signed_100(a); });
    check(
        "  %x = trunc i128 %a to i96\n"
        "  %l = alloca [2 x i128], align 16\n  store i128 -1, ptr %l, align 16\n"
        "  store i96 %x, ptr %l, align 16\n  %d = load i128, ptr %l, align 16\n",
        [](u128 a, u128) { return (a & ((u128{1} << 96) - 1)) | of(0xFFFFFFFF00000000, 0); });
    const std::string division =
        narrow + "  %o = or i100 %y, 1\n  %q = sdiv i100 %x, %o\n  %d = sext i100 %q to i128\n";
    check(division, [&](u128 a, u128 b) { return signed_100(signed_100(a) / signed_100(b | 1)); });
}

TEST_CASE("a 128-bit access is split into as few accesses as its alignment permits") {
    for (const unsigned align : {1u, 2u, 4u, 8u, 16u}) {
        CAPTURE(align);
        const std::string a = std::to_string(align);
        const std::string ir = kernel("  %p = getelementptr i8, ptr %in, i64 " + a +
                                      "\n  %v = load i128, ptr %p, align " + a +
                                      "\n  %q = getelementptr i8, ptr %out, i64 " + a +
                                      "\n  store i128 %v, ptr %q, align " + a + "\n  ret void");
        const std::vector<u64> in = {0x0807060504030201, 0x1817161514131211, 0x2827262524232221,
                                     0x38};
        std::vector<u64> expected(4, 0);
        for (unsigned byte = align; byte < align + 16; ++byte)
            expected[byte / 8] |= (in[byte / 8] >> 8 * (byte % 8) & 0xFF) << 8 * (byte % 8);
        CHECK(run(ir, in, {.words = 4}) == expected);
        const std::string piece =
            align == 16 ? "ld.global.v2.b64" : "ld.global.b" + std::to_string(8 * align);
        CHECK(count(translate_ir_to_ptx(ir), piece) == (align == 16 ? 1 : 16 / align));
    }
}

TEST_CASE("a 128-bit load may use the register of its address for the result") {
    // Loading the first half must not overwrite the address, which is still needed to load the
    // second half.
    const std::string ir = kernel(R"(
entry:
  %p0 = ptrtoint ptr %in to i64
  %w0 = zext i64 %p0 to i128
  br label %loop
loop:
  %v = phi i128 [ %w0, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %at = trunc i128 %v to i64
  %p = inttoptr i64 %at to ptr
  %next = load i128, ptr %p, align 8
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 1
  br i1 %more, label %loop, label %done
done:
  store i128 %next, ptr %out, align 8
  ret void)");
    CHECK(run(ir, {5, 6}, {.words = 2}) == std::vector<u64>{5, 6});
}

TEST_CASE("a kernel without wide integers contains no code for them") {
    CHECK(translate_ir_to_ptx(kernel("  ret void")).find("coalesce") == std::string::npos);
}
