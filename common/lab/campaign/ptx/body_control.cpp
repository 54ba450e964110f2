// Generates branches, loops, graphs of blocks, and calls.
#include <algorithm>

#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

/// The maximum number of times that a statement may be executed, counted over all enclosing loops.
constexpr u32 kMaxIterations = 40;
constexpr u32 kMaxDepth = 4;

void PtxBody::statements(u32 count, ThreadSet where) {
    for (u32 k = 0; k < count; ++k) statement(where);
}

void PtxBody::statement(const ThreadSet& where) {
    if (budget == 0) return;
    --budget;
    const Features& f = env_.features;
    if (random_.percent(10) && emit_control_flow(where)) return;
    if (where.knows_members() && f.warp_ops && random_.percent(8))
        return exchange_between_lanes(where);
    if (where.whole_block && random_.percent(10)) {
        if (f.tile && random_.percent(60)) return emit_tile_exchange(where);
        if (f.named_barriers && f.tile && random_.percent(40)) return named_barriers();
        if (f.mbarriers && random_.percent(50)) return emit_block_mbarrier();
        if (f.cluster > 1 && where.depth == 0 && random_.percent(50)) return cluster_exchange();
        if (f.global_exchange && random_.percent(30)) return global_exchange();
        if (f.shared_sums && random_.percent(30)) return read_shared_sums();
    }
    const u32 what = random_.below(100);
    if (what < 42) return lane_instruction();
    if (what < 47) return uniform_values(random_.between(1, 3));
    if (what < 51 && !available_registers.position.empty())
        return position_values(random_.between(1, 3));
    if (what < 57) return emit_copies();
    if (what < 62) return fold_random_registers(1);
    if (what < 64) return carry_chain();
    if (what < 67) return write_with_opposite_guards();
    if (what < 70) return emit_guarded_write_or_read();
    if (what < 72) return pack_and_unpack();
    if (what < 75) return emit_special_register_read();
    if (what < 80 && env_.in) return load_input();
    if (what < 86 && (env_.out_own || env_.scratch)) return emit_own_memory_access();
    if (what < 88 && f.constants) return emit_table_read();
    if (what < 90 && f.own_shared && env_.own_shared) return emit_own_shared_access();
    if (what < 92 && available_registers.tile_bytes) return read_tile();
    if (what < 93 && env_.sums) return sums();
    if (what < 96 && f.own_atomics) return own_atomics();
    if (what == 96 && env_.in) return cache_hints();
    if (what == 97 && f.async_copies && env_.own_shared) return async_copy();
    if (what == 98 && f.mbarriers && env_.own_shared) return emit_own_mbarrier();
    if (f.calls && !env_.callees.empty() && random_.percent(70)) return call();
    lane_instruction();
}

bool PtxBody::emit_control_flow(const ThreadSet& where) {
    if (where.depth >= kMaxDepth) return false;
    const u32 what = random_.below(100);
    const bool may_loop = where.turns * 4 <= kMaxIterations;
    if (what < 30) {
        branch(where);
    } else if (what < 38) {
        emit_switch(where);
    } else if (what < 46 && where.knows_members() && env_.features.warp_ops) {
        branch_with_members(where);
    } else if (what < 54 && where.knows_members() && env_.features.warp_ops && may_loop) {
        loop_with_members(where);
    } else if (what < 74 && may_loop) {
        loop(where);
    } else if (what < 78 && may_loop) {
        assign_in_last_iteration(where);
    } else if (may_loop) {
        emit_block_graph(where);
    } else {
        return false;
    }
    return true;
}

/// Returns the set of threads inside a branch or loop. `uniform` says whether the condition is the
/// same for all threads.
ThreadSet PtxBody::nested_set(const ThreadSet& where, bool uniform) const {
    if (!uniform) return where.after_divergence();
    ThreadSet w = where;
    ++w.depth;
    return w;
}

// ---- branches ----

void PtxBody::branch(const ThreadSet& where) {
    const bool uniform = where.knows_members() && random_.percent(50);
    const Reg p = random_predicate(uniform);
    const bool has_else = random_.percent(60);
    const int yes = text_.new_block(), no = has_else ? text_.new_block() : -1,
              after = text_.new_block();
    const AvailableRegisters before = available_registers;
    text_.branch(p, random_.percent(50), yes, has_else ? no : after);
    text_.begin(yes);
    statements(random_.between(1, 6), nested_set(where, uniform));
    text_.jump(after);
    if (has_else) {
        AvailableRegisters first = std::move(available_registers);
        available_registers = before;
        text_.begin(no);
        statements(random_.between(1, 6), nested_set(where, uniform));
        text_.jump(after);
        available_registers.intersect(first);
    } else {
        available_registers.intersect(before);
    }
    text_.begin(after);
}

/// Generates a branch on a predicate p. Inside the branch, the generator knows the mask of the
/// lanes for which p is true.
void PtxBody::branch_with_members(const ThreadSet& where) {
    const Reg p = random_predicate(false), mask = make_register(RegisterKind::word);
    emit("vote.sync.ballot.b32 $, $, $", {mask, p, lane_mask(where)});
    const int yes = text_.new_block(), after = text_.new_block();
    const AvailableRegisters before = available_registers;
    text_.branch(p, false, yes, after);
    text_.begin(yes);
    ThreadSet w = where.after_divergence();
    w.members = mask;
    exchange_between_lanes(w);
    statements(random_.between(1, 5), w);
    text_.jump(after);
    available_registers.intersect(before);
    text_.begin(after);
}

/// Generates a switch.
void PtxBody::emit_switch(const ThreadSet& where) {
    const bool uniform = where.knows_members() && random_.percent(30);
    const u32 cases = random_.pick({2u, 4u, 4u, 8u});
    const Reg index = emit_to_new_register(
        RegisterKind::word, "and.b32 $, $, $",
        {uniform ? pick_uniform_register() : pick_register(RegisterKind::word), cases - 1});
    const int after = text_.new_block();
    std::vector<int> blocks, targets;
    for (u32 k = random_.between(1, std::min(cases, 4u)); k > 0; --k)
        blocks.push_back(text_.new_block());
    for (u32 k = 0; k < cases; ++k)
        targets.push_back(random_.percent(15) ? after : random_.pick(blocks));
    text_.jump_by_index(index, targets);
    const AvailableRegisters before = available_registers;
    AvailableRegisters behind = available_registers;
    const bool falls_through = random_.percent(30);  // whether cases fall through to the next
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        available_registers = before;
        text_.begin(blocks[k]);
        statements(random_.between(1, 4),
                   falls_through ? where.after_divergence() : nested_set(where, uniform));
        const bool last = k + 1 == blocks.size();
        text_.jump(falls_through && !last ? blocks[k + 1] : after);
        if (!falls_through || last) behind.intersect(available_registers);
    }
    available_registers = behind;
    text_.begin(after);
}

// ---- loops ----

/// Sets `turns` to `most` or, if `varies`, to a random number from 1 to 4 (1 to 2 if `most` is
/// below 3). Unless `uniform` is true, each thread gets a number of its own.
void PtxBody::set_iterations(Reg turns, u32 most, bool varies, bool uniform) {
    if (!varies) return emit("mov.u32 $, $", {turns, most});
    const u32 mask = most >= 3 ? 3 : 1;
    const Reg low = emit_to_new_register(
        RegisterKind::word, "and.b32 $, $, $",
        {uniform ? pick_uniform_register() : pick_register(RegisterKind::word), mask});
    emit("add.s32 $, $, 1", {turns, low});
}

void PtxBody::loop(const ThreadSet& where) {
    const bool uniform = where.knows_members() && random_.percent(55);
    const Reg turns = text_.make(RegisterKind::word), p = text_.make(RegisterKind::predicate);
    const u32 most = random_.pick({1u, 2u, 3u, 3u, 4u});
    const bool varies = random_.percent(60);
    set_iterations(turns, most, varies, uniform);
    ThreadSet w = nested_set(where, uniform);
    if (!uniform && !varies && where.knows_members() && random_.percent(50))
        w = nested_set(where, true);
    w.turns *= varies ? 3 : most;
    available_registers.add(turns);
    if (uniform) available_registers.uniform.push_back(turns);

    const int body = text_.new_block(), after = text_.new_block();
    const auto count_down = [&] {
        emit("add.s32 $, $, -1", {turns, turns});
        emit("setp.gt.s32 $, $, 0", {p, turns});
    };
    switch (random_.below(3)) {
        case 0:  // the test comes after the body
            text_.jump(body);
            text_.begin(body);
            statements(random_.between(1, 8), w);
            count_down();
            text_.branch(p, false, body, after);
            break;
        case 1: {  // test before the first iteration, so the body may not run at all
            const int test = text_.new_block();
            if (random_.percent(30)) emit("add.s32 $, $, -1", {turns, turns});
            text_.jump(test);
            text_.begin(test);
            emit("setp.gt.s32 $, $, 0", {p, turns});
            text_.branch(p, false, body, after);
            const AvailableRegisters at_test = available_registers;
            text_.begin(body);
            statements(random_.between(1, 8), w);
            emit("add.s32 $, $, -1", {turns, turns});
            text_.jump(test);
            available_registers = at_test;
            break;
        }
        default: {  // the loop is entered in its middle
            const int rest = text_.new_block();
            text_.jump(body);
            text_.begin(body);
            statements(random_.between(1, 5), w);
            count_down();
            text_.branch(p, false, rest, after);
            const AvailableRegisters at_test = available_registers;
            text_.begin(rest);
            statements(random_.between(1, 5), w);
            text_.jump(body);
            available_registers = at_test;
        }
    }
    std::erase(available_registers.uniform, turns);
    text_.begin(after);
}

/// Generates a loop that lanes leave at different iterations. The generator knows the mask of the
/// remaining lanes.
void PtxBody::loop_with_members(const ThreadSet& where) {
    const Reg turns = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 3",
                                           {pick_register(RegisterKind::word)});
    const Reg left = emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {lane_mask(where)});
    const int test = text_.new_block(), body = text_.new_block(), after = text_.new_block();
    text_.jump(test);
    text_.begin(test);
    const Reg p = emit_to_new_register(RegisterKind::predicate, "setp.gt.s32 $, $, 0", {turns});
    const Reg mask =
        emit_to_new_register(RegisterKind::word, "vote.sync.ballot.b32 $, $, $", {p, left});
    emit("mov.b32 $, $", {left, mask});
    text_.branch(p, false, body, after);
    const AvailableRegisters at_test = available_registers;
    text_.begin(body);
    ThreadSet w = where.after_divergence();
    w.members = left;
    w.turns *= 2;
    exchange_between_lanes(w);
    statements(random_.between(1, 5), w);
    emit("add.s32 $, $, -1", {turns, turns});
    text_.jump(test);
    available_registers = at_test;
    text_.begin(after);
}

/// Generates a search loop. Some iterations copy a value, and the last copy, if there is one, is
/// used after the loop. The original value may have been overwritten by then.
void PtxBody::assign_in_last_iteration(const ThreadSet& where) {
    const RegisterKind kind =
        random_.pick({RegisterKind::half, RegisterKind::word, RegisterKind::wide});
    const std::string bits = bits_of(kind);
    const Reg value = text_.make(kind), copy = text_.make(kind);
    const Reg has = text_.make(RegisterKind::predicate);
    const Reg turns =
        emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {random_.between(2, 5)});
    emit_late("setp.lt.u32 $, $, 0", {has, turns});
    const int body = text_.new_block(), takes = text_.new_block(), next = text_.new_block(),
              after = text_.new_block();
    const AvailableRegisters before = available_registers;
    text_.jump(body);
    text_.begin(body);
    ThreadSet w = where.after_divergence();
    w.turns *= 5;
    statements(random_.between(0, 2), w);
    const std::string turn = name_of(turns), word = name_of(pick_register(RegisterKind::word));
    if (kind == RegisterKind::half)
        emit("cvt.u16.u32 $, $", {value, turn});
    else if (kind == RegisterKind::wide)
        emit("mad.wide.u32 $, $, $, $", {value, turn, word, pick_register(kind)});
    else
        emit("mad.lo.s32 $, $, 0x01000193, $", {value, turn, word});
    const Reg bit = emit_to_new_register(RegisterKind::word, "add.s32 $, $, $",
                                         {available_registers.position.back(), turn});
    emit("and.b32 $, $, $", {bit, bit, random_.pick({1u, 2u, 3u})});
    const Reg chosen = emit_to_new_register(RegisterKind::predicate, "setp.eq.s32 $, $, 0", {bit});
    text_.branch(chosen, false, takes, next);
    text_.begin(takes);
    emit_late("mov.b$$, $", {bits, copy, value});
    emit_late("setp.ge.u32 $, $, 0", {has, turns});
    text_.jump(next);
    text_.begin(next);
    emit("add.s32 $, $, -1", {turns, turns});
    const Reg more = emit_to_new_register(RegisterKind::predicate, "setp.gt.s32 $, $, 0", {turns});
    text_.branch(more, false, body, after);
    available_registers = before;
    text_.begin(after);
    if (const std::optional<Reg> to = existing_variable(kind))
        emit_late("@$ add.s$$, $, $", {has, bits, *to, copy, *to});
}

// ---- calls ----

std::string Callee::second_parameter_declaration(const std::string& parameter) const {
    const bool is_wide = form == Form::wide || form == Form::memory;
    if (form == Form::array) return ".param .align 16 .b8 " + parameter + "[16]";
    return (is_wide ? ".param .b64 " : ".param .b32 ") + parameter;
}

std::string Callee::back(const std::string& result) const {
    if (form == Form::array) return ".param .align 8 .b8 " + result + "[8]";
    return (form == Form::wide ? ".param .b64 " : ".param .b32 ") + result;
}

void PtxBody::call() {
    if (env_.features.pointers && random_.percent(40)) return indirect_call();
    const Callee& callee = random_.pick(env_.callees);
    emit_call_to(callee.name, callee.form, false);
}

/// Generates a call to a function, either by name or through a register that contains its address.
void PtxBody::emit_call_to(const std::string& target, Callee::Form form, bool by_pointer) {
    using Form = Callee::Form;
    const Callee callee{.form = form};
    const std::string id = number(params_made_++);
    const std::string a = "arg_a" + id, b = "arg_b" + id, back = "back" + id;
    emit("{ .param .b32 $", {a});
    emit(callee.second_parameter_declaration(b));
    emit(callee.back(back));
    Reg first = pick_register(RegisterKind::word);
    // The first parameter of a recursive function is the depth of the recursion.
    if (form == Form::recursive)
        first = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 3", {first});
    emit("st.param.b32 [$], $", {a, first});
    switch (form) {
        case Form::words:
        case Form::recursive:
            emit("st.param.b32 [$], $", {b, pick_register(RegisterKind::word)});
            break;
        case Form::wide: emit("st.param.b64 [$], $", {b, pick_register(RegisterKind::wide)}); break;
        case Form::array:
            if (random_.percent(50))
                emit("st.param.v4.b32 [$], $", {b, register_list(RegisterKind::word, 4, false)});
            else
                for (u32 k = 0; k < 2; ++k)
                    emit("st.param.b64 [$+$], $", {b, 8 * k, pick_register(RegisterKind::wide)});
            break;
        case Form::memory: emit("st.param.b64 [$], $", {b, *env_.scratch_generic}); break;
    }
    const std::string prototype = by_pointer ? "proto" + id : "";
    if (by_pointer)
        emit("$: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _)", {prototype});
    emit("call ($), $, ($, $)$", {back, target, a, b, by_pointer ? ", " + prototype : ""});
    if (form == Form::wide)
        emit("ld.param.b64 $, [$]", {pick_destination(RegisterKind::wide), back});
    else if (form == Form::array)
        emit("ld.param.v2.b32 $, [$]", {register_list(RegisterKind::word, 2, true), back});
    else
        emit("ld.param.b32 $, [$]", {pick_destination(RegisterKind::word), back});
    text_.line("}");
}

/// Generates a call through a pointer to one of the functions that take words. Lanes may call
/// different functions.
void PtxBody::indirect_call() {
    std::vector<std::string> names;
    for (const Callee& c : env_.callees)
        if (c.form == Callee::Form::words) names.push_back(c.name);
    if (names.size() < 2) return;
    const Reg first = emit_to_new_register(RegisterKind::wide, "mov.u64 $, $", {names[0]});
    const Reg second = emit_to_new_register(RegisterKind::wide, "mov.u64 $, $", {names[1]});
    const Reg pointer =
        emit_to_new_register(RegisterKind::wide, "selp.b64 $, $, $, $",
                             {first, second, pick_register(RegisterKind::predicate)});
    emit_call_to(name_of(pointer), Callee::Form::words, true);
}

}  // namespace coalesce::campaign
