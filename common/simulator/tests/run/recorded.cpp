// Tests that recording a program's launches (simulate --time) has no side effects. The output, the
// counters per kernel and line, and the reports must be the same as without recording.
//
// Watch  Recorded blocks run before all others, unless they use results that reveal the order (an
//        atomic's old value, a strong load). A program with several errors may therefore report a
//        different one first, and is not suitable for this test.
#include <cstdio>

#include "simulate_run.h"

using namespace coalesce::tests;
using Json = nlohmann::ordered_json;

namespace {

int failures = 0;

void fail(const std::string& text) {
    std::printf("%s\n", text.c_str());
    ++failures;
}

/// Removes host addresses from the reports, because they differ between runs.
Json without_addresses(Json reports) {
    for (Json& report : reports) {
        report.erase("address");
        report.erase("message");
    }
    return reports;
}

/// Removes the predictions from the report. Returns the number of kernels that had one.
int take_predictions(Json& report) {
    int predicted = 0;
    for (Json& kernel : report["kernels"]) predicted += static_cast<int>(kernel.erase("predicted"));
    return predicted;
}

void compare_kernels(const Json& plain, const Json& recorded) {
    if (plain.size() != recorded.size()) return fail("other kernels");
    for (std::size_t k = 0; k < plain.size(); ++k) {
        for (const auto& [name, value] : plain[k].items()) {
            if (recorded[k].contains(name) && recorded[k][name] == value) continue;
            fail(plain[k]["name"].get<std::string>() + ": other " + name + ": " + value.dump() +
                 " without a recording, with one " + recorded[k].value(name, Json()).dump());
        }
    }
}

/// Returns the arguments of each run. A program with several cases (see cases.h) is run once per
/// case, and any other program once without arguments.
std::vector<std::vector<std::string>> runs_of(const char* simulate_path,
                                              const std::string& program) {
    const Outcome usage = simulate(simulate_path, {"--quiet"}, {program});
    if (!usage.err.starts_with("usage: ")) return {{program}};
    std::vector<std::vector<std::string>> runs;
    for (const std::string& line : split_lines(usage.err))
        if (line.starts_with("  ")) runs.push_back({program, trimmed(line)});
    return runs;
}

/// Compares a recorded run with an unrecorded run. Returns the number of recorded kernels.
int compare(const char* simulate_path, const std::vector<std::string>& run) {
    const Outcome plain = simulate(simulate_path, {}, run);
    Outcome recorded = simulate(simulate_path, {"--time"}, run);
    if (plain.report.is_null() || recorded.report.is_null()) {
        fail("no report was written\n" + as_quote(plain.err) + as_quote(recorded.err));
        return 0;
    }
    const int failures_before = failures, predicted = take_predictions(recorded.report);
    if (plain.exit_code != recorded.exit_code) fail("another exit code");
    if (plain.out != recorded.out) fail("another output\n" + as_quote(recorded.out));
    compare_kernels(plain.report["kernels"], recorded.report["kernels"]);
    if (without_addresses(plain.report["reports"]) != without_addresses(recorded.report["reports"]))
        fail("other reports\n" + as_quote(recorded.err));
    if (failures > failures_before) fail("... of " + run.back());
    return predicted;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: recorded SIMULATE PROGRAM\n");
        return 2;
    }
    int predicted = 0;
    for (const std::vector<std::string>& run : runs_of(argv[1], argv[2]))
        predicted += compare(argv[1], run);
    if (predicted == 0) fail("nothing was recorded");
    std::printf("%d kernels with a recording: %d differences\n", predicted, failures);
    return failures == 0 ? 0 : 1;
}
