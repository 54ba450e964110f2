// Generates structured C++ loops: counted loops, loops with the test at the end, with break, and
// with continue.
#include <algorithm>

#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

const char* random_unroll_pragma(Kernel& kernel) {
    return kernel.random.pick(
        {"", "", "", "#pragma unroll 1\n", "#pragma unroll\n", "#pragma unroll 2\n"});
}

/// Returns the StatementPlace of a loop's body. If all threads at `place` run the same number of
/// iterations, the body may have barriers and shuffles.
StatementPlace loop_body_place(const StatementPlace& place, UniformIn uniform_in, int times,
                               bool can_lanes_leave_early) {
    if (!can_lanes_leave_early) return place.inside_block(uniform_in, times);
    StatementPlace body = place.inside_divergence(times);
    body.can_break = true;
    return body;
}

/// Generates a counted loop. The limit may depend on variables that the body changes, but stays
/// below `iteration_limit`.
void generate_counted_loop(Kernel& kernel, StatementPlace& place) {
    const UniformIn uniform_in = random_uniform_scope(kernel);
    const int iteration_limit = place.max_iterations(7, 200);
    const std::string iteration_count = random_iteration_count(kernel, uniform_in, iteration_limit);
    const StatementPlace body =
        loop_body_place(place, uniform_in, iteration_limit, kernel.random.percent(35));
    const Scope scope(kernel);
    kernel.write(random_unroll_pragma(kernel));
    kernel.write(
        kernel.random.pick({"for (u32 @i = 0; @i < $1; ++@i)", "for (u32 @i = $1; @i > 0; --@i)",
                            "for (u32 @i = 0, end = $1; @i != end; ++@i)"}),
        {iteration_count});
    kernel.register_constant("i", uniform_in);
    generate_scope(kernel, body, kernel.random.between(1, 4));
}

/// Generates a loop whose limit is computed before it and whose counter is used after it.
void generate_loop_with_outer_counter(Kernel& kernel, StatementPlace& place) {
    const UniformIn uniform_in = random_uniform_scope(kernel);
    const int iteration_limit = place.max_iterations(7, 200);
    const StatementPlace body =
        loop_body_place(place, uniform_in, iteration_limit, kernel.random.percent(35));
    kernel.write("u32 @i = 0;\nconst u32 @limit = $1;",
                 {random_iteration_count(kernel, uniform_in, iteration_limit)});
    // Lanes that leave early have executed different numbers of iterations.
    kernel.register_constant(
        "i", body.can_break ? UniformIn::thread : join_scopes(uniform_in, place.arriving_together));
    const std::string loop_pattern =
        kernel.random.pick({"while (@i < @limit)", "for (; @i < @limit;)", "do"});
    kernel.write(loop_pattern + " {\n++@i;");
    generate_scope(kernel, body, kernel.random.between(1, 3));
    kernel.write(loop_pattern == "do" ? "} while (@i < @limit);" : "}");
    generate_use_of_pattern(kernel, place, "@i");
}

/// Generates a loop in which lanes run different numbers of iterations. The generator knows the
/// mask of the lanes that continue.
void generate_loop_of_diverging_lanes(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(7, 200);
    kernel.write(
        "const u32 @limit = $2;\nu32 @still = $1;\nfor (u32 @i = 0;; ++@i) {\n"
        "@still = __ballot_sync(@still, @i < @limit);\nif (@i >= @limit) break;",
        {place.lane_mask, random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    const Scope scope(kernel);
    kernel.register_constant("i");
    StatementPlace body = place.inside_divergence(iteration_limit);
    body.lane_mask = kernel.name("still");
    generate_scope(kernel, body, kernel.random.between(1, 3));
    kernel.write("}");
}

void generate_break_or_continue(Kernel& kernel, StatementPlace& place) {
    kernel.write("if ($b) {");
    if (kernel.random.percent(50)) generate_use_of_pattern(kernel, place, "$u");
    kernel.write(kernel.random.pick({"break;\n}", "continue;\n}", "continue;\n}"}));
}

/// Generates a loop that uses the previous iteration's result.
void generate_loop_carried_value(Kernel& kernel, StatementPlace& place) {
    kernel.write(
        "u32 @a = $u, @b = $u;\nfor (u32 @i = 0; @i < $1; ++@i) {\nconst u32 sum = @a + @b * $k;",
        {random_iteration_count(kernel, UniformIn::thread, place.max_iterations(7, 200))});
    kernel.write(
        kernel.random.pick({"@a = @b;\n@b = sum;\n}", "if (sum & 4) @a = @b;\n@b = sum ^ @i;\n}",
                            "if ((sum & 6) == 2) continue;\n@a = @b;\n@b = sum;\n}",
                            "@b = @a;\nif (@i & 1) @a = sum;\n}"}));
    generate_use_of_pattern(kernel, place, "@a");
    generate_use_of_pattern(kernel, place, "@b");
}

/// Generates nested loops over rows and columns, with a step other than one.
void generate_nested_loops(Kernel& kernel, StatementPlace& place) {
    const UniformIn uniform_in = random_uniform_scope(kernel);
    const int iteration_limit = std::min(4, place.max_iterations(7, 200));
    kernel.write(
        "$3 @sum = 0;\nfor (u32 y = 0; y < $1; ++y) {\nfor (u32 x = y & 1; x < $2; x += 2) {\n"
        "if (((x ^ y) & $n) == 3) break;\n@sum += x * y + $u;\n}\nif ((@sum & 15) == 9) continue;\n"
        "@sum = @sum * 5 + y;\n}",
        {random_iteration_count(kernel, uniform_in, iteration_limit),
         random_iteration_count(kernel, UniformIn::thread, iteration_limit),
         kernel.random.pick({"u32", "u64"})});
    generate_use_of_pattern(kernel, place, "@sum", Type::u64);
}

}  // namespace

std::vector<Construct> loop_constructs() {
    return {{Requirement::nothing, true, 9, generate_counted_loop},
            {Requirement::nothing, true, 6, generate_loop_with_outer_counter},
            {Requirement::lanes, true, 5, generate_loop_of_diverging_lanes},
            {Requirement::loop, false, 14, generate_break_or_continue},
            {Requirement::nothing, false, 3, generate_loop_carried_value},
            {Requirement::nothing, false, 3, generate_nested_loops}};
}

}  // namespace coalesce::campaign
