// Tests which remarks an instruction gets, depending on its opcode, modifiers and operands.
#include "simulator/code/exactness.h"

#include <doctest/doctest.h>

#include "simulator/ptx/parser.h"

using namespace coalesce::simulator;

namespace {

using Kind = Remark::Kind;

/// Returns the instruction's remarks in the form "KIND NAME", separated by commas.
std::string remarks_text(const std::string& instruction) {
    const auto module = ptx::parse(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n"
        ".reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n.reg .pred %p;\n" +
        instruction + ";\n}\n");
    constexpr const char* kKinds[] = {"last bits", "values", "no effect", "async proxy"};
    std::string text;
    for (const Remark& remark : find_remarks(module->functions.at("k")->body.at(0)))
        text += (text.empty() ? "" : ", ") + std::string(kKinds[static_cast<int>(remark.kind)]) +
                " " + remark.name;
    return text;
}

}  // namespace

TEST_CASE("approximate instructions get a remark, and exactly rounded instructions do not") {
    CHECK(remarks_text("ex2.approx.ftz.f32 %f1, %f2") == "last bits ex2.approx");
    CHECK(remarks_text("rcp.approx.f32 %f1, %f2") == "last bits rcp.approx");
    CHECK(remarks_text("rcp.rn.f32 %f1, %f2") == "");
    CHECK(remarks_text("sqrt.rn.f64 %fd1, %fd2") == "");
    CHECK(remarks_text("div.full.f32 %f1, %f2, %f3") == "last bits div.full");
    CHECK(remarks_text("div.rn.f32 %f1, %f2, %f3") == "");
    CHECK(remarks_text("div.s32 %r1, %r2, %r3") == "");
    CHECK(remarks_text("add.f32 %f1, %f2, %f3") == "");
}

TEST_CASE("matrix products of floats get a remark, and products of doubles or integers do not") {
    CHECK(remarks_text("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, "
                       "{%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4}") == "last bits mma");
    CHECK(remarks_text("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1,%fd2}, {%fd3}, "
                       "{%fd4}, {%fd1,%fd2}") == "");
    CHECK(remarks_text("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, "
                       "{%r5,%r6}, {%r7}, {%r1,%r2,%r3,%r4}") == "");
    CHECK(remarks_text("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                       "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], %r0") == "");
}

TEST_CASE("hints are recognized by opcode or by modifier") {
    CHECK(remarks_text("prefetch.global.L2 [%rd1]") == "no effect prefetch");
    CHECK(remarks_text("setmaxnreg.inc.sync.aligned.u32 232") == "no effect setmaxnreg");
    CHECK(remarks_text("ld.global.cs.f32 %f1, [%rd1]") == "no effect cache hints");
    CHECK(remarks_text("ld.global.L1::no_allocate.L2::128B.f32 %f1, [%rd1]") ==
          "no effect cache hints");
    CHECK(remarks_text("ld.global.nc.f32 %f1, [%rd1]") == "");
    CHECK(remarks_text("ld.global.f32 %f1, [%rd1]") == "");
    // The modifiers .ca and .cg select the form of this copy, so they are not hints.
    CHECK(remarks_text("cp.async.cg.shared.global [%r1], [%rd1], 16") == "");
    CHECK(remarks_text("cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16") ==
          "no effect cache hints");
}

TEST_CASE("clocks and copies through the asynchronous proxy get remarks") {
    CHECK(remarks_text("mov.u64 %rd1, %clock64") == "values clocks");
    CHECK(remarks_text("mov.u32 %r1, %tid.x") == "");
    CHECK(remarks_text("nanosleep.u32 100") == "values nanosleep");
    CHECK(remarks_text("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2") ==
          "async proxy bulk copies");
    CHECK(remarks_text("cp.async.bulk.prefetch.L2.global [%rd1], %r2") == "no effect prefetch");
    CHECK(remarks_text("cp.async.commit_group") == "");
}

TEST_CASE("fetches from a level of a mipmap get a remark") {
    CHECK(remarks_text("tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}], %f7") ==
          "last bits fetches from mipmaps");
    CHECK(remarks_text("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}]") == "");
}
