// expect SIMULATE SOURCE.cu PROGRAM runs a test program, whose comments state what it must print.
//
//     // expect: TEXT            the next line of its output, exactly
//     // expect-stderr: TEXT     a part of the output on stderr
//     // expect-report: TEXT     a stored report: "CHECK: KIND by block (x,y,z), thread (x,y,z)"
//     // expect-exit: N          the exit code; 0 by default
//     // simulate: OPTIONS       options of simulate
//     // varies-with-threads: WHY
//
// The program runs with the machine's own number of worker threads, and then with 1, 2 and 4. Each
// run must give the same output and counters, unless varies-with-threads states why it cannot. A
// report by a check is also a failure, unless the source expects text on stderr. If several workers
// find an error at the same source line, stderr shows the report of the first to find it. The
// stored report, which is in the JSON, names the lowest block and thread.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "simulate_run.h"

namespace {

using namespace coalesce::tests;

struct Expectations {
    std::vector<std::string> out, err, reports;
    int exit_code = 0;
    std::vector<std::string> options;
    bool varies_with_threads = false;
};

/// Returns the text that follows `mark` in the line, or std::nullopt if the line has no such mark.
std::optional<std::string> after(const std::string& line, const std::string& mark) {
    const std::size_t at = line.find("// " + mark + ":");
    if (at == line.npos) return std::nullopt;
    std::string rest = line.substr(at + 3 + mark.size() + 1);
    if (rest.starts_with(" ")) rest.erase(0, 1);
    return rest;
}

Expectations read_expectations(const std::string& source) {
    Expectations wanted;
    for (const std::string& line : read_lines(source)) {
        if (const auto text = after(line, "expect")) wanted.out.push_back(*text);
        if (const auto text = after(line, "expect-stderr")) wanted.err.push_back(trimmed(*text));
        if (const auto text = after(line, "expect-report"))
            wanted.reports.push_back(trimmed(*text));
        if (const auto text = after(line, "expect-exit"))
            wanted.exit_code = std::atoi(text->c_str());
        if (const auto text = after(line, "varies-with-threads")) wanted.varies_with_threads = true;
        if (const auto text = after(line, "simulate")) {
            for (const std::string& word : split_words(*text)) wanted.options.push_back(word);
        }
    }
    return wanted;
}

/// Describes the difference between two texts. Lines that are in both texts are printed once, and
/// all other lines are marked with - or +. Two columns would not fit on a terminal.
std::string difference(const std::vector<std::string>& wanted,
                       const std::vector<std::string>& got) {
    std::string text = "  (- expected, + printed)\n";
    const std::size_t count = std::max(wanted.size(), got.size());
    for (std::size_t i = 0; i < count; ++i) {
        const bool both = i < wanted.size() && i < got.size();
        if (both && wanted[i] == got[i]) {
            text += "    " + got[i] + "\n";
            continue;
        }
        if (i < wanted.size()) text += "  - " + wanted[i] + "\n";
        if (i < got.size()) text += "  + " + got[i] + "\n";
    }
    return text;
}

/// Returns the stored reports in the form that expect-report uses. If `only_repeatable` is true,
/// omits reports about the instruction limit, because the block that reaches the limit varies.
std::vector<std::string> kept_reports(const Outcome& got, bool only_repeatable = false) {
    std::vector<std::string> kept;
    if (!got.report.is_object()) return kept;
    const auto index = [](const nlohmann::ordered_json& of) {
        std::string text;
        for (const auto& part : of) text += (text.empty() ? "(" : ",") + part.dump();
        return text + ")";
    };
    for (const auto& report : got.report["reports"]) {
        if (only_repeatable && report["kind"] == "instruction budget") continue;
        kept.push_back(report["check"].get<std::string>() + ": " +
                       report["kind"].get<std::string>() + " by block " + index(report["block"]) +
                       ", thread " + index(report["thread"]));
    }
    return kept;
}

/// Returns a description of the errors in this run, or an empty string if there are none.
std::string check_run(const Expectations& wanted, const Outcome& got) {
    std::string wrong;
    const std::vector<std::string> out = split_lines(got.out);
    if (out != wanted.out) wrong += "its output differs\n" + difference(wanted.out, out);
    if (got.exit_code != wanted.exit_code) {
        wrong += "exit code " + std::to_string(got.exit_code) + ", expected " +
                 std::to_string(wanted.exit_code) + "\n";
    }
    for (const std::string& text : wanted.err) {
        if (got.err.find(text) == got.err.npos) wrong += "stderr lacks: " + text + "\n";
    }
    const std::vector<std::string> kept = kept_reports(got);
    for (const std::string& report : wanted.reports) {
        if (std::find(kept.begin(), kept.end(), report) != kept.end()) continue;
        wrong += "no report is: " + report + "\n";
        for (const std::string& one : kept) wrong += "       there is: " + one + "\n";
    }
    if (wanted.err.empty() && !kept.empty()) {
        wrong +=
            "the checks reported something; if that is what it shows, expect it: add a line\n"
            "    // expect-stderr: CHECK: KIND\n";
    }
    if (!wrong.empty()) wrong += "stderr was\n" + as_quote(got.err);
    return wrong;
}

/// Returns a description of the first counter that differs between two runs, or an empty string.
std::string counter_difference(const Outcome& one, const Outcome& other) {
    for (const Outcome* run : {&one, &other}) {
        if (run->report.is_null())
            return "a run wrote no counters; stderr was\n" + as_quote(run->err);
    }
    if (kept_reports(one, true) != kept_reports(other, true))
        return "the reports that are kept differ\n";
    const auto& kernels = one.report["kernels"];
    const auto& others = other.report["kernels"];
    if (kernels == others) return "";
    for (std::size_t i = 0; i < kernels.size() && i < others.size(); ++i) {
        for (const auto& [name, value] : kernels[i].items()) {
            if (value == others[i][name] || name == "lines") continue;
            return kernels[i]["name"].get<std::string>() + ": " + name + " is " + value.dump() +
                   ", was " + others[i][name].dump() + "\n";
        }
    }
    return "the counters of single lines differ\n";
}

int fail(const std::string& source, const std::string& what, const std::string& detail) {
    std::printf("%s: %s\n%s", source.c_str(), what.c_str(), detail.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: expect SIMULATE SOURCE.cu PROGRAM\n");
        return 2;
    }
    const std::string simulate_path = argv[1], source = argv[2], program = argv[3];
    const Expectations wanted = read_expectations(source);
    if (wanted.out.empty() && wanted.err.empty()) {
        return fail(source, "expects nothing: add `// expect: ` lines", "");
    }

    const Outcome first = simulate(simulate_path, wanted.options, {program});
    const std::string wrong = check_run(wanted, first);
    if (!wrong.empty()) return fail(source, "failed", wrong);
    if (wanted.varies_with_threads) return 0;

    for (const char* threads : {"1", "2", "4"}) {
        std::vector<std::string> options = wanted.options;
        options.insert(options.end(), {"--threads", threads});
        const Outcome again = simulate(simulate_path, options, {program});
        std::string problem = check_run(wanted, again);
        if (problem.empty() && !(first.report.is_null() && again.report.is_null())) {
            problem = counter_difference(again, first);
        }
        if (!problem.empty()) {
            return fail(source, "differs with --threads " + std::string(threads), problem);
        }
    }
    return 0;
}
