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
    const auto chance = [&](u32 percent) { return random.percent(percent); };
    Features f;
    f.is_portable = options.is_portable;
    f.approximations = chance(80) && !options.is_portable;
    f.tile = chance(50);
    f.dynamic_tile = chance(35);
    f.own_shared = chance(40);
    f.shared_sums = chance(20);
    f.named_barriers = chance(15);
    f.mbarriers = chance(12);
    f.async_copies = chance(25);
    f.generic = chance(20);
    f.strong = chance(20);
    f.odd_barriers = chance(25);
    f.local = chance(30);
    f.constants = chance(35);
    f.calls = chance(35);
    f.pointers = chance(35);
    f.sums = chance(40);
    f.own_atomics = chance(40);
    f.warp_ops = chance(50);
    f.global_exchange = chance(15);
    f.may_leave = chance(25);
    return f;
}

BlockLayout random_layout(Random& random) {
    return random.pick({BlockLayout::natural, BlockLayout::natural, BlockLayout::shuffled,
                        BlockLayout::shuffled, BlockLayout::reversed,
                        BlockLayout::neighbours_swapped, BlockLayout::neighbours_swapped});
}

std::string initial_values(Random& random, u32 count) {
    std::string text;
    for (u32 k = 0; k < count; ++k)
        text += (k ? ", " : "") + std::to_string(static_cast<u32>(random.next()));
    return text;
}

}  // namespace

/// Generates the parts of a module in the order in which they appear in the text.
class KernelMaker {
public:
    KernelMaker(u64 seed, const PtxOptions& options)
        : random_(seed),
          features_(random_features(random_, options)),
          launch_(random_launch(random_)) {
        has_lines_ = random_.percent(60);
        choose_cluster();
        if (!features_.tile) features_.dynamic_tile = false;
        if (features_.dynamic_tile)
            launch_.dynamic_shared = 16 * launch_.threads() + 16 * random_.below(3);
    }

    std::string text() {
        std::string functions;
        if (features_.calls)
            for (u32 k = random_.between(1, 4); k > 0; --k) functions += function(k);
        const std::string kernel_text = kernel();
        std::string text =
            format_launch_line(launch_) + ".version 9.0\n.target sm_90\n.address_size 64\n";
        if (has_lines_) text += ".file 1 \"kernel.cu\"\n";
        text += ".const .align 16 .b32 table[64] = {" + initial_values(random_, 64) + "};\n";
        text += ".global .align 16 .b32 variable[64] = {" + initial_values(random_, 64) + "};\n";
        if (features_.dynamic_tile) text += ".extern .shared .align 16 .b8 tile[];\n";
        return text + functions + kernel_text;
    }

private:
    /// Makes some kernels run in clusters, whose size divides the grid.
    void choose_cluster() {
        if (!random_.percent(15)) return;
        features_.cluster = random_.pick({2u, 2u, 3u});
        launch_.blocks = features_.cluster * random_.between(1, kMaxBlocks / features_.cluster);
        // A block of a cluster must not read from a block that has ended, so no block may end
        // early.
        features_.may_leave = false;
    }

    /// Declares variables of every kind. Some of them are written here, and the others later.
    void declare_initial_variables(PtxBody& body) {
        for (int k = 0; k < kKinds; ++k) {
            const RegisterKind kind = static_cast<RegisterKind>(k);
            for (u32 v = random_.between(2, 5); v > 0; --v) body.new_variable(kind);
        }
        for (u32 k = 0; k < 2; ++k) {
            const Reg a = body.pick_register(RegisterKind::word),
                      b = body.pick_register(RegisterKind::word);
            body.emit_to_pickable_register(RegisterKind::predicate, "setp.lt.s32 $, $, $", {a, b});
            body.emit_to_pickable_register(RegisterKind::half, "cvt.u16.u32 $, $", {a});
            body.emit_to_pickable_register(RegisterKind::wide, "mov.b64 $, {$, $}", {b, a});
        }
        for (int k = 0; k < kKinds; ++k)
            for (Reg v : body.variables_[k]) {
                if (random_.percent(50)) continue;
                body.emit("$$, $", {move_instruction(v.kind), v, body.pick_register(v.kind)});
                body.available_registers.add(v);
            }
        for (u32 k = 0; k < 2; ++k)
            body.accumulators.push_back(body.emit_word(static_cast<u32>(random_.next())));
    }

    std::string function(u32 index) {
        Callee callee;
        callee.name = "f" + number(index);
        using Form = Callee::Form;
        callee.form = random_.pick({Form::words, Form::words, Form::words, Form::wide, Form::array,
                                    Form::recursive, Form::memory});
        Environment env;
        env.launch = launch_;
        env.features = features_;
        env.features.calls = random_.percent(40);
        env.features.pointers = false;
        env.features.warp_ops = env.features.own_atomics = false;
        env.callees = callees_;
        env.in_kernel = false;
        std::erase_if(env.callees, [](const Callee& c) { return c.form == Form::memory; });
        FunctionText text("F" + number(index) + "_", has_lines_);
        PtxBody body(random_, text, env);
        body.budget = random_.between(3, 15);
        const Reg a = body.emit_to_pickable_register(RegisterKind::word, "ld.param.b32 $, [a]");
        env.thread = body.emit_to_pickable_register(RegisterKind::word, "mov.u32 $, %tid.x");
        env.block = body.emit_to_pickable_register(RegisterKind::word, "mov.u32 $, %ctaid.x");
        body.available_registers.uniform.push_back(env.block);
        body.available_registers.position.push_back(env.thread);
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
            const Reg global =
                body.emit_to_new_register(RegisterKind::wide, "cvta.to.global.u64 $, $", {pointer});
            env.scratch = global;
            env.scratch_generic = pointer;
            env.features.own_atomics = features_.own_atomics;
        }
        declare_initial_variables(body);
        ThreadSet where;
        where.depth = 2;
        where.turns = 8;
        where.whole_block = where.whole_warp = false;
        if (callee.form == Form::recursive) recurse(body, text, callee.name, a);
        body.statements(body.budget, where);
        if (features_.may_leave && random_.percent(50)) {  // an early return
            const Reg p = body.pick_register(RegisterKind::predicate);
            return_value(body, callee.form);
            body.emit("@$ ret", {p});
        }
        body.budget = 4;
        body.statements(4, where);
        body.fold_random_registers(3);
        return_value(body, callee.form);
        text.leave("ret");
        const std::string head = ".func (" + callee.back("back") + ") " + callee.name +
                                 "(.param .b32 a, " + callee.second_parameter_declaration("b") +
                                 ")";
        callees_.push_back(callee);
        return (callee.form == Form::recursive ? head + ";\n" : "") + head + "\n{\n" +
               text.text(random_, random_layout(random_)) + "}\n";
    }

    void return_value(PtxBody& body, Callee::Form form) {
        if (form == Callee::Form::wide) {
            const Reg d = body.emit_to_new_register(RegisterKind::wide, "mov.b64 $, {$, $}",
                                                    {body.accumulators[0], body.accumulators[1]});
            body.emit("st.param.b64 [back], $", {d});
        } else if (form == Callee::Form::array) {
            body.emit("st.param.b32 [back], $", {body.accumulators[0]});
            body.emit("st.param.b32 [back+4], $", {body.accumulators[1]});
        } else {
            const Reg r = body.emit_to_new_register(RegisterKind::word, "xor.b32 $, $, $",
                                                    {body.accumulators[0], body.accumulators[1]});
            body.emit("st.param.b32 [back], $", {r});
        }
    }

    /// Generates a function that calls itself with the level reduced by one, until the level
    /// reaches 0.
    void recurse(PtxBody& body, FunctionText& text, const std::string& name, Reg level) {
        const Reg got = body.emit_to_new_register(RegisterKind::word, "mov.u32 $, 17");
        const Reg p =
            body.emit_to_new_register(RegisterKind::predicate, "setp.gt.s32 $, $, 0", {level});
        const int deeper = text.new_block(), after = text.new_block();
        text.branch(p, false, deeper, after);
        text.begin(deeper);
        const Reg less = body.emit_to_new_register(RegisterKind::word, "sub.s32 $, $, 1", {level});
        body.emit("{ .param .b32 x");
        body.emit(".param .b32 y");
        body.emit(".param .b32 z");
        body.emit("st.param.b32 [x], $", {less});
        body.emit("st.param.b32 [y], $", {body.pick_register(RegisterKind::word)});
        body.emit("call (z), $, (x, y)", {name});
        body.emit("ld.param.b32 $, [z]", {got});
        text.line("}");
        text.jump(after);
        text.begin(after);
        body.available_registers.add(got);
    }

    // ---- the kernel ----

    std::string kernel() {
        FunctionText text("L", has_lines_);
        Environment env;
        env.launch = launch_;
        env.features = features_;
        env.callees = callees_;
        PtxBody body(random_, text, env);
        body.budget = random_.pick({20u, 40u, 60u, 90u, 140u});
        indices(body, env);
        addresses(body, text, env);
        declare_initial_variables(body);
        begin_memory(body, text, env);
        body.statements(body.budget, ThreadSet{});
        end_kernel(body, text, env);
        return ".visible .entry kernel(.param .u64 p_in, .param .u64 p_out, .param .u64 p_sums, "
               ".param .u64 p_scratch, .param .u32 p_seed)\n" +
               cluster_directive() + "{\n" + declarations() +
               text.text(random_, random_layout(random_)) + "}\n";
    }

    std::string cluster_directive() const {
        if (features_.cluster == 1) return "";
        return ".explicitcluster\n.reqnctapercluster " + number(features_.cluster) + ", 1, 1\n";
    }

    std::string declarations() const {
        std::string text;
        if (features_.cluster > 1)
            text += "\t.shared .align 16 .b8 handed[" + number(4 * launch_.threads()) + "];\n";
        if (features_.tile && !features_.dynamic_tile)
            text += "\t.shared .align 16 .b8 tile[" + number(16 * launch_.threads()) + "];\n";
        if (features_.own_shared || features_.async_copies || features_.mbarriers)
            text += "\t.shared .align 16 .b8 own[" + number(16 * launch_.threads()) + "];\n";
        if (features_.shared_sums) text += "\t.shared .align 16 .b8 sums_here[128];\n";
        if (features_.mbarriers) text += "\t.shared .align 8 .b64 everybody;\n";
        if (features_.local) text += "\t.local .align 16 .b8 array[64];\n";
        return text;
    }

    void indices(PtxBody& body, Environment& env) {
        const auto special = [&](const char* name) {
            return body.emit_to_pickable_register(RegisterKind::word, "mov.u32 $, $", {name});
        };
        const Reg x = special("%tid.x");
        env.thread = x;
        if (launch_.threads_y > 1 || launch_.threads_z > 1) {
            const Reg y = special("%tid.y"), z = special("%tid.z");
            const Reg row = body.emit_to_pickable_register(
                RegisterKind::word, "mad.lo.s32 $, $, $, $", {z, launch_.threads_y, y});
            env.thread = body.emit_to_pickable_register(RegisterKind::word, "mad.lo.s32 $, $, $, $",
                                                        {row, launch_.threads_x, x});
            body.available_registers.position.push_back(y);
        }
        env.block = special("%ctaid.x");
        const Reg size = special("%ntid.x");
        const Reg seed =
            body.emit_to_pickable_register(RegisterKind::word, "ld.param.u32 $, [p_seed]");
        const Reg byte = body.make_register(RegisterKind::word);
        body.emit("ld.param.$ $, [p_seed+$]",
                  {random_.pick({"u8", "s8", "u16", "b8"}), byte, 2 * random_.below(2)});
        for (Reg r : {env.block, size, seed, byte}) body.available_registers.uniform.push_back(r);
        body.available_registers.position.push_back(x);
        if (!(env.thread == x)) body.available_registers.position.push_back(env.thread);
    }

    void addresses(PtxBody& body, FunctionText& text, Environment& env) {
        const auto parameter = [&](const char* name) {
            return body.emit_to_new_register(RegisterKind::wide, "ld.param.u64 $, [$]", {name});
        };
        const auto global = [&](Reg generic) {
            return body.emit_to_new_register(RegisterKind::wide, "cvta.to.global.u64 $, $",
                                             {generic});
        };
        const auto behind = [&](Reg base, Reg index, u32 bytes) {
            return body.emit_to_new_register(RegisterKind::wide, "mad.wide.u32 $, $, $, $",
                                             {index, bytes, base});
        };
        env.in_generic = parameter("p_in");
        env.in = global(*env.in_generic);
        env.sums = global(parameter("p_sums"));
        const Reg out = global(parameter("p_out")), scratch = parameter("p_scratch");
        const Reg row = text.make(RegisterKind::word);
        const Reg linear =
            body.emit_to_pickable_register(RegisterKind::word, "mad.lo.s32 $, $, $, $",
                                           {env.block, launch_.threads(), env.thread});
        // Rows may be assigned to threads in reverse order, or rotated.
        switch (random_.below(3)) {
            case 0: body.emit("mov.b32 $, $", {row, linear}); break;
            case 1: body.emit("sub.s32 $, $, $", {row, launch_.all_threads() - 1, linear}); break;
            default: {
                const Reg moved = body.emit_to_new_register(RegisterKind::word, "add.s32 $, $, $",
                                                            {linear, random_.below(20)});
                body.emit("rem.u32 $, $, $", {row, moved, launch_.all_threads()});
            }
        }
        env.out_row = behind(out, row, 4);
        const Reg second_half = body.emit_to_new_register(RegisterKind::wide, "add.s64 $, $, $",
                                                          {out, 64 * launch_.all_threads()});
        env.out_own = behind(second_half, linear, 64);
        env.scratch_generic = behind(scratch, linear, kScratchBytes);
        env.scratch = global(*env.scratch_generic);
        if (features_.global_exchange) {
            const Reg first = body.emit_to_new_register(RegisterKind::word, "mul.lo.s32 $, $, $",
                                                        {env.block, launch_.threads()});
            env.scratch_block = behind(global(scratch), first, kScratchBytes);
        }
        if (features_.constants) {
            const bool is_const = random_.percent(50);
            const Reg base = body.emit_to_new_register(RegisterKind::wide, "mov.u64 $, $",
                                                       {is_const ? "table" : "variable"});
            env.table_generic = body.emit_to_new_register(
                RegisterKind::wide, is_const ? "cvta.const.u64 $, $" : "cvta.global.u64 $, $",
                {base});
        }
    }

    /// Emits code that initializes shared and local memory, so that every statement may read it.
    void begin_memory(PtxBody& body, FunctionText& text, Environment& env) {
        const auto n = [&](RegisterKind kind) { return name_of(body.pick_register(kind)); };
        if (features_.local) {
            for (u32 k = 0; k < 4; ++k)
                body.emit("st.local.v4.b32 [array+$], {$, $, $, $}",
                          {16 * k, n(RegisterKind::word), n(RegisterKind::word),
                           n(RegisterKind::word), n(RegisterKind::word)});
            const Reg base = body.emit_to_new_register(RegisterKind::wide, "mov.u64 $, array");
            env.local_generic =
                body.emit_to_new_register(RegisterKind::wide, "cvta.local.u64 $, $", {base});
        }
        if (features_.own_shared || features_.async_copies || features_.mbarriers) {
            const Reg base = body.emit_to_new_register(RegisterKind::word, "mov.u32 $, own");
            const Reg own = body.emit_to_new_register(RegisterKind::word, "mad.lo.s32 $, $, 16, $",
                                                      {env.thread, base});
            body.emit("st.shared.v2.b64 [$], {$, $}",
                      {own, n(RegisterKind::wide), n(RegisterKind::wide)});
            env.own_shared = own;
            const Reg wide =
                body.emit_to_new_register(RegisterKind::wide, "cvt.u64.u32 $, $", {own});
            env.own_shared_generic =
                body.emit_to_new_register(RegisterKind::wide, "cvta.shared.u64 $, $", {wide});
        }
        if (!features_.shared_sums && !features_.mbarriers) return;
        // The first thread initializes the sums and the barrier that all threads of the block
        // share.
        const Reg p =
            body.emit_to_new_register(RegisterKind::predicate, "setp.eq.u32 $, $, 0", {env.thread});
        const int first = text.new_block(), after = text.new_block();
        text.branch(p, false, first, after);
        text.begin(first);
        if (features_.shared_sums) {
            const Reg zero = body.emit_to_new_register(RegisterKind::wide, "mov.u64 $, 0");
            for (u32 k = 0; k < 8; ++k)
                body.emit("st.shared.v2.b64 [sums_here+$], {$, $}", {16 * k, zero, zero});
        }
        if (features_.mbarriers)
            body.emit("mbarrier.init.shared.b64 [everybody], $", {launch_.threads()});
        text.jump(after);
        text.begin(after);
        body.emit("bar.sync 0");
    }

    /// Generates the end of the kernel. Some threads may end before the others, but only after they
    /// have stored their values.
    void end_kernel(PtxBody& body, FunctionText& text, Environment& env) {
        store_values(body, env, 0);
        if (features_.may_leave) {
            ThreadSet where;
            where.whole_block = where.whole_warp = false;
            for (u32 k = random_.between(1, 3); k > 0; --k) {
                const std::string guard = (random_.percent(50) ? "@" : "@!") +
                                          name_of(body.pick_register(RegisterKind::predicate));
                body.emit("$$", {guard, random_.percent(50) ? " ret" : " exit"});
                body.budget = 10;
                body.statements(random_.between(1, 6), where);
            }
            store_values(body, env, 1);
        }
        text.leave(random_.percent(70) ? "ret" : "exit");
    }

    void store_values(PtxBody& body, Environment& env, u32 time) {
        const auto store = [&](u32 word, Reg value) {
            const u32 offset = 4 * word * launch_.all_threads();
            body.emit("st.global.b32 [$+$], $", {*env.out_row, offset, value});
        };
        body.fold_random_registers(random_.between(2, 8));
        store(2 * time, body.accumulators[0]);
        store(2 * time + 1, body.accumulators[1]);
        for (u32 word = 4; word < 16; ++word)
            if (random_.percent(30)) store(word, body.pick_register(RegisterKind::word));
    }

    Random random_;
    Features features_;
    Launch launch_;
    bool has_lines_ = false;
    std::vector<Callee> callees_;
};

std::string generate_ptx(u64 seed, const PtxOptions& options) {
    return KernelMaker(seed, options).text();
}

std::vector<std::string> list_opcodes(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word.starts_with("{")) words >> word;
        if (word.starts_with("@")) words >> word;
        if (!word.empty() && word.back() == ';') word.pop_back();
        if (simulator::find_opcode(word.substr(0, word.find('.')))) found.push_back(word);
    }
    return found;
}

}  // namespace coalesce::campaign
