// counter_table SIMULATE PROGRAM compares the counters of counters/table.cu with those of an H200.
//
// The expected values below were measured with Nsight Compute. The counters for global memory must
// be equal. The counters for shared memory must be within the noise of the hardware counter, and
// must equal its instruction-level counter. Runs with 1, 2 and 4 worker threads must give the same
// counters and the same output.
#include <cstdint>
#include <cstdio>

#include "simulate_run.h"

namespace {

using namespace coalesce::tests;

constexpr const char* kColumns[] = {"load_requests",          "load_sectors",
                                    "store_requests",         "store_sectors",
                                    "shared_load_wavefronts", "shared_store_wavefronts"};

struct Row {
    const char* kernel;
    std::uint64_t values[6];  ///< counters in the order of kColumns
};

constexpr Row kTable[] = {
    {"naive", {32768, 131072, 32768, 1048576, 0, 0}},
    {"naive_16x16", {32768, 131072, 32768, 524288, 0, 0}},
    {"naive_8x32", {32768, 131072, 32768, 262144, 0, 0}},
    {"tiled", {32768, 131072, 32768, 131072, 1048576, 32768}},
    {"padded_coarsened", {32768, 131072, 32768, 131072, 32768, 32768}},
    {"vec2_tile32", {16384, 131072, 16384, 131072, 32768, 32768}},
    {"vec4_tile32", {8192, 131072, 8192, 131072, 32768, 32768}},
    {"vec2_tile64", {16384, 131072, 16384, 131072, 65536, 65536}},
    {"vec4_tile64", {8192, 131072, 8192, 131072, 65536, 65536}},
};

int failures = 0;

void fail(const std::string& what) {
    ++failures;
    std::printf("%s\n", what.c_str());
}

void compare_row(const Row& row, const nlohmann::ordered_json& kernels) {
    for (const auto& kernel : kernels) {
        if (kernel["name"] != row.kernel) continue;
        for (std::size_t i = 0; i < std::size(kColumns); ++i) {
            const std::uint64_t counted = kernel[kColumns[i]];
            if (counted == row.values[i]) continue;
            fail(std::string(row.kernel) + ": " + kColumns[i] + " is " + std::to_string(counted) +
                 ", an H200 counts " + std::to_string(row.values[i]));
        }
        return;
    }
    fail(std::string("no counters of kernel ") + row.kernel);
}

Outcome run(const char* simulate_path, const char* program, const std::string& threads) {
    Outcome outcome = simulate(simulate_path, {"--threads", threads}, {program});
    const std::size_t lines = split_lines(outcome.out).size();
    if (outcome.exit_code != 0 || outcome.report.is_null() || lines != std::size(kTable) ||
        outcome.out.find("WRONG") != outcome.out.npos) {
        fail("with --threads " + threads + ": exit code " + std::to_string(outcome.exit_code) +
             "\n" + as_quote(outcome.out) + as_quote(outcome.err));
    }
    if (!outcome.report.is_null() && !outcome.report["reports"].empty()) {
        fail("with --threads " + threads + ": reports of a right program\n" +
             as_quote(outcome.err));
    }
    return outcome;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: counter_table SIMULATE PROGRAM\n");
        return 2;
    }
    const Outcome one = run(argv[1], argv[2], "1");
    if (one.report.is_null()) return 1;
    for (const Row& row : kTable) compare_row(row, one.report["kernels"]);
    for (const char* threads : {"2", "4"}) {
        const Outcome more = run(argv[1], argv[2], threads);
        if (more.out != one.out) fail(std::string("other output bits with --threads ") + threads);
        if (more.report.is_null() || more.report["kernels"] != one.report["kernels"]) {
            fail(std::string("other counters with --threads ") + threads);
        }
    }
    std::printf("%zu kernels, %zu counters each, 1, 2 and 4 threads: %d failures\n",
                std::size(kTable), std::size(kColumns), failures);
    return failures == 0 ? 0 : 1;
}
