// The kernel that fuzz_operands runs. It contains one instruction of each form. The operands come
// from memory: a script specifies the order of the instructions and their operands.
//
// Builds on  nothing.
// Idea       The kernel's text never changes, so it need not be parsed in every run. A step of the
//            script specifies a form, the participating lanes, and the values of three addresses
//            and four words in thread 0. For each of these values, it specifies the increment from
//            one thread to the next. Threads that do not participate wait at the end of the step.
// Watch      The result of an instruction, `last`, can be an operand of later instructions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coalesce::simulator::fuzz {

/// A step of the script. The script is in device memory, where the kernel may overwrite it.
struct ScriptStep {
    std::uint32_t form = 0;
    std::uint32_t lanes = 0;            ///< the mask of participating lanes, for every warp
    std::uint64_t address[3] = {};      ///< addresses in thread 0
    std::int64_t stride[3] = {};        ///< increments from thread to thread
    std::uint32_t word[4] = {};         ///< words in thread 0
    std::uint32_t word_stride[4] = {};  ///< increments from thread to thread
    /// If bit k is set, address k is increased by the result of the last instruction.
    std::uint32_t added_to_addresses = 0;
    std::uint32_t unused = 0;
};
static_assert(sizeof(ScriptStep) == 96);

/// Returns the instruction of each form. The instructions use %a, %b and %c for addresses (64
/// bits), and %sa, %sb and %sc for their lower halves. %w0 to %w3 are words, and %d0 and %d1 pairs
/// of words. %p and %q are predicates, and %f0 to %f3 and %h0 are floats and halves. Results go to
/// %last (64 bits), %r0 to %r3, %l0 and %l1.
inline const std::vector<std::string>& instruction_forms() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> made;
        const auto add = [&](const std::string& text) { made.push_back(text); };
        // Loads and stores of every width in every memory space.
        for (const char* space : {"", ".global", ".shared", ".local", ".const", ".volatile.shared",
                                  ".volatile.global", ".relaxed.gpu.global", ".acquire.gpu"}) {
            const std::string s = space;
            add("ld" + s + ".u8 %r0, [%a];");
            add("ld" + s + ".s16 %r0, [%a+2];");
            add("ld" + s + ".u32 %r0, [%a];");
            add("ld" + s + ".u64 %last, [%a-8];");
            add("ld" + s + ".v2.u32 {%r0, %r1}, [%a];");
            add("ld" + s + ".v4.u32 {%r0, %r1, %r2, %r3}, [%a];");
            add("ld" + s + ".v2.u64 {%last, %l0}, [%a];");
        }
        for (const char* space : {"", ".global", ".shared", ".local", ".volatile.shared",
                                  ".volatile.global", ".relaxed.gpu.global", ".release.gpu"}) {
            const std::string s = space;
            add("st" + s + ".u8 [%a], %w0;");
            add("st" + s + ".u16 [%a+2], %w1;");
            add("st" + s + ".u32 [%a], %w0;");
            add("st" + s + ".u64 [%a-8], %b;");
            add("st" + s + ".v2.u32 [%a], {%w0, %w1};");
            add("st" + s + ".v4.u32 [%a], {%w0, %w1, %w2, %w3};");
            add("st" + s + ".v2.u64 [%a], {%b, %c};");
        }
        add("ld.shared.u32 %r0, [%sa];");
        add("ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%sa+16];");
        add("st.shared.u32 [%sa], %w0;");
        add("st.shared.v2.u64 [%sa], {%b, %c};");
        add("ld.shared.u32 %r0, [tile+64];");
        add("st.shared.u32 [tile+64], %w0;");
        add("ld.param.u32 %r0, [map+16];");
        add("ldu.global.u32 %r0, [%a];");
        // Atomics.
        for (const char* space : {"", ".global", ".shared"}) {
            const std::string s = space;
            add("atom" + s + ".add.u32 %r0, [%a], %w0;");
            add("atom" + s + ".add.u64 %last, [%a], %b;");
            add("atom" + s + ".exch.b32 %r0, [%a], %w0;");
            add("atom" + s + ".cas.b32 %r0, [%a], %w0, %w1;");
            add("atom" + s + ".cas.b64 %last, [%a], %b, %c;");
            add("atom" + s + ".cas.b16 %h0, [%a], %h1, %h2;");
            add("atom" + s + ".inc.u32 %r0, [%a], %w0;");
            add("atom" + s + ".min.s64 %last, [%a], %b;");
            add("atom" + s + ".add.f32 %f0, [%a], %f1;");
            add("atom" + s + ".add.f64 %e0, [%a], %e1;");
            add("atom" + s + ".add.noftz.f16x2 %r0, [%a], %w0;");
            add("red" + s + ".or.b32 [%a], %w0;");
            add("red" + s + ".max.u64 [%a], %b;");
            add("red" + s + ".add.f32 [%a], %f1;");
        }
        add("atom.global.add.v4.f32 {%f0, %f1, %f2, %f3}, [%a], {%f0, %f1, %f2, %f3};");
        add("red.release.gpu.global.add.u32 [%a], %w0;");
        // Asynchronous and bulk copies.
        for (const char* to : {"%a", "%sa"}) {
            const std::string t = to;
            add("cp.async.ca.shared.global [" + t + "], [%b], 4;");
            add("cp.async.ca.shared.global [" + t + "], [%b], 8;");
            add("cp.async.cg.shared.global [" + t + "], [%b], 16;");
            add("cp.async.ca.shared.global [" + t + "], [%b], 8, %w0;");
            add("cp.async.cg.shared.global [" + t + "], [%b], 16, %w0;");
            add("cp.async.cg.shared.global [" + t + "], [%b], 16, %p;");
            add("cp.async.mbarrier.arrive.shared.b64 [" + t + "];");
            add("cp.async.mbarrier.arrive.noinc.shared.b64 [" + t + "];");
            add("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" + t +
                "], [%b], %w0, [%c];");
            add("cp.async.bulk.global.shared::cta.bulk_group [%b], [" + t + "], %w0;");
            const char* coordinates[] = {"%w0", "%w0, %w1", "%w0, %w1, %w2", "%w0, %w1, %w2, %w3",
                                         "%w0, %w1, %w2, %w3, %w1"};
            for (int rank = 1; rank <= 5; ++rank) {
                const std::string place = "[%b, {" + std::string(coordinates[rank - 1]) + "}]";
                const std::string name = "cp.async.bulk.tensor." + std::to_string(rank) + "d";
                add(name + ".shared::cluster.global.mbarrier::complete_tx::bytes [" + t + "], " +
                    place + ", [%c];");
                add(name + ".global.shared::cta.bulk_group " + place + ", [" + t + "];");
            }
        }
        add("cp.async.commit_group;");
        add("cp.async.wait_group 0;");
        add("cp.async.wait_group 1;");
        add("cp.async.wait_all;");
        add("cp.async.bulk.commit_group;");
        add("cp.async.bulk.wait_group 0;");
        add("cp.async.bulk.wait_group.read 1;");
        // Barriers in shared memory (mbarrier).
        for (const char* at :
             {".shared.b64 %last, [%a]", ".b64 %last, [%a]", ".shared.b64 %last, [%sa]"}) {
            const std::string with_state = at;
            const std::string to_memory = with_state.substr(0, with_state.find(" %last")) +
                                          with_state.substr(with_state.find(',') + 1);
            add("mbarrier.init" + to_memory + ", %w0;");
            add("mbarrier.inval" + to_memory + ";");
            add("mbarrier.arrive" + with_state + ";");
            add("mbarrier.arrive" + with_state + ", %w0;");
            add("mbarrier.arrive.noComplete" + with_state + ", %w0;");
            add("mbarrier.arrive.expect_tx" + with_state + ", %w0;");
            add("mbarrier.arrive_drop" + with_state + ", %w0;");
        }
        add("mbarrier.expect_tx.relaxed.cta.shared.b64 [%a], %w0;");
        add("mbarrier.complete_tx.relaxed.cta.shared.b64 [%a], %w0;");
        add("mbarrier.test_wait.shared.b64 %q, [%a], %b;");
        add("mbarrier.test_wait.parity.shared.b64 %q, [%a], %w0;");
        add("mbarrier.try_wait.parity.shared.b64 %q, [%sa], %w0;");
        add("mbarrier.try_wait.shared.b64 %q, [%a], %b, %w0;");
        add("mbarrier.pending_count.b64 %r0, %b;");
        // Barriers of blocks and warps, whose numbers and masks come from the script.
        add("bar.sync 0;");
        add("bar.sync %w0;");
        add("bar.sync %w0, %w1;");
        add("bar.arrive %w0, %w1;");
        add("bar.red.popc.u32 %r0, %w0, %w1, %p;");
        add("bar.red.and.pred %q, %w0, %p;");
        add("bar.warp.sync %w0;");
        add("shfl.sync.idx.b32 %r0|%q, %w0, %w1, %w2, %w3;");
        add("shfl.sync.up.b32 %r0, %w0, %w1, %w2, %w3;");
        add("shfl.sync.down.b32 %r0|%q, %w0, %w1, %w2, %w3;");
        add("shfl.sync.bfly.b32 %r0, %w0, %w1, %w2, %w3;");
        add("vote.sync.ballot.b32 %r0, %p, %w0;");
        add("match.any.sync.b32 %r0, %w0, %w1;");
        add("match.all.sync.b64 %r0|%q, %b, %w1;");
        add("redux.sync.add.s32 %r0, %w0, %w1;");
        add("elect.sync %r0|%q, %w0;");
        // Fences, timers and address conversions.
        add("fence.acq_rel.gpu;");
        add("membar.cta;");
        add("fence.proxy.async;");
        add("nanosleep.u32 %w0;");
        add("isspacep.shared %q, %a;");
        add("cvta.to.shared.u64 %last, %a;");
        add("cvta.shared.u64 %last, %a;");
        add("cvta.local.u64 %last, %a;");
        add("mapa.shared::cluster.u64 %last, %a, %w0;");
        add("prefetch.global.L2 [%a];");
        add("mov.u64 %last, frame;");
        add("mov.u64 %last, %a;");
        add("mov.u64 %last, %clock64;");
        // System functions, and calls through pointers.
        add("{ .param .b64 s; .param .b64 g; st.param.b64 [s], %b; "
            "call (g), malloc, (s); ld.param.b64 %last, [g]; }");
        add("{ .param .b64 s; st.param.b64 [s], %a; call free, (s); }");
        add("{ .param .b64 s; .param .b64 t; .param .b32 g; st.param.b64 [s], %a; st.param.b64 "
            "[t], %b; "
            "call (g), vprintf, (s, t); ld.param.b32 %r0, [g]; }");
        add("{ .param .b64 s; .param .b64 t; .param .b32 u; .param .b64 v; .param .b64 w; "
            "st.param.b64 [s], %a; st.param.b64 [t], %b; st.param.b32 [u], %w0; st.param.b64 [v], "
            "%c; "
            "st.param.b64 [w], %a; call __assertfail, (s, t, u, v, w); }");
        add("{ .param .b64 s; .param .b32 g; st.param.b64 [s], %b; "
            "call (g), %a, (s), one; ld.param.b32 %r0, [g]; }");
        add("{ .param .b64 s; .param .align 16 .b8 t[48]; .param .b32 g; st.param.b64 [s], %b; "
            "st.param.b64 [t+8], %c; call (g), %a, (s, t), two; ld.param.b32 %r0, [g]; }");
        // Matrix instructions, whose row addresses come from the script.
        for (const char* at : {".shared.b16", ".b16"}) {
            for (const char* how : {"", ".trans"}) {
                const std::string shape = std::string(".sync.aligned.m8n8.x4") + how + at;
                add("ldmatrix" + shape + " {%r0, %r1, %r2, %r3}, [%a];");
                add("stmatrix" + shape + " [%a], {%w0, %w1, %w2, %w3};");
            }
        }
        add("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%sa];");
        add("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%sa], {%w0, %w1};");
        add("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %w0;");
        for (const char* space : {".global", ".shared", ""}) {
            const std::string at = space;
            add("wmma.load.a.sync.aligned.row.m16n16k16" + at +
                ".bf16 {%r0, %r1, %r2, %r3}, [%a], %w0;");
            add("wmma.load.a.sync.aligned.col.m8n32k16" + at + ".s8 {%r0}, [%a], %w0;");
            add("wmma.load.c.sync.aligned.col.m8n8k32" + at + ".s32 {%r0, %r1}, [%a], %w0;");
            add("wmma.store.d.sync.aligned.col.m16n16k16" + at +
                ".f16 [%a], {%w0, %w1, %w2, %w3}, %w0;");
        }
        add("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, "
            "{%w0, %w1, %w2, %w3}, {%w0, %w1}, {%w3, %w2, %w1, %w0};");
        add("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%r0, %r1, %r2, %r3}, "
            "{%w0, %w1, %w2, %w3}, {%w0, %w1}, {%w3, %w2, %w1, %w0};");
        add("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r0, %r1}, {%w0}, {%w1}, "
            "{%w2, %w3};");
        return made;
    }();
    return all;
}

/// Returns the functions whose addresses a script may use, with the declarations that they need.
inline const char* functions_text() {
    return R"(
.extern .func (.param .b32 g) vprintf(.param .b64 s, .param .b64 t);
.extern .func __assertfail(.param .b64 s, .param .b64 t, .param .b32 u, .param .b64 v, .param .b64 w);
.extern .func (.param .b64 g) malloc(.param .b64 s);
.extern .func free(.param .b64 s);
.global .align 16 .b8 table[64];
.const .align 8 .b8 constants[40];
.func (.param .b32 g) deeper(.param .b64 s)
{
.reg .b64 %x<3>;
.reg .b32 %y<3>;
.reg .pred %p;
.local .align 16 .b8 own[160];
ld.param.b64 %x1, [s];
st.local.b64 [own+8], %x1;
mov.b32 %y1, 1;
setp.eq.u64 %p, %x1, 0;
@%p bra END;
{ .param .b64 t; .param .b32 h; sub.u64 %x1, %x1, 1; st.param.b64 [t], %x1;
mov.u64 %x2, deeper; call (h), %x2, (t), again; ld.param.b32 %y1, [h]; }
END:
st.param.b32 [g], %y1;
ret;
again: .callprototype (.param .b32 _) _ (.param .b64 _);
}
.func (.param .b32 g) larger(.param .b64 s, .param .align 16 .b8 t[48])
{
.reg .b64 %x<3>;
.reg .b32 %y<3>;
ld.param.b64 %x1, [s];
ld.param.b64 %x2, [t+40];
ld.u32 %y1, [%x1];
st.u32 [%x2], %y1;
st.param.b32 [g], %y1;
ret;
}
)";
}

/// Returns the text of the module, which contains the functions and the kernel `run`. The kernel
/// has `shared_bytes` bytes of static shared memory.
inline std::string module_text(unsigned shared_bytes) {
    std::string text = ".version 8.6\n.target sm_90\n.address_size 64\n";
    text += functions_text();
    text +=
        ".visible .entry run(.param .u64 script, .param .u32 steps, .param .align 64 .b8 "
        "map[128])\n{\n"
        ".reg .b64 %a, %b, %c, %last, %l<3>, %row, %wide, %t<3>, %deep;\n"
        ".reg .b32 %sa, %sb, %sc, %w<4>, %r<4>, %i, %n, %me, %form, %lanes, %lane, %bit, %u, %s;\n"
        ".reg .pred %p, %q, %go, %in, %more;\n.reg .f32 %f<4>;\n.reg .f64 %e<2>;\n.reg .b16 "
        "%h<3>;\n"
        ".local .align 16 .b8 frame[80];\n";
    text += ".shared .align 128 .b8 tile[" + std::to_string(shared_bytes) + "];\n";
    text +=
        "ld.param.u64 %row, [script];\nld.param.u32 %n, [steps];\nmov.u32 %i, 0;\nmov.u64 %last, "
        "0;\n"
        "mov.u32 %me, %tid.x;\ncvt.u64.u32 %wide, %me;\nmov.u32 %lane, %laneid;\n"
        "one: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
        "two: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 16 .b8 _[48]);\n"
        "STEP:\nsetp.ge.u32 %more, %i, %n;\n@%more bra END;\n"
        "ld.global.u32 %form, [%row];\nld.global.u32 %lanes, [%row+4];\nld.global.u32 %s, "
        "[%row+88];\n";
    const char* addresses[] = {"%a", "%b", "%c"};
    for (int k = 0; k < 3; ++k) {
        const std::string a = addresses[k], to = "%s" + a.substr(1);
        text += "ld.global.u64 " + a + ", [%row+" + std::to_string(8 + 8 * k) + "];\n" +
                "ld.global.u64 %t0, [%row+" + std::to_string(32 + 8 * k) + "];\n" + "mad.lo.s64 " +
                a + ", %t0, %wide, " + a + ";\n" + "shr.u32 %u, %s, " + std::to_string(k) +
                ";\nand.b32 %u, %u, 1;\ncvt.u64.u32 %t0, %u;\n" + "mad.lo.s64 " + a +
                ", %t0, %last, " + a + ";\ncvt.u32.u64 " + to + ", " + a + ";\n";
    }
    for (int k = 0; k < 4; ++k) {
        const std::string w = "%w" + std::to_string(k);
        text += "ld.global.u32 " + w + ", [%row+" + std::to_string(56 + 4 * k) + "];\n" +
                "ld.global.u32 %u, [%row+" + std::to_string(72 + 4 * k) + "];\nmad.lo.u32 " + w +
                ", %u, %me, " + w + ";\n";
    }
    text +=
        "setp.lt.u32 %p, %w3, 4;\nmov.b32 %f0, %w0;\nmov.b32 %f1, %w1;\nmov.b32 %f2, %w2;\nmov.b32 "
        "%f3, %w3;\n"
        "mov.b64 %e1, %b;\ncvt.u16.u32 %h1, %w0;\ncvt.u16.u32 %h2, %w1;\n"
        "shr.u32 %bit, %lanes, %lane;\nand.b32 %bit, %bit, 1;\nsetp.eq.u32 %in, %bit, 0;\n@%in bra "
        "NEXT;\n"
        "brx.idx %form, FORMS;\nFORMS: .branchtargets ";
    for (std::size_t k = 0; k < instruction_forms().size(); ++k)
        text += (k ? ", F" : "F") + std::to_string(k);
    text += ";\n";
    for (std::size_t k = 0; k < instruction_forms().size(); ++k)
        text += ".loc 1 " + std::to_string(k + 1) + " 0\nF" + std::to_string(k) + ":\n" +
                instruction_forms()[k] + "\nbra NEXT;\n";
    text +=
        "NEXT:\nadd.u32 %i, %i, 1;\nadd.u64 %row, %row, 96;\nbra STEP;\nEND:\nret;\n}\n.file 1 "
        "\"forms\"\n";
    return text;
}

}  // namespace coalesce::simulator::fuzz
