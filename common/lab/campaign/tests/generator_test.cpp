// Tests that generated kernels are valid, and that find_undefined_read() finds reads of unwritten
// registers.
#include <doctest/doctest.h>

#include <set>

#include "lab/campaign/check/definedness.h"
#include "lab/campaign/ptx/lane_instructions.h"
#include "lab/campaign/ptx/ptx_kernels.h"

using namespace coalesce::campaign;

namespace {

/// Returns a kernel that declares the registers %r0 to %r9 and %p0 to %p9, and executes the
/// instructions in `body`.
std::string kernel(const std::string& body) {
    return ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry kernel()\n{\n"
           ".reg .b32 %r<10>;\n.reg .pred %p<10>;\n" +
           body + "ret;\n}\n";
}

}  // namespace

TEST_CASE("the same seed generates the same kernel") {
    CHECK(generate_ptx(7) == generate_ptx(7));
    CHECK(generate_ptx(7) != generate_ptx(8));
}

TEST_CASE(
    "generated launches are within the limits, and generated kernels write every register before "
    "they read it") {
    for (u64 seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        const std::string text = generate_ptx(seed);
        CHECK(parse_launch(text).has_value());
        CHECK(find_undefined_read(text) == "");
    }
}

TEST_CASE("exported kernels do not depend on the device") {
    const PtxOptions everywhere{.is_portable = true};
    for (u64 seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        for (const std::string& name : list_opcodes(generate_ptx(seed, everywhere)))
            CHECK(name.find(".approx") == name.npos);
        CHECK(generate_ptx(seed, everywhere).find("%smid") == std::string::npos);
    }
}

TEST_CASE("every lane instruction is generated") {
    std::set<std::string> missing;
    for (const LaneInstruction& i : lane_instructions()) missing.insert(i.name);
    CHECK(missing.size() > 1400);
    for (u64 seed = 1; seed <= 4000 && !missing.empty(); ++seed)
        for (const std::string& name : list_opcodes(generate_ptx(seed))) missing.erase(name);
    CHECK(missing.size() == 0);
}

TEST_CASE("launches are parsed, and launches beyond the limits are rejected") {
    CHECK(parse_launch("// launch 6 8 4 2 100\n")->threads() == 64);
    CHECK_FALSE(parse_launch("// launch 7 8 4 2 100\n").has_value());
    CHECK_FALSE(parse_launch("// launch 6 32 32 1 0\n").has_value());
    CHECK_FALSE(parse_launch(".version 9.0\n").has_value());
}

TEST_CASE("a register that is read before it is written is reported") {
    CHECK(find_undefined_read(kernel("mov.u32 %r0, 1;\nadd.s32 %r1, %r0, %r0;\n")) == "");
    CHECK(find_undefined_read(kernel("add.s32 %r1, %r0, %r0;\n")).find("%r0") != std::string::npos);
}

TEST_CASE("a register that is written too late is not reported if a comment permits this") {
    const std::string late = "add.s32 %r1, %r0, %r0; // late\n";
    CHECK(find_undefined_read(kernel(late)) == "");
    CHECK(find_undefined_read(kernel(late + "add.s32 %r1, %r0, %r0;\n")) != "");
}

TEST_CASE("a register that is written on only one of two paths is reported") {
    const std::string head =
        "mov.u32 %r0, 1;\nsetp.eq.u32 %p0, %r0, 1;\n@%p0 bra A;\nmov.u32 %r1, 2;\nA:\n";
    CHECK(find_undefined_read(kernel(head + "add.s32 %r2, %r1, 1;\n")) != "");
    CHECK(find_undefined_read(kernel(head + "add.s32 %r2, %r0, 1;\n")) == "");
}

TEST_CASE("a register may first be written in a loop that runs at least once") {
    const std::string loop =
        "mov.u32 %r0, 3;\nA:\nmov.u32 %r1, %r0;\nadd.s32 %r0, %r0, -1;\nsetp.gt.s32 %p0, %r0, 0;\n"
        "@%p0 bra A;\n";
    CHECK(find_undefined_read(kernel(loop + "add.s32 %r2, %r1, 1;\n")) == "");
}

TEST_CASE(
    "a write under a guard suffices for a read under the same guard, and two writes under opposite "
    "guards suffice for any read") {
    const std::string head = "mov.u32 %r0, 1;\nsetp.eq.u32 %p0, %r0, 1;\n@%p0 mov.u32 %r1, 2;\n";
    CHECK(find_undefined_read(kernel(head + "add.s32 %r2, %r1, 1;\n")) != "");
    CHECK(find_undefined_read(kernel(head + "@%p0 add.s32 %r0, %r1, 1;\n")) == "");
    CHECK(find_undefined_read(kernel(head + "@!%p0 add.s32 %r0, %r1, 1;\n")) != "");
    CHECK(find_undefined_read(kernel(head + "@!%p0 mov.u32 %r1, 3;\nadd.s32 %r2, %r1, 1;\n")) ==
          "");
    CHECK(find_undefined_read(kernel(
              head + "not.pred %p0, %p0;\n@!%p0 mov.u32 %r1, 3;\nadd.s32 %r2, %r1, 1;\n")) != "");
}
