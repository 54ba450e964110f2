// Variables that are declared before a loop, get their first value somewhere inside it, and are used
// behind it: the index of the least element, what a search found, what the turn before left.
//
// Each loop is sure to assign them on its way: its first turn does, or its last, or a flag says so.
#include "campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

struct Payload {
    std::string name;
    Type type;
};

std::vector<Payload> declare_payloads(Kernel& kernel) {
    std::vector<Payload> payloads;
    const int count = kernel.random.between(1, 4);
    for (int i = 0; i < count; ++i) {
        payloads.push_back({kernel.fresh("late"), any_type(kernel)});
        kernel.write(fill("$1 $2;", {name_of(payloads.back().type), payloads.back().name}));
    }
    return payloads;
}

/// Gives each of them a value: often a plain copy of `current`, which changes with every turn.
void assign_payloads(Kernel& kernel, const std::vector<Payload>& payloads,
                     const std::string& current) {
    for (const Payload& payload : payloads) {
        const std::string text = kernel.random.percent(50)
                                     ? convert(kernel, current, Type::u32, payload.type)
                                     : value(kernel, payload.type, Same::thread, 2);
        kernel.write(fill("$1 = $2;", {payload.name, text}));
    }
}

void absorb_payloads(Kernel& kernel, const Place& place, const std::vector<Payload>& payloads) {
    for (const Payload& payload : payloads) absorb(kernel, place, payload.name, payload.type);
}

/// What the loop counts with and what it computes on each turn, as constants for its body.
struct Turn {
    std::string i, current;
};
Turn fresh_turn(Kernel& kernel) {
    return {kernel.fresh("i"), kernel.fresh("now")};
}
void declare_turn(Kernel& kernel, const Turn& turn) {
    kernel.declare_constant(turn.i, Type::u32, Same::thread);
    kernel.declare_constant(turn.current, Type::u32, Same::thread);
}

/// Other statements between, so that there is something to share slots with. They must not leave the
/// loop before it has assigned.
void write_between(Kernel& kernel, Place body) {
    body.can_leave = false;
    if (kernel.statements_left > 0 && body.depth < 4 && kernel.random.percent(25))
        write_scope(kernel, body, 1);
}

/// The least or greatest key, and what goes with it.
void find_least(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const std::string best = kernel.fresh("best"), key = kernel.fresh("key");
    const bool is_real_key = kernel.random.percent(40), is_least = kernel.random.percent(60);
    const int most = place.most_turns(9, 200);
    if (is_real_key)
        kernel.write("float $1 = $2;", {best, is_least ? "1e30f" : "-1e30f"});
    else
        kernel.write("u32 $1 = $2;", {best, is_least ? "0xffffffffu" : "0"});
    const std::vector<Payload> payloads = declare_payloads(kernel);

    const Scope scope(kernel);
    const std::string start = kernel.random.pick({"0u", "(u32)($u & 3)", "threadIdx.x"});
    const std::string from = kernel.in_function ? "0u" : start;
    kernel.write("for (u32 $1 = " + from +
                     ", end = $1 + $3; $1 < end; ++$1) {\nconst u32 $2 = ($u ^ $1) * $k + $1;",
                 {turn.i, turn.current, turns(kernel, Same::thread, most)});
    declare_turn(kernel, turn);
    write_between(kernel, place.scattered(most));
    // Below or above what `best` begins with, so that the first turn is always taken.
    if (is_real_key)
        kernel.write("const float $1 = (float)(i16)$2 * 0.5f;", {key, turn.current});
    else
        kernel.write("const u32 $1 = ($2 >> 1) + 1;", {key, turn.current});
    kernel.write(std::string("if ($1 ") + (is_least ? "<" : ">") + " $2) {\n$2 = $1;", {key, best});
    assign_payloads(kernel, payloads, turn.current);
    kernel.write("}\n}");
    absorb_payloads(kernel, place, payloads);
    if (!is_real_key) absorb(kernel, place, best);
}

/// A search that ends with the first that fits, or with the last.
void find_first(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const int most = place.most_turns(9, 200);
    const std::string last = kernel.fresh("last");
    const std::vector<Payload> payloads = declare_payloads(kernel);
    kernel.write("const u32 $3 = $4;\nu32 $1 = 0, $2 = $u;",
                 {turn.i, turn.current, last, turns(kernel, Same::thread, most)});
    const Scope scope(kernel);
    declare_turn(kernel, turn);
    kernel.write(kernel.random.pick({"for (;; ++$1) {", "while (true) {\n++$1;", "do {"}),
                 {turn.i});
    const bool is_do = kernel.body.ends_with("do {\n");
    kernel.write(is_do ? "++$1;\n$2 = $2 * 5 + $1;" : "$2 = $2 * $k + $u;", {turn.i, turn.current});
    write_between(kernel, place.scattered(most));
    kernel.write("if ($b || $1 >= $2) {", {turn.i, last});
    assign_payloads(kernel, payloads, turn.current);
    kernel.write(is_do ? "break;\n}\n} while (true);" : "break;\n}\n}");
    absorb_payloads(kernel, place, payloads);
    if (kernel.random.percent(50)) absorb(kernel, place, turn.i);
}

/// Found or not: a flag says whether there is anything to use.
void maybe_found(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const int most = place.most_turns(9, 200);
    const std::string has = kernel.fresh("has");
    kernel.write("bool $1 = false;", {has});
    const std::vector<Payload> payloads = declare_payloads(kernel);
    {
        const Scope scope(kernel);
        kernel.write("for (u32 $1 = 0; $1 < $3; ++$1) {\nconst u32 $2 = $u + $1 * $k;",
                     {turn.i, turn.current, turns(kernel, Same::thread, most)});
        declare_turn(kernel, turn);
        kernel.write("if ($b) {\n$1 = true;", {has});
        assign_payloads(kernel, payloads, turn.current);
        kernel.write(kernel.random.percent(40) ? "break;\n}" : "}");
        write_between(kernel, place.scattered(most));
        kernel.write("}");
    }
    kernel.write("if ($1) {", {has});
    absorb_payloads(kernel, place.scattered(), payloads);
    kernel.write("}");
}

/// Each turn but the first uses what the turn before assigned.
void use_previous(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const int most = place.most_turns(9, 200);
    const std::vector<Payload> payloads = declare_payloads(kernel);
    kernel.write("for (u32 $1 = 0; $1 < $3; ++$1) {\nconst u32 $2 = $u ^ $1;\nif ($1 > 0) {",
                 {turn.i, turn.current, turns(kernel, Same::thread, most)});
    {
        const Scope scope(kernel);
        declare_turn(kernel, turn);
        absorb_payloads(kernel, place.scattered(), payloads);
        kernel.write("}");
        write_between(kernel, place.scattered(most));
        if (kernel.random.percent(50))
            kernel.write("if ($1 == 0 || $b) {", {turn.i});
        else
            kernel.write("{");
        assign_payloads(kernel, payloads, turn.current);
        kernel.write("}\n}");
    }
    absorb_payloads(kernel, place, payloads);
}

/// Every way through the loop's body assigns, each in a place of its own.
void assign_on_all_ways(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const int most = place.most_turns(9, 200);
    const std::vector<Payload> payloads = declare_payloads(kernel);
    const std::string over = kernel.fresh("over");
    kernel.write("u32 $1 = 0, $2 = $u;\ndo {\n$2 = $2 * $k + $1;", {turn.i, turn.current});
    {
        const Scope scope(kernel);
        declare_turn(kernel, turn);
        kernel.write("if ($b) {");
        assign_payloads(kernel, payloads, turn.current);
        kernel.write(kernel.random.percent(30) ? fill("goto $1;", {over}) : "");
        kernel.write("} else switch ($u & 3) {\ncase 0:");
        assign_payloads(kernel, payloads, turn.current);
        kernel.write(kernel.random.pick({"break;", "break;", "continue;"}));
        kernel.write("case 2:\n$1 += 3;", {turn.current});
        if (kernel.random.percent(50)) {
            assign_payloads(kernel, payloads, turn.current);
            kernel.write("break;");
        }
        kernel.write("default:");
        assign_payloads(kernel, payloads, turn.current);
        kernel.write("}");
        write_between(kernel, place.scattered(most));
    }
    kernel.write("} while (++$1 < $2);\n$3:;", {turn.i, turns(kernel, Same::thread, most), over});
    absorb_payloads(kernel, place, payloads);
}

/// Assigned in an inner loop, used in the outer one and behind both.
void assign_in_inner_loop(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const int most = place.most_turns(4, 60);
    const std::string j = kernel.fresh("j"), least = kernel.fresh("least");
    const std::vector<Payload> payloads = declare_payloads(kernel);
    kernel.write(
        "for (u32 $1 = 0; $1 < $2; ++$1) {\nu32 $3 = 0x80000000;\nfor (u32 $4 = 0; $4 < $5; ++$4) "
        "{",
        {turn.i, turns(kernel, Same::thread, most), least, j, turns(kernel, Same::thread, most)});
    {
        const Scope scope(kernel);
        kernel.declare_constant(turn.i, Type::u32, Same::thread);
        kernel.declare_constant(j, Type::u32, Same::thread);
        kernel.write("const u32 $1 = (in[($u + $2 * 37 + $3) & 1023] ^ $u) >> 1;",
                     {turn.current, turn.i, j});
        kernel.declare_constant(turn.current, Type::u32, Same::thread);
        kernel.write("if ($1 < $2) {\n$2 = $1;", {turn.current, least});
        assign_payloads(kernel, payloads, turn.current);
        kernel.write(kernel.random.percent(30) ? "}\nif ($b) break;\n}" : "}\n}");
    }
    absorb_payloads(kernel, place.scattered(), payloads);
    kernel.write("}");
    absorb_payloads(kernel, place, payloads);
}

/// The upper half of the body uses what its lower half assigns, and is entered in between.
void assign_after_entry(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const int most = place.most_turns(9, 200);
    const std::string entry = kernel.fresh("entry");
    const std::vector<Payload> payloads = declare_payloads(kernel);
    kernel.write("u32 $1 = 0, $2 = $u;\ngoto $3;\nfor (; $1 < $4; ++$1) {",
                 {turn.i, turn.current, entry, turns(kernel, Same::thread, most)});
    {
        const Scope scope(kernel);
        declare_turn(kernel, turn);
        absorb_payloads(kernel, place.scattered(), payloads);
        kernel.write("if (!$b) continue;\n$2:\n$1 = $1 * 5 + $u;", {turn.current, entry});
        assign_payloads(kernel, payloads, turn.current);
        kernel.write("}");
    }
    absorb_payloads(kernel, place, payloads);
}

/// The best and the second: a copy of a copy, under a condition.
void find_two(Kernel& kernel, Place& place) {
    const Turn turn = fresh_turn(kernel);
    const std::string best = kernel.fresh("best"), second = kernel.fresh("second"),
                      name = kernel.fresh("name"), other = kernel.fresh("other");
    kernel.write(
        "u32 $1 = 0xffffffffu, $2 = 0xffffffffu, $3;\nu32 $4;\nfor (u32 $5 = 0; $5 < $6 + 1; ++$5) "
        "{",
        {best, second, name, other, turn.i, turns(kernel, Same::thread, place.most_turns(9, 200))});
    {
        const Scope scope(kernel);
        kernel.declare_constant(turn.i, Type::u32, Same::thread);
        kernel.write("const u32 $1 = ($u + $2 * $k) >> 1;", {turn.current, turn.i});
        kernel.declare_constant(turn.current, Type::u32, Same::thread);
        kernel.write(
            "if ($1 < $2) {\n$3 = $2;\nif ($6 > 0) $5 = $4;\n$2 = $1;\n$4 = $6 + $u;\n}\n"
            "else if ($1 < $3) {\n$3 = $1;\n$5 = $6;\n}\n}",
            {turn.current, best, second, name, other, turn.i});
    }
    absorb(kernel, place, name);
    kernel.write("if ($1 != 0xffffffffu) {", {second});
    absorb(kernel, place.scattered(), other);
    kernel.write("}");
}

}  // namespace

std::vector<Construct> late_constructs() {
    return {{Needs::nothing, false, 5, find_least},
            {Needs::nothing, false, 4, find_first},
            {Needs::nothing, false, 3, maybe_found},
            {Needs::nothing, false, 3, use_previous},
            {Needs::nothing, false, 3, assign_on_all_ways},
            {Needs::kernel, false, 3, assign_in_inner_loop},
            {Needs::nothing, false, 2, assign_after_entry},
            {Needs::nothing, false, 2, find_two}};
}

}  // namespace coalesce::campaign
