// Generates code as learners write it, which leaves choices to the compiler: operators on mixed
// types, sums of products that may be contracted, structures with floating-point members, tables,
// neighbouring elements that may become a vector. Only KernelStyle::learner kernels contain it.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

std::string random_learner_arithmetic(Kernel& kernel, Type type, UniformIn uniform_in, int depth) {
    // The operands may have different types. Signed operands are reduced so that no operation
    // overflows.
    static const std::vector<const char*> kOperations = {"($3)($1 % 997 + $2 % 991)",
                                                         "($3)($1 % 997 - $2 % 991)",
                                                         "($3)($1 % 997 * ($2 % 991))",
                                                         "($3)(($1 & 1023) * 3 - $2 % 500)",
                                                         "($3)($1 / ($2 % 31 + 33))",
                                                         "($3)($1 % ($2 % 31 + 33))",
                                                         "($3)($1 / 10)",
                                                         "($3)($1 % 7)",
                                                         "($3)($1 & $2)",
                                                         "($3)($1 | $2)",
                                                         "($3)($1 ^ $2)",
                                                         "($3)(($1 & 255) << ($2 & 7))",
                                                         "($3)($1 >> ($2 & 7))",
                                                         "($3)($1 < $2)",
                                                         "($3)(~$1)"};
    const char* operation = kernel.random.pick(kOperations);
    const Type a = random_integer_type(kernel), b = random_integer_type(kernel);
    const std::string left_operand = random_expression(kernel, a, uniform_in, depth),
                      right_operand = random_expression(kernel, b, uniform_in, depth);
    return fill_arguments(operation, {left_operand, right_operand, type});
}

std::string random_learner_floating_point(Kernel& kernel, Type type, UniformIn uniform_in,
                                          int depth) {
    static const std::vector<const char*> kFloat = {
        "($f + $f)", "($f - $f)", "limited($f * $f)", "limited($f * $f + $f)",
        "limited($f * $f - $f * $f)", "limited($f * 0.3333f + ($f - 100.0f) * 1e-3f)",
        "limited($f * $i)", "limited($f / (fabsf($f) + 1.0f))", "($f / 7)", "sqrtf(fabsf($f))",
        "rsqrtf(fabsf($f) + 1.0f)", "__expf(limited($f) * 1e-5f)", "__logf(fabsf($f) + 0.5f)",
        "__sinf(limited($f) * 1e-3f)",
        // If both operands of fmin are zero, the sign of the result is unspecified, so add 1.
        "(fminf($f, $f) + 1.0f)", "(fmaxf($f, $f) + 1.0f)", "floorf($f)", "ceilf($f)", "truncf($f)",
        "rintf($f)", "fabsf($f)", "(-$f)", "limited(fmaf($f, $f, 1.0f))", "($b ? $f : $f)",
        "(float)limited($d)", "__uint_as_float(0x3f800000u | ($u >> 9))"};
    static const std::vector<const char*> kDouble = {"($d + $d)",
                                                     "($d - $f)",
                                                     "limited($d * $d)",
                                                     "limited($d * $f + $i)",
                                                     "limited($d * $d - $d)",
                                                     "limited($d / (fabs($d) + 1.0))",
                                                     "sqrt(fabs($d))",
                                                     "(fmin($d, $d) + 1.0)",
                                                     "floor($d)",
                                                     "ceil($d)",
                                                     "trunc($d)",
                                                     "rint($d)",
                                                     "fabs($d)",
                                                     "(-$d)",
                                                     "limited(fma($d, $d, 1.0))",
                                                     "($b ? $d : $d)",
                                                     "(double)$f"};
    define_limited_function(kernel);
    return expand_pattern(kernel, kernel.random.pick(type == Type::f32 ? kFloat : kDouble),
                          uniform_in, depth);
}

namespace {

/// An expression for a floating-point number of moderate size.
constexpr const char* kFloatInitialValue = "(float)($i % 1000)";

/// Generates code from a pattern in which each ` stands for a floating-point number of moderate
/// size.
void generate_code_with_floats(Kernel& kernel, const std::string& pattern,
                               const std::vector<PatternArgument>& arguments = {}) {
    std::string text;
    for (const char c : pattern) {
        if (c == '`')
            text += kFloatInitialValue;
        else
            text += c;
    }
    kernel.write(text, arguments);
}

void generate_compound_assignment(Kernel& kernel, StatementPlace& place) {
    const Variable assigned_variable = random_assignable_variable(kernel, place);
    const std::string right_operand =
        random_expression(kernel, assigned_variable.type, assigned_variable.uniform_in, 2);
    if (is_real(assigned_variable.type)) {
        define_limited_function(kernel);
        kernel.write("$1 = limited($1 * 0.25f + $2 * 0.5f);",
                     {assigned_variable.name, right_operand});
    } else if (is_wide(assigned_variable.type) && !is_signed(assigned_variable.type)) {
        kernel.write("$1 $3 $2;", {assigned_variable.name, right_operand,
                                   kernel.random.pick({"+=", "-=", "*=", "^=", "|="})});
    } else {
        kernel.write("$1 $3 $2;", {assigned_variable.name, right_operand,
                                   kernel.random.pick({"^=", "&=", "|="})});
    }
}

/// Generates a loop that counts down, in the form in which learners write it.
void generate_count_down_loop(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(8, 200);
    const Scope scope(kernel);
    kernel.write(kernel.random.pick({"", "#pragma unroll\n", "#pragma unroll 2\n"}) +
                     std::string("for ($2 @k = ($2)($1); @k > 0; ") +
                     kernel.random.pick({"--@k", "@k -= 2", "@k /= 2"}) + ")",
                 {random_iteration_count(kernel, UniformIn::thread, iteration_limit),
                  kernel.random.pick({Type::i32, Type::i64})});
    kernel.variables.push_back(
        {fill_arguments("(i32)$1", {kernel.name("k")}), Type::i32, UniformIn::thread, false});
    StatementPlace body = place.inside_divergence(iteration_limit);
    body.can_break = true;
    generate_scope(kernel, body, kernel.random.between(1, 3));
}

/// Generates a switch in which some cases fall through to the next.
void generate_fall_through_switch(Kernel& kernel, StatementPlace& place) {
    const int case_count = kernel.random.between(2, 7);
    const StatementPlace body = place.inside_divergence();
    kernel.write("switch ($u & 7) {");
    for (int i = 0; i < case_count; ++i) {
        kernel.write("case $1:", {i});
        generate_scope(kernel, body, 1);
        if (kernel.random.percent(75)) kernel.write("break;");
    }
    kernel.write("default:");
    generate_scope(kernel, body, 1);
    kernel.write("}");
}

// ---- structures ----

constexpr const char* kStructureDefinitions =
    "struct Point {\nfloat x, y;\nint tag;\n};\n"
    "struct Mixed {\nunsigned char a;\nshort b;\nfloat c;\ndouble d;\nchar e[3];\n};\n"
    "struct __align__(16) Four {\nunsigned v[4];\n};\n"
    "struct __align__(8) Two {\nfloat x, y;\n__device__ Two operator+(Two o) const {\nreturn {x + "
    "o.x, "
    "y + o.y};\n}\n};\n"
    "__device__ __noinline__ Point moved(Point p, float by) {\nif (p.tag & 1) return {p.y, p.x * "
    "0.5f, "
    "p.tag >> 1};\np.x = p.x * 0.25f + by;\np.tag ^= 5;\nreturn p;\n}\n"
    "__device__ __noinline__ void change(Mixed& m, int by) {\nm.b = (short)(m.b ^ by);\nm.e[by & "
    "1] = "
    "(char)(m.a + by);\nm.d = m.d * 0.5 + m.c;\n}\n"
    "__device__ Two turned(const Two& t, float c, float s) {\nreturn {(t.x * c - t.y * s) * 0.5f, "
    "(t.x * "
    "s + t.y * c) * 0.5f};\n}\n";

void generate_array_of_structures(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("learner structures", kStructureDefinitions);
    generate_code_with_floats(
        kernel,
        "Point @points[4] = {{`, 1.0f, 3}, {2.0f, `, $i}, {`, 0.25f, 1}, {0.0f, `, $i}};\n"
        "@points[$u & 3] = moved(@points[$u & 3], `);\n"
        "if ($i % 3 == 0) @points[1] = $b ? @points[2] : moved(@points[0], 1.5f);");
    generate_use_of_pattern(kernel, place, "(@points[$u & 3].x * 0.5f + @points[1].y)", Type::f32);
    generate_use_of_pattern(kernel, place, "(u32)@points[$u & 3].tag");
}

void generate_structure_of_mixed_types(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("learner structures", kStructureDefinitions);
    generate_code_with_floats(
        kernel,
        "Mixed @mixed = {(unsigned char)$u, (short)$i, `, 0.5 * `, {1, (char)$i, 3}};\n"
        "change(@mixed, $i);\n"
        "if ($b) {\nMixed copy = @mixed;\nchange(copy, @mixed.b);\n@mixed = copy;\n}");
    generate_use_of_pattern(kernel, place, "(u32)(@mixed.a + @mixed.b * 3 + @mixed.e[$u % 3])");
    generate_use_of_pattern(kernel, place, "@mixed.d", Type::f64);
}

void generate_complex_arithmetic(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once("learner structures", kStructureDefinitions);
    generate_code_with_floats(
        kernel,
        "Two @two = {`, `};\nfor (int k = 0; k < $1; ++k) @two = turned(@two, 0.8f, 0.6f) + "
        "Two{0.5f, (float)k};",
        {kernel.random.between(1, 5)});
    generate_use_of_pattern(kernel, place, "@two.x", Type::f32);
    generate_use_of_pattern(kernel, place, "@two.y", Type::f32);
}

// ---- tables and local arrays ----

void generate_table_lookup(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once(
        "learner tables",
        "__constant__ float weights[8] = {0.5f, -1.0f, 2.0f, 0.125f, 3.5f, -0.75f, 1.0f, 9.0f};\n"
        "__constant__ int steps[16] = {1, 2, -3, 5, 8, 13, -21, 34, 55, 89, -144, 233, 377, 610, "
        "987, "
        "1597};\n"
        "__device__ const unsigned char letters[] = \"a text that is looked up, letter by "
        "letter\";\n"
        "struct Entry {\nshort key;\nfloat value;\n};\n"
        "__device__ const Entry entries[4] = {{1, 0.5f}, {-2, 4.0f}, {300, -8.0f}, {7, 0.0625f}};\n"
        "static __device__ unsigned long long bits[3] = {0x0123456789abcdefull, 1, ~0ull};\n");
    switch (kernel.random.below(5)) {
        case 0: return generate_use_of_pattern(kernel, place, "weights[$u & 7]", Type::f32);
        case 1: return generate_use_of_pattern(kernel, place, "(u32)steps[$u & 15]");
        case 2: return generate_use_of_pattern(kernel, place, "(u32)letters[$u % 40]");
        case 3: return generate_use_of_pattern(kernel, place, "bits[$u % 3]", Type::u64);
        default: {
            kernel.write("const u32 @at = $u & 3;");
            return generate_use_of_pattern(kernel, place, "(entries[@at].key * entries[@at].value)",
                                           Type::f32);
        }
    }
}

void generate_local_matrix(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "float @matrix[4][4];\n#pragma unroll\nfor (int r = 0; r < 4; ++r)\nfor (int c = 0; c < 4; "
        "++c) "
        "@matrix[r][c] = (float)((r * 4 + c) ^ ($i & 15));\n"
        "for (int r = 0; r < 4; ++r)\nfor (int c = r + 1; c < 4; ++c) {\nconst float kept = "
        "@matrix[r][c];\n@matrix[r][c] = @matrix[c][r];\n@matrix[c][r] = kept;\n}");
    generate_use_of_pattern(kernel, place,
                            kernel.random.pick({"@matrix[$u & 3][$u & 3]", "@matrix[$u & 3][1]"}),
                            Type::f32);
}

// ---- vectors, and neighbouring elements that may become a vector ----

void generate_vector_load(Kernel& kernel, StatementPlace& place) {
    static constexpr const char* kVectorTypes[][2] = {
        {"int4 255", "(u32)(@v.x ^ @v.y * 3u ^ @v.w)"},
        {"uint2 511", "(@v.x * 3u + @v.y)"},
        {"uchar4 1023", "(u32)(@v.x + @v.y * 3 + @v.z * 5 + @v.w * 7)"},
        {"char2 2047", "(u32)(@v.x * 7 + @v.y)"},
        {"short2 1023", "(u32)(@v.x - @v.y)"},
        {"ushort4 511", "(u32)(@v.x + @v.y * 3 + @v.z * 5 + @v.w * 7)"},
        {"float4 255", "(__float_as_uint(@v.x) ^ __float_as_uint(@v.y) ^ __float_as_uint(@v.w))"},
        {"float2 511", "(__float_as_uint(@v.x) + __float_as_uint(@v.y))"},
        {"ulonglong2 255", "(u32)(@v.x ^ @v.y >> 32)"},
        {"uint3 300", "(@v.x ^ @v.y ^ @v.z)"}};
    const auto& [vector, use] = kVectorTypes[kernel.random.below(std::size(kVectorTypes))];
    const std::string text = vector, type = text.substr(0, text.find(' '));
    kernel.write(
        "const $1 @v = ((const $1*)in)[($3) % $2u];",
        {type, text.substr(type.size() + 1),
         kernel.random.percent(60) ? fill_arguments("(tid + $1u)", {kernel.random.between(0, 99)})
                                   : random_expression(kernel, Type::u32, UniformIn::thread, 1)});
    generate_use_of_pattern(kernel, place, use);
}

void generate_loads_of_neighbours(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "const $1* @near = (const $1*)in + $2 * (tid & 63);\nu32 @sum = 0;",
        {kernel.random.pick({"unsigned", "unsigned short", "unsigned char", "unsigned long long"}),
         kernel.random.pick({4, 4, 2, 3, 8})});
    for (int k = 0, count = kernel.random.between(2, 6); k < count; ++k)
        kernel.write("@sum = @sum * 3 + (u32)@near[$1];",
                     {k + (kernel.random.percent(10) ? 1 : 0)});
    generate_use_of_pattern(kernel, place, "@sum");
}

void generate_vector_store(Kernel& kernel, StatementPlace&) {
    const int first_out_word = kernel.reserve_out_words(4);
    if (first_out_word < 0) return;
    kernel.define_global_once("learner structures", kStructureDefinitions);
    generate_code_with_floats(
        kernel,
        kernel.random.pick(
            {"*(float4*)(out + $1) = make_float4(`, ` * 0.5f + 1.0f, 2.0f, `);",
             "*(ulonglong2*)(out + $1) = make_ulonglong2($U, $U);",
             "*(double2*)(out + $1) = make_double2(`, ` * 3.0 + 0.1);",
             "*(Four*)(out + $1) = *((const Four*)in + ($u & 255));",
             "{\nuint2* const to = (uint2*)(out + $1);\nto[0] = make_uint2($u, $u);\nto[1] = "
             "make_uint2($u, 3);\n}",
             "{\nushort4* const to = (ushort4*)(out + $1);\nto[0] = make_ushort4((unsigned "
             "short)$u, 1, "
             "(unsigned short)$u, 2);\nto[1] = *((const ushort4*)in + ($u & 511));\n}",
             "{\nuchar4* const to = (uchar4*)(out + $1);\nto[0] = make_uchar4((unsigned char)$u, "
             "1, "
             "(unsigned char)$u, 2);\nto[3] = *((const uchar4*)in + ($u & 511));\nto[1] = "
             "to[0];\n}",
             "{\nshort2* const to = (short2*)(out + $1);\nto[0] = make_short2((short)$i, "
             "(short)$i);\n"
             "to[1] = to[0];\n}"}),
        {first_out_word});
}

void generate_stores_to_neighbours(Kernel& kernel, StatementPlace&) {
    const int first_out_word = kernel.reserve_out_words(4);
    if (first_out_word < 0) return;
    const std::string type =
        kernel.random.pick({"unsigned", "unsigned short", "unsigned char", "float"});
    kernel.write("{\n$1* const to = ($1*)(out + $2);", {type, first_out_word});
    for (int k = 0; k < 4; ++k) {
        if (kernel.random.percent(15)) continue;
        generate_code_with_floats(
            kernel, type == "float" ? "to[$2] = ($1)(`);" : "to[$2] = ($1)$u;", {type, k});
    }
    kernel.write("}");
}

/// Generates a pointer that starts at one of two positions and is incremented.
void generate_pointer_increment(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "const unsigned* @at = $b ? in + ($u & 255) : in + 700 - ($u & 255);\nu32 @sum = 0;\n"
        "for (const unsigned* end = @at + ($u & 7); @at != end; ++@at) @sum = @sum * 5 + *@at;");
    generate_use_of_pattern(kernel, place, "@sum");
}

}  // namespace

std::vector<Construct> learner_constructs() {
    return {{Requirement::nothing, false, 8, generate_compound_assignment},
            {Requirement::nothing, true, 5, generate_count_down_loop},
            {Requirement::nothing, true, 4, generate_fall_through_switch},
            {Requirement::nothing, false, 4, generate_array_of_structures},
            {Requirement::nothing, false, 3, generate_structure_of_mixed_types},
            {Requirement::nothing, false, 2, generate_complex_arithmetic},
            {Requirement::nothing, false, 4, generate_table_lookup},
            {Requirement::nothing, false, 2, generate_local_matrix},
            {Requirement::kernel, false, 6, generate_vector_load},
            {Requirement::kernel, false, 4, generate_loads_of_neighbours},
            {Requirement::kernel, false, 5, generate_vector_store},
            {Requirement::kernel, false, 3, generate_stores_to_neighbours},
            {Requirement::kernel, false, 2, generate_pointer_increment}};
}

}  // namespace coalesce::campaign
