// Generates branches, loops, graphs of blocks, and calls.
#include <algorithm>

#include "lab/campaign/ptx/body.h"

namespace coalesce::campaign {

/// The maximum number of times that a statement may be executed, counted over all enclosing loops.
constexpr u32 kMaxIterations = 40;
constexpr u32 kMaxDepth = 4;

void PtxBody::emit_statements(u32 count, ThreadSet thread_set) {
    for (u32 k = 0; k < count; ++k) emit_statement(thread_set);
}

void PtxBody::emit_statement(const ThreadSet& thread_set) {
    if (remaining_statements == 0) return;
    --remaining_statements;
    const Features& f = environment_.features;
    if (random_.percent(10) && emit_control_flow(thread_set)) return;
    if (thread_set.is_lane_mask_known() && f.uses_warp_operations && random_.percent(8))
        return emit_lane_exchange(thread_set);
    if (thread_set.is_whole_block && random_.percent(10)) {
        if (f.has_shared_tile && random_.percent(60)) return emit_tile_exchange(thread_set);
        if (f.uses_named_barriers && f.has_shared_tile && random_.percent(40))
            return emit_named_barriers();
        if (f.uses_mbarriers && random_.percent(50)) return emit_block_mbarrier();
        if (f.blocks_per_cluster > 1 && thread_set.depth == 0 && random_.percent(50))
            return emit_cluster_exchange();
        if (f.exchanges_through_global_memory && random_.percent(30)) return emit_global_exchange();
        if (f.has_sums_in_shared_memory && random_.percent(30)) return emit_shared_sums_read();
    }
    const u32 statement_choice = random_.below(100);
    if (statement_choice < 42) return emit_lane_instruction();
    if (statement_choice < 47) return emit_uniform_values(random_.between(1, 3));
    if (statement_choice < 51 && !available_registers.position_words.empty())
        return emit_position_values(random_.between(1, 3));
    if (statement_choice < 57) return emit_copies();
    if (statement_choice < 62) return fold_random_registers(1);
    if (statement_choice < 64) return emit_carry_chain();
    if (statement_choice < 67) return emit_writes_with_opposite_guards();
    if (statement_choice < 70) return emit_guarded_write_or_read();
    if (statement_choice < 72) return emit_pack_and_unpack();
    if (statement_choice < 75) return emit_special_register_read();
    if (statement_choice < 80 && environment_.input_address) return emit_input_load();
    if (statement_choice < 86 && (environment_.own_out_address || environment_.own_scratch_address))
        return emit_own_memory_access();
    if (statement_choice < 88 && f.uses_constant_tables) return emit_table_read();
    if (statement_choice < 90 && f.has_own_shared_memory && environment_.own_shared_address)
        return emit_own_shared_access();
    if (statement_choice < 92 && available_registers.written_tile_bytes) return emit_tile_read();
    if (statement_choice < 93 && environment_.sums_address) return emit_atomics_on_sums();
    if (statement_choice < 96 && f.uses_own_atomics) return emit_own_atomics();
    if (statement_choice == 96 && environment_.input_address) return emit_cache_hints();
    if (statement_choice == 97 && f.uses_async_copies && environment_.own_shared_address)
        return emit_async_copy();
    if (statement_choice == 98 && f.uses_mbarriers && environment_.own_shared_address)
        return emit_own_mbarrier();
    if (f.uses_function_calls && !environment_.callees.empty() && random_.percent(70))
        return emit_call();
    emit_lane_instruction();
}

bool PtxBody::emit_control_flow(const ThreadSet& thread_set) {
    if (thread_set.depth >= kMaxDepth) return false;
    const u32 construct_choice = random_.below(100);
    const bool may_loop = thread_set.enclosing_iterations * 4 <= kMaxIterations;
    if (construct_choice < 30) {
        emit_branch(thread_set);
    } else if (construct_choice < 38) {
        emit_switch(thread_set);
    } else if (construct_choice < 46 && thread_set.is_lane_mask_known() &&
               environment_.features.uses_warp_operations) {
        emit_branch_with_known_lanes(thread_set);
    } else if (construct_choice < 54 && thread_set.is_lane_mask_known() &&
               environment_.features.uses_warp_operations && may_loop) {
        emit_loop_with_known_lanes(thread_set);
    } else if (construct_choice < 74 && may_loop) {
        emit_loop(thread_set);
    } else if (construct_choice < 78 && may_loop) {
        emit_assignment_in_last_iteration(thread_set);
    } else if (may_loop) {
        emit_block_graph(thread_set);
    } else {
        return false;
    }
    return true;
}

/// Returns the set of threads inside a branch or loop. `is_uniform` says whether the condition is
/// the same for all threads.
ThreadSet PtxBody::nested_thread_set(const ThreadSet& thread_set, bool is_uniform) const {
    if (!is_uniform) return thread_set.after_divergence();
    ThreadSet w = thread_set;
    ++w.depth;
    return w;
}

// ---- branches ----

void PtxBody::emit_branch(const ThreadSet& thread_set) {
    const bool is_uniform = thread_set.is_lane_mask_known() && random_.percent(50);
    const Reg p = random_predicate(is_uniform);
    const bool has_else = random_.percent(60);
    const int then_block = text_.new_block(), else_block = has_else ? text_.new_block() : -1,
              after_block = text_.new_block();
    const AvailableRegisters registers_before = available_registers;
    text_.end_with_branch(p, random_.percent(50), then_block, has_else ? else_block : after_block);
    text_.begin_block(then_block);
    emit_statements(random_.between(1, 6), nested_thread_set(thread_set, is_uniform));
    text_.end_with_jump(after_block);
    if (has_else) {
        AvailableRegisters registers_after_then = std::move(available_registers);
        available_registers = registers_before;
        text_.begin_block(else_block);
        emit_statements(random_.between(1, 6), nested_thread_set(thread_set, is_uniform));
        text_.end_with_jump(after_block);
        available_registers.intersect(registers_after_then);
    } else {
        available_registers.intersect(registers_before);
    }
    text_.begin_block(after_block);
}

/// Generates a branch on a predicate p. Inside the branch, the generator knows the mask of the
/// lanes for which p is true.
void PtxBody::emit_branch_with_known_lanes(const ThreadSet& thread_set) {
    const Reg p = random_predicate(false), lane_mask = make_register(RegisterKind::word);
    emit("vote.sync.ballot.b32 $, $, $", {lane_mask, p, format_lane_mask(thread_set)});
    const int then_block = text_.new_block(), after_block = text_.new_block();
    const AvailableRegisters registers_before = available_registers;
    text_.end_with_branch(p, false, then_block, after_block);
    text_.begin_block(then_block);
    ThreadSet w = thread_set.after_divergence();
    w.lane_mask_register = lane_mask;
    emit_lane_exchange(w);
    emit_statements(random_.between(1, 5), w);
    text_.end_with_jump(after_block);
    available_registers.intersect(registers_before);
    text_.begin_block(after_block);
}

/// Generates a switch.
void PtxBody::emit_switch(const ThreadSet& thread_set) {
    const bool is_uniform = thread_set.is_lane_mask_known() && random_.percent(30);
    const u32 cases = random_.pick({2u, 4u, 4u, 8u});
    const Reg case_index = emit_to_new_register(
        RegisterKind::word, "and.b32 $, $, $",
        {is_uniform ? pick_uniform_register() : pick_register(RegisterKind::word), cases - 1});
    const int after_block = text_.new_block();
    std::vector<int> case_blocks, target_blocks;
    for (u32 k = random_.between(1, std::min(cases, 4u)); k > 0; --k)
        case_blocks.push_back(text_.new_block());
    for (u32 k = 0; k < cases; ++k)
        target_blocks.push_back(random_.percent(15) ? after_block : random_.pick(case_blocks));
    text_.end_with_indexed_jump(case_index, target_blocks);
    const AvailableRegisters registers_before = available_registers;
    AvailableRegisters registers_after = available_registers;
    const bool do_cases_fall_through =
        random_.percent(30);  // whether cases fall through to the next
    for (std::size_t k = 0; k < case_blocks.size(); ++k) {
        available_registers = registers_before;
        text_.begin_block(case_blocks[k]);
        emit_statements(random_.between(1, 4), do_cases_fall_through
                                                   ? thread_set.after_divergence()
                                                   : nested_thread_set(thread_set, is_uniform));
        const bool is_last_case = k + 1 == case_blocks.size();
        text_.end_with_jump(do_cases_fall_through && !is_last_case ? case_blocks[k + 1]
                                                                   : after_block);
        if (!do_cases_fall_through || is_last_case) registers_after.intersect(available_registers);
    }
    available_registers = registers_after;
    text_.begin_block(after_block);
}

// ---- loops ----

/// Sets `iterations_register` to `max_iterations` or, if `is_count_random`, to a random number from
/// 1 to 4 (1 to 2 if `max_iterations` is below 3). Unless `is_uniform` is true, each thread gets a
/// number of its own.
void PtxBody::emit_iteration_count(Reg iterations_register, u32 max_iterations,
                                   bool is_count_random, bool is_uniform) {
    if (!is_count_random) return emit("mov.u32 $, $", {iterations_register, max_iterations});
    const u32 random_bits_mask = max_iterations >= 3 ? 3 : 1;
    const Reg low_bits = emit_to_new_register(
        RegisterKind::word, "and.b32 $, $, $",
        {is_uniform ? pick_uniform_register() : pick_register(RegisterKind::word),
         random_bits_mask});
    emit("add.s32 $, $, 1", {iterations_register, low_bits});
}

void PtxBody::emit_loop(const ThreadSet& thread_set) {
    const bool is_uniform = thread_set.is_lane_mask_known() && random_.percent(55);
    const Reg iterations_register = text_.make_register_of(RegisterKind::word),
              p = text_.make_register_of(RegisterKind::predicate);
    const u32 max_iterations = random_.pick({1u, 2u, 3u, 3u, 4u});
    const bool is_count_random = random_.percent(60);
    emit_iteration_count(iterations_register, max_iterations, is_count_random, is_uniform);
    ThreadSet w = nested_thread_set(thread_set, is_uniform);
    if (!is_uniform && !is_count_random && thread_set.is_lane_mask_known() && random_.percent(50))
        w = nested_thread_set(thread_set, true);
    w.enclosing_iterations *= is_count_random ? 3 : max_iterations;
    available_registers.add(iterations_register);
    if (is_uniform) available_registers.uniform_words.push_back(iterations_register);

    const int body_block = text_.new_block(), after_block = text_.new_block();
    const auto emit_count_down_and_test = [&] {
        emit("add.s32 $, $, -1", {iterations_register, iterations_register});
        emit("setp.gt.s32 $, $, 0", {p, iterations_register});
    };
    switch (random_.below(3)) {
        case 0:  // the test comes after the body
            text_.end_with_jump(body_block);
            text_.begin_block(body_block);
            emit_statements(random_.between(1, 8), w);
            emit_count_down_and_test();
            text_.end_with_branch(p, false, body_block, after_block);
            break;
        case 1: {  // test before the first iteration, so the body may not run at all
            const int test_block = text_.new_block();
            if (random_.percent(30))
                emit("add.s32 $, $, -1", {iterations_register, iterations_register});
            text_.end_with_jump(test_block);
            text_.begin_block(test_block);
            emit("setp.gt.s32 $, $, 0", {p, iterations_register});
            text_.end_with_branch(p, false, body_block, after_block);
            const AvailableRegisters registers_at_test = available_registers;
            text_.begin_block(body_block);
            emit_statements(random_.between(1, 8), w);
            emit("add.s32 $, $, -1", {iterations_register, iterations_register});
            text_.end_with_jump(test_block);
            available_registers = registers_at_test;
            break;
        }
        default: {  // the loop is entered in its middle
            const int rest_of_body_block = text_.new_block();
            text_.end_with_jump(body_block);
            text_.begin_block(body_block);
            emit_statements(random_.between(1, 5), w);
            emit_count_down_and_test();
            text_.end_with_branch(p, false, rest_of_body_block, after_block);
            const AvailableRegisters at_test = available_registers;
            text_.begin_block(rest_of_body_block);
            emit_statements(random_.between(1, 5), w);
            text_.end_with_jump(body_block);
            available_registers = at_test;
        }
    }
    std::erase(available_registers.uniform_words, iterations_register);
    text_.begin_block(after_block);
}

/// Generates a loop that lanes leave at different iterations. The generator knows the mask of the
/// remaining lanes.
void PtxBody::emit_loop_with_known_lanes(const ThreadSet& thread_set) {
    const Reg iterations_register = emit_to_new_register(RegisterKind::word, "and.b32 $, $, 3",
                                                         {pick_register(RegisterKind::word)});
    const Reg remaining_lanes =
        emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {format_lane_mask(thread_set)});
    const int test_block = text_.new_block(), body_block = text_.new_block(),
              after_block = text_.new_block();
    text_.end_with_jump(test_block);
    text_.begin_block(test_block);
    const Reg p =
        emit_to_new_register(RegisterKind::predicate, "setp.gt.s32 $, $, 0", {iterations_register});
    const Reg mask = emit_to_new_register(RegisterKind::word, "vote.sync.ballot.b32 $, $, $",
                                          {p, remaining_lanes});
    emit("mov.b32 $, $", {remaining_lanes, mask});
    text_.end_with_branch(p, false, body_block, after_block);
    const AvailableRegisters at_test = available_registers;
    text_.begin_block(body_block);
    ThreadSet w = thread_set.after_divergence();
    w.lane_mask_register = remaining_lanes;
    w.enclosing_iterations *= 2;
    emit_lane_exchange(w);
    emit_statements(random_.between(1, 5), w);
    emit("add.s32 $, $, -1", {iterations_register, iterations_register});
    text_.end_with_jump(test_block);
    available_registers = at_test;
    text_.begin_block(after_block);
}

/// Generates a search loop. Some iterations copy a value, and the last copy, if there is one, is
/// used after the loop. The original value may have been overwritten by then.
void PtxBody::emit_assignment_in_last_iteration(const ThreadSet& thread_set) {
    const RegisterKind kind =
        random_.pick({RegisterKind::half, RegisterKind::word, RegisterKind::wide});
    const std::string bits = bits_of(kind);
    const Reg value = text_.make_register_of(kind), copied_value = text_.make_register_of(kind);
    const Reg has_copied = text_.make_register_of(RegisterKind::predicate);
    const Reg iterations_register =
        emit_to_new_register(RegisterKind::word, "mov.u32 $, $", {random_.between(2, 5)});
    emit_late("setp.lt.u32 $, $, 0", {has_copied, iterations_register});
    const int body_block = text_.new_block(), copying_block = text_.new_block(),
              next_iteration_block = text_.new_block(), after_block = text_.new_block();
    const AvailableRegisters registers_before = available_registers;
    text_.end_with_jump(body_block);
    text_.begin_block(body_block);
    ThreadSet w = thread_set.after_divergence();
    w.enclosing_iterations *= 5;
    emit_statements(random_.between(0, 2), w);
    const std::string iteration_register_name = name_of(iterations_register),
                      word = name_of(pick_register(RegisterKind::word));
    if (kind == RegisterKind::half)
        emit("cvt.u16.u32 $, $", {value, iteration_register_name});
    else if (kind == RegisterKind::wide)
        emit("mad.wide.u32 $, $, $, $",
             {value, iteration_register_name, word, pick_register(kind)});
    else
        emit("mad.lo.s32 $, $, 0x01000193, $", {value, iteration_register_name, word});
    const Reg masked_count =
        emit_to_new_register(RegisterKind::word, "add.s32 $, $, $",
                             {available_registers.position_words.back(), iteration_register_name});
    emit("and.b32 $, $, $", {masked_count, masked_count, random_.pick({1u, 2u, 3u})});
    const Reg is_copied_predicate =
        emit_to_new_register(RegisterKind::predicate, "setp.eq.s32 $, $, 0", {masked_count});
    text_.end_with_branch(is_copied_predicate, false, copying_block, next_iteration_block);
    text_.begin_block(copying_block);
    emit_late("mov.b$$, $", {bits, copied_value, value});
    emit_late("setp.ge.u32 $, $, 0", {has_copied, iterations_register});
    text_.end_with_jump(next_iteration_block);
    text_.begin_block(next_iteration_block);
    emit("add.s32 $, $, -1", {iterations_register, iterations_register});
    const Reg has_more_predicate =
        emit_to_new_register(RegisterKind::predicate, "setp.gt.s32 $, $, 0", {iterations_register});
    text_.end_with_branch(has_more_predicate, false, body_block, after_block);
    available_registers = registers_before;
    text_.begin_block(after_block);
    if (const std::optional<Reg> to = pick_existing_variable(kind))
        emit_late("@$ add.s$$, $, $", {has_copied, bits, *to, copied_value, *to});
}

// ---- calls ----

std::string Callee::second_parameter_declaration(const std::string& parameter_name) const {
    const bool is_wide = form == Form::wide || form == Form::memory;
    if (form == Form::array) return ".param .align 16 .b8 " + parameter_name + "[16]";
    return (is_wide ? ".param .b64 " : ".param .b32 ") + parameter_name;
}

std::string Callee::result_declaration(const std::string& result_name) const {
    if (form == Form::array) return ".param .align 8 .b8 " + result_name + "[8]";
    return (form == Form::wide ? ".param .b64 " : ".param .b32 ") + result_name;
}

void PtxBody::emit_call() {
    if (environment_.features.uses_function_pointers && random_.percent(40))
        return emit_indirect_call();
    const Callee& callee = random_.pick(environment_.callees);
    emit_call_to(callee.name, callee.form, false);
}

/// Generates a call to a function, either by name or through a register that contains its address.
void PtxBody::emit_call_to(const std::string& target_function, Callee::Form form,
                           bool is_called_by_pointer) {
    using Form = Callee::Form;
    const Callee callee{.form = form};
    const std::string id = format_number(call_count_++);
    const std::string a = "arg_a" + id, b = "arg_b" + id, result_name = "back" + id;
    emit("{ .param .b32 $", {a});
    emit(callee.second_parameter_declaration(b));
    emit(callee.result_declaration(result_name));
    Reg first_argument = pick_register(RegisterKind::word);
    // The first parameter of a recursive function is the depth of the recursion.
    if (form == Form::recursive)
        first_argument =
            emit_to_new_register(RegisterKind::word, "and.b32 $, $, 3", {first_argument});
    emit("st.param.b32 [$], $", {a, first_argument});
    switch (form) {
        case Form::words:
        case Form::recursive:
            emit("st.param.b32 [$], $", {b, pick_register(RegisterKind::word)});
            break;
        case Form::wide: emit("st.param.b64 [$], $", {b, pick_register(RegisterKind::wide)}); break;
        case Form::array:
            if (random_.percent(50))
                emit("st.param.v4.b32 [$], $",
                     {b, pick_register_list(RegisterKind::word, 4, false)});
            else
                for (u32 k = 0; k < 2; ++k)
                    emit("st.param.b64 [$+$], $", {b, 8 * k, pick_register(RegisterKind::wide)});
            break;
        case Form::memory:
            emit("st.param.b64 [$], $", {b, *environment_.generic_own_scratch_address});
            break;
    }
    const std::string prototype_label = is_called_by_pointer ? "proto" + id : "";
    if (is_called_by_pointer)
        emit("$: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _)",
             {prototype_label});
    emit("call ($), $, ($, $)$",
         {result_name, target_function, a, b, is_called_by_pointer ? ", " + prototype_label : ""});
    if (form == Form::wide)
        emit("ld.param.b64 $, [$]", {pick_destination(RegisterKind::wide), result_name});
    else if (form == Form::array)
        emit("ld.param.v2.b32 $, [$]",
             {pick_register_list(RegisterKind::word, 2, true), result_name});
    else
        emit("ld.param.b32 $, [$]", {pick_destination(RegisterKind::word), result_name});
    text_.append_instruction("}");
}

/// Generates a call through a pointer to one of the functions that take words. Lanes may call
/// different functions.
void PtxBody::emit_indirect_call() {
    std::vector<std::string> function_names;
    for (const Callee& c : environment_.callees)
        if (c.form == Callee::Form::words) function_names.push_back(c.name);
    if (function_names.size() < 2) return;
    const Reg first_address =
        emit_to_new_register(RegisterKind::wide, "mov.u64 $, $", {function_names[0]});
    const Reg second_address =
        emit_to_new_register(RegisterKind::wide, "mov.u64 $, $", {function_names[1]});
    const Reg pointer = emit_to_new_register(
        RegisterKind::wide, "selp.b64 $, $, $, $",
        {first_address, second_address, pick_register(RegisterKind::predicate)});
    emit_call_to(name_of(pointer), Callee::Form::words, true);
}

}  // namespace coalesce::campaign
