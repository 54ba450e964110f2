// Generates unstructured control flow: switches that fall through, loops entered in the middle,
// state machines, threads that leave the kernel.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

/// Generates a switch with up to ten cases, which is enough for the compiler to use a jump table.
void generate_switch(Kernel& kernel, StatementPlace& place) {
    Random& random = kernel.random;
    const UniformIn uniform_in = random_uniform_scope(kernel);
    const int case_count = random.between(2, random.percent(30) ? 10 : 5);
    const int step = random.pick({1, 1, 1, 3, 100});
    kernel.write("switch (($1) % $2u * $3) {", {random_expression(kernel, Type::u32, uniform_in, 2),
                                                case_count + random.between(0, 2), step});
    // Threads that fall through meet threads that jump, so the mask of the lanes inside the cases
    // is unknown.
    StatementPlace body = is_uniform_within(uniform_in, UniformIn::warp)
                              ? place.inside_block(uniform_in)
                              : place.inside_divergence();
    for (int i = 0; i < case_count; ++i) {
        kernel.write("case $1:", {i * step});
        if (random.percent(20)) continue;
        if (case_count > 5)
            generate_use_of_pattern(kernel, body, "$u", Type::u32, uniform_in);
        else
            generate_scope(kernel, body, random.between(1, 2));
        if (random.percent(65)) kernel.write("break;");
    }
    if (random.percent(50)) {
        kernel.write("default:");
        generate_use_of_pattern(kernel, body, "$u", Type::u32, uniform_in);
    }
    kernel.write(";\n}");
}

/// Generates a loop that is entered at its top or in its middle.
void generate_jump_into_loop(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(6, 150);
    StatementPlace body = place.inside_divergence(iteration_limit);
    kernel.write("u32 @i = $u & 1;\nif ($b) goto @middle;\nfor (@i = 0; @i < $1; ++@i) {",
                 {iteration_limit});
    const Scope scope(kernel);
    kernel.register_constant("i");
    body.can_break = true;
    generate_scope(kernel, body, kernel.random.between(1, 2));
    kernel.write("@middle:");
    generate_scope(kernel, body, kernel.random.between(1, 2));
    kernel.write("}");
}

/// Generates a cycle with two entries, neither of which dominates the other.
void generate_cycle_with_two_entries(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(8, 150);
    const StatementPlace body = place.inside_divergence(iteration_limit);
    kernel.write("u32 @n = $1;\nif ($b) goto @right;\n@left:",
                 {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    const Scope scope(kernel);
    kernel.register_constant("n");
    generate_scope(kernel, body, 1);
    kernel.write("if (@n-- == 0) goto @over;\nif ($b) goto @left;\n@right:");
    generate_scope(kernel, body, 1);
    kernel.write("if (@n-- == 0) goto @over;\nif ($b) goto @right;\ngoto @left;\n@over:;");
    // A variable assigned in one half and used in the other must keep its value across the jumps.
    generate_use_of_pattern(kernel, place, "@n");
}

/// Generates Duff's device, which is a loop that a switch enters in the middle.
void generate_switch_into_loop(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(5, 100);
    kernel.write(
        "u32 @n = $1, @sum = $u;\nswitch ($u & 3) {\ncase 0: do {\n@sum += $u;\n"
        "case 3: @sum ^= @sum >> 3;\nif ((@sum & 31) == 7) break;\n"
        "case 2: @sum = @sum * 5 + @n;\ncase 1: @sum -= $k;\n} while (--@n > 0);\n}",
        {random_iteration_count(kernel, UniformIn::thread, iteration_limit)});
    generate_use_of_pattern(kernel, place, "@sum");
}

/// Generates a state machine that runs for a certain number of steps; each state selects its
/// successor.
void generate_state_machine(Kernel& kernel, StatementPlace& place) {
    const int iteration_limit = place.max_iterations(10, 150),
              state_count = kernel.random.between(2, 6);
    StatementPlace body = place.inside_divergence(iteration_limit);
    kernel.write(
        "u32 @state = $u % $1;\nfor (u32 @steps = 0; @steps < $2; ++@steps) {\nswitch (@state) {",
        {state_count, iteration_limit});
    const Scope scope(kernel);
    kernel.register_constant("steps");
    for (int i = 0; i < state_count; ++i) {
        const int next_state = kernel.random.between(0, state_count - 1);
        kernel.write("case $1:", {i});
        generate_scope(kernel, body, 1);
        kernel.write("@state = $b ? $1 : ($u) % $2;\nbreak;", {next_state, state_count});
    }
    kernel.write("}\nif (@state == $1 && $b) break;\n}", {state_count - 1});
    generate_use_of_pattern(kernel, place, "@state");
}

void generate_forward_jump(Kernel& kernel, StatementPlace& place) {
    const StatementPlace body = place.inside_divergence();
    kernel.write("if ($b) goto @inner;");
    generate_scope(kernel, body, 1);
    kernel.write("if ($b) goto @over;\nif ($b) {\n@inner:");
    generate_scope(kernel, body, 1);
    kernel.write("}\nelse");
    generate_scope(kernel, body, 1);
    kernel.write("@over:;");
}

// ---- leaving the kernel ----

/// Ends an `if` by storing some words and returning. The words show what the thread did before it
/// left.
void generate_store_and_return(Kernel& kernel) {
    kernel.write("out[0] = $u;\nout[1] = $u;\nout[2] = (u32)($U >> 16);");
    kernel.write("return;\n}");
}

void generate_return_of_block(Kernel& kernel, StatementPlace&) {
    kernel.write("if (($1) % 5 == 3) {",
                 {random_expression(kernel, Type::u32, UniformIn::block, 1)});
    generate_store_and_return(kernel);
}

void generate_return_of_warp(Kernel& kernel, StatementPlace& place) {
    kernel.write("if (($1) % 3 == 1) {",
                 {random_expression(kernel, Type::u32, UniformIn::warp, 1)});
    generate_store_and_return(kernel);
    place.are_all_threads_active = false;
}

/// Generates a branch in which some lanes return. The generator knows the mask of the remaining
/// lanes.
void generate_return_of_lanes(Kernel& kernel, StatementPlace& place) {
    kernel.write("const u32 @stays = __ballot_sync($1, $b);\nif (!(@stays >> lane & 1)) {",
                 {place.lane_mask});
    generate_store_and_return(kernel);
    place.lane_mask = kernel.name("stays");
    place.are_all_threads_active = false;
}
void generate_return_of_lanes_at_top(Kernel& kernel, StatementPlace& place) {
    if (place.lane_mask.empty())
        generate_return_of_warp(kernel, place);
    else
        generate_return_of_lanes(kernel, place);
}

void generate_return_at_random_place(Kernel& kernel, StatementPlace&) {
    if (kernel.is_in_device_function) {
        return kernel.write("if ($b) return $1;",
                            {random_expression(kernel, kernel.result_type, UniformIn::thread, 2)});
    }
    kernel.write("if ($b) {");
    generate_store_and_return(kernel);
}

}  // namespace

std::vector<Construct> jump_constructs() {
    return {{Requirement::nothing, true, 7, generate_switch},
            {Requirement::nothing, true, 4, generate_jump_into_loop},
            {Requirement::nothing, true, 3, generate_cycle_with_two_entries},
            {Requirement::nothing, false, 2, generate_switch_into_loop},
            {Requirement::nothing, true, 3, generate_state_machine},
            {Requirement::nothing, true, 3, generate_forward_jump},
            {Requirement::top, false, 2, generate_return_of_block},
            {Requirement::top, false, 1, generate_return_of_warp},
            {Requirement::top, false, 1, generate_return_of_lanes_at_top},
            {Requirement::end, false, 6, generate_return_at_random_place}};
}

}  // namespace coalesce::campaign
