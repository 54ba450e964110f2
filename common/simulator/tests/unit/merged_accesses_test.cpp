// Tests how loads and stores are merged. Each rule in ptxas/merged_accesses.h has a case that
// merges and a case that does not. The expected results come from ptxas's machine code for the same
// PTX.
#include "simulator/ptxas/merged_accesses.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptx/parser.h"
#include "simulator/ptxas/shared_layout.h"

using namespace coalesce::simulator;

namespace {

/// Returns what each load and store of a kernel becomes, in PTX order. "ld=" is an unchanged load,
/// "st-" is a store that is removed or merged into another store, and "ld+4:16@0" is a load that is
/// replaced with a 16-byte load whose address is 4 bytes higher. The number after `@` is the
/// MachineAccess::remainder. Unchanged accesses to global memory are omitted. The kernel has a
/// shared variable `s` of 8 KiB, %r3 = s + 32 * %tid.x, %r2 = s + 4 * %tid.x, a parameter %r1 and a
/// pointer %rd1. `unrolls` says that ptxas unrolls the loop that contains the first access to
/// shared memory.
std::string merged_in(const std::string& body, const std::string& variables = "",
                      bool unrolls = false) {
    const auto module = ptx::parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u32 n) {\n"
        ".reg .pred %p<9>; .reg .b16 %h<20>; .reg .b32 %r<90>; .reg .f32 %f<40>; .reg .b64 "
        "%rd<20>;\n" +
        variables +
        ".shared .align 4 .b8 s[8192];\n"
        "ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [out]; mov.u32 %r4, %tid.x; mov.u32 %r5, s;\n"
        "shl.b32 %r6, %r4, 5; add.s32 %r3, %r5, %r6; shl.b32 %r7, %r4, 2; add.s32 %r2, %r5, "
        "%r7;\n" +
        body + "\nret;\n}\n");
    const ptx::Function& kernel = *module->functions.at("k");
    std::vector<u32> unrolled;
    for (u32 at = 0; unrolls && at < kernel.body.size(); ++at)
        if (kernel.body[at].has("shared") && unrolled.empty()) unrolled.push_back(at);
    const MergedAccesses merged = merged_accesses(
        kernel, ControlFlow(kernel), make_shared_layout(*module, kernel).offsets, unrolled);
    std::string text;
    for (u32 at = 0; at < kernel.body.size(); ++at) {
        const ptx::Instruction& i = kernel.body[at];
        if ((i.opcode != "ld" && i.opcode != "st") || i.has("param")) continue;
        if (ptx::access_space(i) == ptx::StateSpace::global && !merged.contains(at)) continue;
        text += (text.empty() ? "" : " ") + i.opcode;
        const auto found = merged.find(at);
        if (found == merged.end())
            text += "=";
        else if (found->second.list.empty())
            text += "-";
        else
            for (const MachineAccess& access : found->second.list)
                text += (access.byte_offset < 0 ? "" : "+") + std::to_string(access.byte_offset) +
                        ":" + std::to_string(access.bytes) +
                        (access.remainder == MachineAccess::kAnyRemainder
                             ? ""
                             : "@" + std::to_string(access.remainder));
    }
    return text;
}

/// Returns the PTX of loads of words at the given offsets from `base`, and a store of their sum.
std::string loads(std::initializer_list<int> offsets, const std::string& base = "%r3",
                  const std::string& between = "") {
    std::string text, sum = "mov.u32 %r80, 0;";
    int k = 20;
    for (int offset : offsets) {
        if (k == 22) text += between;
        text += "ld.shared.u32 %r" + std::to_string(k) + ", [" + base + "+" +
                std::to_string(offset) + "];\n";
        sum += "add.u32 %r80, %r80, %r" + std::to_string(k++) + ";";
    }
    return text + sum + "st.global.u32 [%rd1], %r80;";
}
std::string stores(std::initializer_list<int> offsets, const std::string& base = "%r3") {
    std::string text;
    for (int offset : offsets)
        text += "st.shared.u32 [" + base + "+" + std::to_string(offset) + "], %r1;\n";
    return text;
}

}  // namespace

TEST_CASE("loads from the same 16 bytes merge if at least three words are needed") {
    CHECK(merged_in(loads({0, 4, 8, 12})) == "ld+0:16 ld- ld- ld-");
    CHECK(merged_in(loads({12, 8, 4, 0})) == "ld-12:16 ld- ld- ld-");
    CHECK(merged_in(loads({4, 8, 12, 16})) == "ld-4:16 ld- ld- ld=");
    CHECK(merged_in(loads({0, 4})) == "ld+0:8 ld-");
    CHECK(merged_in(loads({4, 8})) == "ld= ld=");
    CHECK(merged_in(loads({0, 8})) == "ld= ld=");
    CHECK(merged_in(loads({8, 12, 16, 20})) == "ld+0:8 ld- ld+0:8 ld-");
    CHECK(merged_in(loads({4, 4})) == "ld= ld-");
}

TEST_CASE("stores merge if all words are stored by consecutive instructions") {
    CHECK(merged_in(stores({0, 4, 8, 12})) == "st+0:16 st- st- st-");
    CHECK(merged_in(stores({8, 0, 12, 4})) == "st-8:16 st- st- st-");
    CHECK(merged_in(stores({0, 4, 8})) == "st+0:8 st- st=");
    CHECK(merged_in(stores({4, 8})) == "st= st=");
    CHECK(merged_in(stores({0, 64, 4, 68})) == "st= st= st= st=");
    CHECK(merged_in(stores({0, 4}) + "ld.shared.u32 %r20, [%r3+64]; st.global.u32 [%rd1], %r20;" +
                    stores({8, 12})) == "st+0:8 st- ld= st+0:8 st-");
}

TEST_CASE("a store that the next store overwrites is removed") {
    CHECK(merged_in(stores({0, 0})) == "st- st=");
    CHECK(merged_in(stores({0, 64, 0})) == "st= st= st=");
    CHECK(merged_in(stores({0}) + "membar.cta;" + stores({0})) == "st= st=");
}

TEST_CASE("accesses merge only if their alignment is known") {
    CHECK(merged_in(loads({0, 4, 8, 12}, "%r2")) == "ld= ld= ld= ld=");
    const auto from = [](const std::string& computed) {
        return merged_in(computed + "add.s32 %r9, %r5, %r8;" + loads({0, 4, 8, 12}, "%r9"));
    };
    const std::string one = "ld+0:16 ld- ld- ld-", two = "ld+0:8 ld- ld+0:8 ld-",
                      none = "ld= ld= ld= ld=";
    CHECK(from("mul.lo.u32 %r8, %r4, 48;") == one);
    CHECK(from("mul.lo.u32 %r8, %r4, 24;") == two);
    CHECK(from("mul.lo.u32 %r8, %r4, 12;") == none);
    CHECK(from("and.b32 %r8, %r1, -16;") == one);
    CHECK(from("mad.lo.u32 %r8, %r4, 3, %r4; shl.b32 %r8, %r8, 2;") == none);
    CHECK(from("min.u32 %r8, %r6, 64;") == none);
    CHECK(from("setp.gt.u32 %p1, %r1, 7; selp.b32 %r8, %r6, 64, %p1;") == one);
}

TEST_CASE("a variable has the alignment that its offset in shared memory has") {
    const std::string four = loads({0, 4, 8, 12});
    CHECK(merged_in(four, ".shared .align 4 .b8 a[16];\n") == "ld+0:16 ld- ld- ld-");
    CHECK(merged_in(four, ".shared .align 4 .b8 z[4];\n") == "ld= ld= ld= ld=");
    CHECK(merged_in(loads({0, 4, 8, 12}, "s")) == "ld+0:16 ld- ld- ld-");
}

TEST_CASE("a vector access reveals the alignment of other addresses at a constant distance") {
    const std::string vector =
        "ld.shared.v4.u32 {%r30, %r31, %r32, %r33}, [%r2+16];"
        "add.u32 %r34, %r30, %r31; add.u32 %r34, %r34, %r32; add.u32 %r34, %r34, %r33;"
        "st.global.u32 [%rd1+4], %r34;";
    CHECK(merged_in(loads({0, 4, 8, 12}, "%r2") + vector) == "ld+0:16 ld- ld- ld- ld=");
    CHECK(merged_in(loads({0, 4, 8, 12}, "%r2") + "bar.sync 0;" + vector) ==
          "ld+0:16 ld- ld- ld- ld=");
    CHECK(merged_in(loads({0, 4, 8, 12}, "%r2") + "bra L; L: " + vector) ==
          "ld+0:16 ld- ld- ld- ld=");
    // Accesses do not merge across code that some lanes may skip.
    CHECK(merged_in(loads({0, 4, 8, 12}, "%r2") + "@%p1 bra L; bar.sync 0;" + vector + "L: ") ==
          "ld= ld= ld= ld= ld=");
}

TEST_CASE("addresses may be computed from several registers") {
    const auto each = [](const std::string& from) {
        std::string text, sum = "mov.u32 %r80, 0;";
        for (int k = 0; k < 4; ++k) {
            std::string one = from;
            for (std::size_t at; (at = one.find('#')) != one.npos;)
                one.replace(at, 1, std::to_string(k));
            text +=
                one + "add.s32 %r9, %r5, %r8; ld.shared.u32 %r2" + std::to_string(k) + ", [%r9];";
            sum += "add.u32 %r80, %r80, %r2" + std::to_string(k) + ";";
        }
        return merged_in("shl.b32 %r10, %r4, 2;" + text + sum + "st.global.u32 [%rd1], %r80;");
    };
    const std::string one = "ld+0:16 ld- ld- ld-", none = "ld= ld= ld= ld=";
    CHECK(each("add.s32 %r8, %r10, #; shl.b32 %r8, %r8, 2;") == one);
    CHECK(each("or.b32 %r8, %r10, #; shl.b32 %r8, %r8, 2;") == one);
    CHECK(each("add.s32 %r8, %r10, #; mul.wide.u32 %rd2, %r8, 4; cvt.u32.u64 %r8, %rd2;") == none);
    CHECK(each("shl.b32 %r8, #, 2; xor.b32 %r8, %r8, %r6;") == none);
}

TEST_CASE("an instruction between two accesses may prevent the merge") {
    const auto between = [](const std::string& what) {
        return merged_in(loads({0, 4, 8, 12}, "%r3", what)).substr(0, 11);
    };
    const std::string merged = "ld+0:16 ld-", apart = "ld+0:8 ld- ";
    CHECK(between("") == merged);
    CHECK(between("st.global.u32 [%rd1+8], %r1;") == merged);
    CHECK(between("red.global.add.u32 [%rd1], 1;") == merged);
    CHECK(between("shfl.sync.idx.b32 %r50, %r20, 0, 31, -1; st.global.u32 [%rd1+8], %r50;") ==
          merged);
    CHECK(between("mov.u32 %r50, %clock; st.global.u32 [%rd1+8], %r50;") == merged);
    CHECK(between("st.shared.u32 [%r3+64], %r1;") == apart);
    CHECK(between("st.u32 [%rd1], %r1;") == apart);
    CHECK(between("red.shared.add.u32 [%r3+64], 1;") == apart);
    CHECK(between("bar.sync 0;") == apart);
    CHECK(between("bar.warp.sync -1;") == apart);
    CHECK(between("membar.cta;") == apart);
    CHECK(between("div.rn.f32 %f1, %f2, %f3; st.global.f32 [%rd1+8], %f1;") == apart);
}

TEST_CASE("volatile, narrow and guarded accesses do not merge") {
    const auto pair = [](const std::string& one, const std::string& two) {
        return merged_in(one + two + "add.u32 %r22, %r20, %r21; st.global.u32 [%rd1], %r22;");
    };
    CHECK(pair("ld.shared.u32 %r20, [%r3];", "ld.shared.u32 %r21, [%r3+4];") == "ld+0:8 ld-");
    CHECK(pair("ld.volatile.shared.u32 %r20, [%r3];", "ld.volatile.shared.u32 %r21, [%r3+4];") ==
          "ld= ld=");
    CHECK(pair("ld.shared.u8 %r20, [%r3];", "ld.shared.u8 %r21, [%r3+1];") == "ld= ld=");
    CHECK(pair("@%p1 ld.shared.u32 %r20, [%r3];", "@%p1 ld.shared.u32 %r21, [%r3+4];") ==
          "ld= ld=");
}

TEST_CASE("loads of 16-bit values merge if they are not zero-extended") {
    const auto halves = [](const std::string& use) {
        return merged_in("ld.shared.b16 %h1, [%r3]; ld.shared.b16 %h2, [%r3+2];" + use);
    };
    CHECK(halves("add.u16 %h3, %h1, %h2; st.global.u16 [%rd1], %h3;") == "ld+0:4 ld-");
    CHECK(halves("cvt.u32.u16 %r20, %h1; cvt.u32.u16 %r21, %h2; add.u32 %r20, %r20, %r21;"
                 "st.global.u32 [%rd1], %r20;") == "ld= ld=");
}

TEST_CASE("unused elements are not loaded") {
    const auto wanted = [](const std::string& use) {
        return merged_in("ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r3];" + use);
    };
    CHECK(wanted("st.global.u32 [%rd1], %r21;") == "ld+4:4");
    CHECK(wanted("add.u32 %r24, %r20, %r23; st.global.u32 [%rd1], %r24;") == "ld+0:4+12:4");
    CHECK(wanted("add.u32 %r24, %r22, %r23; st.global.u32 [%rd1], %r24;") == "ld+8:8");
    CHECK(wanted("add.u32 %r24, %r22, %r23; add.u32 %r24, %r24, %r20; st.global.u32 [%rd1], "
                 "%r24;") == "ld=");
}

TEST_CASE("the rules also hold in global memory if the alignment is known") {
    const std::string four =
        "ld.global.u32 %r20, [%rd2]; ld.global.u32 %r21, [%rd2+4]; add.u32 %r22, %r20, %r21;"
        "st.global.u32 [%rd1], %r22;";
    CHECK(merged_in("and.b64 %rd2, %rd1, -16;" + four) == "ld+0:8 ld-");
    CHECK(merged_in("add.s64 %rd2, %rd1, 64;" + four) == "");
    CHECK(merged_in("add.s64 %rd2, %rd1, 64;" + four +
                    "ld.global.b64 %rd3, [%rd2+8]; st.global.u32 [%rd1+8], %rd3;") == "ld+0:8 ld-");
}

TEST_CASE("loads merge across iterations of a loop that ptxas unrolls") {
    const auto loop = [](const std::string& loads, int step, bool unrolls,
                         const std::string& start = "%r3") {
        return merged_in("mov.u32 %r10, 0; mov.u32 %r11, " + start + "; mov.u32 %r12, 0;\nL:\n" +
                             loads + "add.u32 %r11, %r11, " + std::to_string(step) +
                             "; add.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 8; @%p1 bra L;"
                             "st.global.u32 [%rd1], %r12;",
                         "", unrolls);
    };
    const std::string one = "ld.shared.u32 %r20, [%r11]; add.u32 %r12, %r12, %r20;";
    const std::string pair = one + "ld.shared.u32 %r21, [%r11+4]; add.u32 %r12, %r12, %r21;";
    CHECK(loop(one, 4, true) == "ld+0:16@0");
    CHECK(loop(one, 4, false) == "ld=");
    CHECK(loop(one, 4, true, "%r2") == "ld=");
    CHECK(loop(one, 128, true) == "ld=");
    CHECK(loop(pair, 8, true) == "ld+0:16@0 ld-");
    CHECK(loop(pair, 8, false) == "ld+0:8 ld-");
    // A load is not moved into an earlier iteration if the loop also stores to shared memory.
    CHECK(loop(one + "st.shared.u32 [%r11+512], %r12;", 4, true) == "ld= st=");
}

namespace {

/// Returns the PTX of a load, a branch over the instructions in `skipped`, and a second load at the
/// branch's target. Both loaded words are stored.
std::string behind_branch(const std::string& skipped, const std::string& address) {
    return "ld.shared.u32 %r20, [%r3]; st.global.u32 [%rd1], %r20; setp.eq.u32 %p1, %r4, 3;"
           "@%p1 bra L;" +
           skipped + "L: ld.shared.u32 %r21, [" + address + "]; st.global.u32 [%rd1+4], %r21;";
}

}  // namespace

TEST_CASE("a load from shared memory merges with a load before a branch") {
    const std::string other = "st.global.u32 [%rd1+8], %r1;";
    CHECK(merged_in(behind_branch(other, "%r3+4")) == "ld+0:8 ld-");
    CHECK(merged_in(behind_branch(other, "%r3")) == "ld= ld-");
    CHECK(merged_in(behind_branch("st.shared.u32 [%r3+64], %r1;", "%r3+4")) == "ld= st= ld=");
    CHECK(merged_in(behind_branch("bar.warp.sync -1;", "%r3+4")) == "ld= ld=");
    CHECK(merged_in(behind_branch(other, "%r3+64")) == "ld= ld=");
}

TEST_CASE("loads on both paths merge with a load before the branch, but not with each other") {
    const std::string ends =
        "setp.eq.u32 %p1, %r4, 3; @%p1 bra L;"
        "ld.shared.u32 %r21, [%r3+4]; st.global.u32 [%rd1+4], %r21; bra M;"
        "L: ld.shared.u32 %r22, [%r3+8]; ld.shared.u32 %r23, [%r3+12]; add.u32 %r22, %r22, %r23;"
        "st.global.u32 [%rd1+4], %r22; M:";
    CHECK(merged_in("ld.shared.u32 %r20, [%r3]; st.global.u32 [%rd1], %r20;" + ends) ==
          "ld+0:16 ld- ld- ld-");
    CHECK(merged_in(ends) == "ld= ld+0:8 ld-");
}

TEST_CASE("loads merge across a loop of one block, but not across a loop of several blocks") {
    const auto across = [](const std::string& in_loop) {
        return merged_in("ld.shared.u32 %r20, [%r3]; mov.u32 %r30, 0; K: " + in_loop +
                         "add.u32 %r30, %r30, 1; setp.lt.u32 %p2, %r30, %r1; @%p2 bra K;"
                         "ld.shared.u32 %r21, [%r3+4]; add.u32 %r20, %r20, %r21;"
                         "st.global.u32 [%rd1], %r20;");
    };
    CHECK(across("") == "ld+0:8 ld-");
    CHECK(across("@%p1 bra M; st.global.u32 [%rd1+8], %r30; M:") == "ld= ld=");
    CHECK(across("st.shared.u32 [%r3+64], %r30;") == "ld= st= ld=");
}

TEST_CASE("in global memory, a load before a branch replaces only loads of the same word") {
    const std::string wide =
        "and.b64 %rd2, %rd1, -16; ld.global.u32 %r20, [%rd2]; setp.eq.u32 %p1, %r20, 3;"
        "@%p1 bra L; ld.global.u32 %r21, [%rd2";
    const std::string end = "]; add.u32 %r20, %r20, %r21; L: st.shared.u32 [%r3], %r20;";
    CHECK(merged_in(wide + end) == "ld- st=");
    CHECK(merged_in(wide + "+4" + end) == "st=");
}

TEST_CASE("a word is not loaded again after a store to it") {
    const auto load = [](const std::string& before) {
        return merged_in(before + "ld.shared.u32 %r20, [%r3]; st.global.u32 [%rd1], %r20;");
    };
    CHECK(load("st.shared.u32 [%r3], %r1;") == "st= ld-");
    CHECK(load("st.shared.v2.u32 [%r3], {%r1, %r4};") == "st= ld-");
    CHECK(load("st.shared.u32 [%r3], %r1; st.global.u32 [%rd1+4], %r1;") == "st= ld-");
    CHECK(load("st.shared.u32 [%r3], %r1; st.shared.u32 [%r3+64], %r1;") == "st= st= ld=");
    CHECK(load("st.shared.u32 [%r3], %r1; bar.sync 0;") == "st= ld=");
    CHECK(load("st.shared.u64 [%r3], %rd1;") == "st= ld=");
}

TEST_CASE("only the needed half of a 64-bit word is loaded") {
    const auto half = [](const std::string& use) {
        return merged_in("ld.shared.u64 %rd3, [%r3];" + use + "st.global.u32 [%rd1], %r20;");
    };
    CHECK(half("shr.u64 %rd4, %rd3, 33; cvt.u32.u64 %r20, %rd4;") == "ld+4:4");
    CHECK(half("cvt.u32.u64 %r20, %rd3;") == "ld+0:4");
    CHECK(half("add.u64 %rd4, %rd3, %rd1; cvt.u32.u64 %r20, %rd4;") == "ld+0:4");
    CHECK(half("mov.b64 {%r21, %r20}, %rd3;") == "ld+4:4");
    CHECK(half("shr.u64 %rd4, %rd3, 31; cvt.u32.u64 %r20, %rd4;") == "ld=");
    CHECK(half("ld.shared.u64 %rd5, [%r3+8]; add.u64 %rd3, %rd3, %rd5; cvt.u32.u64 %r20, %rd3;") ==
          "ld+0:16 ld-");
}

TEST_CASE("merging takes account of guards that are always true or always false") {
    const auto guarded = [](const std::string& how) {
        return merged_in("mov.u32 %r30, 0; setp.eq.u32 %p1, %r30, 0; setp.ne.u32 %p2, %r30, 0;" +
                         how);
    };
    CHECK(guarded("@%p2 bra L; st.shared.u32 [%r3], %r1; L: @%p2 bra M;"
                  "st.shared.u32 [%r3+4], %r1; M:") == "st+0:8 st-");
    CHECK(guarded("@%p1 st.shared.u32 [%r3], %r1; @!%p2 st.shared.u32 [%r3+4], %r1;") ==
          "st+0:8 st-");
    CHECK(guarded("@%p2 st.shared.u32 [%r3], %r1;") == "st-");
    CHECK(guarded("setp.eq.u32 %p3, %r1, 0; @%p3 st.shared.u32 [%r3], %r1;") == "st=");
}
