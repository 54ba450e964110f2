// Generates computations on 16-, 32- and 64-bit floating-point numbers in loops and branches, and
// on 64-bit integers.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

std::string random_iteration_limit(Kernel& kernel, const StatementPlace& place) {
    return random_iteration_count(kernel, UniformIn::thread, place.max_iterations(6, 100));
}

constexpr const char* kHalfDefinitions =
    "#include <cuda_fp16.h>\n__device__ __half small_half(u32 x) { return "
    "__float2half_rn((float)(i8)x * 0.125f); }\n";

/// Generates arithmetic on small halves (multiples of 1/8 between -16 and 16), so that products
/// stay finite.
void generate_half_arithmetic(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("halves", kHalfDefinitions);
    kernel.write(
        "__half @half = small_half($u), @low = small_half($u);\nfor (u32 @i = 0; @i < $1; ++@i) {",
        {random_iteration_limit(kernel, place)});
    {
        const Scope scope(kernel);
        kernel.register_constant("i");
        kernel.write(kernel.random.pick(
            {"@half = __hmul(small_half($u), small_half($u));",
             "@half = __hfma(small_half($u), small_half($u), small_half($u));",
             "@half = __hadd(@half, small_half($u));", "@half = __hsub(small_half($u), @half);"}));
        kernel.write(
            kernel.random.pick({"if (__half2float(@half) < __half2float(@low)) @low = @half;",
                                "@low = __hmin(@half, @low);", "@low = __hmax(@low, @half);",
                                "if ($b) @low = __hneg(@half);"}));
        kernel.write("}");
    }
    generate_use_of_pattern(kernel, place, "__half2float(@low)", Type::f32);
    generate_use_of_pattern(kernel, place, "(u32)__half_as_ushort(__hadd(@half, small_half(0)))");
}

void generate_half2_arithmetic(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("halves", kHalfDefinitions);
    kernel.write(
        "__half2 @h = __halves2half2(small_half($u), small_half($u));\n"
        "if ($b) @h = __hmul2(@h, __half2half2(small_half($u)));\n"
        "@h = __hfma2(__floats2half2_rn(0.5f, (float)(i8)$u), __halves2half2(small_half($u), "
        "small_half($u)), __half2half2(small_half($u)));\n"
        "if ($b) @h = __hadd2(@h, __halves2half2(__high2half(@h), __low2half(@h)));");
    generate_use_of_pattern(kernel, place, "__low2float(@h)", Type::f32);
    generate_use_of_pattern(kernel, place, "__high2float(@h)", Type::f32);
}

/// Generates iterative computations: a square root by Newton's method, whose loop ends when the
/// steps become small, or a series by Horner's method.
void generate_iteration_to_convergence(Kernel& kernel, StatementPlace& place) {
    define_limited_function(kernel);
    if (kernel.random.percent(60)) {
        kernel.write(
            "float @x = __fadd_rn(fabsf($f), 1.0f);\nfor (u32 @i = 0; @i < $1; ++@i) {\nconst "
            "float next = __fmul_rn(0.5f, __fadd_rn(@x, __fdiv_rn(fabsf($f), @x)));\n"
            "if (!(__fsub_rn(next, @x) < -0.5f)) break;\n@x = next < 1.0f ? 1.0f : next;\n}",
            {random_iteration_limit(kernel, place)});
        generate_use_of_pattern(kernel, place, "@x", Type::f32);
    } else {
        kernel.write(
            "double @x = 1.0;\nfor (u32 @i = 1; @i <= $1; ++@i) {\n"
            "@x = limited(__fma_rn(@x, __ddiv_rn(limited($d), (double)@i), 1.0));\n"
            "if (@x > 1000.0) @x = __ddiv_rn(@x, 1024.0);\n}",
            {random_iteration_limit(kernel, place)});
        generate_use_of_pattern(kernel, place, "@x", Type::f64);
    }
}

/// Generates sums in several precisions at the same time.
void generate_float_sum(Kernel& kernel, StatementPlace& place) {
    define_limited_function(kernel);
    kernel.write(
        "float @a = 0;\ndouble @b = 0;\nfor (u32 @i = 0; @i < $1; ++@i) {\nconst float x = $f;\n"
        "if ($b) @a = limited(__fadd_rn(@a, x));\n"
        "else @b = limited(__dadd_rn(@b, (double)x));\n"
        "if (@b < (double)@a) @a = limited((float)@b);\n}",
        {random_iteration_limit(kernel, place)});
    generate_use_of_pattern(kernel, place, "@a", Type::f32);
    generate_use_of_pattern(kernel, place, "@b", Type::f64);
}

/// Generates Euclid's algorithm and long division, whose numbers of iterations are not known in
/// advance.
void generate_euclid_or_long_division(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "$1 @a = ($1)$U, @b = ($1)$u;\nwhile (@b != 0) {\nconst $1 rest = ($1)(@a % @b);\n@a = "
        "@b;\n@b = rest;\n}",
        {kernel.random.pick({"u32", "u64", "u16"})});
    generate_use_of_pattern(kernel, place, "@a", Type::u64);
}

void generate_bit_count(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "u64 @word = $U;\nu8 @count = 0;\nwhile (@word != 0) {\n@word &= @word - 1;\n++@count;\n"
        "if (@count > 20 && (@word & 4)) break;\n}");
    generate_use_of_pattern(kernel, place, "(u32)@count");
    generate_use_of_pattern(kernel, place, "@word", Type::u64);
}

}  // namespace

std::vector<Construct> floating_point_constructs() {
    return {{Requirement::kernel, false, 2, generate_half_arithmetic},
            {Requirement::kernel, false, 2, generate_half2_arithmetic},
            {Requirement::nothing, false, 2, generate_iteration_to_convergence},
            {Requirement::nothing, false, 2, generate_float_sum},
            {Requirement::nothing, false, 2, generate_euclid_or_long_division},
            {Requirement::nothing, false, 2, generate_bit_count}};
}

}  // namespace coalesce::campaign
