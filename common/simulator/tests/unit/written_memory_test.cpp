// Tests the analysis of PTX that finds the pointers through which a kernel writes.
#include <doctest/doctest.h>

#include "simulator/analysis/written_memory.h"
#include "simulator/lowering/lower.h"
#include "simulator/ptx/parser.h"

using namespace coalesce::simulator;

namespace {

/// Analyses a kernel k(a, b, n) with the pointers a and b. Each st or atom instruction in `body` is
/// a site.
WrittenMemory written_by(const std::string& body) {
    Module module;
    module.ast = ptx::parse(R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 table[64];
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
.reg .b64 %d<9>;
.reg .b32 %r<9>;
.reg .pred %p<3>;
.shared .align 4 .b8 tile[64];
ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
ld.param.u32 %r1, [n];
)" + body + "ret;\n}\n");
    Kernel kernel;
    kernel.ast = module.ast->functions.at("k").get();
    kernel.module = &module;
    lay_out_kernel(kernel);
    for (u32 k = 0; k < kernel.ast->body.size(); ++k) {
        const ptx::Instruction& i = kernel.ast->body[k];
        if (i.opcode != "st" && i.opcode != "atom" && i.opcode != "cp") continue;
        Site site;
        site.space = i.has("shared") ? ptx::StateSpace::shared : ptx::StateSpace::global;
        site.is_store = i.opcode != "atom";
        site.is_atomic = i.opcode == "atom";
        site.instruction = k;
        site.function = kernel.ast;
        kernel.sites.push_back(site);
    }
    return find_written_memory(kernel);
}

using Offsets = std::vector<u32>;

}  // namespace

TEST_CASE("a store through a pointer plus offsets counts as a write to the pointer's allocation") {
    const WrittenMemory written = written_by(
        "cvta.to.global.u64 %d3, %d1;\nmul.wide.s32 %d4, %r1, 4;\nadd.s64 %d5, %d3, %d4;\n"
        "st.global.u32 [%d5+16], %r1;\n");
    CHECK(written.pointer_offsets == Offsets{0});
    CHECK(written.variable_names.empty());
    CHECK_FALSE(written.may_be_anywhere);
}

TEST_CASE("an index that was read from memory is not a pointer") {
    const WrittenMemory written = written_by(
        "ld.global.u32 %r2, [%d1];\nmad.wide.s32 %d4, %r2, 4, %d2;\nst.global.u32 [%d4], %r1;\n");
    CHECK(written.pointer_offsets == Offsets{8});
    CHECK_FALSE(written.may_be_anywhere);
}

TEST_CASE(
    "a store may use either of two pointers, even if a loop assigns one of them after the store") {
    CHECK(written_by("selp.b64 %d3, %d1, %d2, %p1;\nst.global.u32 [%d3], %r1;\n").pointer_offsets ==
          Offsets{0, 8});
    CHECK(written_by("mov.u64 %d3, %d2;\nL:\natom.global.add.u32 %r2, [%d3], 1;\nmov.u64 %d3, "
                     "%d1;\nbra L;\n")
              .pointer_offsets.size() == 2);
}

TEST_CASE("stores to variables are detected, but stores to shared memory are ignored") {
    CHECK(written_by("st.global.u32 [table+4], %r1;\n").variable_names ==
          std::vector<std::string>{"table"});
    const WrittenMemory shared = written_by("mov.u32 %r2, tile;\nst.shared.u32 [%r2], %r1;\n");
    CHECK_FALSE(shared.may_be_anywhere);
    CHECK(shared.variable_names.empty());
}

TEST_CASE("a pointer that was loaded or computed from integers may have any value") {
    CHECK(written_by("ld.global.u64 %d3, [%d1];\nst.global.u32 [%d3], %r1;\n").may_be_anywhere);
    CHECK(written_by("mov.b64 %d3, {%r1, %r2};\nst.global.u32 [%d3], %r1;\n").may_be_anywhere);
    CHECK(written_by("mov.u64 %d3, 140737488355328;\nst.global.u32 [%d3], %r1;\n").may_be_anywhere);
    CHECK(written_by("cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16;\n")
              .may_be_anywhere);
}
