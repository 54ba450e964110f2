// Tests that the list in code/opcodes.h is complete. lanes_test.cpp tests the lane-wise
// instructions.
#include "simulator/code/opcodes.h"

#include <doctest/doctest.h>

#include <string>

#include "simulator/execute/families.h"
#include "simulator/execute/special_registers.h"
#include "simulator/ptx/special_registers.h"

using namespace coalesce::simulator;

TEST_CASE("every opcode in the groups warp, memory and machine has a family") {
    if (matrix_families().empty()) return;  // a build without addons lacks some opcodes
    int families = 0;
    for (const OpcodeEntry& entry : opcodes()) {
        const bool wants_family = entry.group == OpcodeGroup::warp ||
                                  entry.group == OpcodeGroup::memory ||
                                  entry.group == OpcodeGroup::machine;
        CHECK_MESSAGE(has_family(entry.name) == wants_family, entry.name);
        families += wants_family;
    }
    CHECK(families > 20);
}

TEST_CASE("an opcode is found only by its whole name") {
    REQUIRE(find_opcode("shfl") != nullptr);
    CHECK(find_opcode("shfl")->group == OpcodeGroup::warp);
    CHECK(find_opcode("shf")->group == OpcodeGroup::lanes);
    CHECK(find_opcode("sh") == nullptr);
    CHECK(find_opcode("alloca") == nullptr);
    CHECK(find_opcode("addc")->reads_carry());
    CHECK_FALSE(find_opcode("add")->reads_carry());
}

TEST_CASE("clocks are the only special registers that change with time") {
    int clocks = 0;
    for (const std::string name :
         {"%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi",
          "%laneid", "%warpid", "%smid", "%gridid", "%lanemask_lt", "%envreg3",
          "%total_smem_size"}) {
        CAPTURE(name);
        const SpecialRegister* special = find_special_register(name);
        REQUIRE(special != nullptr);
        CHECK((special->scope == ValueScope::every_read) == ptx::is_clock(name));
        clocks += ptx::is_clock(name);
    }
    CHECK(clocks == 6);
}
