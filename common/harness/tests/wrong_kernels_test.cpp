// Tests the verifier with kernels that contain deliberate mistakes. The verifier must reject each
// kernel and name its mistake.
#include "wrong_kernels.h"
#include "base/enum_names.h"

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "harness/counters.h"
#include "harness/verify.h"

using namespace coalesce;
using namespace coalesce::tests;

namespace {

Comparison comparison_on(const WrongKernel& kernel) {
    simulator_library::set_quiet(true);
    Problem problem{.rows = kernel.rows, .cols = kernel.cols, .produces = kernel.produces};
    problem.produces.in_place = kernel.in_place;
    if (kernel.batches > 0)
        problem = problem_of(batch_of_transposes(kernel.batches, kernel.rows, kernel.cols));
    VerifiedBuffers buffers(problem);
    buffers.prepare();
    kernel.launch(buffers.out(), buffers.in(), kernel.rows, kernel.cols);
    static_cast<void>(cudaGetLastError());
    Comparison comparison = buffers.check();
    simulator_library::clear_reports();
    return comparison;
}

bool fits_terminal(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.size() > 80) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("each wrong kernel is rejected with its mistake") {
    REQUIRE(simulator_library::is_loaded());
    REQUIRE(wrong_kernels().size() >= 30);
    for (const WrongKernel& kernel : wrong_kernels()) {
        CAPTURE(kernel.name);
        const Comparison comparison = comparison_on(kernel);
        INFO(comparison.text());
        CHECK_FALSE(comparison.is_right());
        CHECK(dashed_name(comparison.fault()) == dashed_name(kernel.fault));
        CHECK(fits_terminal(comparison.text()));
        if (kernel.also == Fault::none) continue;
        const auto is_the_other = [&](const Finding& found) { return found.fault == kernel.also; };
        CHECK(std::any_of(comparison.findings.begin(), comparison.findings.end(), is_the_other));
    }
}

TEST_CASE("every fault has a wrong kernel") {
    std::set<Fault> seen;
    for (const WrongKernel& kernel : wrong_kernels()) seen.insert(kernel.fault);
    for (int i = 1; i <= static_cast<int>(last_of(Fault{})); ++i) {
        const auto fault = static_cast<Fault>(i);
        CAPTURE(dashed_name(fault));
        CHECK(seen.count(fault) == 1);
    }
}
