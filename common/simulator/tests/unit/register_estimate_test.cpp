// Tests the rules that the register estimate follows, and the rules that it deliberately ignores.
// registers/ tests the accuracy of the estimate on whole kernels.
//
// Each case compares the estimate with the number of registers that ptxas assigns to the same PTX.
// If a comment says "equals ptxas's number", the expected number is ptxas's. If the estimate may
// differ, a comment such as "ptxas: 8" states ptxas's number.
#include "simulator/ptxas/register_estimate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/ptx/parser.h"

using namespace coalesce::simulator;

namespace {

u32 estimate(const std::string& body, const std::string& directives = "",
             const std::string& before = "") {
    const auto module = ptx::parse(
        ".version 9.0\n.target sm_90\n.address_size 64\n" + before +
        ".entry k(.param .u64 in, .param .u64 out, .param .u32 n)" + directives +
        " {\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n.reg .f32 %f<99>;\n.reg .pred %p<9>;\n"
        "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u32 %r1, [n];\n"
        "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd3, %r2, 4;\n"
        "add.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n" +
        body + "\nret;\n}\n");
    return estimate_code(*module, *module->functions.at("k")).registers;
}

std::string loads(int count) {
    std::string text;
    for (int k = 0; k < count; ++k)
        text +=
            "ld.global.f32 %f" + std::to_string(k) + ", [%rd4+" + std::to_string(4 * k) + "];\n";
    return text;
}
std::string stores(int count, int first = 0) {
    std::string text;
    for (int k = first; k < first + count; ++k)
        text +=
            "st.global.f32 [%rd5+" + std::to_string(4 * k) + "], %f" + std::to_string(k) + ";\n";
    return text;
}

const std::string kCopy = loads(1) + stores(1);

}  // namespace

TEST_CASE("each load in flight needs a register, whatever the order of the loads in the text") {
    CHECK(estimate(kCopy) <= 12);
    CHECK(estimate(loads(16) + stores(16)) >= estimate(kCopy) + 14);
    // ptxas needs 10 registers for one load and 32 for 16 loads. It puts store data in odd
    // registers as long as all threads can still be resident.
    CHECK(estimate(loads(16) + stores(16)) <= estimate(kCopy) + 22);
    std::string shared = ".shared .b32 tile[64];\n";
    for (int k = 0; k < 8; ++k) {
        const std::string at = std::to_string(4 * k), f = "%f" + std::to_string(k);
        shared += "ld.shared.f32 " + f + ", [tile+" + at + "];\nst.global.f32 [%rd5+" + at + "], " +
                  f + ";\n";
    }
    // Nothing delays loads from shared memory, so all of them are issued before the first loaded
    // values are stored.
    CHECK(estimate(shared) >= estimate(".shared .b32 tile[64];\nld.shared.f32 %f0, [tile];\n"
                                       "st.global.f32 [%rd5], %f0;") +
                                  5);
}

TEST_CASE("a load does not move before a store that may alias it") {
    std::string one_by_one;
    for (int k = 0; k < 16; ++k) {
        const std::string at = std::to_string(4 * k), f = "%f" + std::to_string(k);
        one_by_one += "ld.global.f32 " + f + ", [%rd4+" + at + "];\nst.global.f32 [%rd5+" + at +
                      "], " + f + ";\n";
    }
    // ptxas needs 20 registers for this order, but 32 if all loads come before the stores.
    CHECK(estimate(one_by_one) <= estimate(loads(16) + stores(16)) - 12);
}

TEST_CASE("predicates and block-uniform values need no registers") {
    std::string uniform, predicates;
    for (int k = 10; k < 40; ++k)
        uniform += "add.s32 %r" + std::to_string(k) + ", %r1, " + std::to_string(k) + ";\n";
    for (int k = 10; k < 40; ++k) uniform += "add.s32 %r2, %r2, %r" + std::to_string(k) + ";\n";
    for (int k = 1; k < 8; ++k)
        predicates += "setp.eq.u32 %p" + std::to_string(k) + ", %r2, " + std::to_string(k) + ";\n";
    for (int k = 1; k < 8; ++k)
        predicates += "@%p" + std::to_string(k) + " st.global.f32 [%rd5], %f0;\n";
    CHECK(estimate(uniform + "st.global.u32 [%rd5], %r2;") <= estimate(kCopy) + 4);
    CHECK(estimate(loads(1) + predicates) <= estimate(kCopy) + 4);
}

TEST_CASE("a loop with a constant step has the loads of four iterations in flight") {
    const std::string loop = R"(
        mov.u32 %r5, 0;
        LOOP:
        %NOUNROLL
        ld.global.nc.f32 %f0, [%rd4];
        st.global.f32 [%rd5], %f0;
        add.s64 %rd4, %rd4, 4;
        add.s64 %rd5, %rd5, 4;
        add.s32 %r5, %r5, 1;
        setp.lt.s32 %p1, %r5, %r1;
        @%p1 bra LOOP;)";
    const auto with = [&](const std::string& pragma) {
        std::string text = loop;
        return estimate(text.replace(text.find("%NOUNROLL"), 9, pragma));
    };
    CHECK(with("") >= with(".pragma \"nounroll\";") + 3);

    // A fence in each iteration prevents unrolling, but a barrier does not.
    const u32 once = with(".pragma \"nounroll\";") + 1;
    for (const char* fence : {"membar.gl;", "fence.acq_rel.gpu;", "barrier.cluster.arrive;"})
        CHECK(with(fence) <= once);
    for (const char* other : {"bar.sync 0;", "fence.proxy.async;"}) CHECK(with(other) >= once + 2);
}

TEST_CASE(
    "when one of two loaded values is selected, the second load writes to the register of the "
    "first") {
    const auto chosen = [](const std::string& load) {
        return estimate(load + " %f0, [%rd4];\n" + load + " %f1, [%rd5];\n" +
                        "ld.global.u32 %r5, [%rd4+8];\nslct.f32.s32 %f2, %f0, %f1, %r5;\n"
                        "st.global.f32 [%rd4+16], %f2;");
    };
    CHECK(chosen("ld.global.f32") <= chosen("ld.volatile.global.f32"));
    CHECK(chosen("ld.global.f32") <= 12);
}

TEST_CASE("an atomic at a uniform address needs a register for the sum over the lanes") {
    const std::string add = "red.global.add.u32 [%rd1], %r2;\n";
    const std::string others =
        "red.global.and.b32 [%rd1+4], %r2;\nred.global.or.b32 [%rd1+8], %r2;\n"
        "red.global.xor.b32 [%rd1+12], %r2;\n";
    CHECK(estimate(add + others) >= estimate(add) + 3);
}

TEST_CASE("directives limit the number of registers") {
    const std::string many = loads(40) + stores(40);
    CHECK(estimate(many) > 40);
    CHECK(estimate(many, " .maxnreg 24") == 24);
    CHECK(estimate(many, " .maxntid 1024 .minnctapersm 2") == 32);
    CHECK(estimate(many, " .maxntid 100, 3 .minnctapersm 5") == 40);
    CHECK(estimate(many, " .reqntid 512 .minnctapersm 4") == 32);
    CHECK(estimate(many, " .maxntid 64") == estimate(many));
    CHECK(estimate(kCopy, " .maxnreg 128") == estimate(kCopy));
}

TEST_CASE(
    "a call needs as many registers as the callee, or as the calling convention if the callee is "
    "unknown") {
    const std::string printf =
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n";
    const std::string call =
        "{ .param .b64 a; .param .b64 b; .param .b32 r;\nst.param.b64 [a], %rd1;\n"
        "st.param.b64 [b], %rd2;\ncall.uni (r), vprintf, (a, b);\n}";
    CHECK(estimate(call, "", printf) == 24);
    std::string callee =
        ".func f(.param .b64 p) {\n.reg .b32 %r<40>;\n.reg .b64 %rd<2>;\n"
        "ld.param.u64 %rd1, [p];\n";
    for (int k = 0; k < 20; ++k)
        callee +=
            "ld.global.u32 %r" + std::to_string(k) + ", [%rd1+" + std::to_string(4 * k) + "];\n";
    for (int k = 0; k < 20; ++k)
        callee +=
            "st.global.u32 [%rd1+" + std::to_string(4 * k) + "], %r" + std::to_string(k) + ";\n";
    callee += "ret;\n}\n";
    const std::string call_f = "{ .param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni f, (a);\n}";
    CHECK(estimate(call_f, "", callee) >= 24);
}

TEST_CASE("a recursive function is not inlined") {
    const std::string callee =
        ".func f(.param .b64 p) {\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
        "{ .param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni f, (a);\n}\nret;\n}\n";
    const std::string call_f = "{ .param .b64 a;\nst.param.b64 [a], %rd1;\ncall.uni f, (a);\n}";
    CHECK(estimate(call_f, "", callee) == 24);
}

TEST_CASE("constants used in a loop of several blocks are loaded before the loop") {
    const auto loop = [](const std::string& in_it) {
        return estimate(
            ".shared .b32 tile[64];\nmov.u32 %r5, %r2;\nLOOP:\nsetp.lt.u32 %p1, %r5, 77;\n"
            "@%p1 bra NEXT;\n" +
            in_it +
            "mov.u32 %r8, %r5;\nlg2.approx.f32 %f0, %f0;\nlg2.approx.f32 %f0, %f0;\n"
            "lg2.approx.f32 %f0, %f0;\nlg2.approx.f32 %f0, %f0;\nlg2.approx.f32 %f0, %f0;\n"
            "lg2.approx.f32 %f0, %f0;\nst.shared.f32 [tile], %f0;\nNEXT:\n"
            "add.s32 %r5, %r5, 32;\nsetp.lt.u32 %p2, %r5, %r1;\n@%p2 bra LOOP;\n");
    };
    const std::string load =
        "mul.wide.u32 %rd6, %r5, 4;\nadd.s64 %rd7, %rd1, %rd6;\nld.global.f32 %f0, [%rd7];\n";
    const std::string barrier = "bar.sync 0;\n";
    CHECK(loop(load) >= loop("") + 2);
    CHECK(loop(load + barrier) < loop(load));
}

TEST_CASE("an asynchronous copy adds the constant offsets to its addresses") {
    std::string copies = ".shared .b32 tile[64];\nmov.u32 %r5, tile;\nadd.s32 %r6, %r5, %r2;\n";
    for (int k = 0; k < 6; ++k) {
        const std::string far = "%rd" + std::to_string(10 + k),
                          near = "%r" + std::to_string(10 + k), at = std::to_string(64 * k + 64);
        copies += "add.s64 " + far + ", %rd4, " + at + ";\nadd.s32 " + near + ", %r6, " + at +
                  ";\ncp.async.ca.shared.global [" + near + "], [" + far + "], 4;\n";
    }
    CHECK(estimate(copies) <= 9);  // ptxas: 8
}

TEST_CASE(
    "zeros in a vector need no registers, and a pair reuses the register of the word that it "
    "extends") {
    const std::string zero = "mov.u32 %r5, 0;\n";
    CHECK(estimate(zero + "st.global.v4.u32 [%rd5], {%r5, %r5, %r5, %r5};") <
          estimate("st.global.v4.u32 [%rd5], {%r2, %r2, %r2, %r2};"));
    const std::string both = "cvt.s64.s32 %rd6, %r2;\nst.global.u32 [%rd5+8], %r2;\n";
    CHECK(estimate(both + "st.global.u64 [%rd5], %rd6;") == 8);  // equals ptxas's number
    for (const char* type : {"s64", "u64"})
        CHECK(estimate("mul.wide.u32 %rd8, %r2, 8;\nadd.s64 %rd7, %rd2, %rd8;\n"
                       "ld.global.u32 %r9, [%rd4];\ncvt." +
                       std::string(type) + ".s32 %rd6, %r9;\nst.global.u64 [%rd7], %rd6;\n") == 12);
}

TEST_CASE("a small array with constant indices is kept in registers") {
    const auto with_array = [](const std::string& bytes, const std::string& stored_at) {
        std::string text = ".local .align 4 .b8 depot[" + bytes +
                           "];\n.reg .b64 %SPL;\nmov.u64 %SPL, depot;\nadd.u64 %rd9, %SPL, 0;\n"
                           "add.s64 %rd10, %rd9, %rd3;\n";
        for (int k = 0; k < 7; ++k)
            text += "mul.lo.s32 %r5, %r2, " + std::to_string(k + 5) + ";\nst.local.u32 [" +
                    stored_at + "+" + std::to_string(4 * k) + "], %r5;\n";
        return estimate(text + "ld.local.u32 %r9, [%rd10];\nst.global.u32 [%rd5], %r9;");
    };
    const u32 in_registers = with_array("28", "%rd9");
    CHECK(in_registers >= with_array("280", "%rd9") + 4);
    CHECK(in_registers >= with_array("28", "%rd10") + 4);
}

TEST_CASE("the time to estimate a long kernel is proportional to the kernel's length") {
    std::string text;
    for (int k = 0; k < 20000; ++k)
        text += "ld.global.f32 %f1, [%rd4+4];\nst.global.f32 [%rd5], %f1;\n";
    CHECK(estimate(text) <= 16);  // takes milliseconds; a quadratic algorithm would take minutes
}

TEST_CASE("the registers of a called function are added to those live in the caller") {
    const auto function = [](const std::string& name, const std::string& body) {
        return ".func (.param .b32 result) " + name +
               "(.param .b64 from) {\n.reg .b32 %a<9>;\n.reg .b64 %p;\n.reg .pred %q;\n"
               "ld.param.b64 %p, [from];\n" +
               body + "st.param.b32 [result], %a8;\nret;\n}\n";
    };
    const auto call = [](const std::string& name, const std::string& from) {
        return "{\n.param .b64 x;\n.param .b32 y;\nst.param.b64 [x], " + from + ";\ncall (y), " +
               name + ", (x);\nld.param.b32 %" + (from == "%p" ? "a8" : "r9") + ", [y];\n}\n";
    };
    std::string sum;
    for (int k = 0; k < 8; ++k)
        sum += "ld.global.u32 %a" + std::to_string(k) + ", [%p+" + std::to_string(4 * k) + "];\n";
    for (int k = 0; k < 7; ++k)
        sum += "xor.b32 %a" + std::to_string(k + 1) + ", %a" + std::to_string(k) + ", %a" +
               std::to_string(k + 1) + ";\n";
    sum += "mov.b32 %a8, %a7;\n";
    const std::string keep = "st.global.u32 [%rd5+64], %r9;\n";
    const std::string called = call("add8", "%rd4") + keep, add8 = function("add8", sum);
    const u32 alone = estimate(called, "", add8), around = estimate(loads(6) + stores(6));
    CHECK(estimate(loads(6) + called + stores(6), "", add8) > std::max(alone, around));

    // A recursive function follows the calling convention. It needs 24 registers, and one more for
    // each value that is live across the call.
    const std::string again = function(
        "again",
        "ld.global.u32 %a8, [%p];\nsetp.eq.s32 %q, %a8, 0;\n@%q bra E;\nadd.s64 %p, %p, 4;\n" +
            call("again", "%p") + "E:\n");
    const std::string calls_again = call("again", "%rd4") + keep;
    const u32 convention = estimate(calls_again, "", again);
    CHECK(convention >= 24);
    CHECK(estimate(loads(8) + calls_again + stores(8), "", again) >= convention + 4);
}

TEST_CASE("after a fence, the address register of an earlier load can be reused") {
    const auto with = [](const std::string& between) {
        return estimate(
            ".shared .b32 tile[64];\nshl.b32 %r3, %r2, 2;\nshl.b32 %r4, %r2, 4;\nmov.u32 %r5, "
            "tile;\n"
            "add.s32 %r6, %r5, %r4;\nmul.wide.u32 %rd6, %r3, 4;\nadd.s64 %rd7, %rd1, %rd6;\n"
            "ld.global.f32 %f1, [%rd7];\nst.shared.f32 [%r6], %f1;\n" +
            between + "ld.global.f32 %f2, [%rd7+4];\nst.shared.f32 [%r6+4], %f2;\nbar.sync 0;");
    };
    CHECK(with("membar.cta;\n") == 8);  // equals ptxas's number
    CHECK(with("bar.sync 0;\n") > 8);
}

TEST_CASE("a negated value that is used in several additions needs a register") {
    const std::string text =
        ".shared .b8 tile[99];\nmov.u32 %r4, %ctaid.x;\nmad.lo.s32 %r3, %r4, 96, %r2;\n"
        "cvt.s64.s32 %rd6, %r3;\nadd.s64 %rd7, %rd1, %rd6;\nld.global.u8 %r5, [%rd7];\n"
        "mov.u32 %r6, tile;\nadd.s32 %r7, %r6, %r2;\nst.shared.u8 [%r7], %r5;\nbar.sync 0;\n"
        "mov.u32 %r8, 95;\nsub.s32 %r9, %r8, %r2;\nadd.s32 %r10, %r6, %r9;\n"
        "ld.shared.u8 %r11, [%r10];\nadd.s64 %rd8, %rd2, %rd6;\nst.global.u8 [%rd8], %r11;";
    CHECK(estimate(text) >= 11);  // ptxas: 12
}

TEST_CASE("negated operands of float arithmetic need no additional registers") {
    const auto with = [](const std::string& sign) {
        std::string signs, sums;
        for (int k = 0; k < 20; ++k) {
            const std::string f = "%f" + std::to_string(k), changed = "%f" + std::to_string(k + 40);
            signs += sign + " " + changed + ", " + f + ";\n";
            sums += "add.f32 %f" + std::to_string(k + 60) + ", " + changed + ", " + f + ";\n";
        }
        return estimate(loads(20) + signs + sums + stores(20) + stores(20, 60));
    };
    CHECK(with("neg.f32") + 8 <= with("sqrt.approx.f32"));
}

TEST_CASE("bytes that are stored together share one register") {
    const auto with = [](const std::string& type) {
        return estimate(loads(41) +
                        ".reg .b16 %h<5>;\ncvt.u16.u32 %h1, %r1;\ncvt.u16.u32 %h2, %r2;\n" +
                        "st.global.v4." + type + " [%rd5], {%h1, %h2, %h1, %h2};\n" + stores(41));
    };
    CHECK(with("u8") == 48);  // equals ptxas's number
    CHECK(with("u8") < with("u16"));
}

TEST_CASE("a jump table with two adjacent targets is not treated as a condition") {
    const u32 with_table = estimate(
        "L_list: .branchtargets B, A;\nbrx.idx %r1, L_list;\nA:\nadd.s32 %r2, %r2, 1;\nB:\n" +
        kCopy);
    CHECK(with_table >= 6);
    CHECK(with_table <= 16);
}

TEST_CASE("a 64-bit product that is the same for the whole launch needs no registers per thread") {
    const auto strides = [](const std::string& factor) {
        return estimate("mov.u32 %r5, %ntid.x;\nmov.u32 %r6, " + factor + R"(;
            cvt.u64.u32 %rd6, %r5;
            cvt.u64.u32 %rd7, %r6;
            mul.lo.s64 %rd8, %rd7, %rd6;
            cvt.u64.u32 %rd10, %r2;
            mov.u32 %r7, 0;
            LOOP:
            .pragma "nounroll";
            shl.b64 %rd11, %rd10, 3;
            add.s64 %rd12, %rd1, %rd11;
            ld.global.v2.u32 {%r8, %r9}, [%rd12];
            xor.b32 %r10, %r8, %r9;
            xor.b32 %r7, %r10, %r7;
            add.s64 %rd10, %rd10, %rd8;
            setp.lt.u64 %p1, %rd10, %rd2;
            @%p1 bra LOOP;
            st.global.u32 [%rd4], %r7;)");
    };
    CHECK(strides("%nctaid.x") + 2 <= strides("%tid.y"));  // ptxas: 12 and 16
}

TEST_CASE(
    "bytes loaded as a vector fill words, and stay in these words if they are stored as a vector") {
    const auto copy = [](const std::string& order) {
        return estimate(
            ".reg .b16 %h<5>;\nld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd4];\n"
            "st.global.v4.u8 [%rd5], {" +
            order + "};");
    };
    CHECK(copy("%h1, %h2, %h3, %h4") == 10);  // equals ptxas's number
    const std::string constant = ".reg .b16 %h;\nmov.u16 %h, 5;\nst.global.u8 [%rd4], %h;";
    CHECK(estimate(constant) == 8);  // ptxas's number: 16-bit store data may be in an even register
}

TEST_CASE("a load may move before a store at a different offset from the same address") {
    const auto pass_on = [](const std::string& space, const std::string& from,
                            const std::string& to) {
        std::string text = ".shared .align 4 .b8 s[256];\n.shared .align 4 .b8 t[256];\n";
        for (int k = 0; k < 6; ++k) {
            const std::string value = "%r" + std::to_string(10 + k);
            const std::string sum = "%r" + std::to_string(20 + k);
            const std::string at = "+" + std::to_string(8 * k) + "]";
            text += "ld." + space + ".u32 " + value + ", [" + from + at + ";\nadd.s32 " + sum +
                    ", " + value + ", 7;\nst." + space + ".u32 [" + to + "+" +
                    std::to_string(8 * k + 4) + "]" + ", " + sum + ";\n";
        }
        return estimate(text);
    };
    CHECK(pass_on("global", "%rd4", "%rd4") == 18);  // these numbers equal ptxas's
    CHECK(pass_on("shared", "s", "s") == 9);
    CHECK(pass_on("shared", "s", "t") == 9);
    CHECK(pass_on("global", "%rd4", "%rd5") < 18);  // the two addresses may be equal
}

TEST_CASE("a 64-bit product that is used only as an addend becomes part of the addition") {
    const auto place = [](int products) {
        const char* numbers[] = {"%tid.y", "%tid.z", "%laneid", "%warpid"};
        const auto name = [](const std::string& kind, int number) {
            return kind + std::to_string(number);
        };
        std::string text = "cvt.u64.u32 %rd50, %r2;\n";
        for (int k = 0; k < products; ++k) {
            const std::string product = name("%rd", 30 + k), number = name("%r", 10 + k);
            text += "mov.u32 " + number + ", " + numbers[k] + ";\ncvt.u64.u32 " +
                    name("%rd", 20 + k) + ", " + number + ";\nmul.lo.s64 " + product + ", " +
                    name("%rd", 20 + k) + ", %rd2;\nadd.s64 " + name("%rd", 51 + k) + ", " +
                    name("%rd", 50 + k) + ", " + product + ";\n";
        }
        return estimate(text + "shl.b64 %rd60, " + name("%rd", 50 + products) +
                        ", 2;\nadd.s64 %rd61, %rd1, %rd60;\n" +
                        "ld.global.u32 %r50, [%rd61];\nst.global.u32 [%rd5], %r50;");
    };
    CHECK(place(1) == 10);  // these numbers equal ptxas's
    CHECK(place(2) == 12);
    CHECK(place(3) == 14);
    CHECK(place(4) == 16);
}

TEST_CASE(
    "short offsets are part of an asynchronous copy, and the copy's address stays live for a long "
    "time") {
    const auto copies = [](int count, int apart, const std::string& behind) {
        std::string text =
            ".shared .align 16 .b8 s[8192];\nmov.u32 %r3, s;\nshl.b32 %r4, %r2, 4;\n"
            "add.s32 %r5, %r3, %r4;\n";
        for (int k = 0; k < count; ++k)
            text += "cp.async.cg.shared.global [%r5+" + std::to_string(16 * k) + "], [%rd4+" +
                    std::to_string(apart * k) + "], 16;\n";
        return estimate(text + behind);
    };
    CHECK(copies(4, 16, "") == 8);  // these numbers equal ptxas's
    CHECK(copies(2, 4096, "") == 10);
    CHECK(copies(4, 4096, "") == 14);
    const std::string wait =
        "cp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r6, [%r5+64];\n"
        "st.global.u32 [%rd5], %r6;";
    CHECK(copies(1, 16, wait) == 14);
    CHECK(copies(4, 4096, wait) == 20);
}

TEST_CASE("the upper half of a 64-bit product is computed in several steps") {
    const auto with = [](const std::string& computes) {
        return estimate("ld.global.u64 %rd10, [%rd1];\nld.global.u64 %rd11, [%rd1+8];\n" +
                        computes + "st.global.u64 [%rd2], %rd12;");
    };
    // As single instructions, these products would need 12, 12 and 14 registers. ptxas needs 18, 16
    // and 20.
    CHECK(with("mul.hi.u64 %rd12, %rd10, %rd11;\n") > 12);
    CHECK(with("mul.hi.s64 %rd12, %rd10, %rd11;\n") > 12);
    CHECK(with("mad.lo.cc.u64 %rd13, %rd10, %rd11, %rd10;\n"
               "madc.hi.u64 %rd12, %rd10, %rd11, %rd2;\n") > 14);
}

TEST_CASE("coordinates and texels are assigned to consecutive registers") {
    const auto copy = [](const std::string& type, const std::string& registers) {
        return estimate(".reg .b16 %h<5>;\nshl.b32 %r5, %r2, 3;\nsuld.b.1d.v4." + type + ".trap {" +
                        registers + "}, [%rd2, {%r5}];\nsust.b.1d.v4." + type +
                        ".trap [%rd1, {%r5}], {" + registers + "};");
    };
    CHECK(copy("b32", "%r6, %r7, %r8, %r9") == 10);  // equals ptxas's number, as in the next case
    CHECK(copy("b16", "%h1, %h2, %h3, %h4") == 6);
    // The level of detail needs a register, but the three unused results do not.
    CHECK(estimate("cvt.rn.f32.u32 %f1, %r2;\nadd.f32 %f2, %f1, 0f3F000000;\n"
                   "mov.f32 %f3, 0f3F000000;\n"
                   "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f3}];\n"
                   "st.global.f32 [%rd5], %f4;") == 10);  // equals ptxas's number
}

TEST_CASE("texels are assigned to pairs of registers, after all other pairs") {
    const auto fetch = [](int wanted, const std::string& how, const std::string& gradients) {
        return estimate(loads(2) + "tex." + how + ".v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, " +
                        "{%f0, %f1}]" + gradients + ";\n" + stores(wanted, 4));
    };
    CHECK(fetch(1, "2d", "") == 12);
    CHECK(fetch(2, "2d", "") == 12);
    CHECK(fetch(3, "2d", "") == 14);
    CHECK(fetch(4, "2d", "") == 14);
    const std::string gradients = ", {0f3E800000, 0f00000000}, {0f00000000, 0f3E000000}";
    CHECK(fetch(1, "grad.2d", gradients) >= 16);  // ptxas: 18
}

namespace {

/// Reports whether ptxas unrolls a loop, which increases the number of registers. By default, the
/// loop counter starts at the thread's index.
bool is_unrolled(const std::string& in_it, const std::string& steps = "add.s32 %r3, %r3, 256;",
                 const std::string& begins = "mov.u32 %r3, %tid.x;") {
    const auto with = [&](const std::string& pragma) {
        return estimate(begins + "\nLOOP:\n" + pragma + "ld.global.u32 %r5, [%rd4];\n" + in_it +
                        "\nmul.wide.s32 %rd6, %r3, 4;\nadd.s64 %rd7, %rd2, %rd6;\n" +
                        "ld.global.u32 %r6, [%rd7];\nadd.s32 %r9, %r9, %r6;\n"
                        "add.s64 %rd4, %rd4, 1024;\n" +
                        steps +
                        "\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra LOOP;\n"
                        "st.global.u32 [%rd5], %r9;");
    };
    return with("") > with(".pragma \"nounroll\";");
}

}  // namespace

TEST_CASE("ptxas does not unroll loops with an unknown step, or loops that synchronize threads") {
    CHECK(is_unrolled(""));
    CHECK(!is_unrolled("", "add.s32 %r4, %r3, 128;\nadd.s32 %r3, %r4, 128;"));
    // If the counter does not start at the same value in all threads, threads may leave the loop in
    // different iterations.
    const std::string shuffle = "shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;\nadd.s32 %r9, %r9, %r5;";
    CHECK(!is_unrolled(shuffle));
    CHECK(is_unrolled(shuffle, "add.s32 %r3, %r3, 1;", "mov.u32 %r3, 0;"));
    const std::string skipped = "setp.ge.s32 %p2, %r3, 77;\n@%p2 bra SKIP;\n";
    CHECK(!is_unrolled(skipped + "st.global.u32 [%rd5], %r5;\nSKIP:"));
    CHECK(is_unrolled(skipped + "st.shared.u32 [%r2], %r5;\nSKIP:"));
    // This loop body is too long to unroll.
    std::string work;
    for (int k = 0; k < 60; ++k) work += "mad.lo.s32 %r9, %r9, %r1, %r5;\n";
    CHECK(!is_unrolled(work));
}

namespace {

/// Reports whether a loop that adds up values from shared memory is unrolled. The loop contains
/// `others` other instructions.
bool is_unrolled_with(int loads_in_it, int others, const std::string& at_end = "") {
    std::string turn;
    for (int k = 0; k < loads_in_it; ++k)
        turn +=
            "ld.shared.f32 %f1, [%r4+" + std::to_string(16 * k) + "];\nadd.f32 %f2, %f2, %f1;\n";
    for (int k = 0; k < others; ++k)
        turn += k % 2 ? "xor.b32 %r9, %r9, %r1;\n" : "add.s32 %r9, %r9, %r2;\n";
    const auto with = [&](const std::string& pragma) {
        return estimate("mov.u32 %r3, 0;\nmov.u32 %r4, %r2;\nLOOP:\n" + pragma + turn + at_end +
                        "add.s32 %r4, %r4, 64;\nadd.s32 %r3, %r3, 1;\n"
                        "setp.lt.s32 %p1, %r3, %r1;\n@%p1 bra LOOP;\n"
                        "st.global.u32 [%rd5], %r9;\nst.global.f32 [%rd5+4], %f2;");
    };
    return with("") > with(".pragma \"nounroll\";");
}

}  // namespace

TEST_CASE("a loop with loads from shared memory is unrolled only if it is short") {
    CHECK(is_unrolled_with(1, 20));  // these numbers equal ptxas's
    CHECK(!is_unrolled_with(1, 24));
    CHECK(is_unrolled_with(3, 24));
    CHECK(!is_unrolled_with(3, 28));
    CHECK(is_unrolled_with(8, 34));
}

TEST_CASE("a loop with a barrier and divergent branches is not unrolled") {
    const std::string barrier = "bar.sync 0;\n";
    const std::string branch = "@%p2 bra SKIP;\nadd.s32 %r9, %r9, 5;\nSKIP:\n";
    CHECK(is_unrolled_with(1, 0, barrier));  // these numbers equal ptxas's
    CHECK(is_unrolled_with(1, 0, branch));
    CHECK(!is_unrolled_with(1, 0, branch + barrier));
}

TEST_CASE(
    "a value that is never written needs no register, and a guarded write preserves the old "
    "value") {
    const std::string before = loads(16) + "bar.sync 0;\n" + stores(16) + "bar.sync 0;\n";
    // ptxas does not replace the branch around this code with guards, because the code contains a
    // barrier. The loaded values therefore need no registers before the branch.
    std::string skipped = "setp.ge.s32 %p2, %r2, 77;\n@%p2 bra SKIP;\nbar.sync 1, 64;\n";
    for (int k = 20; k < 32; ++k)
        skipped += "ld.volatile.global.f32 %f" + std::to_string(k) + ", [%rd4+" +
                   std::to_string(4 * k) + "];\n";
    CHECK(estimate(before + skipped + "SKIP:\n" + stores(12, 20)) <= estimate(before) + 4);
    // In a loop, lanes that skip a load still have the value from the previous iteration.
    const auto loop = [](const std::string& first) {
        return estimate("mov.u32 %r3, 0;\nLOOP:\n.pragma \"nounroll\";\n" + first +
                        "setp.ge.s32 %p2, %r3, 77;\n@%p2 bra SKIP;\n"
                        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];\nSKIP:\n"
                        "st.global.v4.f32 [%rd5], {%f1, %f2, %f3, %f4};\n"
                        "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra LOOP;");
    };
    CHECK(loop("ld.global.v4.f32 {%f5, %f6, %f7, %f8}, [%rd4+16];\n"
               "st.global.v4.f32 [%rd5+16], {%f5, %f6, %f7, %f8};\n") >= loop("") + 3);
}

TEST_CASE(
    "the values of skippable loads are live at the same time, unless each is added immediately") {
    const auto sum = [](int count, bool is_skipped, bool at_once) {
        std::string text = "mov.b64 %rd90, 0;\n", sums;
        for (int k = 0; k < count; ++k) {
            const std::string n = std::to_string(k), value = "%rd" + std::to_string(30 + k);
            const std::string add = "xor.b64 %rd90, %rd90, " + value + ";\n";
            text += "mov.b64 " + value + ", 0;\nsetp.ge.u32 %p2, %r2, " + n + ";\n";
            if (is_skipped) text += "@%p2 bra SKIP" + n + ";\n";
            text += "ld.global.u64 " + value + ", [%rd4+" + std::to_string(8 * k) + "];\n";
            if (is_skipped) text += "SKIP" + n + ":\n";
            (at_once ? text : sums) += add;
        }
        return estimate(text + sums + "st.global.u64 [%rd5], %rd90;", ".maxntid 256, 1, 1");
    };
    CHECK(sum(24, true, false) >= 50);   // ptxas: 56
    CHECK(sum(24, true, true) <= 36);    // ptxas: 30
    CHECK(sum(24, false, false) <= 36);  // ptxas: 32
}

TEST_CASE("two logic instructions on three values are merged into one") {
    const auto joined = [](const std::string& logic) {
        std::string text;
        for (int k = 10; k < 50; ++k) {
            const std::string n = std::to_string(k);
            text += "ld.global.u32 %r" + n + ", [%rd4+" + n + "0];\n";
        }
        text += logic;
        for (int k = 10; k < 50; ++k) {
            const std::string n = std::to_string(k);
            text += "st.global.u32 [%rd5+" + n + "0], %r" + (n == "12" ? "61" : n) + ";\n";
        }
        return estimate(text);
    };
    CHECK(joined("and.b32 %r60, %r10, %r11;\nxor.b32 %r61, %r60, %r12;\n") ==
          joined("lop3.b32 %r61, %r10, %r11, %r12, 0x6a;\n"));
}

TEST_CASE("atomics on the same address are not combined if only one lane executes them") {
    const auto atomics = [](const std::string& comparison) {
        std::string text = "setp." + comparison + ";\n@%p1 bra SKIP;\nbar.sync 1, 64;\n";
        for (int k = 10; k < 13; ++k) {
            const std::string n = std::to_string(k);
            text += "atom.global.add.u32 %r" + n + ", [%rd1+" + n + "0], %r2;\n";
        }
        return estimate(loads(4) + text + "SKIP:\n" + stores(4));
    };
    // ptxas needs 18 registers if one lane executes the atomics, and 22 if several lanes do.
    CHECK(atomics("ne.u32 %p1, %r2, 0") <= atomics("gt.u32 %p1, %r2, 4") - 2);
    // If the predicate combines two comparisons, several lanes may reach the atomics. ptxas needs
    // 22 registers.
    CHECK(atomics("ne.u32 %p2, %r2, 0;\nsetp.ne.u32 %p3, %r1, 0;\nor.pred %p1, %p2, %p3") ==
          atomics("gt.u32 %p1, %r2, 4"));
    // The analysis must terminate, even though a loop adds to this value in every iteration.
    CHECK(estimate("L:\nadd.u32 %r9, %r9, 1;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra SKIP;\n"
                   "atom.global.add.u32 %r4, [%rd1], %r2;\nSKIP:\nbra L;\n") > 0);
}

TEST_CASE("loads after a loop are scheduled before the address computations for their stores") {
    const std::string loop =
        "LOOP:\nld.volatile.global.u32 %r9, [%rd5+64];\nsetp.ne.u32 %p1, %r9, 0;\n"
        "@%p1 bra LOOP;\n";
    // ptxas needs 14 to 26 registers. The loop makes no difference.
    for (int count : {2, 4, 8})
        CHECK(estimate(loads(count) + loop + stores(count)) ==
              estimate(loads(count) + stores(count)));
}

TEST_CASE("an unsigned division needs two registers that are read together, like those of a pair") {
    // Store data is assigned to odd registers outside of the pair. With 2, 4 and 8 other values,
    // ptxas needs 18, 22 and 30 registers, two more than with a multiplication instead of the
    // division.
    const auto beside = [](const std::string& opcode, int count) {
        return estimate("ld.global.u32 %r10, [%rd4+400];\nld.global.u32 %r11, [%rd4+500];\n" +
                        loads(count) + opcode + " %r12, %r10, %r11;\n" +
                        "st.global.u32 [%rd5+400], %r12;\n" + stores(count));
    };
    for (int count : {2, 4, 8}) CHECK(beside("div.u32", count) == beside("mul.hi.u32", count) + 2);
}

TEST_CASE(
    "an unsigned division by a kernel parameter needs one register less than other unsigned "
    "divisions") {
    const auto divides = [](const std::string& opcode) {
        return estimate("ld.global.u32 %r10, [%rd4+400];\n" + opcode +
                        " %r12, %r10, %r1;\nst.global.u32 [%rd5+400], %r12;\n");
    };
    for (const char* opcode : {"div.u32", "rem.u32"})
        CHECK(divides(opcode) == 12);  // equals ptxas's number
}

TEST_CASE("a 16-bit division calls a routine that needs five registers") {
    const auto beside = [](const std::string& opcode, int count) {
        return estimate(
            ".reg .b16 %h<9>;\nld.global.u16 %h1, [%rd4+400];\n"
            "ld.global.u16 %h2, [%rd4+500];\n" +
            loads(count) + opcode + " %h3, %h1, %h2;\nst.global.u16 [%rd5+400], %h3;\n" +
            stores(count));
    };
    for (const char* opcode : {"div.s16", "rem.s16", "div.u16", "rem.u16"}) {
        CHECK(beside(opcode, 0) >= 13);  // ptxas: 12, 14, 12, 12
        CHECK(beside(opcode, 3) >= 16);  // ptxas: 16, 16, 16, 18
        CHECK(beside(opcode, 3) <= 17);
    }
}

TEST_CASE("a compare-and-swap in shared memory needs a register for its address") {
    const auto atomic = [](const std::string& exchange) {
        return estimate(".shared .align 4 .b32 tile[64];\n" + loads(4) + "atom.shared." + exchange +
                        ";\nst.global.u32 [%rd5+400], %r9;\n" + stores(4));
    };
    // ptxas needs 22 registers for the compare-and-swap, and 20 for the exchange.
    CHECK(atomic("cas.b32 %r9, [tile], 0, 1") == atomic("exch.b32 %r9, [tile], 1") + 2);
}

TEST_CASE("no instruction moves past a clock read") {
    const auto stored = [](const std::string& special) {
        return estimate(loads(4) + "mov.u32 %r9, %" + special +
                        ";\nst.global.u32 [%rd5+400], %r9;\n" + stores(4));
    };
    // ptxas needs 18 registers with the clock, and 20 with the lane index. Addresses are computed
    // before the clock is read, so the thread's index is dead afterwards.
    CHECK(stored("clock") == stored("laneid") - 2);
}

TEST_CASE("a basic block that lanes may skip is guarded if it has at most 8 instructions") {
    // If the basic blocks are guarded, their loads are in flight together.
    const auto skipped = [](const std::string& type, const std::string& multiplies, int times) {
        std::string text;
        for (int k = 0; k < 12; ++k) {
            const std::string n = std::to_string(k), at = std::to_string(8 * k);
            const std::string value = (type == "u64" ? "%rd" : "%r") + std::to_string(40 + k);
            text += "setp.ge.u32 %p2, %r2, 7" + n + ";\n@%p2 bra SKIP" + n + ";\n";
            text += "ld.shared." + type + " " + value + ", [%r2+" + at + "];\n";
            for (int t = 0; t < times; ++t)
                text += multiplies + " " + value + ", " + value + ", " + value + ";\n";
            text += "st.global." + type + " [%rd5+" + at + "], " + value + ";\nSKIP" + n + ":\n";
        }
        return estimate(text + "bar.sync 0;\nst.global.u32 [%rd4], %r1;");
    };
    CHECK(skipped("u32", "mul.lo.s32", 6) > skipped("u32", "mul.lo.s32", 7));  // ptxas: 18, 12
    CHECK(skipped("u64", "mul.lo.s64", 1) > skipped("u64", "mul.lo.s64", 2));  // ptxas: 28, 16
}

TEST_CASE("the constant part of a store's address is computed in each thread") {
    const auto stored_at = [](const std::string& address, int count) {
        std::string text = loads(count) + address;
        for (int k = 0; k < count; ++k)
            text += "st.global.f32 [%rd9+" + std::to_string(4 * k) + "], %f" + std::to_string(k) +
                    ";\n";
        return estimate(text);
    };
    const std::string product = "mul.wide.s32 %rd8, %r1, 4;\nadd.s64 %rd9, %rd2, %rd8;\n";
    // ptxas needs 10, 14 and 18 registers with the product, and 8, 12 and 16 without it.
    for (int count : {1, 2, 4})
        CHECK(stored_at(product, count) == stored_at("mov.u64 %rd9, %rd2;\n", count) + 2);
}

TEST_CASE(
    "a constant for guarded instructions remains live in all lanes after these instructions") {
    const auto stored_behind = [](const std::string& address) {
        return estimate(
            "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra SKIP;\nst.global.u32 [%rd1], %r2;\nSKIP:\n"
            "st.global.u32 [" +
            address + "+4], %r2;");
    };
    CHECK(stored_behind("%rd1") == 8);  // equals ptxas's number
    CHECK(stored_behind("%rd2") == 10);
}

TEST_CASE(
    "values that are computed from a loaded pair reuse its registers, unless the pair is shifted "
    "first") {
    const auto stored = [](const std::string& pair, const std::string& result) {
        return estimate("ld.global.f32 %f0, [%rd1+68];\n" + pair + result +
                        "st.global.u64 [%rd2], %rd9;\nst.global.f32 [%rd2+68], %f0;\n");
    };
    const std::string loaded = "ld.global.u64 %rd8, [%rd1];\n";
    const std::string product =
        "ld.global.u32 %r9, [%rd1];\nmul.wide.s32 %rd7, %r9, 40;\nadd.s64 %rd8, %rd7, %rd2;\n";
    const std::string sum = "add.s64 %rd9, %rd8, 1000;\n";
    // The expected numbers equal ptxas's.
    CHECK(stored(loaded, sum) == 12);
    CHECK(stored(loaded, "shl.b64 %rd10, %rd8, 3;\nadd.s64 %rd9, %rd10, %rd2;\n") == 14);
    CHECK(stored(product, sum) == 14);
}

TEST_CASE(
    "a value that was just loaded or stored is not loaded again, unless the memory may have "
    "changed") {
    std::string again, stored;
    for (int k = 0; k < 4; ++k) {
        const std::string at = std::to_string(4 * k), f = "%f2" + std::to_string(k);
        again += "ld.global.f32 " + f + ", [%rd4+" + at + "];\n";
        stored += "st.global.f32 [%rd5+" + at + "], %f" + std::to_string(k) + ";\nld.global.f32 " +
                  f + ", [%rd5+" + at + "];\n";
    }
    // The expected numbers equal ptxas's.
    CHECK(estimate(loads(4) + again + stores(4) + stores(4, 20)) == 18);
    CHECK(estimate(loads(4) + "bar.sync 0;\n" + again + stores(4) + stores(4, 20)) == 26);
    CHECK(estimate(loads(4) + "st.global.u32 [%rd1], %r1;\n" + again + stores(4) + stores(4, 20)) ==
          30);
    CHECK(estimate(loads(4) + stored + stores(4, 20)) == 18);
    // The store may store the value that was loaded in the previous iteration, so the value in
    // memory is not known.
    const std::string turn = "st.global.f32 [%rd1], %f1;\nld.global.f32 %f1, [%rd1];\nbra L;\n";
    CHECK(estimate("L:\n" + turn) > 0);
    CHECK(estimate("L:\nst.shared.f32 [%r3], %f2;\nst.global.f32 [%rd1], %f1;\nld.shared.f32 "
                   "%f1, [%r3];\nld.global.f32 %f2, [%rd1];\nbra L;\n") > 0);
}

TEST_CASE("the number of predicates limits how many guarded loads are in flight") {
    const auto with = [](int count) {
        std::string text = ".reg .pred %q<16>;\n";
        for (int k = 0; k < count; ++k) {
            const std::string n = std::to_string(k), at = "+" + std::to_string(4 * k) + "]";
            text += "setp.gt.s32 %q" + n + ", %r2, " + n + ";\n@!%q" + n + " bra S" + n +
                    ";\nld.shared.f32 %f" + n + ", [%r2" + at + ";\nst.global.f32 [%rd5" + at +
                    ", %f" + n + ";\nS" + n + ":\n";
        }
        return estimate(text);
    };
    CHECK(with(4) == 14);  // equals ptxas's number
    CHECK(with(8) == 22);
    CHECK(with(14) <= 28);  // ptxas: 22
}

TEST_CASE("the sources of a store stay live for eleven instructions") {
    const auto with = [](const std::string& space, int count, int between) {
        std::string text =
            ".shared .b32 t[64];\nmov.u32 %r5, t;\nshl.b32 %r6, %r2, 2;\nadd.s32 %r7, %r5, %r6;\n";
        const std::string to = space == "shared" ? "[%r7+" : "[%rd5+";
        text += loads(count);
        for (int k = 0; k < count; ++k)
            text += "st." + space + ".f32 " + to + std::to_string(4 * k) + "], %f" +
                    std::to_string(k) + ";\n";
        text += "bar.sync 0;\nld.shared.u32 %r10, [t];\n";
        for (int k = 0; k < between; ++k) text += "mad.lo.s32 %r10, %r10, %r10, %r10;\n";
        for (int k = 0; k < count; ++k)
            text +=
                "xor.b32 %r" + std::to_string(40 + k) + ", %r10, " + std::to_string(k + 1) + ";\n";
        for (int k = 0; k < count; ++k)
            text += "st.shared.u32 [%r7+" + std::to_string(64 + 4 * k) + "], %r" +
                    std::to_string(40 + k) + ";\n";
        return estimate(text);
    };
    // The expected numbers equal ptxas's.
    CHECK(with("shared", 3, 3) == 16);
    CHECK(with("shared", 3, 4) == 14);
    CHECK(with("shared", 4, 0) == 20);
    CHECK(with("shared", 4, 3) == 16);
    CHECK(with("global", 3, 2) == 18);
    CHECK(with("global", 3, 3) == 16);
}

TEST_CASE("the iterations of an unrolled loop get registers in order") {
    const auto with = [](int count) {
        std::string text = "mov.u32 %r3, 0;\nLOOP:\n";
        for (int k = 0; k < count; ++k) {
            const std::string value = "%f" + std::to_string(k);
            const std::string at = "+" + std::to_string(4 * k) + "]";
            text += "ld.global.f32 " + value + ", [%rd4" + at + ";\nst.global.f32 [%rd5" + at +
                    ", " + value + ";\n";
        }
        return estimate(text +
                        "add.s64 %rd4, %rd4, 1024;\nadd.s64 %rd5, %rd5, 1024;\n"
                        "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r1;\n@%p1 bra LOOP;\n");
    };
    CHECK(with(5) == 20);  // equals ptxas's number
    CHECK(with(8) == 20);
}

TEST_CASE("a computed pair gets its registers before its source pair") {
    const auto with = [](const std::string& second) {
        return estimate(
            "mul.wide.u32 %rd6, %r2, 8;\nadd.s64 %rd7, %rd1, %rd6;\n"
            "ld.global.v2.f32 {%f1, %f2}, [%rd7];\nadd.s64 %rd9, %rd1, %rd3;\n" +
            second +
            "fma.rn.f32 %f5, %f1, %f1, %f2;\nadd.f32 %f5, %f5, %f3;\n"
            "mul.wide.u32 %rd10, %r2, 4;\nadd.s64 %rd11, %rd2, %rd10;\n"
            "st.global.f32 [%rd11], %f5;\n");
    };
    CHECK(with("ld.global.f32 %f3, [%rd9];\n") == 14);  // equals ptxas's number
    CHECK(with("ld.global.v2.f32 {%f3, %f4}, [%rd9];\nadd.f32 %f3, %f3, %f4;\n") == 14);
}

TEST_CASE(
    "a constant for a loop stays live in lanes that have already used it under a guard before the "
    "loop") {
    const auto with = [](const std::string& guarded) {
        return estimate("mov.u32 %r5, %ctaid.x;\nsetp.ne.s32 %p1, %r5, %r1;\n@%p1 bra SKIP;\n" +
                        guarded +
                        "SKIP:\nLOOP:\nld.volatile.global.u32 %r9, [%rd1];\n"
                        "setp.eq.s32 %p2, %r9, 0;\n@%p2 bra LOOP;\nst.global.u32 [%rd5], %r2;\n");
    };
    CHECK(with("") == 10);  // equals ptxas's number
    CHECK(with("mov.u32 %r8, 1;\nst.volatile.global.u32 [%rd1], %r8;\n") == 12);
}

TEST_CASE("two additions of three values are merged into one") {
    const auto with = [](const std::string& sums) {
        return estimate("mov.u32 %r4, %tid.y;\nmov.u32 %r5, %tid.z;\nmov.u32 %r6, %laneid;\n" +
                        sums + "st.global.u32 [%rd5], %r20;\n");
    };
    const std::string first = "add.s32 %r10, %r4, %r5;\n";
    CHECK(with(first + "add.s32 %r20, %r10, %r6;\n") == 10);  // these numbers equal ptxas's
    CHECK(with("sub.s32 %r10, %r4, %r5;\nsub.s32 %r20, %r6, %r10;\n") == 10);
    CHECK(with(first + "add.s32 %r11, %r10, %r6;\nadd.s32 %r20, %r11, %r2;\n") == 10);
    CHECK(with(first + "shl.b32 %r11, %r6, 3;\nadd.s32 %r20, %r10, %r11;\n") == 12);
    // A loop-carried sum is not merged into the addition that reads it in the next iteration.
    const std::string loop = "add.s32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra LOOP;\n";
    CHECK(estimate("LOOP:\nadd.s32 %r10, %r10, %r2;\n" + loop) <= 12);
    CHECK(estimate("LOOP:\nadd.s32 %r11, %r10, %r2;\nadd.s32 %r10, %r11, %r2;\n" + loop) <= 12);
}

TEST_CASE(
    "a load from global memory is guarded if other instructions can run while the load is in "
    "flight") {
    const auto with = [](int count, const std::string& between) {
        std::string text =
            ".shared .b32 t[1024];\nmov.u32 %r3, t;\nshl.b32 %r4, %r2, 2;\nadd.s32 %r5, %r3, %r4;\n"
            "mov.u32 %r6, %tid.y;\nmov.u32 %r7, %ctaid.x;\nmad.lo.s32 %r8, %r7, 32, %r6;\n";
        for (int k = 0; k < count; ++k) {
            const std::string n = std::to_string(k), row = "%r" + std::to_string(20 + k),
                              at = "%r" + std::to_string(40 + k),
                              address = "%rd" + std::to_string(20 + k);
            text += "add.s32 " + row + ", %r8, " + std::to_string(8 * k + 8) + ";\n" +
                    "setp.ge.s32 %p" + n + ", " + row + ", %r1;\n@%p" + n + " bra S" + n + ";\n" +
                    "mad.lo.s32 " + at + ", " + row + ", %r1, %r2;\n" + "mul.wide.s32 " + address +
                    ", " + at + ", 4;\n" + "add.s64 " + address + ", %rd1, " + address + ";\n" +
                    "ld.global.f32 %f" + n + ", [" + address + "];\n" + "st.shared.f32 [%r5+" +
                    std::to_string(128 * k) + "], %f" + n + ";\nS" + n + ":\n" + between;
        }
        return estimate(text + "st.global.u32 [%rd5+64], %r8;\n");
    };
    CHECK(with(2, "") == 16);               // these numbers equal ptxas's
    CHECK(with(2, "bar.sync 0;\n") == 12);  // a branch skips the second load
    CHECK(with(3, "bar.sync 0;\n") == 16);
}

TEST_CASE("bank conflicts are avoided if this does not reduce the number of resident blocks") {
    const auto with = [](int count, int threads) {
        return estimate(loads(count) + "bar.sync 0;\n" + stores(count),
                        threads ? " .maxntid " + std::to_string(threads) + ", 1, 1" : "");
    };
    // The expected numbers equal ptxas's.
    CHECK(with(32, 0) == 40);
    CHECK(with(36, 0) == 48);
    CHECK(with(44, 0) == 56);
    CHECK(with(60, 0) == 72);
    CHECK(with(28, 256) == 40);
    CHECK(with(44, 256) == 64);
    CHECK(with(60, 256) == 80);
    CHECK(with(36, 192) == 56);
    CHECK(with(52, 192) == 64);
    CHECK(with(52, 384) == 80);
    CHECK(with(60, 512) == 128);
}

TEST_CASE("the sources of a load from global memory stay live for eight instructions") {
    // Both load addresses and the store address depend on the thread's index.
    const auto with = [](int between) {
        std::string text =
            "cvt.u64.u32 %rd20, %r2;\nshl.b64 %rd7, %rd20, 2;\nadd.s64 %rd8, %rd1, %rd7;\n"
            "ld.global.u32 %r10, [%rd8];\nadd.s64 %rd10, %rd2, %rd7;\n"
            "ld.global.u32 %r11, [%rd10];\nadd.s32 %r12, %r10, %r11;\n";
        for (int k = 0; k < between; ++k) text += "mad.lo.s32 %r12, %r12, %r12, %r12;\n";
        return estimate(text +
                        "xor.b32 %r15, %r12, 77;\nshl.b64 %rd12, %rd20, 2;\n"
                        "add.s64 %rd13, %rd1, %rd12;\nst.global.u32 [%rd13+4096], %r15;\n");
    };
    // The expected numbers equal ptxas's. With more instructions between the load and the store,
    // ptxas's number decreases from 12 to 9 in two steps, at 6 and 9 instructions. The estimate
    // decreases at 4 and 5 instructions.
    CHECK(with(0) == 12);
    CHECK(with(2) == 12);
    CHECK(with(3) == 12);
    CHECK(with(9) == 9);
}

TEST_CASE("the operands of a signed 16-bit comparison are sign-extended and moved") {
    const auto with = [](const std::string& type) {
        return estimate(
            ".reg .b16 %h<5>;\nmov.u32 %r20, %ctaid.x;\nmov.u32 %r21, %ntid.x;\n"
            "mad.lo.s32 %r22, %r20, %r21, %r2;\ncvt.u64.u32 %rd20, %r22;\n"
            "shl.b64 %rd7, %rd20, 1;\nshl.b64 %rd9, %rd20, 2;\nadd.s64 %rd8, %rd1, %rd7;\n"
            "ld.global.u16 %h1, [%rd8];\nadd.s64 %rd10, %rd2, %rd7;\n"
            "ld.global.u16 %h2, [%rd10];\nset.lt.s32." +
            type + " %r5, %h1, %h2;\nadd.s64 %rd13, %rd1, %rd9;\nst.global.u32 [%rd13], %r5;\n");
    };
    // ptxas's numbers are the same. When the signed comparison is complete, the registers of the
    // first address can already be reused.
    CHECK(with("s16") == 10);
    CHECK(with("u16") == 12);
}

TEST_CASE(
    "constants for a guarded store in a loop are loaded after the guard, and the loop counter is a "
    "pair") {
    // Returns the estimate for a loop that adds `sums` values in each iteration. If the loop's
    // lanes vote for it, the loop also stores constants.
    const auto with = [](int sums, int constants, bool is_long) {
        std::string text =
            "mul.wide.u32 %rd12, %r1, %r2;\nmov.u32 %r9, %r2;\ncvt.u64.u32 %rd15, %r1;\n";
        for (int k = 0; k < sums; ++k) text += "mov.u32 %r" + std::to_string(50 + k) + ", %r2;\n";
        text +=
            is_long ? "LOOP:\nshl.b64 %rd13, %rd12, 2;\n" : "LOOP:\nmul.wide.u32 %rd13, %r9, 4;\n";
        text += "add.s64 %rd14, %rd1, %rd13;\n";
        for (int k = 0; k < sums; ++k) {
            const std::string loaded = "%r" + std::to_string(30 + k),
                              sum = "%r" + std::to_string(50 + k);
            text += "ld.global.u32 " + loaded + ", [%rd14+" + std::to_string(4 * k) +
                    "];\nxor.b32 " + sum + ", " + sum + ", " + loaded + ";\n";
        }
        text +=
            "setp.eq.s32 %p2, %r50, 77;\nvote.sync.any.pred %p4, %p2, -1;\n"
            "and.pred %p2, %p2, %p4;\n@!%p2 bra SKIP;\n";
        for (int k = 0; k < constants; ++k)
            text += "st.global.u32 [%rd2+" + std::to_string(4 * k) + "], " + std::to_string(7 + k) +
                    ";\n";
        text += is_long ? "SKIP:\nadd.s64 %rd12, %rd12, %rd15;\nsetp.lt.u64 %p3, %rd12, %rd15;\n"
                        : "SKIP:\nadd.s32 %r9, %r9, 128;\nsetp.lt.u32 %p3, %r9, %r1;\n";
        text += "@%p3 bra LOOP;\n";
        for (int k = 1; k < sums; ++k)
            text += "st.global.u32 [%rd5+" + std::to_string(4 * k) + "], %r" +
                    std::to_string(50 + k) + ";\n";
        return estimate(text);
    };
    // The expected numbers equal ptxas's.
    CHECK(with(1, 1, true) == 12);
    CHECK(with(4, 1, true) == 20);
    CHECK(with(4, 2, true) == 22);
    CHECK(with(2, 1, false) == 18);
    CHECK(with(4, 1, false) == 22);
    CHECK(with(4, 2, false) == 24);
}

TEST_CASE("an index that stays live for a long time is not assigned to an odd register") {
    // A sum over a block in `steps` steps. `values` values are loaded before the sum and stored
    // after it. The kernel then reads the thread's index again.
    const auto with = [](int values, int steps) {
        std::string text =
            ".shared .b32 t[2048];\nmov.u32 %r5, t;\nshl.b32 %r6, %r2, 2;\nadd.s32 %r7, %r5, %r6;\n"
            "ld.global.u32 %r10, [%rd4];\nst.shared.u32 [%r7], %r10;\nbar.sync 0;\n";
        for (int k = 0; k < values; ++k)
            text += "ld.shared.u32 %r" + std::to_string(80 + k) + ", [%r7+" +
                    std::to_string(1024 + 4 * k) + "];\n";
        for (int k = 0; k < steps; ++k)
            text += "ld.shared.u32 %r11, [%r7+" + std::to_string(512 >> k) +
                    "];\nld.shared.u32 %r12, [%r7];\nadd.s32 %r13, %r11, %r12;\n"
                    "st.shared.u32 [%r7], %r13;\nbar.sync 0;\n";
        for (int k = 0; k < values; ++k)
            text += "st.shared.u32 [%r7+" + std::to_string(2048 + 4 * k) + "], %r" +
                    std::to_string(80 + k) + ";\n";
        return estimate(text +
                            "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra END;\nld.shared.u32 %r9, [t];\n"
                            "st.global.u32 [%rd2], %r9;\nEND:\n",
                        " .maxntid 256, 1, 1");
    };
    // The expected numbers equal ptxas's.
    CHECK(with(0, 7) == 12);
    CHECK(with(0, 8) == 10);
    CHECK(with(2, 7) == 16);
    CHECK(with(2, 8) == 14);
    CHECK(with(4, 6) == 20);
    CHECK(with(4, 7) == 18);
}

TEST_CASE("a kernel may use more registers if a different resource limits its blocks") {
    const auto with = [](int count, int threads, int shared) {
        return estimate(".shared .align 4 .b8 t[" + std::to_string(shared) +
                            "];\nmov.u32 %r5, t;\nst.shared.u32 [%r5], %r2;\n" + loads(count) +
                            "bar.sync 0;\nld.shared.u32 %r6, [t+64];\n"
                            "st.global.u32 [%rd5+2048], %r6;\n" +
                            stores(count),
                        threads ? " .maxntid " + std::to_string(threads) + ", 1, 1" : "");
    };
    // The expected numbers equal ptxas's. ptxas may use more registers if shared memory limits the
    // number of resident blocks: to six blocks of 256 threads with 32 KB each, to four blocks with
    // 48 KB, and to 28 blocks of one warp with 7 KB.
    CHECK(with(16, 256, 32768) == 40);
    CHECK(with(28, 256, 32768) == 40);
    CHECK(with(16, 256, 49152) == 44);
    CHECK(with(32, 256, 49152) == 64);
    CHECK(with(56, 128, 49152) == 122);
    CHECK(with(16, 512, 49152) == 32);
    CHECK(with(20, 0, 49152) == 32);
    CHECK(with(36, 32, 6900) == 64);
    CHECK(with(36, 32, 7168) == 72);
}

TEST_CASE("only the needed half of a vector is loaded") {
    // Four vectors of four words are loaded before a barrier, and some are stored after it.
    const auto with = [](const std::string& load, const std::vector<int>& stored) {
        std::string text;
        for (int k = 0; k < 4; ++k) {
            const auto f = [k](int j) { return "%f" + std::to_string(4 * k + j); };
            text += load + ".v4.f32 {" + f(0) + ", " + f(1) + ", " + f(2) + ", " + f(3) +
                    "}, [%rd4+" + std::to_string(64 * k) + "];\n";
        }
        text += "bar.sync 0;\n";
        for (int j : stored)
            for (int k = 0; k < 4; ++k)
                text += "st.global.f32 [%rd5+" + std::to_string(64 * (4 * k + j)) + "], %f" +
                        std::to_string(4 * k + j) + ";\n";
        return estimate(text, " .maxntid 256, 1, 1");
    };
    // ptxas's numbers are the same, except that it needs 26 registers for the volatile load.
    CHECK(with("ld.global", {0}) == 18);
    CHECK(with("ld.global", {3}) == 18);
    CHECK(with("ld.global", {2, 3}) == 18);
    CHECK(with("ld.global", {1, 2}) == 26);
    CHECK(with("ld.global", {0, 1, 2}) == 26);
    CHECK(with("ld.volatile.global", {0}) == 24);
}
