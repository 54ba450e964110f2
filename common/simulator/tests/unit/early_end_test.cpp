// Tests whether the threads of a kernel may exit before a barrier.
#include "simulator/analysis/early_end.h"

#include <doctest/doctest.h>

#include <string>

#include "simulator/ptx/parser.h"

using namespace coalesce::simulator;

namespace {

bool judged(const std::string& body) {
    const auto module = ptx::parse(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 to) {\n"
        ".reg .b32 a;\n.reg .b64 t;\n.reg .pred p;\n.shared .b32 s[64];\n" +
        body + "\n}\n");
    return ends_early_without_work(*module->functions.at("k"));
}

}  // namespace

TEST_CASE("a thread may exit before a barrier if it has done nothing") {
    CHECK(
        judged("ld.param.u64 t, [to];\n@p bra END;\nst.shared.u32 [s], a;\nbar.sync 0;\n"
               "st.global.u32 [t], a;\nEND: ret;"));
    CHECK(judged("@p ret;\nst.shared.u32 [s], a;\nbar.sync 0;\nret;"));
    CHECK(judged("bar.sync 0;\n@p ret;\nbar.sync 0;\nst.shared.u32 [s], a;\nret;"));
    CHECK(judged(""));
}

TEST_CASE("a thread may not skip a barrier and continue") {
    CHECK(!judged("st.shared.u32 [s], a;\n@p bra AFTER;\nbar.sync 0;\nAFTER: ret;"));
    CHECK(!judged("@p bra AFTER;\nbar.sync 0;\nAFTER: st.global.u32 [t], a;\nret;"));
    CHECK(
        !judged("@p bra END;\nL: ld.shared.u32 a, [s];\n@p bra L;\n@p ret;\nbar.sync 0;\n"
                "END: ret;"));
    CHECK(!judged("@p bra AFTER;\nbar.sync 0;\nAFTER: ld.shared.u32 a, [s];"));
}
