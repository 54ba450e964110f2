#include "lab/campaign/ptx/ptx_kernels.h"

#include <sstream>

#include "lab/campaign/ptx/body.h"
#include "simulator/code/opcodes.h"

namespace coalesce::campaign {

namespace {

Launch random_launch(Random& random) {
    Launch l;
    l.blocks = random.between(1, kMaxBlocks);
    switch (random.below(6)) {
        case 0: l.threads_x = random.between(1, 31); break;
        case 1: l.threads_x = random.between(33, 130); break;
        case 2:
            l.threads_x = random.between(1, 20);
            l.threads_y = random.between(1, 6);
            l.threads_z = random.pick({1u, 1u, 2u});
            break;
        case 3:
            l.threads_x = random.pick({8u, 16u, 32u});
            l.threads_y = random.pick({2u, 4u});
            break;
        default: l.threads_x = random.pick({32u, 32u, 64u, 64u, 96u, 128u}); break;
    }
    return l;
}

Features random_features(Random& random, const PtxOptions& options) {
    const auto draw_bool = [&](u32 percent) { return random.percent(percent); };
    Features f;
    f.is_portable = options.is_portable;
    f.uses_approximate_instructions = draw_bool(80) && !options.is_portable;
    f.has_shared_tile = draw_bool(50);
    f.is_tile_dynamic = draw_bool(35);
    f.has_own_shared_memory = draw_bool(40);
    f.has_sums_in_shared_memory = draw_bool(20);
    f.uses_named_barriers = draw_bool(15);
    f.uses_mbarriers = draw_bool(12);
    f.uses_async_copies = draw_bool(25);
    f.uses_generic_addresses = draw_bool(20);
    f.uses_strong_accesses = draw_bool(20);
    f.uses_unusual_barriers = draw_bool(25);
    f.uses_local_memory = draw_bool(30);
    f.uses_constant_tables = draw_bool(35);
    f.uses_function_calls = draw_bool(35);
    f.uses_function_pointers = draw_bool(35);
    f.uses_sums = draw_bool(40);
    f.uses_own_atomics = draw_bool(40);
    f.uses_warp_operations = draw_bool(50);
    f.exchanges_through_global_memory = draw_bool(15);
    f.may_threads_leave_early = draw_bool(25);
    return f;
}

BlockLayout random_layout(Random& random) {
    return random.pick({BlockLayout::natural, BlockLayout::natural, BlockLayout::shuffled,
                        BlockLayout::shuffled, BlockLayout::reversed,
                        BlockLayout::neighbours_swapped, BlockLayout::neighbours_swapped});
}

std::string random_initializer_list(Random& random, u32 count) {
    std::string text;
    for (u32 k = 0; k < count; ++k)
        text += (k ? ", " : "") + std::to_string(static_cast<u32>(random.next()));
    return text;
}

}  // namespace

/// Generates the parts of a module in the order in which they appear in the text.
class PtxKernelGenerator {
public:
    PtxKernelGenerator(u64 seed, const PtxOptions& options)
        : random_(seed),
          features_(random_features(random_, options)),
          launch_(random_launch(random_)) {
        has_source_lines_ = random_.percent(60);
        choose_cluster_size();
        if (!features_.has_shared_tile) features_.is_tile_dynamic = false;
        if (features_.is_tile_dynamic)
            launch_.dynamic_shared_bytes = 16 * launch_.threads() + 16 * random_.below(3);
    }

    std::string text() {
        std::string function_texts;
        if (features_.uses_function_calls)
            for (u32 k = random_.between(1, 4); k > 0; --k) function_texts += generate_function(k);
        const std::string kernel_text = generate_kernel();
        std::string text =
            format_launch_line(launch_) + ".version 9.0\n.target sm_90\n.address_size 64\n";
        if (has_source_lines_) text += ".file 1 \"kernel.cu\"\n";
        text +=
            ".const .align 16 .b32 table[64] = {" + random_initializer_list(random_, 64) + "};\n";
        text += ".global .align 16 .b32 variable[64] = {" + random_initializer_list(random_, 64) +
                "};\n";
        if (features_.is_tile_dynamic) text += ".extern .shared .align 16 .b8 tile[];\n";
        return text + function_texts + kernel_text;
    }

private:
    /// Makes some kernels run in clusters, whose size divides the grid.
    void choose_cluster_size() {
        if (!random_.percent(15)) return;
        features_.blocks_per_cluster = random_.pick({2u, 2u, 3u});
        launch_.blocks = features_.blocks_per_cluster *
                         random_.between(1, kMaxBlocks / features_.blocks_per_cluster);
        // A block of a cluster must not read from a block that has ended, so no block may end
        // early.
        features_.may_threads_leave_early = false;
    }

    /// Declares variables of every kind. Some of them are written here, and the others later.
    void declare_initial_variables(PtxBody& body) {
        for (int k = 0; k < kKinds; ++k) {
            const RegisterKind kind = static_cast<RegisterKind>(k);
            for (u32 v = random_.between(2, 5); v > 0; --v) body.make_variable(kind);
        }
        for (u32 k = 0; k < 2; ++k) {
            const Reg a = body.pick_register(RegisterKind::word),
                      b = body.pick_register(RegisterKind::word);
            body.emit_to_pickable_register(RegisterKind::predicate, "setp.lt.s32 $, $, $", {a, b});
            body.emit_to_pickable_register(RegisterKind::half, "cvt.u16.u32 $, $", {a});
            body.emit_to_pickable_register(RegisterKind::wide, "mov.b64 $, {$, $}", {b, a});
        }
        for (int k = 0; k < kKinds; ++k)
            for (Reg v : body.variables_by_kind_[k]) {
                if (random_.percent(50)) continue;
                body.emit("$$, $", {move_instruction(v.kind), v, body.pick_register(v.kind)});
                body.available_registers.add(v);
            }
        for (u32 k = 0; k < 2; ++k)
            body.accumulator_registers.push_back(body.emit_word(static_cast<u32>(random_.next())));
    }

    std::string generate_function(u32 index) {
        Callee callee;
        callee.name = "f" + format_number(index);
        using Form = Callee::Form;
        callee.form = random_.pick({Form::words, Form::words, Form::words, Form::wide, Form::array,
                                    Form::recursive, Form::memory});
        Environment env;
        env.launch = launch_;
        env.features = features_;
        env.features.uses_function_calls = random_.percent(40);
        env.features.uses_function_pointers = false;
        env.features.uses_warp_operations = env.features.uses_own_atomics = false;
        env.callees = callees_;
        env.is_in_kernel = false;
        std::erase_if(env.callees, [](const Callee& c) { return c.form == Form::memory; });
        FunctionText text("F" + format_number(index) + "_", has_source_lines_);
        PtxBody body(random_, text, env);
        body.remaining_statements = random_.between(3, 15);
        const Reg a = body.emit_to_pickable_register(RegisterKind::word, "ld.param.b32 $, [a]");
        env.thread_index = body.emit_to_pickable_register(RegisterKind::word, "mov.u32 $, %tid.x");
        env.block_index = body.emit_to_pickable_register(RegisterKind::word, "mov.u32 $, %ctaid.x");
        body.available_registers.uniform_words.push_back(env.block_index);
        body.available_registers.position_words.push_back(env.thread_index);
        if (callee.form == Form::words || callee.form == Form::recursive) {
            body.emit_to_pickable_register(RegisterKind::word, "ld.param.b32 $, [b]");
        } else if (callee.form == Form::wide) {
            body.emit_to_pickable_register(RegisterKind::wide, "ld.param.b64 $, [b]");
        } else if (callee.form == Form::array) {
            body.emit_to_pickable_register(RegisterKind::word, "ld.param.b32 $, [b+4]");
            body.emit_to_pickable_register(RegisterKind::word, "ld.param.b32 $, [b+12]");
        } else {
            const Reg pointer =
                body.emit_to_new_register(RegisterKind::wide, "ld.param.b64 $, [b]");
            const Reg global_address =
                body.emit_to_new_register(RegisterKind::wide, "cvta.to.global.u64 $, $", {pointer});
            env.own_scratch_address = global_address;
            env.generic_own_scratch_address = pointer;
            env.features.uses_own_atomics = features_.uses_own_atomics;
        }
        declare_initial_variables(body);
        ThreadSet thread_set;
        thread_set.depth = 2;
        thread_set.enclosing_iterations = 8;
        thread_set.is_whole_block = thread_set.is_whole_warp = false;
        if (callee.form == Form::recursive) emit_recursive_call(body, text, callee.name, a);
        body.emit_statements(body.remaining_statements, thread_set);
        if (features_.may_threads_leave_early && random_.percent(50)) {  // an early return
            const Reg p = body.pick_register(RegisterKind::predicate);
            emit_return_value(body, callee.form);
            body.emit("@$ ret", {p});
        }
        body.remaining_statements = 4;
        body.emit_statements(4, thread_set);
        body.fold_random_registers(3);
        emit_return_value(body, callee.form);
        text.end_with_exit("ret");
        const std::string function_head = ".func (" + callee.result_declaration("back") + ") " +
                                          callee.name + "(.param .b32 a, " +
                                          callee.second_parameter_declaration("b") + ")";
        callees_.push_back(callee);
        return (callee.form == Form::recursive ? function_head + ";\n" : "") + function_head +
               "\n{\n" + text.format_text(random_, random_layout(random_)) + "}\n";
    }

    void emit_return_value(PtxBody& body, Callee::Form form) {
        if (form == Callee::Form::wide) {
            const Reg d = body.emit_to_new_register(
                RegisterKind::wide, "mov.b64 $, {$, $}",
                {body.accumulator_registers[0], body.accumulator_registers[1]});
            body.emit("st.param.b64 [back], $", {d});
        } else if (form == Callee::Form::array) {
            body.emit("st.param.b32 [back], $", {body.accumulator_registers[0]});
            body.emit("st.param.b32 [back+4], $", {body.accumulator_registers[1]});
        } else {
            const Reg r = body.emit_to_new_register(
                RegisterKind::word, "xor.b32 $, $, $",
                {body.accumulator_registers[0], body.accumulator_registers[1]});
            body.emit("st.param.b32 [back], $", {r});
        }
    }

    /// Generates a function that calls itself with the level reduced by one, until the level
    /// reaches 0.
    void emit_recursive_call(PtxBody& body, FunctionText& text, const std::string& name,
                             Reg recursion_level) {
        const Reg returned_value = body.emit_to_new_register(RegisterKind::word, "mov.u32 $, 17");
        const Reg p = body.emit_to_new_register(RegisterKind::predicate, "setp.gt.s32 $, $, 0",
                                                {recursion_level});
        const int recursing_block = text.new_block(), after_block = text.new_block();
        text.end_with_branch(p, false, recursing_block, after_block);
        text.begin_block(recursing_block);
        const Reg next_level =
            body.emit_to_new_register(RegisterKind::word, "sub.s32 $, $, 1", {recursion_level});
        body.emit("{ .param .b32 x");
        body.emit(".param .b32 y");
        body.emit(".param .b32 z");
        body.emit("st.param.b32 [x], $", {next_level});
        body.emit("st.param.b32 [y], $", {body.pick_register(RegisterKind::word)});
        body.emit("call (z), $, (x, y)", {name});
        body.emit("ld.param.b32 $, [z]", {returned_value});
        text.append_instruction("}");
        text.end_with_jump(after_block);
        text.begin_block(after_block);
        body.available_registers.add(returned_value);
    }

    // ---- the kernel ----

    std::string generate_kernel() {
        FunctionText text("L", has_source_lines_);
        Environment env;
        env.launch = launch_;
        env.features = features_;
        env.callees = callees_;
        PtxBody body(random_, text, env);
        body.remaining_statements = random_.pick({20u, 40u, 60u, 90u, 140u});
        emit_indices(body, env);
        emit_addresses(body, text, env);
        declare_initial_variables(body);
        emit_memory_initialization(body, text, env);
        body.emit_statements(body.remaining_statements, ThreadSet{});
        emit_kernel_end(body, text, env);
        return ".visible .entry kernel(.param .u64 p_in, .param .u64 p_out, .param .u64 p_sums, "
               ".param .u64 p_scratch, .param .u32 p_seed)\n" +
               format_cluster_directive() + "{\n" + format_declarations() +
               text.format_text(random_, random_layout(random_)) + "}\n";
    }

    std::string format_cluster_directive() const {
        if (features_.blocks_per_cluster == 1) return "";
        return ".explicitcluster\n.reqnctapercluster " +
               format_number(features_.blocks_per_cluster) + ", 1, 1\n";
    }

    std::string format_declarations() const {
        std::string text;
        if (features_.blocks_per_cluster > 1)
            text +=
                "\t.shared .align 16 .b8 handed[" + format_number(4 * launch_.threads()) + "];\n";
        if (features_.has_shared_tile && !features_.is_tile_dynamic)
            text +=
                "\t.shared .align 16 .b8 tile[" + format_number(16 * launch_.threads()) + "];\n";
        if (features_.has_own_shared_memory || features_.uses_async_copies ||
            features_.uses_mbarriers)
            text += "\t.shared .align 16 .b8 own[" + format_number(16 * launch_.threads()) + "];\n";
        if (features_.has_sums_in_shared_memory)
            text += "\t.shared .align 16 .b8 sums_here[128];\n";
        if (features_.uses_mbarriers) text += "\t.shared .align 8 .b64 everybody;\n";
        if (features_.uses_local_memory) text += "\t.local .align 16 .b8 array[64];\n";
        return text;
    }

    void emit_indices(PtxBody& body, Environment& env) {
        const auto emit_special_register = [&](const char* name) {
            return body.emit_to_pickable_register(RegisterKind::word, "mov.u32 $, $", {name});
        };
        const Reg x = emit_special_register("%tid.x");
        env.thread_index = x;
        if (launch_.threads_y > 1 || launch_.threads_z > 1) {
            const Reg y = emit_special_register("%tid.y"), z = emit_special_register("%tid.z");
            const Reg row = body.emit_to_pickable_register(
                RegisterKind::word, "mad.lo.s32 $, $, $, $", {z, launch_.threads_y, y});
            env.thread_index = body.emit_to_pickable_register(
                RegisterKind::word, "mad.lo.s32 $, $, $, $", {row, launch_.threads_x, x});
            body.available_registers.position_words.push_back(y);
        }
        env.block_index = emit_special_register("%ctaid.x");
        const Reg size = emit_special_register("%ntid.x");
        const Reg seed =
            body.emit_to_pickable_register(RegisterKind::word, "ld.param.u32 $, [p_seed]");
        const Reg seed_byte = body.make_register(RegisterKind::word);
        body.emit("ld.param.$ $, [p_seed+$]",
                  {random_.pick({"u8", "s8", "u16", "b8"}), seed_byte, 2 * random_.below(2)});
        for (Reg r : {env.block_index, size, seed, seed_byte})
            body.available_registers.uniform_words.push_back(r);
        body.available_registers.position_words.push_back(x);
        if (!(env.thread_index == x))
            body.available_registers.position_words.push_back(env.thread_index);
    }

    void emit_addresses(PtxBody& body, FunctionText& text, Environment& env) {
        const auto parameter = [&](const char* name) {
            return body.emit_to_new_register(RegisterKind::wide, "ld.param.u64 $, [$]", {name});
        };
        const auto to_global_address = [&](Reg generic_address) {
            return body.emit_to_new_register(RegisterKind::wide, "cvta.to.global.u64 $, $",
                                             {generic_address});
        };
        const auto address_of_element = [&](Reg base, Reg index, u32 bytes) {
            return body.emit_to_new_register(RegisterKind::wide, "mad.wide.u32 $, $, $, $",
                                             {index, bytes, base});
        };
        env.generic_input_address = parameter("p_in");
        env.input_address = to_global_address(*env.generic_input_address);
        env.sums_address = to_global_address(parameter("p_sums"));
        const Reg out = to_global_address(parameter("p_out")),
                  scratch_address = parameter("p_scratch");
        const Reg row = text.make_register_of(RegisterKind::word);
        const Reg linear_thread_index =
            body.emit_to_pickable_register(RegisterKind::word, "mad.lo.s32 $, $, $, $",
                                           {env.block_index, launch_.threads(), env.thread_index});
        // Rows may be assigned to threads in reverse order, or rotated.
        switch (random_.below(3)) {
            case 0: body.emit("mov.b32 $, $", {row, linear_thread_index}); break;
            case 1:
                body.emit("sub.s32 $, $, $",
                          {row, launch_.total_threads() - 1, linear_thread_index});
                break;
            default: {
                const Reg shifted_row =
                    body.emit_to_new_register(RegisterKind::word, "add.s32 $, $, $",
                                              {linear_thread_index, random_.below(20)});
                body.emit("rem.u32 $, $, $", {row, shifted_row, launch_.total_threads()});
            }
        }
        env.interleaved_out_address = address_of_element(out, row, 4);
        const Reg second_half_address = body.emit_to_new_register(
            RegisterKind::wide, "add.s64 $, $, $", {out, 64 * launch_.total_threads()});
        env.own_out_address = address_of_element(second_half_address, linear_thread_index, 64);
        env.generic_own_scratch_address =
            address_of_element(scratch_address, linear_thread_index, kScratchBytesPerThread);
        env.own_scratch_address = to_global_address(*env.generic_own_scratch_address);
        if (features_.exchanges_through_global_memory) {
            const Reg first_thread_index = body.emit_to_new_register(
                RegisterKind::word, "mul.lo.s32 $, $, $", {env.block_index, launch_.threads()});
            env.block_scratch_address = address_of_element(
                to_global_address(scratch_address), first_thread_index, kScratchBytesPerThread);
        }
        if (features_.uses_constant_tables) {
            const bool is_constant_table = random_.percent(50);
            const Reg base = body.emit_to_new_register(RegisterKind::wide, "mov.u64 $, $",
                                                       {is_constant_table ? "table" : "variable"});
            env.generic_table_address = body.emit_to_new_register(
                RegisterKind::wide,
                is_constant_table ? "cvta.const.u64 $, $" : "cvta.global.u64 $, $", {base});
        }
    }

    /// Emits code that initializes shared and local memory, so that every statement may read it.
    void emit_memory_initialization(PtxBody& body, FunctionText& text, Environment& env) {
        const auto n = [&](RegisterKind kind) { return name_of(body.pick_register(kind)); };
        if (features_.uses_local_memory) {
            for (u32 k = 0; k < 4; ++k)
                body.emit("st.local.v4.b32 [array+$], {$, $, $, $}",
                          {16 * k, n(RegisterKind::word), n(RegisterKind::word),
                           n(RegisterKind::word), n(RegisterKind::word)});
            const Reg base = body.emit_to_new_register(RegisterKind::wide, "mov.u64 $, array");
            env.generic_local_address =
                body.emit_to_new_register(RegisterKind::wide, "cvta.local.u64 $, $", {base});
        }
        if (features_.has_own_shared_memory || features_.uses_async_copies ||
            features_.uses_mbarriers) {
            const Reg base = body.emit_to_new_register(RegisterKind::word, "mov.u32 $, own");
            const Reg own_address = body.emit_to_new_register(
                RegisterKind::word, "mad.lo.s32 $, $, 16, $", {env.thread_index, base});
            body.emit("st.shared.v2.b64 [$], {$, $}",
                      {own_address, n(RegisterKind::wide), n(RegisterKind::wide)});
            env.own_shared_address = own_address;
            const Reg own_address_64_bits =
                body.emit_to_new_register(RegisterKind::wide, "cvt.u64.u32 $, $", {own_address});
            env.generic_own_shared_address = body.emit_to_new_register(
                RegisterKind::wide, "cvta.shared.u64 $, $", {own_address_64_bits});
        }
        if (!features_.has_sums_in_shared_memory && !features_.uses_mbarriers) return;
        // The first thread initializes the sums and the barrier that all threads of the block
        // share.
        const Reg p = body.emit_to_new_register(RegisterKind::predicate, "setp.eq.u32 $, $, 0",
                                                {env.thread_index});
        const int initializing_block = text.new_block(), after_block = text.new_block();
        text.end_with_branch(p, false, initializing_block, after_block);
        text.begin_block(initializing_block);
        if (features_.has_sums_in_shared_memory) {
            const Reg zero_register = body.emit_to_new_register(RegisterKind::wide, "mov.u64 $, 0");
            for (u32 k = 0; k < 8; ++k)
                body.emit("st.shared.v2.b64 [sums_here+$], {$, $}",
                          {16 * k, zero_register, zero_register});
        }
        if (features_.uses_mbarriers)
            body.emit("mbarrier.init.shared.b64 [everybody], $", {launch_.threads()});
        text.end_with_jump(after_block);
        text.begin_block(after_block);
        body.emit("bar.sync 0");
    }

    /// Generates the end of the kernel. Some threads may end before the others, but only after they
    /// have stored their values.
    void emit_kernel_end(PtxBody& body, FunctionText& text, Environment& env) {
        emit_stores_of_values(body, env, 0);
        if (features_.may_threads_leave_early) {
            ThreadSet thread_set;
            thread_set.is_whole_block = thread_set.is_whole_warp = false;
            for (u32 k = random_.between(1, 3); k > 0; --k) {
                const std::string guard = (random_.percent(50) ? "@" : "@!") +
                                          name_of(body.pick_register(RegisterKind::predicate));
                body.emit("$$", {guard, random_.percent(50) ? " ret" : " exit"});
                body.remaining_statements = 10;
                body.emit_statements(random_.between(1, 6), thread_set);
            }
            emit_stores_of_values(body, env, 1);
        }
        text.end_with_exit(random_.percent(70) ? "ret" : "exit");
    }

    void emit_stores_of_values(PtxBody& body, Environment& env, u32 stored_pair) {
        const auto store_word = [&](u32 word, Reg value) {
            const u32 offset = 4 * word * launch_.total_threads();
            body.emit("st.global.b32 [$+$], $", {*env.interleaved_out_address, offset, value});
        };
        body.fold_random_registers(random_.between(2, 8));
        store_word(2 * stored_pair, body.accumulator_registers[0]);
        store_word(2 * stored_pair + 1, body.accumulator_registers[1]);
        for (u32 word = 4; word < 16; ++word)
            if (random_.percent(30)) store_word(word, body.pick_register(RegisterKind::word));
    }

    Random random_;
    Features features_;
    Launch launch_;
    bool has_source_lines_ = false;
    std::vector<Callee> callees_;
};

std::string generate_ptx(u64 seed, const PtxOptions& options) {
    return PtxKernelGenerator(seed, options).text();
}

std::vector<std::string> list_opcodes(const std::string& text) {
    std::vector<std::string> opcodes;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word.starts_with("{")) words >> word;
        if (word.starts_with("@")) words >> word;
        if (!word.empty() && word.back() == ';') word.pop_back();
        if (simulator::find_opcode(word.substr(0, word.find('.')))) opcodes.push_back(word);
    }
    return opcodes;
}

}  // namespace coalesce::campaign
