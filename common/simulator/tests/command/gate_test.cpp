// Tests how simulate is used in CI: programs, exit codes, suppressions, comparisons and budgets.
#include <doctest/doctest.h>

#include <csignal>

#include "base/child.h"
#include "simulator/tests/command/command_run.h"

using namespace coalesce::tests;

namespace {

const std::string kBefore = PROGRAMS "/sum_before", kAfter = PROGRAMS "/sum_after";

/// Returns the entry of the kernel `name` in the JSON report.
nlohmann::ordered_json kernel_named(const Outcome& outcome, const std::string& name) {
    REQUIRE(outcome.report.is_object());
    for (const auto& kernel : outcome.report["kernels"])
        if (kernel["name"] == name) return kernel;
    FAIL("no kernel " << name);
    return {};
}

}  // namespace

TEST_CASE("the counters and reports of all processes that a script starts are combined") {
    const ScratchFile script("#!/bin/sh\n" + kProgram + "\n" + kProgram + " report\nexit 5\n");
    const Outcome got = run({script.path});
    CHECK(got.exit_code == 5);
    const auto fill = kernel_named(got, "fill");
    CHECK(fill["launches"].get<int>() + fill["stopped"].get<int>() == 2);
    CHECK(got.report["reports"].size() == 1);
    CHECK(has(got.err, ", endings"));  // the name of the process is printed above its table
    CHECK_FALSE(has(got.err, "no kernel was launched"));
}

TEST_CASE("a program that forks is counted once per process") {
    const Outcome got = run({kProgram, "fork early"});
    CHECK(got.exit_code == 0);
    CHECK(kernel_named(got, "fill")["launches"] == 2);
    CHECK(kernel_named(got, "fill")["store_requests"] == 4);
}

TEST_CASE("a program without CUDA keeps its exit code, and has no kernels") {
    const Outcome got = run({"/bin/false"}, {"--error-exitcode", "9"});
    CHECK(got.exit_code == 1);
    REQUIRE(got.report.is_object());
    CHECK(got.report["kernels"].empty());
    CHECK(has(unbroken(got.err), "no kernel was launched"));
    // --gate must not pass if no kernel has run.
    CHECK(run({"/bin/true"}, {"--gate"}).exit_code == 2);
}

#ifdef HAS_STATIC_PROGRAM
TEST_CASE("a script may start a program that is linked with the static runtime") {
    const Outcome got = run({"sh", "-c", PROGRAMS "/endings_static code 3"});
    CHECK(got.exit_code == 3);
    CHECK(kernel_named(got, "fill")["launches"] == 1);
}

TEST_CASE("kernels in a library that Python loads are simulated") {
    if (coalesce::find_program("python3").empty()) {
        MESSAGE("not tested: there is no python3");
        return;
    }
    const Outcome got = run(
        {"python3", "-c", "import ctypes; print(ctypes.CDLL('" PROGRAMS "/module').run_module())"});
    CAPTURE(got.err);
    CHECK(got.exit_code == 0);
    CHECK(got.out == "496\n");
    CHECK(kernel_named(got, "fill_from_module")["store_requests"] == 1);
}
#endif

TEST_CASE("the exit code of --gate distinguishes failed runs, incomplete simulations and reports") {
    const auto code = [](const std::vector<std::string>& words) {
        return run(words, {"--gate"}).exit_code;
    };
    CHECK(code({kProgram}) == 0);
    CHECK(code({kProgram, "code", "7"}) == 1);
    CHECK(code({kProgram, "abort"}) == 1);
    CHECK(code({kProgram, "unsupported"}) == 2);
    CHECK(code({kProgram, "leave"}) == 2);
    CHECK(code({kProgram, "report"}) == 4);
    CHECK(code({kProgram, "collide"}) == 4);
}

TEST_CASE("--kernel selects the kernels whose counters and reports are shown") {
    const Outcome got = run({kProgram, "collide"}, {"--kernel", "^fi", "--gate"});
    CHECK(got.exit_code == 0);
    REQUIRE(got.report["kernels"].size() == 1);
    CHECK(got.report["kernels"][0]["name"] == "fill");
    CHECK(got.report["suppressed"] == 1);
    CHECK_FALSE(has(got.err, "collide"));
    // Work that was not simulated makes all results wrong, so it is always reported.
    CHECK(run({kProgram, "unsupported"}, {"--kernel", "^fi", "--gate"}).exit_code == 2);
}

TEST_CASE("known reports are omitted as long as their source line is unchanged") {
    const ScratchFile known;
    CHECK(run({kProgram, "collide"}, {"--write-suppressions", known.path, "--gate"}).exit_code ==
          4);
    CHECK(has(known.content(), "source = \"if (threadIdx.x == 0) *out = blockIdx.x;\""));
    const std::vector<std::string> options{"--suppress", known.path, "--gate"};
    const Outcome got = run({kProgram, "collide"}, options);
    CHECK(got.exit_code == 0);
    CHECK(got.report["reports"].empty());
    CHECK(got.report["suppressed"] == 1);
    CHECK(has(got.err, "no reports, 1 suppressed"));
    CHECK_FALSE(has(got.err, "globalrace"));
    // Different reports are not suppressed. Known reports are not suppressed either, once their
    // line has changed.
    CHECK(run({kProgram, "report"}, options).exit_code == 4);
    known.replace("threadIdx.x == 0", "threadIdx.x == 1");
    CHECK(run({kProgram, "collide"}, options).exit_code == 4);
    known.replace("threadIdx.x == 1", "*");
    CHECK(run({kProgram, "collide"}, options).exit_code == 0);
    known.replace("check =", "chekc =");
    const Outcome misspelled = run({kProgram, "collide"}, options);
    CHECK(misspelled.exit_code == 2);
    CHECK(has(unbroken(misspelled.err), "unknown key `chekc`"));
}

TEST_CASE("--compare names the line that became more expensive, even if it has moved") {
    const ScratchFile base;
    const Outcome before = run({kBefore});
    std::ofstream(base.path) << before.report;
    const Outcome same = run({kBefore}, {"--compare", base.path});
    CHECK(same.exit_code == 0);
    CHECK(has(same.err, "compared with the earlier run: nothing has changed"));

    const Outcome worse = run({kAfter}, {"--compare", base.path});
    CHECK(worse.exit_code == 3);
    CHECK(has(unbroken(worse.err), "sum.cu:8 loads: 4 -> 32 sectors per request, +3,584"));
    CHECK_FALSE(has(worse.err, "shared loads:"));
    CHECK_FALSE(has(worse.err, "stores:"));
    CHECK(run({kAfter}, {"--compare", base.path, "--gate"}).exit_code == 3);
    CHECK(run({kAfter}, {"--compare", base.path, "--tolerance", "1000"}).exit_code == 0);

    std::ofstream(base.path) << run({kAfter}).report;
    const Outcome better = run({kBefore}, {"--compare", base.path});
    CHECK(better.exit_code == 0);
    CHECK(has(unbroken(better.err), "sum.cu:5 loads: 32 -> 4 sectors per request, -3,584"));
    base.replace("\"schema_version\":1", "\"schema_version\":0");
    CHECK(has(run({kBefore}, {"--compare", base.path}).err, "another version"));
}

TEST_CASE("a run is within the budget that it has written, but a more expensive run is not") {
    const ScratchFile budget;
    CHECK(run({kBefore}, {"--write-budget", budget.path}).exit_code == 0);
    CHECK(has(budget.content(), "sectors_per_load = 4\n"));
    const std::vector<std::string> options{"--budget", budget.path};
    const Outcome met = run({kBefore}, options);
    CHECK(met.exit_code == 0);
    CHECK(has(met.err, "within the budget"));

    const Outcome over = run({kAfter}, options);
    CHECK(over.exit_code == 3);
    CHECK(has(unbroken(over.err), "32 sectors per load, but the limit is 4"));

    budget.replace("sectors_per_load = 4", "sectors_per_load = 3.5");
    CHECK(run({kBefore}, options).exit_code == 3);
    // An entry that matches no kernel sets no limit, so it must be rejected.
    budget.replace("sectors_per_load = 3.5", "sectors_per_load = 4");
    budget.replace("name = \"sum\"", "name = \"product\"");
    const Outcome stale = run({kBefore}, options);
    CHECK(stale.exit_code == 3);
    CHECK(has(unbroken(stale.err), "launched no kernel with this name"));
    budget.replace("sectors_per_load", "sectors_pro_load");
    CHECK(has(unbroken(run({kBefore}, options).err), "unknown key `sectors_pro_load`"));
}
