// What the estimate of a kernel's registers follows, and what it leaves out. How near it comes to ptxas is
// tested with whole kernels: registers/.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "program/register_estimate.h"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser.h"

using namespace coalesce::sim;

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
    return estimate_registers(*module, *module->functions.at("k"));
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

TEST_CASE("each load on its way takes a register, however the text arranges loads") {
    CHECK(estimate(kCopy) <= 12);
    CHECK(estimate(loads(16) + stores(16)) >= estimate(kCopy) + 14);
    // ptxas: 10 and 32. Data of stores goes to odd registers, as long as that leaves room for all threads.
    CHECK(estimate(loads(16) + stores(16)) <= estimate(kCopy) + 22);
    std::string shared = ".shared .b32 tile[64];\n";
    for (int k = 0; k < 8; ++k) {
        const std::string at = std::to_string(4 * k), f = "%f" + std::to_string(k);
        shared += "ld.shared.f32 " + f + ", [tile+" + at + "];\nst.global.f32 [%rd5+" + at + "], " +
                  f + ";\n";
    }
    // Shared memory is read before what was read of it first is stored: nothing keeps loads behind.
    CHECK(estimate(shared) >= estimate(".shared .b32 tile[64];\nld.shared.f32 %f0, [tile];\n"
                                       "st.global.f32 [%rd5], %f0;") +
                                  5);
}

TEST_CASE("a store that may change what is loaded next keeps the load behind it") {
    std::string one_by_one;
    for (int k = 0; k < 16; ++k) {
        const std::string at = std::to_string(4 * k), f = "%f" + std::to_string(k);
        one_by_one += "ld.global.f32 " + f + ", [%rd4+" + at + "];\nst.global.f32 [%rd5+" + at +
                      "], " + f + ";\n";
    }
    // ptxas: 20, where it takes 32 for the loads before the stores.
    CHECK(estimate(one_by_one) <= estimate(loads(16) + stores(16)) - 12);
}

TEST_CASE("what is the same for a block takes no registers, and predicates never do") {
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

TEST_CASE("a loop that counts by a constant keeps four turns' loads on their way") {
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
}

TEST_CASE("directives bound it") {
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
    "a call takes what the callee needs, and what the convention asks where it is not known") {
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

TEST_CASE("a long kernel takes no longer than its length asks for") {
    std::string text;
    for (int k = 0; k < 20000; ++k)
        text += "ld.global.f32 %f1, [%rd4+4];\nst.global.f32 [%rd5], %f1;\n";
    CHECK(estimate(text) <= 16);  // in milliseconds; a quadratic one takes minutes
}

TEST_CASE("a table of two targets, one behind the other, is no condition") {
    const u32 with_table = estimate(
        "L_list: .branchtargets B, A;\nbrx.idx %r1, L_list;\nA:\nadd.s32 %r2, %r2, 1;\nB:\n" +
        kCopy);
    CHECK(with_table >= 6);
    CHECK(with_table <= 16);
}
