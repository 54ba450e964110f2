// Generates variables that are declared before a loop, get their first value inside it, and are
// used after it: the index of the smallest element, the result of a search, a value from the
// previous iteration.
//
// Each loop either is certain to assign the variables, in its first or last iteration, or sets a
// flag if it has assigned them. A loop counts with @i and computes @now in each iteration.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

struct PayloadVariable {
    std::string name;
    Type type;
};

std::vector<PayloadVariable> declare_payloads(Kernel& kernel) {
    std::vector<PayloadVariable> payloads;
    const int count = kernel.random.between(1, 4);
    for (int i = 0; i < count; ++i) {
        payloads.push_back({kernel.make_unique_name("late"), random_type(kernel)});
        kernel.write("$1 $2;", {payloads.back().type, payloads.back().name});
    }
    return payloads;
}

/// Assigns a value to each payload. Often the value is a copy of @now, which changes in every
/// iteration.
void assign_payloads(Kernel& kernel, const std::vector<PayloadVariable>& payloads) {
    for (const PayloadVariable& payload : payloads) {
        const std::string text =
            kernel.random.percent(50)
                ? convert_expression(kernel, kernel.name("now"), Type::u32, payload.type)
                : random_expression(kernel, payload.type, UniformIn::thread, 2);
        kernel.write("$1 = $2;", {payload.name, text});
    }
}

void generate_use_of_payloads(Kernel& kernel, const StatementPlace& place,
                              const std::vector<PayloadVariable>& payloads) {
    for (const PayloadVariable& payload : payloads)
        generate_use_of_pattern(kernel, place, payload.name, payload.type);
}

/// Makes @i and @now available to the loop's body as constants.
void declare_loop_constants(Kernel& kernel) {
    kernel.register_constant("i");
    kernel.register_constant("now");
}

/// Generates other statements in the loop's body, so that the slots of the payloads are shared with
/// other registers. These statements must not leave the loop before it has assigned the payloads.
void generate_statements_between(Kernel& kernel, StatementPlace body) {
    body.can_break = false;
    if (kernel.remaining_statements > 0 && body.nesting_depth < 4 && kernel.random.percent(25))
        generate_scope(kernel, body, 1);
}

/// Generates a search for the smallest or largest key and its payload.
void generate_search_for_extremum(Kernel& kernel, StatementPlace& place) {
    const bool has_float_key = kernel.random.percent(40),
               searches_minimum = kernel.random.percent(60);
    const int iteration_limit = place.max_iterations(9, 200);
    if (has_float_key)
        kernel.write("float @best = $1;", {searches_minimum ? "1e30f" : "-1e30f"});
    else
        kernel.write("u32 @best = $1;", {searches_minimum ? "0xffffffffu" : "0"});
    const std::vector<PayloadVariable> payloads = declare_payloads(kernel);

    const Scope scope(kernel);
    const std::string start = kernel.random.pick({"0u", "(u32)($u & 3)", "threadIdx.x"});
    const std::string first_index = kernel.is_in_device_function ? "0u" : start;
    kernel.write("for (u32 @i = " + first_index +
                     ", end = @i + $1; @i < end; ++@i) {\nconst u32 @now = ($u ^ @i) * $k + @i;",
                 {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    declare_loop_constants(kernel);
    generate_statements_between(kernel, place.inside_divergence(iteration_limit));
    // Every key is below (or above) the initial value of `best`, so that the first iteration always
    // assigns.
    kernel.write(has_float_key ? "const float @key = (float)(i16)@now * 0.5f;"
                               : "const u32 @key = (@now >> 1) + 1;");
    kernel.write("if (@key $1 @best) {\n@best = @key;", {searches_minimum ? "<" : ">"});
    assign_payloads(kernel, payloads);
    kernel.write("}\n}");
    generate_use_of_payloads(kernel, place, payloads);
    if (!has_float_key) generate_use_of_pattern(kernel, place, "@best");
}

/// Generates a search that ends with the first match, or with the last element.
void generate_search_for_first_match(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(9, 200);
    const std::vector<PayloadVariable> payloads = declare_payloads(kernel);
    kernel.write("const u32 @last = $1;\nu32 @i = 0, @now = $u;",
                 {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    const Scope scope(kernel);
    declare_loop_constants(kernel);
    kernel.write(kernel.random.pick({"for (;; ++@i) {", "while (true) {\n++@i;", "do {"}));
    const bool is_do_while_loop = kernel.body.ends_with("do {\n");
    kernel.write(is_do_while_loop ? "++@i;\n@now = @now * 5 + @i;" : "@now = @now * $k + $u;");
    generate_statements_between(kernel, place.inside_divergence(iteration_limit));
    kernel.write("if ($b || @i >= @last) {");
    assign_payloads(kernel, payloads);
    kernel.write(is_do_while_loop ? "break;\n}\n} while (true);" : "break;\n}\n}");
    generate_use_of_payloads(kernel, place, payloads);
    if (kernel.random.percent(50)) generate_use_of_pattern(kernel, place, "@i");
}

/// Generates a search that may find nothing; a flag says whether the payloads were assigned.
void generate_search_with_flag(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(9, 200);
    kernel.write("bool @has = false;");
    const std::vector<PayloadVariable> payloads = declare_payloads(kernel);
    {
        const Scope scope(kernel);
        kernel.write("for (u32 @i = 0; @i < $1; ++@i) {\nconst u32 @now = $u + @i * $k;",
                     {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
        declare_loop_constants(kernel);
        kernel.write("if ($b) {\n@has = true;");
        assign_payloads(kernel, payloads);
        kernel.write(kernel.random.percent(40) ? "break;\n}" : "}");
        generate_statements_between(kernel, place.inside_divergence(iteration_limit));
        kernel.write("}");
    }
    kernel.write("if (@has) {");
    generate_use_of_payloads(kernel, place.inside_divergence(), payloads);
    kernel.write("}");
}

/// Generates a loop in which each iteration except the first uses the values that the previous one
/// assigned.
void generate_use_of_previous_iteration(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(9, 200);
    const std::vector<PayloadVariable> payloads = declare_payloads(kernel);
    kernel.write("for (u32 @i = 0; @i < $1; ++@i) {\nconst u32 @now = $u ^ @i;\nif (@i > 0) {",
                 {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    {
        const Scope scope(kernel);
        declare_loop_constants(kernel);
        generate_use_of_payloads(kernel, place.inside_divergence(), payloads);
        kernel.write("}");
        generate_statements_between(kernel, place.inside_divergence(iteration_limit));
        kernel.write(kernel.random.percent(50) ? "if (@i == 0 || $b) {" : "{");
        assign_payloads(kernel, payloads);
        kernel.write("}\n}");
    }
    generate_use_of_payloads(kernel, place, payloads);
}

/// Generates a loop whose body assigns the payloads on every path, with a separate assignment in
/// each branch.
void generate_assignment_on_all_paths(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(9, 200);
    const std::vector<PayloadVariable> payloads = declare_payloads(kernel);
    kernel.write("u32 @i = 0, @now = $u;\ndo {\n@now = @now * $k + @i;");
    {
        const Scope scope(kernel);
        declare_loop_constants(kernel);
        kernel.write("if ($b) {");
        assign_payloads(kernel, payloads);
        kernel.write(kernel.random.percent(30) ? "goto @over;" : "");
        kernel.write("} else switch ($u & 3) {\ncase 0:");
        assign_payloads(kernel, payloads);
        kernel.write(kernel.random.pick({"break;", "break;", "continue;"}));
        kernel.write("case 2:\n@now += 3;");
        if (kernel.random.percent(50)) {
            assign_payloads(kernel, payloads);
            kernel.write("break;");
        }
        kernel.write("default:");
        assign_payloads(kernel, payloads);
        kernel.write("}");
        generate_statements_between(kernel, place.inside_divergence(iteration_limit));
    }
    kernel.write("} while (++@i < $1);\n@over:;",
                 {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    generate_use_of_payloads(kernel, place, payloads);
}

/// Generates an inner loop that assigns variables, which are used in the outer loop and after both
/// loops.
void generate_assignment_in_inner_loop(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(4, 60);
    const std::vector<PayloadVariable> payloads = declare_payloads(kernel);
    kernel.write(
        "for (u32 @i = 0; @i < $1; ++@i) {\nu32 @least = 0x80000000;\n"
        "for (u32 @j = 0; @j < $2; ++@j) {",
        {random_iteration_count(kernel, UniformIn::thread, iteration_limit),
         random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    {
        const Scope scope(kernel);
        kernel.register_constant("i");
        kernel.register_constant("j");
        kernel.write("const u32 @now = (in[($u + @i * 37 + @j) & 1023] ^ $u) >> 1;");
        kernel.register_constant("now");
        kernel.write("if (@now < @least) {\n@least = @now;");
        assign_payloads(kernel, payloads);
        kernel.write(kernel.random.percent(30) ? "}\nif ($b) break;\n}" : "}\n}");
    }
    generate_use_of_payloads(kernel, place.inside_divergence(), payloads);
    kernel.write("}");
    generate_use_of_payloads(kernel, place, payloads);
}

/// Generates a loop that is entered in the middle of its body. The upper half uses the values that
/// the lower half assigns.
void generate_assignment_after_entry(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(9, 200);
    const std::vector<PayloadVariable> payloads = declare_payloads(kernel);
    kernel.write("u32 @i = 0, @now = $u;\ngoto @entry;\nfor (; @i < $1; ++@i) {",
                 {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    {
        const Scope scope(kernel);
        declare_loop_constants(kernel);
        generate_use_of_payloads(kernel, place.inside_divergence(), payloads);
        kernel.write("if (!$b) continue;\n@entry:\n@now = @now * 5 + $u;");
        assign_payloads(kernel, payloads);
        kernel.write("}");
    }
    generate_use_of_payloads(kernel, place, payloads);
}

/// Generates a search for the best and the second-best value. In this search, a copied value is
/// copied again under a condition.
void generate_search_for_two_extrema(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "u32 @best = 0xffffffffu, @second = 0xffffffffu, @name;\nu32 @other;\n"
        "for (u32 @i = 0; @i < $1 + 1; ++@i) {",
        {random_iteration_count(kernel, UniformIn::thread, place.max_iterations(9, 200))});
    {
        const Scope scope(kernel);
        kernel.register_constant("i");
        kernel.write("const u32 @now = ($u + @i * $k) >> 1;");
        kernel.register_constant("now");
        kernel.write(
            "if (@now < @best) {\n@second = @best;\nif (@i > 0) @other = @name;\n@best = @now;\n"
            "@name = @i + $u;\n}\nelse if (@now < @second) {\n@second = @now;\n@other = @i;\n}\n}");
    }
    generate_use_of_pattern(kernel, place, "@name");
    kernel.write("if (@second != 0xffffffffu) {");
    generate_use_of_pattern(kernel, place.inside_divergence(), "@other");
    kernel.write("}");
}

}  // namespace

std::vector<Construct> late_assignment_constructs() {
    return {{Requirement::nothing, false, 5, generate_search_for_extremum},
            {Requirement::nothing, false, 4, generate_search_for_first_match},
            {Requirement::nothing, false, 3, generate_search_with_flag},
            {Requirement::nothing, false, 3, generate_use_of_previous_iteration},
            {Requirement::nothing, false, 3, generate_assignment_on_all_paths},
            {Requirement::kernel, false, 3, generate_assignment_in_inner_loop},
            {Requirement::nothing, false, 2, generate_assignment_after_entry},
            {Requirement::nothing, false, 2, generate_search_for_two_extrema}};
}

}  // namespace coalesce::campaign
