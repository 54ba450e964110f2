// Generates constructs with calls: functions with their own control flow, recursion, function
// pointers, lambdas, templates, structures passed by value and by reference.
#include <utility>

#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

constexpr const char* kInliningQualifiers[] = {"__noinline__ ", "__noinline__ ", "",
                                               "__forceinline__ "};

/// While an object of this class exists, the kernel's text is the body of a function, which may use
/// only the function's parameters.
class FunctionBodyScope {
public:
    FunctionBodyScope(Kernel& kernel, const Function& function) : kernel_(kernel) {
        std::swap(kernel_.body, saved_body_);
        std::swap(kernel_.variables, saved_variables_);
        saved_statement_count_ = kernel_.remaining_statements;
        kernel_.is_in_device_function = true;
        kernel_.result_type = function.result_type;
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            kernel_.variables.push_back(
                {"p" + std::to_string(i), function.parameters[i], UniformIn::thread});
        }
    }
    ~FunctionBodyScope() {
        std::swap(kernel_.body, saved_body_);
        std::swap(kernel_.variables, saved_variables_);
        kernel_.remaining_statements = saved_statement_count_;
        kernel_.is_in_device_function = false;
    }
    FunctionBodyScope(const FunctionBodyScope&) = delete;

private:
    Kernel& kernel_;
    std::string saved_body_;
    std::vector<Variable> saved_variables_;
    int saved_statement_count_ = 0;
};

std::string format_function_head(Kernel& kernel, const Function& function,
                                 const std::string& first_parameter = "") {
    std::string parameters = first_parameter;
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
        parameters +=
            fill_arguments("$1$2 p$3", {parameters.empty() ? "" : ", ", function.parameters[i], i});
    return fill_arguments(
        "__device__ $1$2 $3($4) {\n",
        {first_parameter.empty()
             ? kInliningQualifiers[kernel.random.below(std::size(kInliningQualifiers))]
             : "__noinline__ ",
         function.result_type, function.name, parameters});
}

Function declare_function(Kernel& kernel) {
    Function function{kernel.make_unique_name("function"), random_type(kernel), {}};
    for (int count = kernel.random.between(1, 3); count > 0; --count)
        function.parameters.push_back(random_type(kernel));
    return function;
}

/// Generates a function with a few statements and early returns.
void generate_plain_function(Kernel& kernel) {
    const Function function = declare_function(kernel);
    std::string text = format_function_head(kernel, function);
    {
        const FunctionBodyScope body(kernel, function);
        kernel.remaining_statements = kernel.random.between(1, 5);
        kernel.declare(Type::u32, UniformIn::thread,
                       random_expression(kernel, Type::u32, UniformIn::thread, 1));
        kernel.declare(function.result_type, UniformIn::thread,
                       random_expression(kernel, function.result_type, UniformIn::thread, 1));
        StatementPlace place;
        place.arriving_together = UniformIn::thread;
        place.are_all_threads_active = false;
        place.can_return = true;
        place.nesting_depth = 2;
        place.times_reached = 30;
        for (int count = kernel.random.between(1, 3); count > 0; --count)
            generate_statement(kernel, place);
        text += kernel.body;
        text +=
            fill_arguments("return $1;\n}\n",
                           {random_expression(kernel, function.result_type, UniformIn::thread, 2)});
    }
    kernel.global_definitions += text;
    kernel.functions.push_back(function);
}

/// Generates a function that calls itself once or twice, to the depth given by its first parameter.
void generate_recursive_function(Kernel& kernel) {
    const Function function = declare_function(kernel);
    Function inner_function = function;
    inner_function.name += "_inner";
    std::string text = format_function_head(kernel, inner_function, "u32 left"), call_text;
    {
        const FunctionBodyScope body(kernel, inner_function);
        const auto arguments = [&] {
            std::string argument_list;
            for (const Type type : inner_function.parameters)
                argument_list += ", " + random_expression(kernel, type, UniformIn::thread, 1);
            return argument_list;
        };
        const std::vector<PatternArgument> words = {
            random_expression(kernel, inner_function.result_type, UniformIn::thread, 1),
            inner_function.result_type, inner_function.name, arguments(), arguments()};
        kernel.write("if (left == 0 || $b) return $1;", words);
        kernel.write("$2 x = $3(left - 1$4);\nif ($b) x = $3(left / 2$5);", words);
        const Scope scope(kernel);
        kernel.variables.push_back({"x", inner_function.result_type, UniformIn::thread});
        text += kernel.body + fill_arguments("return $1;\n}\n",
                                             {random_expression(kernel, inner_function.result_type,
                                                                UniformIn::thread, 2)});
        for (std::size_t i = 0; i < inner_function.parameters.size(); ++i)
            call_text += ", p" + std::to_string(i);
    }
    text += format_function_head(kernel, function);
    text += fill_arguments("return $1($2$3);\n}\n",
                           {inner_function.name, kernel.random.between(1, 4), call_text});
    kernel.global_definitions += text;
    kernel.functions.push_back(function);
}

/// Generates four functions and a table through which one of them is called.
void generate_function_table(Kernel& kernel) {
    const Function function{
        kernel.make_unique_name("function"), Type::u32, {Type::u32, Type::u32, Type::u32}};
    std::string function_names, text;
    for (int i = 0; i < 4; ++i) {
        const Function table_function{
            kernel.make_unique_name("entry"), Type::u32, {Type::u32, Type::u32}};
        text += "__device__ __noinline__ u32 " + table_function.name + "(u32 p0, u32 p1) {\n";
        {
            const FunctionBodyScope body_scope(kernel, table_function);
            text += fill_arguments("return $1;\n}\n",
                                   {random_expression(kernel, Type::u32, UniformIn::thread, 2)});
        }
        function_names += (function_names.empty() ? "" : ", ") + table_function.name;
    }
    text += fill_arguments("$1u32 (*const t[4])(u32, u32) = {$2};\nreturn t[p0 & 3](p1, p2);\n}\n",
                           {format_function_head(kernel, function), function_names});
    kernel.global_definitions += text;
    kernel.functions.push_back(function);
}

// ---- constructs ----

void generate_lambda_call(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once(
        "apply",
        "template <class F> __device__ u32 apply(u32 n, F f) {\nu32 sum = 0;\nfor (u32 i = "
        "0; i < n; ++i) sum = sum * 3 + f(i);\nreturn sum;\n}\n");
    kernel.write(
        "u32 @kept = $u;\nconst u32 @sum = apply($1, [&](u32 x) {\nif (x & 1) @kept += $u;\n"
        "return $b ? x + @kept : $u;\n});",
        {random_iteration_count(kernel, UniformIn::thread, place.times_reached > 50 ? 1 : 5)});
    generate_use_of_pattern(kernel, place, "@kept");
    generate_use_of_pattern(kernel, place, "@sum");
}

void generate_template_call(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once(
        "power",
        "template <int N, class T>\n__device__ T power(T x) {\nif constexpr (N == 0) "
        "return 1;\nelse return (T)(x * power<N - 1>(x) + N);\n}\n");
    const char* type = kernel.random.pick({"u32", "u64"});
    generate_use_of_pattern(
        kernel, place,
        fill_arguments("power<$1>(($2)$3)",
                       {kernel.random.between(0, 5), type,
                        random_expression(kernel, Type::u32, UniformIn::thread, 2)}),
        Type::u64);
}

/// Generates structures that are passed by value, but only in the kernel. In an inlined function,
/// NVRTC 13.0 at -O3 overwrites a structure that is still live with another structure, so the
/// results of -O3 and -G could not be compared.
void generate_structure_passing(Kernel& kernel, StatementPlace& place) {
    kernel.define_global_once(
        "Pair",
        "struct Pair {\nu32 a;\nu64 b;\nu16 c;\n};\n"
        "__device__ __noinline__ Pair turned(Pair p, u32 x) {\nif (x & 2) return "
        "Pair{(u32)p.b, p.a, (u16)x};\np.a += x;\np.c ^= (u16)p.a;\nreturn p;\n}\n"
        "__device__ __noinline__ void change(Pair& p, u16& x) {\nfor (u32 i = 0; i < (p.a "
        "& 3); ++i) p.b = p.b * 5 + i;\nconst u16 c = p.c;\np.c = x;\nx = c;\n}\n");
    kernel.write(
        "Pair @pair{$u, $U, (u16)$u};\nu16 @small = (u16)$u;\nif ($b) change(@pair, @small);\n"
        "@pair = turned(@pair, $u);\nif ($b) @pair = turned(@pair, @small);");
    generate_use_of_pattern(kernel, place, "@pair.b", Type::u64);
    generate_use_of_pattern(kernel, place, "(@pair.a + @pair.c * 3u + @small)");
}

}  // namespace

void generate_functions(Kernel& kernel) {
    for (int count = kernel.random.pick({0, 0, 1, 1, 2, 3}); count > 0; --count) {
        const u32 function_kind = kernel.random.below(10);
        if (function_kind < 6)
            generate_plain_function(kernel);
        else if (function_kind < 8)
            generate_recursive_function(kernel);
        else
            generate_function_table(kernel);
    }
}

std::vector<Construct> function_constructs() {
    return {{Requirement::kernel, false, 2, generate_lambda_call},
            {Requirement::nothing, false, 2, generate_template_call},
            {Requirement::kernel, false, 3, generate_structure_passing}};
}

}  // namespace coalesce::campaign
