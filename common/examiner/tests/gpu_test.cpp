// Tests examinations on a real GPU, where only the result is checked. The kernel that breaks the
// device comes last, because the process cannot use the GPU once its context is broken.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <filesystem>

#include "base/errors.h"
#include "examined.h"
#include "harness/counters.h"

using namespace coalesce;
using namespace coalesce::tests;
namespace fs = std::filesystem;

namespace {

const fs::path folder = KERNEL_TESTS;

}  // namespace

TEST_CASE("a correct kernel passes on a real GPU, with every installed compiler") {
    REQUIRE_FALSE(simulator_library::is_loaded());
    for (const Compiler compiler : {Compiler::nvrtc, Compiler::nvcc, Compiler::clang}) {
        if (describe_compiler(compiler).empty()) continue;
        const Verdict found = examined(read_source(folder / "solution.cu"),
                                       transpose_within({.store = 4, .elements_per_thread = 4}),
                                       folder / "solution.cu", {.compiler = compiler});
        INFO(terminal_text(found));
        CHECK(found.passed());
        CHECK_FALSE(found.is_simulated);
        CHECK_FALSE(found.counters);
        CHECK(found.shapes.size() == transpose_within({}).shapes.size() + 1);
    }
}

TEST_CASE("wrong results, bad launches and changed guard bands are also reported on a GPU") {
    for (const char* id :
         {"nothing-written", "indices-not-swapped", "wrong-pitch", "bounds-exchanged",
          "tile-not-moved", "tile-not-transposed", "part-of-each-tile", "grid-too-small",
          "ragged-edge-missed", "no-bounds-check", "input-changed", "bad-launch", "block-too-large",
          "too-much-shared-memory", "too-many-threads", "tile-too-small", "does-not-load",
          "kernel-missing"}) {
        CAPTURE(id);
        Limits limits;
        if (std::string(id) == "too-many-threads") limits.elements_per_thread = 4;
        if (std::string(id) == "tile-too-small") limits.elements_per_block = 4096;
        const Verdict found = examined(read_source(folder / "failures" / (std::string(id) + ".cu")),
                                       transpose_within(limits));
        INFO(terminal_text(found));
        CHECK(found.failure_id() == id);
    }
}

TEST_CASE("a kernel that breaks the device is reported, and so are the failures of later kernels") {
    // The kernel accesses an address far outside the matrix. It must be the last case, because the
    // process cannot use the device afterwards.
    const Source far = make_source(
        "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
        "    out[(1ll << 44) + threadIdx.x] = in[0];\n"
        "}\n"
        "constexpr Launch configure(int rows, int cols) { return {.block = 32}; }\n",
        "kernel.cu");
    LocalRunner runner({});
    const Exercise exercise = transpose_within({});
    const Verdict found = examine(far, exercise, runner, {});
    INFO(terminal_text(found));
    CHECK(found.failure_id() == "out-of-bounds");
    const Verdict after = examine(read_source(folder / "solution.cu"), exercise, runner, {});
    INFO(terminal_text(after));
    CHECK(after.outcome == Verdict::Outcome::not_examined);
    CHECK_THROWS_AS(LocalRunner({}), UsageError);
}
