// Control flow that has no structure: switches that fall through, loops entered in their middle, state
// machines, threads that leave the kernel.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

/// Some words, so that what a thread did before it left is seen.
void write_results(Kernel& kernel) {
    kernel.write("out[0] = $u;\nout[1] = $u;\nout[2] = (u32)($U >> 16);");
}

/// Up to ten cases: enough for a table of jumps.
void switch_over(Kernel& kernel, Place& place) {
    Random& random = kernel.random;
    const Same same = any_class(kernel);
    const int cases = random.between(2, random.percent(30) ? 10 : 5);
    const int step = random.pick({1, 1, 1, 3, 100});
    kernel.write("switch ($1 % $2 * $3) {",
                 {"(" + value(kernel, Type::u32, same, 2) + ")",
                  std::to_string(cases + random.between(0, 2)) + "u", std::to_string(step)});
    // Who falls through is there with those who jump: no lanes are known.
    Place body = fits(same, Same::warp) ? place.inside(same) : place.scattered();
    for (int i = 0; i < cases; ++i) {
        kernel.write(fill("case $1:", {std::to_string(i * step)}));
        if (random.percent(20)) continue;
        if (cases > 5)
            absorb(kernel, body, expand(kernel, "$u", same, 1), Type::u32, same);
        else
            write_scope(kernel, body, random.between(1, 2));
        if (random.percent(65)) kernel.write("break;");
    }
    if (random.percent(50)) {
        kernel.write("default:");
        absorb(kernel, body, expand(kernel, "$u", same, 1), Type::u32, same);
    }
    kernel.write(";\n}");
}

/// A loop that is entered at its top or in its middle.
void enter_in_the_middle(Kernel& kernel, Place& place) {
    const std::string i = kernel.fresh("i"), label = kernel.fresh("middle");
    const int most = place.most_turns(6, 150);
    Place body = place.scattered(most);
    kernel.write("u32 $1 = $u & 1;\nif ($b) goto $2;\nfor ($1 = 0; $1 < $3; ++$1) {",
                 {i, label, std::to_string(most)});
    const Scope scope(kernel);
    kernel.declare_constant(i, Type::u32, Same::thread);
    body.can_leave = true;
    write_scope(kernel, body, kernel.random.between(1, 2));
    kernel.write(label + ":");
    write_scope(kernel, body, kernel.random.between(1, 2));
    kernel.write("}");
}

/// Two places of one cycle, entered at both; neither is above the other.
void cycle_with_two_entries(Kernel& kernel, Place& place) {
    const std::string left = kernel.fresh("left"), right = kernel.fresh("right"),
                      over = kernel.fresh("over"), n = kernel.fresh("n");
    const int most = place.most_turns(8, 150);
    const Place body = place.scattered(most);
    kernel.write("u32 $1 = $2;\nif ($b) goto $3;\n$4:",
                 {n, turns(kernel, Same::thread, most), right, left});
    const Scope scope(kernel);
    kernel.declare_constant(n, Type::u32, Same::thread);
    write_scope(kernel, body, 1);
    kernel.write("if ($1-- == 0) goto $2;\nif ($b) goto $3;\n$4:", {n, over, left, right});
    write_scope(kernel, body, 1);
    kernel.write("if ($1-- == 0) goto $2;\nif ($b) goto $4;\ngoto $3;\n$2:;",
                 {n, over, left, right});
    // What is assigned in one half and used in the other keeps its value through the jumps.
    absorb(kernel, place, n);
}

/// Duff's device.
void enter_by_switch(Kernel& kernel, Place& place) {
    const std::string n = kernel.fresh("n"), sum = kernel.fresh("sum");
    const int most = place.most_turns(5, 100);
    kernel.write(
        "u32 $1 = $2, $3 = $u;\nswitch ($u & 3) {\ncase 0: do {\n$3 += $u;\ncase 3: $3 ^= $3 >> "
        "3;\n"
        "if (($3 & 31) == 7) break;\ncase 2: $3 = $3 * 5 + $1;\ncase 1: $3 -= $k;\n} while (--$1 > "
        "0);\n}",
        {n, turns(kernel, Same::thread, most), sum});
    absorb(kernel, place, sum);
}

/// Each state says which one follows, for a number of steps.
void state_machine(Kernel& kernel, Place& place) {
    const std::string state = kernel.fresh("state"), steps = kernel.fresh("steps");
    const int most = place.most_turns(10, 150), states = kernel.random.between(2, 6);
    Place body = place.scattered(most);
    kernel.write("u32 $1 = $u % $2;\nfor (u32 $3 = 0; $3 < $4; ++$3) {\nswitch ($1) {",
                 {state, std::to_string(states), steps, std::to_string(most)});
    const Scope scope(kernel);
    kernel.declare_constant(steps, Type::u32, Same::thread);
    for (int i = 0; i < states; ++i) {
        const int next = kernel.random.between(0, states - 1);
        kernel.write(fill("case $1:", {std::to_string(i)}));
        write_scope(kernel, body, 1);
        kernel.write("$1 = $b ? $2 : ($u) % $3;\nbreak;",
                     {state, std::to_string(next), std::to_string(states)});
    }
    kernel.write("}\nif ($1 == $2 && $b) break;\n}", {state, std::to_string(states - 1)});
    absorb(kernel, place, state);
}

void jump_forward(Kernel& kernel, Place& place) {
    const std::string inner = kernel.fresh("inner"), over = kernel.fresh("over");
    const Place body = place.scattered();
    kernel.write("if ($b) goto $1;", {inner});
    write_scope(kernel, body, 1);
    kernel.write("if ($b) goto $2;\nif ($b) {\n$1:", {inner, over});
    write_scope(kernel, body, 1);
    kernel.write("}\nelse", {});
    write_scope(kernel, body, 1);
    kernel.write("$1:;", {over});
}

// ---- leaving the kernel ----

void leave_block(Kernel& kernel, Place& place) {
    (void)place;
    kernel.write("if (($1) % 5 == 3) {", {value(kernel, Type::u32, Same::block, 1)});
    write_results(kernel);
    kernel.write("return;\n}");
}

void leave_warp(Kernel& kernel, Place& place) {
    kernel.write("if (($1) % 3 == 1) {", {value(kernel, Type::u32, Same::warp, 1)});
    write_results(kernel);
    kernel.write("return;\n}");
    place.all_threads = false;
}

/// Those who stay know each other.
void leave_lanes(Kernel& kernel, Place& place) {
    const std::string stays = kernel.fresh("stays");
    kernel.write("const u32 $1 = __ballot_sync($2, $b);\nif (!($1 >> lane & 1)) {",
                 {stays, place.mask});
    write_results(kernel);
    kernel.write("return;\n}");
    place.mask = stays;
    place.all_threads = false;
}
void leave_lanes_at_top(Kernel& kernel, Place& place) {
    if (place.mask.empty())
        leave_warp(kernel, place);
    else
        leave_lanes(kernel, place);
}

void leave_anywhere(Kernel& kernel, Place&) {
    if (kernel.in_function) {
        return kernel.write("if ($b) return $1;", {value(kernel, kernel.result, Same::thread, 2)});
    }
    kernel.write("if ($b) {");
    write_results(kernel);
    kernel.write("return;\n}");
}

}  // namespace

std::vector<Construct> jump_constructs() {
    return {{Needs::nothing, true, 7, switch_over},
            {Needs::nothing, true, 4, enter_in_the_middle},
            {Needs::nothing, true, 3, cycle_with_two_entries},
            {Needs::nothing, false, 2, enter_by_switch},
            {Needs::nothing, true, 3, state_machine},
            {Needs::nothing, true, 3, jump_forward},
            {Needs::top, false, 2, leave_block},
            {Needs::top, false, 1, leave_warp},
            {Needs::top, false, 1, leave_lanes_at_top},
            {Needs::end, false, 6, leave_anywhere}};
}

}  // namespace coalesce::campaign
