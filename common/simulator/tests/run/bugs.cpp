// bugs SIMULATE SOURCE.cu PROGRAM [clang] runs programs with seeded bugs and similar programs
// without bugs. Comments in the source state what the checks must report. The program takes the
// name of a case as its argument.
//
//     x[i] = 1;  // bug NAME: CHECK: KIND      the case NAME gives this report, at this line
//     y = x[j];  // other NAME                 the second access of the race in NAME
//     // clean NAME [simulator only]           the case NAME gives no report and ends with 0
//     // cure NAME: WORDS                      a report of NAME gives this advice, and the case
//                                              NAME-fixed, which follows it, is clean
//     // by clang NAME: REASON                 built by clang, the case gives different reports
//     // simulate: OPTIONS                     options of simulate for every case
//     // simulate NAME: OPTIONS                options of simulate for the case NAME
//
// A case must give exactly its reports, with check, kind, file, line and the other line. A leak has
// no line on the device, so for leakcheck only check and kind are compared. In a streamcheck report
// about a call of the host, file and line are not compared. Clean cases run with several seeds. Two
// cases run at a time.
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <thread>

#include "simulate_run.h"

namespace {

using namespace coalesce::tests;

struct ExpectedReport {
    std::string check, kind;
    int line = 0;
};

struct Case {
    std::vector<ExpectedReport> reports;  ///< empty for a clean case
    std::set<int> other_lines;
    std::vector<std::string> options;
    std::string advice;  ///< words that a report must contain in its message or its cure
    bool is_clean = false;
    bool differs_by_clang = false;
};

struct Suite {
    std::string source, simulate_path, program;
    std::map<std::string, Case> cases;
    std::vector<std::string> options;
    bool is_by_clang = false;
    std::vector<std::string> mistakes;  ///< mistakes in the marks of the source

    Suite(const std::string& simulate_path, const std::string& source, const std::string& program)
        : source(source), simulate_path(simulate_path), program(program) {}
};

// ---- reading the marks ----

/// Reads one mark. Its text ends at the next `//`, so that a line may have several marks.
void read_mark(Suite& suite, const std::string& mark, int line) {
    static const std::regex bug(R"(bug ([\w-]+): ([a-z]+): (.+))");
    static const std::regex other(R"(other ([\w-]+))");
    static const std::regex clean(R"(clean ([\w-]+)( simulator only)?)");
    static const std::regex cure(R"(cure ([\w-]+): (.+))");
    static const std::regex by_clang(R"(by clang ([\w-]+): .+)");
    static const std::regex option(R"(simulate(?: ([\w-]+))?: (--.+))");
    std::smatch part;
    if (std::regex_match(mark, part, bug)) {
        suite.cases[part[1]].reports.push_back({part[2], part[3], line});
    } else if (std::regex_match(mark, part, other)) {
        suite.cases[part[1]].other_lines.insert(line);
    } else if (std::regex_match(mark, part, clean)) {
        suite.cases[part[1]].is_clean = true;
    } else if (std::regex_match(mark, part, cure)) {
        suite.cases[part[1]].advice = part[2];
        suite.cases[part[1].str() + "-fixed"].is_clean = true;
    } else if (std::regex_match(mark, part, by_clang)) {
        suite.cases[part[1]].differs_by_clang = true;
    } else if (std::regex_match(mark, part, option)) {
        auto& options = part[1].matched ? suite.cases[part[1]].options : suite.options;
        for (const std::string& word : split_words(part[2])) options.push_back(word);
    } else if (mark.starts_with("bug ") && mark.find(": ") != mark.npos) {
        suite.mistakes.push_back("line " + std::to_string(line) + ": not understood: " + mark);
    }
}

void read_marks(Suite& suite) {
    int number = 0;
    for (const std::string& line : read_lines(suite.source)) {
        ++number;
        std::size_t at = line.find("//");
        while (at != line.npos) {
            const std::size_t next = line.find("//", at + 2);
            read_mark(suite, trimmed(line.substr(at + 2, next - at - 2)), number);
            at = next;
        }
    }
    for (const auto& [name, one] : suite.cases) {
        if (one.is_clean == !one.reports.empty()) {
            suite.mistakes.push_back(name + ": needs either `bug " + name +
                                     ": check: kind` or `clean " + name + "`");
        }
    }
}

// ---- comparing ----

bool matches_other(const Case& wanted, const nlohmann::ordered_json& report) {
    const int other = report["other_line"];
    return wanted.other_lines.empty() ? other == 0 : wanted.other_lines.contains(other);
}

bool matches(const Suite& suite, const Case& wanted, const ExpectedReport& expected,
             const nlohmann::ordered_json& report) {
    if (report["check"] != expected.check || report["kind"] != expected.kind) return false;
    if (expected.check == "leakcheck") return true;
    // The later operation is a call by the host, such as a copy, and has no line in a kernel.
    if (expected.check == "streamcheck" && report["line"] == 0)
        return matches_other(wanted, report);
    if (report["line"] != expected.line) return false;
    if (base_name(report["file"]) != base_name(suite.source)) return false;
    return matches_other(wanted, report);
}

std::string describe(const nlohmann::ordered_json& report) {
    return report["check"].get<std::string>() + ": " + report["kind"].get<std::string>() + " at " +
           base_name(report["file"]) + ":" + report["line"].dump() + ", other line " +
           report["other_line"].dump();
}

std::string describe(const Case& wanted, const ExpectedReport& expected) {
    std::string text =
        expected.check + ": " + expected.kind + " at line " + std::to_string(expected.line);
    for (const int other : wanted.other_lines) text += ", other line " + std::to_string(other);
    return text;
}

/// Reports whether the run's reports contain the advice that the case expects.
bool gives_advice(const Case& wanted, const Outcome& got) {
    if (wanted.advice.empty()) return true;
    for (const auto& report : got.report["reports"]) {
        const std::string text =
            report["message"].get<std::string>() + " " + report["cure"].get<std::string>();
        if (text.find(wanted.advice) != text.npos) return true;
    }
    return false;
}

/// Returns a description of the errors in this run of a case, or an empty string if there are none.
std::string check_case(const Suite& suite, const Case& wanted, const Outcome& got) {
    if (got.report.is_null()) return "  no report file was written\n";
    std::string wrong;
    if (got.exit_code >= 128) wrong += "  it crashed\n";
    if (wanted.is_clean && got.exit_code != 0) {
        wrong += "  exit code " + std::to_string(got.exit_code) + ", expected 0\n";
    }
    std::vector<bool> seen(wanted.reports.size());
    for (const auto& report : got.report["reports"]) {
        bool known = false;
        for (std::size_t i = 0; i < wanted.reports.size() && !known; ++i) {
            if (seen[i] || !matches(suite, wanted, wanted.reports[i], report)) continue;
            seen[i] = known = true;
        }
        if (!known) wrong += "  + not expected: " + describe(report) + "\n";
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (!seen[i]) wrong += "  - missing: " + describe(wanted, wanted.reports[i]) + "\n";
    }
    if (!gives_advice(wanted, got)) wrong += "  no report says: " + wanted.advice + "\n";
    return wrong;
}

std::string run_seeds(const Suite& suite, const std::string& name, const Case& wanted) {
    std::vector<const char*> seeds{"0"};
    if (wanted.is_clean) seeds = {"0", "1", "12345"};
    for (const char* seed : seeds) {
        std::vector<std::string> options{"--seed", seed};
        options.insert(options.end(), suite.options.begin(), suite.options.end());
        options.insert(options.end(), wanted.options.begin(), wanted.options.end());
        const Outcome got = simulate(suite.simulate_path, options, {suite.program, name});
        const std::string wrong = check_case(suite, wanted, got);
        if (!wrong.empty()) {
            return name + " (seed " + seed + "): failed\n" + wrong + "  its output\n" +
                   as_quote(got.out) + "  its stderr\n" + as_quote(got.err);
        }
    }
    return "";
}

/// Runs a case. Built by clang, a case that is marked `by clang` must differ from the normal
/// expectation. Otherwise the mark is stale.
std::string run_case(const Suite& suite, const std::string& name, const Case& wanted) {
    const std::string wrong = run_seeds(suite, name, wanted);
    if (!suite.is_by_clang || !wanted.differs_by_clang) return wrong;
    if (!wrong.empty()) return "";
    return name + ": failed\n  it is the same by clang: take out its mark `by clang`\n";
}

/// Runs all cases, two at a time. Returns the number of cases that failed.
int run_all(const Suite& suite) {
    const std::vector<std::pair<std::string, Case>> cases(suite.cases.begin(), suite.cases.end());
    std::atomic<std::size_t> next = 0;
    std::atomic<int> failed = 0;
    std::mutex printing;
    const auto work = [&] {
        for (std::size_t i; (i = next++) < cases.size();) {
            const std::string wrong = run_case(suite, cases[i].first, cases[i].second);
            const std::lock_guard lock(printing);
            std::printf("%s", wrong.empty() ? (cases[i].first + ": ok\n").c_str() : wrong.c_str());
            if (!wrong.empty()) ++failed;
        }
    };
    std::thread second(work);
    work();
    second.join();
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) {
        std::fprintf(stderr, "usage: bugs SIMULATE SOURCE.cu PROGRAM [clang]\n");
        return 2;
    }
    Suite suite(argv[1], argv[2], argv[3]);
    suite.is_by_clang = argc == 5 && std::string(argv[4]) == "clang";
    read_marks(suite);
    for (const std::string& mistake : suite.mistakes) {
        std::printf("%s: %s\n", suite.source.c_str(), mistake.c_str());
    }
    if (suite.cases.empty()) {
        std::printf("%s: no case found: add `// bug NAME: check: kind` marks\n", argv[2]);
    }
    if (suite.cases.empty() || !suite.mistakes.empty()) return 1;
    const int failed = run_all(suite);
    std::printf("%zu cases, %d failed\n", suite.cases.size(), failed);
    return failed == 0 ? 0 : 1;
}
