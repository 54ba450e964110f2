#include "lab/proof/validate/bug_suite.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <stdexcept>

#include "base/enum_names.h"
#include "base/files.h"
#include "base/text.h"
#include "harness/text.h"

namespace coalesce::proof {
namespace {

namespace fs = std::filesystem;

/// Returns the number of reports in a summary line such as "RACECHECK SUMMARY: 2 hazards displayed
/// (1 error, 1 warning)".
int count_sanitizer_reports(const std::string& output) {
    static const std::regex error_summary(R"(ERROR SUMMARY: (\d+) error)");
    static const std::regex hazard_summary(R"(RACECHECK SUMMARY: (\d+) hazard)");
    int report_count = -1;
    for (const std::regex& summary : {error_summary, hazard_summary}) {
        std::smatch count_match;
        if (std::regex_search(output, count_match, summary)) {
            report_count = std::max(report_count, 0) + std::stoi(count_match[1]);
        }
    }
    return report_count;
}

/// Returns compute-sanitizer's first message, without the prefix "========= ".
std::string find_first_report(const std::string& output) {
    for (std::string line : lines_of(output)) {
        const std::string mark = "========= ";
        if (!line.starts_with(mark)) continue;
        line.erase(0, mark.size());
        // Skip indented lines, which only explain the line before them.
        if (line.starts_with(" ") || line.starts_with("COMPUTE-SANITIZER") ||
            line.find("SUMMARY") != std::string::npos) {
            continue;
        }
        return line;
    }
    return "";
}

std::string find_last_line(const std::string& text) {
    std::string last_line;
    for (const std::string& line : lines_of(text)) {
        if (!line.empty()) last_line = line;
    }
    return last_line;
}

Json format_opinion(const Opinion& opinion) {
    if (opinion.kind == Opinion::silent) return "silent";
    Json json{{"opinion", dashed_name(opinion.kind)}};
    if (!opinion.text.empty()) json["says"] = opinion.text;
    return json;
}

/// Returns a row of a table about the clean cases or the seeded bugs: the number of cases, and how
/// many of them were reported by both judges, by only one of them, and by neither.
std::string format_count_row(const std::vector<JudgedCase>& judged_cases, bool counts_clean_cases) {
    std::map<std::string, int> count_by_judges;
    int cases = 0;
    for (const JudgedCase& judged_case : judged_cases) {
        if (judged_case.suite_case.is_clean() != counts_clean_cases) continue;
        ++count_by_judges[describe_reporting_judges(judged_case)];
        ++cases;
    }
    return format("%-22s%7d%9d%17d%17d%10d\n",
                  counts_clean_cases ? "clean look-alikes" : "seeded bugs", cases,
                  count_by_judges["both"], count_by_judges["simulator only"],
                  count_by_judges["sanitizer only"], count_by_judges["neither"]);
}

std::string describe_tool_opinions(const JudgedCase& judged) {
    std::string text;
    for (const auto& [tool, opinion] : judged.opinion_by_tool) {
        if (opinion.kind == Opinion::silent) continue;
        text += (text.empty() ? "" : "; ") + tool + " " + dashed_name(opinion.kind) +
                (opinion.text.empty() ? "" : ": " + opinion.text);
    }
    return text.empty() ? "all four tools silent" : text;
}

bool did_judges_disagree(const JudgedCase& judged) {
    const std::string reporting_judges = describe_reporting_judges(judged);
    return judged.suite_case.is_clean() ? reporting_judges != "neither"
                                        : reporting_judges != "both";
}

}  // namespace

bool JudgedCase::has_sanitizer_report() const {
    return std::ranges::any_of(opinion_by_tool, [](const auto& tool_and_opinion) {
        return tool_and_opinion.second.kind == Opinion::reported;
    });
}

std::vector<SuiteCase> find_cases_in_source(const std::string& program, const std::string& source) {
    static const std::regex mark(R"(// (?:bug ([\w-]+): ([a-z]+: [^/\n]+)|clean ([\w-]+)))");
    std::vector<SuiteCase> cases;
    std::set<std::string> seen_arguments;
    for (std::sregex_iterator mark_match(source.begin(), source.end(), mark), end;
         mark_match != end; ++mark_match) {
        const bool has_planted_bug = (*mark_match)[1].matched;
        const std::string name = has_planted_bug ? (*mark_match)[1] : (*mark_match)[3];
        const std::string planted_bug = has_planted_bug ? trimmed((*mark_match)[2]) : "";
        // A case may have several marks that name expected reports. The first mark defines the bug.
        if (seen_arguments.insert(name).second) cases.push_back({program, name, planted_bug});
    }
    return cases;
}

std::vector<SuiteCase> read_suite(const std::string& folder) {
    std::vector<SuiteCase> all_cases;
    for (const std::string kind : {"bugs", "clean"}) {
        std::vector<fs::path> sources;
        for (const auto& entry : fs::directory_iterator(fs::path(folder) / kind)) {
            if (entry.path().extension() == ".cu") sources.push_back(entry.path());
        }
        std::ranges::sort(sources);
        for (const fs::path& source : sources) {
            const auto cases =
                find_cases_in_source(kind + "_" + source.stem().string(), read_file(source));
            all_cases.insert(all_cases.end(), cases.begin(), cases.end());
        }
    }
    if (all_cases.empty())
        throw std::runtime_error(folder + " marks no cases; has the folder moved?");
    return all_cases;
}

Opinion parse_sanitizer_opinion(const std::string& output) {
    const int report_count = count_sanitizer_reports(output);
    if (report_count < 0) return {Opinion::unusable, find_last_line(output)};
    if (report_count == 0) return {};
    return {Opinion::reported, find_first_report(output)};
}

Opinion parse_simulator_opinion(const Json& report) {
    if (!report.is_object() || !report.contains("reports")) {
        return {Opinion::unusable, "simulate wrote no report"};
    }
    if (report["reports"].empty()) return {};
    const Json& first_report = report["reports"][0];
    return {Opinion::reported,
            first_report.value("check", "") + std::string(": ") + first_report.value("kind", "")};
}

std::string describe_reporting_judges(const JudgedCase& judged) {
    const bool has_simulator_reported = judged.simulator_opinion.kind == Opinion::reported;
    const bool has_sanitizer_reported = judged.has_sanitizer_report();
    if (has_simulator_reported && has_sanitizer_reported) return "both";
    if (has_simulator_reported) return "simulator only";
    return has_sanitizer_reported ? "sanitizer only" : "neither";
}

std::string to_text(const std::vector<JudgedCase>& judged_cases) {
    std::string text = format("%-22s%7s%9s%17s%17s%10s\n", "reported by", "cases", "both",
                              "simulator only", "sanitizer only", "neither");
    text += format_count_row(judged_cases, false) + format_count_row(judged_cases, true);
    for (const JudgedCase& judged_case : judged_cases) {
        if (!did_judges_disagree(judged_case)) continue;
        const std::string planted_bug =
            judged_case.suite_case.is_clean() ? "clean" : judged_case.suite_case.planted_bug;
        const std::string simulator = judged_case.simulator_opinion.kind == Opinion::silent
                                          ? "simulator silent"
                                          : "simulator " + judged_case.simulator_opinion.text;
        text += wrap(judged_case.suite_case.name + " (" + planted_bug + "), " +
                     describe_reporting_judges(judged_case) + ": " + simulator + "; " +
                     describe_tool_opinions(judged_case));
    }
    return text;
}

Json to_json(const std::vector<JudgedCase>& judged_cases) {
    Json json = Json::array();
    for (const JudgedCase& judged_case : judged_cases) {
        Json opinions_by_tool = Json::object();
        for (const char* const tool : kSanitizerTools) {
            const auto tool_opinion = judged_case.opinion_by_tool.find(tool);
            if (tool_opinion != judged_case.opinion_by_tool.end())
                opinions_by_tool[tool] = format_opinion(tool_opinion->second);
        }
        json.push_back(
            {{"program", judged_case.suite_case.program},
             {"case", judged_case.suite_case.name},
             {"seeded",
              judged_case.suite_case.is_clean() ? "nothing" : judged_case.suite_case.planted_bug},
             {"reported_by", describe_reporting_judges(judged_case)},
             {"simulator", format_opinion(judged_case.simulator_opinion)},
             {"sanitizer", opinions_by_tool}});
    }
    return json;
}

bool meets_guarantees(const std::vector<JudgedCase>& judged_cases) {
    return !judged_cases.empty() &&
           std::ranges::all_of(judged_cases, [](const JudgedCase& judged_case) {
               const bool has_simulator_reported =
                   judged_case.simulator_opinion.kind == Opinion::reported;
               const bool have_all_tools_run = std::ranges::none_of(
                   judged_case.opinion_by_tool,
                   [](const auto& tool) { return tool.second.kind == Opinion::unusable; });
               return have_all_tools_run &&
                      has_simulator_reported != judged_case.suite_case.is_clean();
           });
}

}  // namespace coalesce::proof
