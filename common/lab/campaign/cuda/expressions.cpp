#include "lab/campaign/cuda/expressions.h"

#include <cctype>

namespace coalesce::campaign {

namespace {

/// Returns the unsigned type in which arithmetic on `type` is done. C++ widens small types to int,
/// which could overflow.
const char* arithmetic_type_of(Type type) {
    return bits_of(type) == 64 ? "u64" : "u32";
}

std::string format_hexadecimal(u64 number, bool is_64_bits) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), kDigits[number & 15]);
        number >>= 4;
    } while (number);
    return "0x" + text + (is_64_bits ? "ull" : "u");
}

// ---- leaves ----

constexpr const char* kTableDefinition =
    "__constant__ u32 table[16] = {3, 0x80000000, 17, 0xffffffff, 5, 0, 1, 0x7fff, 0x8000, 31, 32, "
    "33, 0xff, 0x100, 0x12345678, 2};\n";
/// Returns a word that is not one of the kernel's variables: a parameter, a special register, or an
/// element of a table.
std::string random_special_value(Kernel& kernel, UniformIn uniform_in) {
    Random& random = kernel.random;
    std::vector<const char*> possible_values = {"table[$u & 15]", "numbers[$u & 7]"};
    if (!kernel.is_in_device_function) {
        possible_values.insert(possible_values.end(), {"seed", "seed", "gridDim.x", "in[$k & 1023]",
                                                       "in[$u & 1023]", "in[(seed + $k) & 1023]"});
        const bool may_use_block_index = is_uniform_within(UniformIn::block, uniform_in),
                   may_use_thread_index = is_uniform_within(UniformIn::position, uniform_in);
        if (may_use_block_index)
            possible_values.insert(possible_values.end(),
                                   {"blockIdx.x", "blockIdx.x", "(blockIdx.x * $k)"});
        if (may_use_thread_index) {
            possible_values.insert(possible_values.end(),
                                   {"tid", "tid", "lane", "threadIdx.x", "threadIdx.y",
                                    "threadIdx.z", "in[tid]", "(tid * $k)"});
        }
        if (may_use_thread_index || is_uniform_within(UniformIn::warp, uniform_in))
            possible_values.push_back("warp");
    }
    const std::string chosen_value = random.pick(possible_values);
    if (chosen_value.starts_with("table")) kernel.define_global_once("table", kTableDefinition);
    if (chosen_value.starts_with("numbers")) define_numbers_array(kernel);
    return expand_pattern(kernel, chosen_value, uniform_in, 0);
}

std::string random_leaf_expression(Kernel& kernel, Type type, UniformIn uniform_in) {
    Random& random = kernel.random;
    std::vector<const Variable*> variables_of_same_type, other_type;
    for (const Variable& variable : kernel.variables) {
        if (!is_uniform_within(variable.uniform_in, uniform_in)) continue;
        (variable.type == type ? variables_of_same_type : other_type).push_back(&variable);
    }
    if (!variables_of_same_type.empty() && random.percent(50))
        return random.pick(variables_of_same_type)->name;
    if (!other_type.empty() && random.percent(45)) {
        const Variable& variable = *random.pick(other_type);
        return convert_expression(kernel, variable.name, variable.type, type);
    }
    if (random.percent(15)) return random_constant(kernel, type);
    return convert_expression(kernel, random_special_value(kernel, uniform_in), Type::u32, type);
}

// ---- operations ----

std::string random_integer_arithmetic(Kernel& kernel, Type type, UniformIn uniform_in, int depth) {
    Random& random = kernel.random;
    const auto random_operand = [&] { return random_expression(kernel, type, uniform_in, depth); };
    const char* pattern = random.pick<const char*>(
        {"(T)((A)$1 + (A)$2)", "(T)((A)$1 + (A)$2)", "(T)((A)$1 - (A)$2)", "(T)((A)$1 * (A)$2)",
         "(T)($1 & $2)", "(T)($1 | $2)", "(T)($1 ^ $2)", "(T)((A)$1 << ((u32)$2 & (B - 1)))",
         "(T)($1 >> ((u32)$2 & (W - 1)))", "(T)($1 / D)", "(T)($1 % D)", "(T)~$1",
         "(T)(0u - (A)$1)", "smaller($1, $2)", "larger($1, $2)"});
    std::string text;
    for (const char* pattern_letter = pattern; *pattern_letter; ++pattern_letter) {
        if (*pattern_letter == 'T')
            text += name_of(type);
        else if (*pattern_letter == 'A')
            text += arithmetic_type_of(type);
        else if (*pattern_letter == 'B')
            text += bits_of(type) == 64 ? "64" : "32";
        else if (*pattern_letter == 'W')
            text += std::to_string(bits_of(type));
        else if (*pattern_letter == 'D')
            text += is_signed(type) ? "(($2 & 0x3f) | 1)" : "($2 | 1)";
        else
            text += *pattern_letter;
    }
    if (text.starts_with("smaller"))
        kernel.define_global_once(
            "smaller",
            "template <class T> __device__ T smaller(T a, T b) { return b < a ? b : a; }");
    if (text.starts_with("larger"))
        kernel.define_global_once(
            "larger", "template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }");
    return fill_arguments(text, {random_operand(), random_operand()});
}

/// Returns an operation that exists only for integers, such as a bit count.
std::string random_integer_function(Kernel& kernel, Type type, UniformIn uniform_in, int depth) {
    static const std::vector<const char*> kIntegerFunctions = {
        "__popc($u)",
        "__clz((i32)$u)",
        "__ffs((i32)$u)",
        "__brev($u)",
        "__popcll($U)",
        "__clzll((i64)$U)",
        "__ffsll((i64)$U)",
        "__brevll($U)",
        "__umulhi($u, $u)",
        "__mulhi($i, $i)",
        "__byte_perm($u, $u, $u & 0x7777)",
        "__funnelshift_l($u, $u, $u)",
        "__funnelshift_r($u, $u, $u)",
        "((u64)$u * $u)",
        "((i64)$i * $i)",
        "((u64)$u << 32 | $u)",
        "($U >> 32)",
        "(u8)$u",
        "(i8)$u",
        "(u16)$u",
        "(i16)$u",
        "(u32)$I",
        "(i64)(i32)$U",
        "__float_as_uint(__fadd_rn($f, 0.0f))",
        "(u64)__double_as_longlong(__dadd_rn($d, 0.0))"};
    const char* operation = kernel.random.pick(kIntegerFunctions);
    return fill_arguments("($1)$2", {type, expand_pattern(kernel, operation, uniform_in, depth)});
}

std::string random_call(Kernel& kernel, Type type, UniformIn uniform_in, int depth) {
    const Function function = kernel.random.pick(kernel.functions);
    std::string arguments;
    for (const Type parameter : function.parameters) {
        if (!arguments.empty()) arguments += ", ";
        arguments += random_expression(kernel, parameter, uniform_in, depth);
    }
    return convert_expression(kernel, function.name + "(" + arguments + ")", function.result_type,
                              type);
}

std::string random_floating_point_operation(Kernel& kernel, Type type, UniformIn uniform_in,
                                            int depth) {
    static const std::vector<const char*> kFloatOperations = {
        "__fadd_rn($f, $f)",
        "__fsub_rn($f, $f)",
        "limited(__fmul_rn($f, $f))",
        "limited(__fmaf_rn($f, $f, $f))",
        "limited(__fdiv_rn($f, __fadd_rn(fabsf($f), 1.0f)))",
        "__fsqrt_rn(fabsf($f))",
        "__fadd_rz($f, $f)",
        "__fadd_ru($f, $f)",
        "__fadd_rd($f, $f)",
        "limited(__fmul_rz($f, $f))",
        "limited(__fmaf_rd($f, $f, $f))",
        "fminf($f, $f)",
        "fmaxf($f, $f)",
        "floorf($f)",
        "ceilf($f)",
        "truncf($f)",
        "rintf($f)",
        "fabsf($f)",
        "(-$f)",
        "__frcp_rn(__fadd_rn(fabsf($f), 0.5f))",
        "($b ? $f : $f)",
        "(float)limited($d)",
        "__int2float_rz($i & 0xfffffff)",
        "(float)($U >> 40)",
        "(float)($i >> 8)",
        "__uint_as_float(0x3f800000u | ($u >> 9))"};
    static const std::vector<const char*> kDoubleOperations = {
        "__dadd_rn($d, $d)",
        "__dsub_rn($d, $d)",
        "limited(__dmul_rn($d, $d))",
        "limited(__fma_rn($d, $d, $d))",
        "limited(__ddiv_rn($d, __dadd_rn(fabs($d), 1.0)))",
        "__dsqrt_rn(fabs($d))",
        "fmin($d, $d)",
        "fmax($d, $d)",
        "floor($d)",
        "ceil($d)",
        "trunc($d)",
        "rint($d)",
        "fabs($d)",
        "(-$d)",
        "($b ? $d : $d)",
        "(double)$f",
        "(double)($I >> 44)",
        "(double)($u >> 12)"};
    define_limited_function(kernel);
    return expand_pattern(
        kernel, kernel.random.pick(type == Type::f32 ? kFloatOperations : kDoubleOperations),
        uniform_in, depth);
}

}  // namespace

// ---- expressions ----

std::string random_expression(Kernel& kernel, Type type, UniformIn uniform_in, int depth) {
    Random& random = kernel.random;
    if (depth <= 0 || random.percent(15)) return random_leaf_expression(kernel, type, uniform_in);
    depth -= 1;
    if (is_real(type)) {
        if (random.percent(20)) return random_leaf_expression(kernel, type, uniform_in);
        return kernel.is_learner ? random_learner_floating_point(kernel, type, uniform_in, depth)
                                 : random_floating_point_operation(kernel, type, uniform_in, depth);
    }
    if (kernel.is_learner && random.percent(35))
        return random_learner_arithmetic(kernel, type, uniform_in, depth);
    const u32 percent_drawn = random.below(100);
    if (percent_drawn < 50) return random_integer_arithmetic(kernel, type, uniform_in, depth);
    if (percent_drawn < 60) return random_integer_function(kernel, type, uniform_in, depth);
    if (percent_drawn < 70) return random_assembly_call(kernel, type, uniform_in, depth);
    if (percent_drawn < 80 && !kernel.functions.empty())
        return random_call(kernel, type, uniform_in, depth);
    if (percent_drawn < 90) {
        return fill_arguments("($1 ? $2 : $3)",
                              {random_condition(kernel, uniform_in, depth),
                               random_expression(kernel, type, uniform_in, depth),
                               random_expression(kernel, type, uniform_in, depth)});
    }
    const Type other_type = random_type(kernel);
    return convert_expression(kernel, random_expression(kernel, other_type, uniform_in, depth),
                              other_type, type);
}

std::string random_condition(Kernel& kernel, UniformIn uniform_in, int depth) {
    static const std::vector<const char*> kSimpleConditions = {
        "$u < $u",       "$i < $i",      "$U > $U",
        "$I <= $I",      "$i >= 0",      "($u & 1) == 0",
        "($u & 3) != 1", "($u & 7) > 2", "($u >> 5 & 3) == 2",
        "($U & 5) == 0", "$f < $f",      "$f >= $f",
        "$d != $d",      "$u % 3 == 0",  "((u16)$u & 6) != 0"};
    Random& random = kernel.random;
    if (depth > 0 && random.percent(25)) {
        const char* logical_operation =
            random.pick({"($1 && $2)", "($1 || $2)", "!($1)", "(($1) != ($2))"});
        return fill_arguments(logical_operation, {random_condition(kernel, uniform_in, depth - 1),
                                                  random_condition(kernel, uniform_in, depth - 1)});
    }
    if (is_uniform_within(UniformIn::position, uniform_in) && !kernel.is_in_device_function &&
        random.percent(20)) {
        return expand_pattern(kernel, "(lane & $n) < $n", uniform_in, 0);
    }
    return expand_pattern(kernel, random.pick(kSimpleConditions), uniform_in,
                          depth > 0 ? depth - 1 : 0);
}

// ---- patterns ----

std::string expand_pattern(Kernel& kernel, const std::string& pattern, UniformIn uniform_in,
                           int depth, const std::vector<PatternArgument>& arguments) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '@') {
            std::string word;
            while (i + 1 < pattern.size() && std::islower(pattern[i + 1])) word += pattern[++i];
            text += kernel.name(word);
            continue;
        }
        if (pattern[i] != '$') {
            text += pattern[i];
            continue;
        }
        switch (const char letter = pattern[++i]) {
            case 'u': text += random_expression(kernel, Type::u32, uniform_in, depth); break;
            case 'i': text += random_expression(kernel, Type::i32, uniform_in, depth); break;
            case 'U': text += random_expression(kernel, Type::u64, uniform_in, depth); break;
            case 'I': text += random_expression(kernel, Type::i64, uniform_in, depth); break;
            case 'f': text += random_expression(kernel, Type::f32, uniform_in, depth); break;
            case 'd': text += random_expression(kernel, Type::f64, uniform_in, depth); break;
            case 'b': text += "(" + random_condition(kernel, uniform_in, depth) + ")"; break;
            case 'k': text += random_constant(kernel, Type::u32); break;
            case 'n': text += std::to_string(kernel.random.between(1, 31)); break;
            default: text += arguments.at(static_cast<std::size_t>(letter - '1')).text;
        }
    }
    return text;
}

std::string fill_arguments(const std::string& pattern,
                           const std::vector<PatternArgument>& arguments) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '$')
            text += pattern[i];
        else
            text += arguments.at(static_cast<std::size_t>(pattern[++i] - '1')).text;
    }
    return text;
}

std::string random_constant(Kernel& kernel, Type type) {
    Random& random = kernel.random;
    if (is_real(type)) {
        const std::string number = std::to_string(static_cast<int>(random.below(2001)) - 1000) +
                                   random.pick({".0", ".5", ".25", ".1"});
        return "(" + number + (type == Type::f32 ? "f" : "") + ")";
    }
    u64 number =
        random.pick<u64>({0, 1, 2, 3, 7, 31, 32, 33, 255, 256, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
                          0x80000000, 0xffffffff, random.next() >> 32, random.below(1000)});
    const bool is_64_bit = bits_of(type) == 64;
    if (is_64_bit && random.percent(40)) number <<= random.below(32);
    if (type == Type::u32 || type == Type::u64) return format_hexadecimal(number, is_64_bit);
    return fill_arguments("($1)$2", {type, format_hexadecimal(number, is_64_bit)});
}

std::string convert_expression(Kernel& kernel, const std::string& text, Type from, Type to) {
    if (from == to) return text;
    if (is_real(from)) {
        define_limited_function(kernel);
        if (to == Type::f64) return "(double)" + text;
        if (to == Type::f32) return "(float)limited(" + text + ")";
        return fill_arguments("($1)(i32)limited($2)", {to, text});
    }
    return fill_arguments(is_real(to) ? "($1)(i16)($2)" : "($1)($2)", {to, text});
}

// ---- destinations of values ----

const Variable& random_assignable_variable(Kernel& kernel, const StatementPlace& place,
                                           UniformIn value_scope) {
    const UniformIn needed_scope = join_scopes(place.arriving_together, value_scope);
    std::vector<const Variable*> assignable_variables;
    for (const Variable& variable : kernel.variables) {
        if (variable.can_change && is_uniform_within(needed_scope, variable.uniform_in))
            assignable_variables.push_back(&variable);
    }
    return *kernel.random.pick(assignable_variables);
}

void generate_use_of_pattern(Kernel& kernel, const StatementPlace& place,
                             const std::string& pattern, Type from, UniformIn value_scope) {
    const std::string text = expand_pattern(kernel, pattern, value_scope, 1);
    const Variable to = random_assignable_variable(kernel, place, value_scope);
    const std::string converted_value = convert_expression(kernel, text, from, to.type);
    if (is_real(to.type)) {
        define_limited_function(kernel);
        const char* addition_pattern = kernel.is_learner ? "$1 = limited($1 * 0.5f + $2);\n"
                                       : to.type == Type::f32
                                           ? "$1 = limited(__fadd_rn($1, $2));\n"
                                           : "$1 = limited(__dadd_rn($1, $2));\n";
        kernel.body += fill_arguments(addition_pattern, {to.name, converted_value});
        return;
    }
    const char* merging_statement =
        kernel.random.pick<const char*>({"$1 = ($3)(($4)$1 + ($4)$2);\n", "$1 = ($3)($1 ^ $2);\n",
                                         "$1 = ($3)(($4)$1 * 3u + ($4)$2);\n"});
    kernel.body += fill_arguments(merging_statement,
                                  {to.name, converted_value, to.type, arithmetic_type_of(to.type)});
}

void define_limited_function(Kernel& kernel) {
    kernel.define_global_once(
        "limited",
        "__device__ float limited(float x) { return x < -1e6f ? -1e6f : x > 1e6f ? 1e6f : x; }\n"
        "__device__ double limited(double x) { return x < -1e6 ? -1e6 : x > 1e6 ? 1e6 : x; }\n");
}
void define_numbers_array(Kernel& kernel) {
    kernel.define_global_once(
        "numbers",
        "__device__ u32 numbers[8] = {7, 0xfffffff0, 1, 0, 0x55555555, 64, 1000003, "
        "0x7fffffff};\n");
}

// ---- random choices ----

Type random_type(Kernel& kernel) {
    // Compilers may round sums of floating-point products differently, so learner kernels use
    // floating-point types more often.
    if (kernel.is_learner && kernel.random.percent(30))
        return kernel.random.pick({Type::f32, Type::f32, Type::f64});
    return kernel.random.pick({Type::u8, Type::i8, Type::u16, Type::i16, Type::u32, Type::u32,
                               Type::u32, Type::i32, Type::i32, Type::u64, Type::u64, Type::i64,
                               Type::f32, Type::f32, Type::f64});
}
Type random_integer_type(Kernel& kernel) {
    return kernel.random.pick({Type::u8, Type::i8, Type::u16, Type::i16, Type::u32, Type::u32,
                               Type::u32, Type::i32, Type::u64, Type::i64});
}
UniformIn random_uniform_scope(Kernel& kernel) {
    if (kernel.is_in_device_function) return UniformIn::thread;
    return kernel.random.pick({UniformIn::launch, UniformIn::block, UniformIn::block,
                               UniformIn::warp, UniformIn::position, UniformIn::position,
                               UniformIn::thread, UniformIn::thread, UniformIn::thread});
}

std::string random_iteration_count(Kernel& kernel, UniformIn uniform_in, int max_iterations) {
    if (max_iterations <= 1) return "1";
    const std::string count = std::to_string(kernel.random.between(2, max_iterations));
    if (kernel.random.percent(25)) return count;
    return fill_arguments(
        "$2 % $1 + 1",
        {count, "(u32)(" + random_expression(kernel, Type::u32, uniform_in, 1) + ")"});
}

}  // namespace coalesce::campaign
