// Tests every integer operation at every width. The simulated GPU must give the same results as C++
// on the host.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>
#include <utility>

#include "page/ir_to_ptx/translate.h"
#include "run.h"

using namespace coalesce::translator;
using namespace coalesce::translator::tests;

namespace {

constexpr unsigned kWidths[] = {7, 8, 16, 24, 32, 33, 48, 64};
constexpr u64 kValues[] = {0,
                           1,
                           2,
                           5,
                           77,
                           0x7F,
                           0x80,
                           0xFFFF,
                           0x12345678,
                           0x80000000,
                           0xFFFFFFFE,
                           0x123456789ABCDEF0,
                           0x8000000000000000,
                           0xFFFFFFFFFFFFFFFF};

u64 low(u64 value, unsigned bits) {
    return bits == 64 ? value : value & ((u64{1} << bits) - 1);
}
i64 with_sign(u64 value, unsigned bits) {
    return static_cast<i64>(value << (64 - bits)) >> (64 - bits);
}

std::string type(unsigned bits) {
    return "i" + std::to_string(bits);
}

/// Returns a kernel that loads %a and %b from in[0] and in[1], and stores %d to out[0]. %a and %b
/// have `bits` bits each, and %d has `result` bits.
std::string with_operands(unsigned bits, const std::string& operation, unsigned result) {
    std::string text =
        "  %a0 = load i64, ptr %in, align 8\n"
        "  %at = getelementptr i64, ptr %in, i64 1\n"
        "  %b0 = load i64, ptr %at, align 8\n";
    for (const char* name : {"a", "b"}) {
        text += std::string("  %") + name + " = " +
                (bits == 64 ? "add i64 0, %" + std::string(name) + "0"
                            : "trunc i64 %" + std::string(name) + "0 to " + type(bits)) +
                "\n";
    }
    text += "  %d = " + operation + "\n";
    const std::string wide = result == 64 ? "%d" : "%w";
    if (result != 64) text += "  %w = zext " + type(result) + " %d to i64\n";
    return kernel(text + "  store i64 " + wide + ", ptr %out, align 8\n  ret void");
}

u64 computed(unsigned bits, const std::string& operation, unsigned result, u64 a, u64 b) {
    return run(with_operands(bits, operation, result), {a, b}).at(0);
}

struct Binary {
    const char* name;
    std::function<u64(u64, u64, unsigned)> expected;
};

const Binary kBinary[] = {
    {"add", [](u64 a, u64 b, unsigned) { return a + b; }},
    {"sub", [](u64 a, u64 b, unsigned) { return a - b; }},
    {"mul", [](u64 a, u64 b, unsigned) { return a * b; }},
    {"and", [](u64 a, u64 b, unsigned) { return a & b; }},
    {"or", [](u64 a, u64 b, unsigned) { return a | b; }},
    {"xor", [](u64 a, u64 b, unsigned) { return a ^ b; }},
    {"udiv", [](u64 a, u64 b, unsigned) { return a / b; }},
    {"urem", [](u64 a, u64 b, unsigned) { return a % b; }},
    {"sdiv", [](u64 a, u64 b, unsigned w) { return u64(with_sign(a, w) / with_sign(b, w)); }},
    {"srem", [](u64 a, u64 b, unsigned w) { return u64(with_sign(a, w) % with_sign(b, w)); }},
    {"shl", [](u64 a, u64 b, unsigned) { return a << b; }},
    {"lshr", [](u64 a, u64 b, unsigned) { return a >> b; }},
    {"ashr", [](u64 a, u64 b, unsigned w) { return u64(with_sign(a, w) >> b); }},
};

/// Reports whether LLVM defines the result. Undefined are shifts by the width or more, divisions by
/// 0, and the smallest number divided by -1.
bool is_defined(const std::string& name, u64 a, u64 b, unsigned bits) {
    if (name == "shl" || name == "lshr" || name == "ashr") return b < bits;
    if (name.ends_with("div") || name.ends_with("rem")) {
        const bool overflows =
            name[0] == 's' && with_sign(b, bits) == -1 && a == u64{1} << (bits - 1);
        return b != 0 && !overflows;
    }
    return true;
}

}  // namespace

TEST_CASE("binary operations are correct at every width") {
    int held = 0;
    for (const Binary& operation : kBinary) {
        for (const unsigned bits : kWidths) {
            const std::string text = std::string(operation.name) + " " + type(bits) + " %a, %b";
            for (std::size_t k = 0; k < std::size(kValues); k += 3) {
                const u64 a = low(kValues[k], bits),
                          b = low(kValues[(k * 5 + 3) % std::size(kValues)], bits);
                if (!is_defined(operation.name, a, b, bits)) continue;
                CAPTURE(text);
                CAPTURE(a);
                CAPTURE(b);
                CHECK(computed(bits, text, bits, a, b) ==
                      low(operation.expected(a, b, bits), bits));
                ++held;
            }
        }
    }
    CHECK(held > 200);
}

TEST_CASE("comparisons are correct at every width") {
    const std::pair<const char*, std::function<bool(u64, u64, unsigned)>> comparisons[] = {
        {"eq", [](u64 a, u64 b, unsigned) { return a == b; }},
        {"ne", [](u64 a, u64 b, unsigned) { return a != b; }},
        {"ult", [](u64 a, u64 b, unsigned) { return a < b; }},
        {"uge", [](u64 a, u64 b, unsigned) { return a >= b; }},
        {"sgt", [](u64 a, u64 b, unsigned w) { return with_sign(a, w) > with_sign(b, w); }},
        {"sle", [](u64 a, u64 b, unsigned w) { return with_sign(a, w) <= with_sign(b, w); }}};
    for (const auto& [name, expected] : comparisons) {
        for (const unsigned bits : kWidths) {
            const u64 top = u64{1} << (bits - 1);
            for (const auto& [a, b] : {std::pair<u64, u64>{1, top}, {top, 1}, {5, 5}}) {
                CAPTURE(name);
                CAPTURE(bits);
                const std::string text = std::string("icmp ") + name + " " + type(bits) + " %a, %b";
                CHECK(computed(bits, text, 1, a, b) == u64{expected(a, b, bits)});
            }
        }
    }
}

TEST_CASE("conversions between odd widths ignore the bits beyond each width") {
    for (const unsigned from : {1u, 7u, 8u, 16u, 24u, 32u, 33u}) {
        for (const unsigned to : {8u, 16u, 24u, 32u, 48u, 64u}) {
            if (from >= to) continue;
            for (const u64 value : {u64{0}, u64{0x5A}, ~u64{0}, u64{1} << (from - 1)}) {
                CAPTURE(from);
                CAPTURE(to);
                const std::string operand = type(from) + " %a to " + type(to);
                CHECK(computed(from, "zext " + operand, to, value, 0) == low(value, from));
                CHECK(computed(from, "sext " + operand, to, value, 0) ==
                      low(u64(with_sign(low(value, from), from)), to));
            }
        }
    }
}

TEST_CASE("minima, bit counts and reversed bits are correct") {
    const u64 a = 0xFFFFFFF4, b = 9;
    const auto call = [&](const std::string& name, unsigned bits, const std::string& more) {
        const std::string t = type(bits), declaration = "declare " + t + " @llvm." + name + "." + t;
        const std::string second = more.empty() ? "" : ", " + more;
        std::string ir = with_operands(
            bits, "call " + t + " @llvm." + name + "." + t + "(" + t + " %a" + second + ")", bits);
        return run(ir + declaration + "(" + t +
                       (more.empty() ? "" : ", " + more.substr(0, more.find(' '))) + ")\n",
                   {a, b})
            .at(0);
    };
    CHECK(call("smin", 32, "i32 %b") == a);
    CHECK(call("smax", 32, "i32 %b") == b);
    CHECK(call("umin", 8, "i8 %b") == b);
    CHECK(call("smin", 8, "i8 %b") == 0xF4);
    CHECK(call("umax", 64, "i64 %b") == a);
    CHECK(call("abs", 32, "i1 true") == 12);
    CHECK(call("abs", 16, "i1 false") == 12);
    for (const unsigned bits : {8u, 16u, 32u, 64u}) {
        CAPTURE(bits);
        const u64 value = low(a, bits);
        CHECK(call("ctpop", bits, "") == u64(std::popcount(value)));
        CHECK(call("ctlz", bits, "i1 false") == u64(std::countl_zero(value)) - (64 - bits));
        CHECK(call("cttz", bits, "i1 false") == 2);
    }
    CHECK(call("bswap", 32, "") == 0xF4FFFFFF);
    CHECK(call("bswap", 64, "") == 0xF4FFFFFF00000000);
    CHECK(call("bswap", 16, "") == 0xF4FF);
    CHECK(call("bitreverse", 8, "") == 0x2F);
    CHECK(call("bitreverse", 32, "") == 0x2FFFFFFF);
}

TEST_CASE("funnel shifts and overflow flags are correct") {
    const auto three = [](const std::string& name, unsigned bits, u64 a, u64 b, u64 n) {
        const std::string t = type(bits);
        return run(with_operands(bits,
                                 "call " + t + " @llvm." + name + "." + t + "(" + t + " %a, " + t +
                                     " %b, " + t + " " + std::to_string(n) + ")",
                                 bits) +
                       "declare " + t + " @llvm." + name + "." + t + "(" + t + ", " + t + ", " + t +
                       ")\n",
                   {a, b})
            .at(0);
    };
    CHECK(three("fshl", 32, 0x12345678, 0x9ABCDEF0, 8) == 0x3456789A);
    CHECK(three("fshr", 32, 0x12345678, 0x9ABCDEF0, 8) == 0x789ABCDE);
    CHECK(three("fshl", 8, 0xA5, 0x3C, 3) == 0x29);
    CHECK(three("fshl", 64, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 4) == 0x123456789ABCDEFF);
    CHECK(three("fshr", 64, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 64) == 0xFEDCBA9876543210);
    const auto overflows = [](const std::string& name, u64 a, u64 b, unsigned bits = 32) {
        const std::string t = type(bits), pair = "{ " + t + ", i1 }",
                          full = "@llvm." + name + ".with.overflow." + t;
        std::string ir = with_operands(bits, "extractvalue " + pair + " %r, 1", 1);
        ir.insert(ir.find("  %d ="),
                  "  %r = call " + pair + " " + full + "(" + t + " %a, " + t + " %b)\n");
        return run(ir + "declare " + pair + " " + full + "(" + t + ", " + t + ")\n", {a, b})
                   .at(0) == 1;
    };
    for (const auto& [name, a, b, expected] :
         std::vector<std::tuple<const char*, u64, u64, bool>>{{"uadd", 0xFFFFFFFF, 1, true},
                                                              {"uadd", 0xFFFFFFFE, 1, false},
                                                              {"sadd", 0x7FFFFFFF, 1, true},
                                                              {"sadd", 0xFFFFFFFF, 1, false},
                                                              {"usub", 1, 2, true},
                                                              {"usub", 2, 2, false},
                                                              {"ssub", 0x80000000, 1, true},
                                                              {"ssub", 1, 2, false},
                                                              {"umul", 0x10000, 0x10000, true},
                                                              {"umul", 0xFFFF, 0x10001, false},
                                                              {"smul", 0x8000, 0x10000, true},
                                                              {"smul", 0xFFFFFFFF, 5, false}}) {
        CAPTURE(name);
        CHECK(overflows(name, a, b) == expected);
    }
    for (const auto& [name, a, b, expected] :
         std::vector<std::tuple<const char*, u64, u64, bool>>{{"uadd", 0xFFFF, 1, true},
                                                              {"sadd", 0x7FFF, 1, true},
                                                              {"ssub", 0x8000, 1, true},
                                                              {"smul", 0xFFFF, 5, false},
                                                              {"umul", 0x100, 0x100, true}}) {
        CAPTURE(name);
        CHECK(overflows(name, a, b, 16) == expected);
    }
}

TEST_CASE("saturating sums are correct at every width") {
    using Wide = __int128;
    int stopped = 0;
    for (const std::string name : {"uadd", "usub", "sadd", "ssub"}) {
        for (const unsigned bits : kWidths) {
            const bool is_signed = name[0] == 's';
            const Wide most = (Wide{1} << (bits - (is_signed ? 1 : 0))) - 1,
                       least = is_signed ? -most - 1 : 0;
            const std::string t = type(bits), function = "@llvm." + name + ".sat." + t;
            const std::string ir =
                with_operands(bits, "call " + t + " " + function + "(" + t + " %a, " + t + " %b)",
                              bits) +
                "declare " + t + " " + function + "(" + t + ", " + t + ")\n";
            for (const u64 first : kValues) {
                for (const u64 second : {u64{1}, u64{0x7F}, ~u64{0}, u64{1} << (bits - 1)}) {
                    const u64 a = low(first, bits), b = low(second, bits);
                    const Wide x = is_signed ? Wide{with_sign(a, bits)} : Wide{a},
                               y = is_signed ? Wide{with_sign(b, bits)} : Wide{b};
                    const Wide whole = name.ends_with("add") ? x + y : x - y;
                    const Wide expected = std::clamp(whole, least, most);
                    stopped += expected != whole;
                    CAPTURE(function);
                    CAPTURE(a);
                    CAPTURE(b);
                    CHECK(run(ir, {a, b}).at(0) == low(static_cast<u64>(expected), bits));
                }
            }
        }
    }
    CHECK(stopped > 200);
}

TEST_CASE("saturating sums of vectors are correct") {
    const std::string ir = kernel(R"(
  %a = load <4 x i8>, ptr %in, align 4
  %p = getelementptr i8, ptr %in, i64 8
  %b = load <4 x i8>, ptr %p, align 4
  %d = call <4 x i8> @llvm.sadd.sat.v4i8(<4 x i8> %a, <4 x i8> %b)
  store <4 x i8> %d, ptr %out, align 4
  %q = getelementptr i8, ptr %out, i64 4
  %e = call <4 x i8> @llvm.usub.sat.v4i8(<4 x i8> %a, <4 x i8> %b)
  store <4 x i8> %e, ptr %q, align 4
  ret void)",
                                  "declare <4 x i8> @llvm.sadd.sat.v4i8(<4 x i8>, <4 x i8>)\n"
                                  "declare <4 x i8> @llvm.usub.sat.v4i8(<4 x i8>, <4 x i8>)\n");
    CHECK(run(ir, {0x7F8001FF, 0x7FFF0201}).at(0) == 0x000000FE7F800300);
}

TEST_CASE("128-bit sums, products and shifts carry into the upper half") {
    const auto high_and_low = [](const std::string& operations) {
        return run(
            kernel("  %a0 = load i64, ptr %in, align 8\n  %at = getelementptr i64, ptr %in, i64 1\n"
                   "  %b0 = load i64, ptr %at, align 8\n  %a = zext i64 %a0 to i128\n"
                   "  %b = sext i64 %b0 to i128\n" +
                   operations +
                   "  %low = trunc i128 %d to i64\n  %down = lshr i128 %d, 64\n"
                   "  %high = trunc i128 %down to i64\n  store i64 %low, ptr %out, align 8\n"
                   "  %to = getelementptr i64, ptr %out, i64 1\n"
                   "  store i64 %high, ptr %to, align 8\n  ret void"),
            {0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFD}, {.words = 2});
    };
    using Pair = std::vector<u64>;
    CHECK(high_and_low("  %d = add i128 %a, %a\n") == Pair{0xFFFFFFFFFFFFFFFE, 1});
    CHECK(high_and_low("  %d = sub i128 %b, %a\n") == Pair{0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFE});
    CHECK(high_and_low("  %d = mul i128 %a, %b\n") == Pair{3, 0xFFFFFFFFFFFFFFFD});
    CHECK(high_and_low("  %d = shl i128 %a, 68\n") == Pair{0, 0xFFFFFFFFFFFFFFF0});
    CHECK(high_and_low("  %d = shl i128 %a, 4\n") == Pair{0xFFFFFFFFFFFFFFF0, 0xF});
    CHECK(high_and_low("  %d = ashr i128 %b, 1\n") == Pair{0xFFFFFFFFFFFFFFFE, 0xFFFFFFFFFFFFFFFF});
    CHECK(high_and_low("  %d = ashr i128 %b, 100\n") ==
          Pair{0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF});
    CHECK(high_and_low("  %c = icmp slt i128 %b, %a\n  %d = zext i1 %c to i128\n") == Pair{1, 0});
    CHECK(high_and_low("  %c = icmp ult i128 %b, %a\n  %d = zext i1 %c to i128\n") == Pair{0, 0});
}

TEST_CASE("an operation becomes a single instruction if PTX has a matching one") {
    const std::string widened = kernel(
        "  %a = load i32, ptr %in, align 4\n  %w = sext i32 %a to i64\n  %d = mul i64 %w, 132\n"
        "  store i64 %d, ptr %out, align 8\n  ret void");
    CHECK(count(translate_ir_to_ptx(widened), "mul.wide.s32") == 1);
    CHECK(count(translate_ir_to_ptx(widened), "cvt.s64") == 0);
    const std::string summed = with_operands(32, "add i32 %m, %b", 32);
    std::string product = summed;
    product.insert(product.find("  %d ="), "  %m = mul i32 %a, %b\n");
    CHECK(count(translate_ir_to_ptx(product), "mad.lo.s32") == 1);
    CHECK(count(translate_ir_to_ptx(product), "add.s32") == 0);
}
