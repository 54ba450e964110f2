// compare_lints: compares the prices of lints with the times that a GPU loses.
//
// Every pair in planted/ has a kernel with an inefficiency and a twin without it. This program runs
// each inefficient kernel under `simulate --lints`, and prints the price that the lint states as a
// fraction of the launch's predicted time, beside the measured loss: the fraction of the launch's
// time that the twin saves on a GPU.
//
// It fails if a lint is missing, or if the price of a pair is wrong by more than the tolerance
// although exceptions.txt does not list it, or if exceptions.txt lists a pair whose price is right.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.h"
#include "base/text.h"
#include "simulator/tests/run/simulate_run.h"

namespace {

using Json = nlohmann::ordered_json;

/// The largest error of a price, as a fraction of the measured loss.
constexpr double kMaxFractionOff = .3;

/// The place at which a pair's lint must be reported.
struct LintMark {
    std::string lint;
    unsigned line = 0;
};

/// Returns the place of the comment `// lint ID` in a source.
LintMark find_lint_mark(const std::filesystem::path& source) {
    static const std::string marker = "// lint ";
    unsigned number = 0;
    for (const std::string& line : coalesce::lines_of(coalesce::read_file(source))) {
        ++number;
        const std::size_t marker_position = line.find(marker);
        if (marker_position != line.npos)
            return {line.substr(marker_position + marker.size()), number};
    }
    return {};
}

/// Returns the reasons of exceptions.txt by the names of pairs. Each line is "NAME: REASON".
std::map<std::string, std::string> read_exceptions(const std::string& file) {
    std::map<std::string, std::string> exceptions;
    for (const std::string& line : coalesce::lines_of(coalesce::read_file(file))) {
        const std::size_t colon = line.find(": ");
        if (!line.starts_with("#") && colon != line.npos)
            exceptions[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return exceptions;
}

/// Returns the price of the marked lint as a fraction of the launch's predicted time, or a negative
/// number if the lint was not reported.
double find_predicted_cost(const Json& run, const std::string& source, const LintMark& mark) {
    for (const Json& lint : run["lints"]) {
        const std::string file = lint["file"];
        if (lint["id"] == mark.lint && lint["line"] == mark.line &&
            file.ends_with("/" + source + ".cu"))
            return lint["ms"].get<double>() / lint["kernel_ms"].get<double>();
    }
    return -1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        std::fprintf(stderr, "usage: compare_lints SIMULATE PLANTED SOURCES MEASURED EXCEPTIONS\n");
        return 2;
    }
    const std::string simulate_program = argv[1], planted_folder = argv[2];
    const std::filesystem::path sources = argv[3];
    const Json pairs = Json::parse(coalesce::read_file(argv[4]))["pairs"];
    const auto exceptions = read_exceptions(argv[5]);
    std::size_t found_lints = 0, right_predictions = 0, errors = 0;
    std::printf("%-24s %-20s %9s %9s\n", "pair", "lint", "price", "measured");
    for (const auto& [name, times] : pairs.items()) {
        const LintMark mark = find_lint_mark(sources / (name + ".cu"));
        const Json run =
            coalesce::tests::simulate(simulate_program, {"--quiet", "--check", "none", "--lints"},
                                      {planted_folder, name})
                .report;
        const double predicted_cost = find_predicted_cost(run, name, mark),
                     inefficient_ms = times["inefficient_ms"], efficient_ms = times["efficient_ms"],
                     measured_cost = (inefficient_ms - efficient_ms) / inefficient_ms;
        const bool is_right = predicted_cost >= 0 && std::abs(predicted_cost - measured_cost) <=
                                                         kMaxFractionOff * measured_cost,
                   is_exception = exceptions.contains(name);
        found_lints += predicted_cost >= 0;
        right_predictions += is_right;
        const char* remark = "";
        if (predicted_cost < 0 && !is_exception)
            remark = "  the lint is missing";
        else if (is_right && is_exception)
            remark = "  is right: delete the exception";
        else if (!is_right && !is_exception)
            remark = "  the price is wrong";
        errors += *remark != '\0';
        if (predicted_cost < 0)
            std::printf("%-24s %-20s %9s %7.0f %%%s\n", name.c_str(), mark.lint.c_str(), "-",
                        100 * measured_cost, remark);
        else
            std::printf("%-24s %-20s %7.0f %% %7.0f %%%s\n", name.c_str(), mark.lint.c_str(),
                        100 * predicted_cost, 100 * measured_cost, remark);
        std::fflush(stdout);
    }
    for (const auto& [name, reason] : exceptions) {
        if (pairs.contains(name)) continue;
        std::printf("%s: there is no such pair\n", name.c_str());
        ++errors;
    }
    std::printf("%zu of %zu lints are reported at their line, %zu with a price within %.0f %%.\n",
                found_lints, pairs.size(), right_predictions, 100 * kMaxFractionOff);
    return errors == 0 ? 0 : 1;
}
