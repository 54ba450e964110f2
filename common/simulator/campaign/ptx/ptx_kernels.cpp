#include "campaign/ptx/ptx_kernels.h"

#include <sstream>

#include "campaign/ptx/body.h"
#include "code/opcodes.h"

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
    f.same_everywhere = options.same_everywhere;
    f.approximations = chance(80) && !options.same_everywhere;
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

Layout random_layout(Random& random) {
    return random.pick({Layout::natural, Layout::natural, Layout::shuffled, Layout::shuffled,
                        Layout::reversed, Layout::neighbours_swapped, Layout::neighbours_swapped});
}

std::string initial_values(Random& random, u32 count) {
    std::string text;
    for (u32 k = 0; k < count; ++k)
        text += (k ? ", " : "") + std::to_string(static_cast<u32>(random.next()));
    return text;
}

}  // namespace

/// Makes the module's parts in the order in which they stand.
class KernelMaker {
public:
    KernelMaker(u64 seed, const PtxOptions& options)
        : random_(seed),
          features_(random_features(random_, options)),
          launch_(random_launch(random_)) {
        has_lines_ = random_.percent(60);
        if (!features_.tile) features_.dynamic_tile = false;
        if (features_.dynamic_tile)
            launch_.dynamic_shared = 16 * launch_.threads() + 16 * random_.below(3);
    }

    std::string text() {
        std::string functions;
        if (features_.calls)
            for (u32 k = random_.between(1, 4); k > 0; --k) functions += function(k);
        const std::string kernel_text = kernel();
        std::string text = first_line(launch_) + ".version 9.0\n.target sm_90\n.address_size 64\n";
        if (has_lines_) text += ".file 1 \"kernel.cu\"\n";
        text += ".const .align 16 .b32 table[64] = {" + initial_values(random_, 64) + "};\n";
        text += ".global .align 16 .b32 variable[64] = {" + initial_values(random_, 64) + "};\n";
        if (features_.dynamic_tile) text += ".extern .shared .align 16 .b8 tile[];\n";
        return text + functions + kernel_text;
    }

private:
    /// Variables of every kind; some of them are written here, the others where it happens.
    void begin_values(Body& body, FunctionText& text) {
        for (int k = 0; k < kKinds; ++k) {
            const Kind kind = static_cast<Kind>(k);
            for (u32 v = random_.between(2, 5); v > 0; --v) body.new_variable(kind);
        }
        (void)text;
        for (u32 k = 0; k < 2; ++k) {
            const Reg p = body.fresh(Kind::predicate), h = body.fresh(Kind::half);
            const Reg d = body.fresh(Kind::wide);
            const Reg a = body.use(Kind::word), b = body.use(Kind::word);
            body.emit("setp.lt.s32 " + name_of(p) + ", " + name_of(a) + ", " + name_of(b));
            body.emit("cvt.u16.u32 " + name_of(h) + ", " + name_of(a));
            body.emit("mov.b64 " + name_of(d) + ", {" + name_of(b) + ", " + name_of(a) + "}");
        }
        for (int k = 0; k < kKinds; ++k)
            for (Reg v : body.variables_[k]) {
                if (random_.percent(50)) continue;
                static const char* const moves[] = {"mov.pred ", "mov.b16 ", "mov.b32 ",
                                                    "mov.b64 "};
                body.emit(moves[k] + name_of(v) + ", " + name_of(body.use(static_cast<Kind>(k))));
                body.here.add(v);
            }
        for (u32 k = 0; k < 2; ++k) {
            const Reg acc = text.make(Kind::word);
            body.set_word(acc, static_cast<u32>(random_.next()));
            body.accumulators.push_back(acc);
        }
    }

    std::string function(u32 index) {
        Callee callee;
        callee.name = "f" + number(index);
        using Form = Callee::Form;
        callee.form = random_.pick({Form::words, Form::words, Form::words, Form::wide, Form::array,
                                    Form::recursive, Form::memory});
        const bool is_wide = callee.form == Form::wide, is_array = callee.form == Form::array;
        const std::string result = is_wide    ? ".param .b64 back"
                                   : is_array ? ".param .align 8 .b8 back[8]"
                                              : ".param .b32 back";
        const std::string second = is_wide || callee.form == Form::memory ? ".param .b64 b"
                                   : is_array ? ".param .align 16 .b8 b[16]"
                                              : ".param .b32 b";
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
        Body body(random_, text, env);
        body.budget = random_.between(3, 15);
        const Reg a = body.fresh(Kind::word);
        body.emit("ld.param.b32 " + name_of(a) + ", [a]");
        const Reg thread = body.fresh(Kind::word), block = body.fresh(Kind::word);
        body.emit("mov.u32 " + name_of(thread) + ", %tid.x");
        body.emit("mov.u32 " + name_of(block) + ", %ctaid.x");
        env.thread = thread;
        env.block = block;
        body.here.uniform.push_back(block);
        body.here.position.push_back(thread);
        if (callee.form == Form::words || callee.form == Form::recursive) {
            body.emit("ld.param.b32 " + name_of(body.fresh(Kind::word)) + ", [b]");
        } else if (is_wide) {
            body.emit("ld.param.b64 " + name_of(body.fresh(Kind::wide)) + ", [b]");
        } else if (is_array) {
            const Reg x = body.fresh(Kind::word), y = body.fresh(Kind::word);
            body.emit("ld.param.b32 " + name_of(x) + ", [b+4]");
            body.emit("ld.param.b32 " + name_of(y) + ", [b+12]");
        } else {
            const Reg pointer = text.make(Kind::wide), global = text.make(Kind::wide);
            body.emit("ld.param.b64 " + name_of(pointer) + ", [b]");
            body.emit("cvta.to.global.u64 " + name_of(global) + ", " + name_of(pointer));
            env.scratch = global;
            env.scratch_generic = pointer;
            env.features.own_atomics = features_.own_atomics;
        }
        begin_values(body, text);
        Where where;
        where.depth = 2;
        where.turns = 8;
        where.whole_block = where.whole_warp = false;
        if (callee.form == Form::recursive) recurse(body, text, callee.name, a, where);
        body.statements(body.budget, where);
        if (features_.may_leave && random_.percent(50)) {  // an early return
            const Reg p = body.use(Kind::predicate);
            give_back(body, text, callee.form);
            body.emit("@" + name_of(p) + " ret");
        }
        body.budget = 4;
        body.statements(4, where);
        body.fold_some(3);
        give_back(body, text, callee.form);
        text.leave("ret");
        const std::string head =
            ".func (" + result + ") " + callee.name + "(.param .b32 a, " + second + ")";
        callees_.push_back(callee);
        return (callee.form == Form::recursive ? head + ";\n" : "") + head + "\n{\n" +
               text.text(random_, random_layout(random_)) + "}\n";
    }

    void give_back(Body& body, FunctionText& text, Callee::Form form) {
        if (form == Callee::Form::wide) {
            const Reg d = text.make(Kind::wide);
            body.emit("mov.b64 " + name_of(d) + ", {" + name_of(body.accumulators[0]) + ", " +
                      name_of(body.accumulators[1]) + "}");
            body.emit("st.param.b64 [back], " + name_of(d));
        } else if (form == Callee::Form::array) {
            body.emit("st.param.b32 [back], " + name_of(body.accumulators[0]));
            body.emit("st.param.b32 [back+4], " + name_of(body.accumulators[1]));
        } else {
            const Reg r = text.make(Kind::word);
            body.emit("xor.b32 " + name_of(r) + ", " + name_of(body.accumulators[0]) + ", " +
                      name_of(body.accumulators[1]));
            body.emit("st.param.b32 [back], " + name_of(r));
        }
    }

    /// Calls itself with one level less, where there is one left.
    void recurse(Body& body, FunctionText& text, const std::string& name, Reg level, const Where&) {
        const Reg p = text.make(Kind::predicate), less = text.make(Kind::word);
        const Reg got = text.make(Kind::word);
        body.emit("mov.u32 " + name_of(got) + ", 17");
        body.emit("setp.gt.s32 " + name_of(p) + ", " + name_of(level) + ", 0");
        const int deeper = text.new_block(), after = text.new_block();
        text.branch(p, false, deeper, after);
        text.begin(deeper);
        body.emit("sub.s32 " + name_of(less) + ", " + name_of(level) + ", 1");
        body.emit("{ .param .b32 x");
        body.emit(".param .b32 y");
        body.emit(".param .b32 z");
        body.emit("st.param.b32 [x], " + name_of(less));
        body.emit("st.param.b32 [y], " + name_of(body.use(Kind::word)));
        body.emit("call (z), " + name + ", (x, y)");
        body.emit("ld.param.b32 " + name_of(got) + ", [z]");
        text.line("}");
        text.jump(after);
        text.begin(after);
        body.here.add(got);
    }

    // ---- the kernel ----

    std::string kernel() {
        FunctionText text("L", has_lines_);
        Environment env;
        env.launch = launch_;
        env.features = features_;
        env.callees = callees_;
        Body body(random_, text, env);
        body.budget = random_.pick({20u, 40u, 60u, 90u, 140u});
        indices(body, text, env);
        addresses(body, text, env);
        begin_values(body, text);
        begin_memory(body, text, env);
        body.statements(body.budget, Where{});
        end_kernel(body, text, env);
        return ".visible .entry kernel(.param .u64 p_in, .param .u64 p_out, .param .u64 p_sums, "
               ".param .u64 p_scratch, .param .u32 p_seed)\n{\n" +
               declarations() + text.text(random_, random_layout(random_)) + "}\n";
    }

    std::string declarations() const {
        std::string text;
        if (features_.tile && !features_.dynamic_tile)
            text += "\t.shared .align 16 .b8 tile[" + number(16 * launch_.threads()) + "];\n";
        if (features_.own_shared || features_.async_copies || features_.mbarriers)
            text += "\t.shared .align 16 .b8 own[" + number(16 * launch_.threads()) + "];\n";
        if (features_.shared_sums) text += "\t.shared .align 16 .b8 sums_here[128];\n";
        if (features_.mbarriers) text += "\t.shared .align 8 .b64 everybody;\n";
        if (features_.local) text += "\t.local .align 16 .b8 array[64];\n";
        return text;
    }

    void indices(Body& body, FunctionText& text, Environment& env) {
        const auto special = [&](const char* name) {
            const Reg r = text.make(Kind::word);
            body.emit("mov.u32 " + name_of(r) + ", " + name);
            body.here.add(r);
            return r;
        };
        const Reg x = special("%tid.x");
        env.thread = x;
        if (launch_.threads_y > 1 || launch_.threads_z > 1) {
            const Reg y = special("%tid.y"), z = special("%tid.z");
            const Reg row = body.fresh(Kind::word), linear = body.fresh(Kind::word);
            body.emit("mad.lo.s32 " + name_of(row) + ", " + name_of(z) + ", " +
                      number(launch_.threads_y) + ", " + name_of(y));
            body.emit("mad.lo.s32 " + name_of(linear) + ", " + name_of(row) + ", " +
                      number(launch_.threads_x) + ", " + name_of(x));
            env.thread = linear;
            body.here.position.push_back(y);
        }
        env.block = special("%ctaid.x");
        const Reg size = special("%ntid.x"), seed = body.fresh(Kind::word);
        body.emit("ld.param.u32 " + name_of(seed) + ", [p_seed]");
        const Reg byte = body.fresh(Kind::word);
        body.emit(std::string("ld.param.") + random_.pick({"u8", "s8", "u16", "b8"}) + " " +
                  name_of(byte) + ", [p_seed+" + number(2 * random_.below(2)) + "]");
        for (Reg r : {env.block, size, seed, byte}) body.here.uniform.push_back(r);
        body.here.position.push_back(x);
        if (!(env.thread == x)) body.here.position.push_back(env.thread);
    }

    void addresses(Body& body, FunctionText& text, Environment& env) {
        const auto parameter = [&](const char* name) {
            const Reg r = text.make(Kind::wide);
            body.emit("ld.param.u64 " + name_of(r) + ", [" + name + "]");
            return r;
        };
        const auto global = [&](Reg generic) {
            const Reg r = text.make(Kind::wide);
            body.emit("cvta.to.global.u64 " + name_of(r) + ", " + name_of(generic));
            return r;
        };
        const auto behind = [&](Reg base, Reg index, u32 bytes) {
            const Reg r = text.make(Kind::wide);
            body.emit("mad.wide.u32 " + name_of(r) + ", " + name_of(index) + ", " + number(bytes) +
                      ", " + name_of(base));
            return r;
        };
        env.in_generic = parameter("p_in");
        env.in = global(*env.in_generic);
        env.sums = global(parameter("p_sums"));
        const Reg out = global(parameter("p_out")), scratch = parameter("p_scratch");
        const Reg linear = body.fresh(Kind::word), row = text.make(Kind::word);
        body.emit("mad.lo.s32 " + name_of(linear) + ", " + name_of(env.block) + ", " +
                  number(launch_.threads()) + ", " + name_of(env.thread));
        // Rows may be walked the other way, or begin in their middle.
        switch (random_.below(3)) {
            case 0: body.emit("mov.b32 " + name_of(row) + ", " + name_of(linear)); break;
            case 1:
                body.emit("sub.s32 " + name_of(row) + ", " + number(launch_.all_threads() - 1) +
                          ", " + name_of(linear));
                break;
            default: {
                const Reg moved = text.make(Kind::word);
                body.emit("add.s32 " + name_of(moved) + ", " + name_of(linear) + ", " +
                          number(random_.below(20)));
                body.emit("rem.u32 " + name_of(row) + ", " + name_of(moved) + ", " +
                          number(launch_.all_threads()));
            }
        }
        env.out_row = behind(out, row, 4);
        const Reg second_half = text.make(Kind::wide);
        body.emit("add.s64 " + name_of(second_half) + ", " + name_of(out) + ", " +
                  number(64 * launch_.all_threads()));
        env.out_own = behind(second_half, linear, 64);
        env.scratch_generic = behind(scratch, linear, kScratchBytes);
        env.scratch = global(*env.scratch_generic);
        if (features_.global_exchange) {
            const Reg first = text.make(Kind::word);
            body.emit("mul.lo.s32 " + name_of(first) + ", " + name_of(env.block) + ", " +
                      number(launch_.threads()));
            env.scratch_block = behind(global(scratch), first, kScratchBytes);
        }
        if (features_.constants) {
            const Reg base = text.make(Kind::wide), generic = text.make(Kind::wide);
            const bool is_const = random_.percent(50);
            body.emit("mov.u64 " + name_of(base) + (is_const ? ", table" : ", variable"));
            body.emit(std::string(is_const ? "cvta.const.u64 " : "cvta.global.u64 ") +
                      name_of(generic) + ", " + name_of(base));
            env.table_generic = generic;
        }
    }

    /// Shared and local memory gets its first values, so that it may be read anywhere.
    void begin_memory(Body& body, FunctionText& text, Environment& env) {
        const auto n = [&](Kind kind) { return name_of(body.use(kind)); };
        if (features_.local) {
            for (u32 k = 0; k < 4; ++k)
                body.emit("st.local.v4.b32 [array+" + number(16 * k) + "], {" + n(Kind::word) +
                          ", " + n(Kind::word) + ", " + n(Kind::word) + ", " + n(Kind::word) + "}");
            const Reg base = text.make(Kind::wide), generic = text.make(Kind::wide);
            body.emit("mov.u64 " + name_of(base) + ", array");
            body.emit("cvta.local.u64 " + name_of(generic) + ", " + name_of(base));
            env.local_generic = generic;
        }
        if (features_.own_shared || features_.async_copies || features_.mbarriers) {
            const Reg base = text.make(Kind::word), own = text.make(Kind::word);
            body.emit("mov.u32 " + name_of(base) + ", own");
            body.emit("mad.lo.s32 " + name_of(own) + ", " + name_of(env.thread) + ", 16, " +
                      name_of(base));
            body.emit("st.shared.v2.b64 [" + name_of(own) + "], {" + n(Kind::wide) + ", " +
                      n(Kind::wide) + "}");
            env.own_shared = own;
            const Reg wide = text.make(Kind::wide), generic = text.make(Kind::wide);
            body.emit("cvt.u64.u32 " + name_of(wide) + ", " + name_of(own));
            body.emit("cvta.shared.u64 " + name_of(generic) + ", " + name_of(wide));
            env.own_shared_generic = generic;
        }
        if (!features_.shared_sums && !features_.mbarriers) return;
        // By the first thread, for all.
        const Reg p = text.make(Kind::predicate);
        body.emit("setp.eq.u32 " + name_of(p) + ", " + name_of(env.thread) + ", 0");
        const int first = text.new_block(), after = text.new_block();
        text.branch(p, false, first, after);
        text.begin(first);
        if (features_.shared_sums) {
            const Reg zero = text.make(Kind::wide);
            body.emit("mov.u64 " + name_of(zero) + ", 0");
            for (u32 k = 0; k < 8; ++k)
                body.emit("st.shared.v2.b64 [sums_here+" + number(16 * k) + "], {" + name_of(zero) +
                          ", " + name_of(zero) + "}");
        }
        if (features_.mbarriers)
            body.emit("mbarrier.init.shared.b64 [everybody], " + number(launch_.threads()));
        text.jump(after);
        text.begin(after);
        body.emit("bar.sync 0");
    }

    /// Some threads may end before the others; each has given back what it knows by then.
    void end_kernel(Body& body, FunctionText& text, Environment& env) {
        store_values(body, env, 0);
        if (features_.may_leave) {
            Where where;
            where.whole_block = where.whole_warp = false;
            for (u32 k = random_.between(1, 3); k > 0; --k) {
                const std::string guard =
                    (random_.percent(50) ? "@" : "@!") + name_of(body.use(Kind::predicate));
                body.emit(guard + (random_.percent(50) ? " ret" : " exit"));
                body.budget = 10;
                body.statements(random_.between(1, 6), where);
            }
            store_values(body, env, 1);
        }
        text.leave(random_.percent(70) ? "ret" : "exit");
    }

    void store_values(Body& body, Environment& env, u32 time) {
        const std::string row = name_of(*env.out_row);
        const auto at = [&](u32 word) {
            const u32 offset = 4 * word * launch_.all_threads();
            return "[" + row + "+" + number(offset) + "], ";
        };
        body.fold_some(random_.between(2, 8));
        body.emit("st.global.b32 " + at(2 * time) + name_of(body.accumulators[0]));
        body.emit("st.global.b32 " + at(2 * time + 1) + name_of(body.accumulators[1]));
        for (u32 word = 4; word < 16; ++word)
            if (random_.percent(30))
                body.emit("st.global.b32 " + at(word) + name_of(body.use(Kind::word)));
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

std::vector<std::string> instructions_of(const std::string& text) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word.starts_with("{")) words >> word;
        if (word.starts_with("@")) words >> word;
        if (!word.empty() && word.back() == ';') word.pop_back();
        if (sim::find_opcode(word.substr(0, word.find('.')))) found.push_back(word);
    }
    return found;
}

}  // namespace coalesce::campaign
