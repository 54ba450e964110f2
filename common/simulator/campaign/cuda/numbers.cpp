// Floating point of 16, 32 and 64 bits in loops and branches, and integers of 64 bits.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

std::string some_turns(Kernel& kernel, const Place& place) {
    return turns(kernel, Same::thread, place.most_turns(6, 100));
}

constexpr const char* kHalves =
    "#include <cuda_fp16.h>\n__device__ __half small_half(u32 x) { return "
    "__float2half_rn((float)(i8)x * 0.125f); }\n";

/// Numbers that a half holds exactly: eighths below 16, so that products stay finite.
void halves(Kernel& kernel, Place& place) {
    kernel.need("halves", kHalves);
    const std::string h = kernel.fresh("half"), low = kernel.fresh("low"), i = kernel.fresh("i");
    kernel.write(
        "__half $1 = small_half($u), $2 = small_half($u);\nfor (u32 $3 = 0; $3 < $4; ++$3) {",
        {h, low, i, some_turns(kernel, place)});
    {
        const Scope scope(kernel);
        kernel.declare_constant(i, Type::u32, Same::thread);
        kernel.write(kernel.random.pick(
                         {"$1 = __hmul(small_half($u), small_half($u));",
                          "$1 = __hfma(small_half($u), small_half($u), small_half($u));",
                          "$1 = __hadd($1, small_half($u));", "$1 = __hsub(small_half($u), $1);"}),
                     {h});
        kernel.write(kernel.random.pick({"if (__half2float($1) < __half2float($2)) $2 = $1;",
                                         "$2 = __hmin($1, $2);", "$2 = __hmax($2, $1);",
                                         "if ($b) $2 = __hneg($1);"}),
                     {h, low});
        kernel.write("}");
    }
    absorb(kernel, place, fill("__half2float($1)", {low}), Type::f32);
    absorb(kernel, place, fill("(u32)__half_as_ushort(__hadd($1, small_half(0)))", {h}));
}

void pairs_of_halves(Kernel& kernel, Place& place) {
    kernel.need("halves", kHalves);
    const std::string h = kernel.fresh("halves");
    kernel.write(
        "__half2 $1 = __halves2half2(small_half($u), small_half($u));\nif ($b) $1 = __hmul2($1, "
        "__half2half2(small_half($u)));\n"
        "$1 = __hfma2(__floats2half2_rn(0.5f, (float)(i8)$u), __halves2half2(small_half($u), "
        "small_half($u)), __half2half2(small_half($u)));\n"
        "if ($b) $1 = __hadd2($1, __halves2half2(__high2half($1), __low2half($1)));",
        {h});
    absorb(kernel, place, fill("__low2float($1)", {h}), Type::f32);
    absorb(kernel, place, fill("__high2float($1)", {h}), Type::f32);
}

/// Small steps towards something, until they are small enough.
void approach(Kernel& kernel, Place& place) {
    need_limited(kernel);
    const std::string x = kernel.fresh("x"), i = kernel.fresh("i");
    if (kernel.random.percent(60)) {
        kernel.write(
            "float $1 = __fadd_rn(fabsf($f), 1.0f);\nfor (u32 $2 = 0; $2 < $3; ++$2) {\nconst "
            "float next = __fmul_rn(0.5f, __fadd_rn($1, __fdiv_rn(fabsf($f), $1)));\n"
            "if (!(__fsub_rn(next, $1) < -0.5f)) break;\n$1 = next < 1.0f ? 1.0f : next;\n}",
            {x, i, some_turns(kernel, place)});
        absorb(kernel, place, x, Type::f32);
    } else {
        kernel.write(
            "double $1 = 1.0;\nfor (u32 $2 = 1; $2 <= $3; ++$2) {\n$1 = limited(__fma_rn($1, "
            "__ddiv_rn(limited($d), (double)$2), 1.0));\nif ($1 > 1000.0) $1 = __ddiv_rn($1, "
            "1024.0);\n}",
            {x, i, some_turns(kernel, place)});
        absorb(kernel, place, x, Type::f64);
    }
}

/// Sums in several precisions side by side.
void sums_of_reals(Kernel& kernel, Place& place) {
    need_limited(kernel);
    const std::string a = kernel.fresh("a"), b = kernel.fresh("b"), i = kernel.fresh("i");
    kernel.write(
        "float $1 = 0;\ndouble $2 = 0;\nfor (u32 $3 = 0; $3 < $4; ++$3) {\nconst float x = $f;\nif "
        "($b) $1 = limited(__fadd_rn($1, x));\n"
        "else $2 = limited(__dadd_rn($2, (double)x));\nif ($2 < (double)$1) $1 = "
        "limited((float)$2);\n}",
        {a, b, i, some_turns(kernel, place)});
    absorb(kernel, place, a, Type::f32);
    absorb(kernel, place, b, Type::f64);
}

/// Euclid's algorithm and long division: loops whose end nobody knows.
void divide_long(Kernel& kernel, Place& place) {
    const std::string a = kernel.fresh("a"), b = kernel.fresh("b");
    const char* type = kernel.random.pick({"u32", "u64", "u16"});
    kernel.write(
        "$3 $1 = ($3)$U, $2 = ($3)$u;\nwhile ($2 != 0) {\nconst $3 rest = ($3)($1 % $2);\n$1 = "
        "$2;\n$2 = rest;\n}",
        {a, b, type});
    absorb(kernel, place, a, Type::u64);
}

void count_bits(Kernel& kernel, Place& place) {
    const std::string word = kernel.fresh("word"), count = kernel.fresh("count");
    kernel.write(
        "u64 $1 = $U;\nu8 $2 = 0;\nwhile ($1 != 0) {\n$1 &= $1 - 1;\n++$2;\nif ($2 > 20 && ($1 & "
        "4)) break;\n}",
        {word, count});
    absorb(kernel, place, fill("(u32)$1", {count}));
    absorb(kernel, place, word, Type::u64);
}

}  // namespace

std::vector<Construct> number_constructs() {
    return {{Needs::kernel, false, 2, halves},       {Needs::kernel, false, 2, pairs_of_halves},
            {Needs::nothing, false, 2, approach},    {Needs::nothing, false, 2, sums_of_reals},
            {Needs::nothing, false, 2, divide_long}, {Needs::nothing, false, 2, count_bits}};
}

}  // namespace coalesce::campaign
