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
int count_reports(const std::string& output) {
    static const std::regex errors(R"(ERROR SUMMARY: (\d+) error)");
    static const std::regex hazards(R"(RACECHECK SUMMARY: (\d+) hazard)");
    int reports = -1;
    for (const std::regex& summary : {errors, hazards}) {
        std::smatch part;
        if (std::regex_search(output, part, summary)) {
            reports = std::max(reports, 0) + std::stoi(part[1]);
        }
    }
    return reports;
}

/// Returns compute-sanitizer's first message, without the prefix "========= ".
std::string first_report(const std::string& output) {
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

std::string last_line(const std::string& text) {
    std::string last;
    for (const std::string& line : lines_of(text)) {
        if (!line.empty()) last = line;
    }
    return last;
}

Json opinion_json(const Opinion& opinion) {
    if (opinion.kind == Opinion::silent) return "silent";
    Json json{{"opinion", dashed_name(opinion.kind)}};
    if (!opinion.text.empty()) json["says"] = opinion.text;
    return json;
}

/// Returns a row of a table about the clean cases or the seeded bugs: how many cases there are, and
/// how many of them both judges, only one of the judges, or neither has reported.
std::string count_text(const std::vector<JudgedCase>& all, bool clean) {
    std::map<std::string, int> counts;
    int cases = 0;
    for (const JudgedCase& one : all) {
        if (one.suite_case.is_clean() != clean) continue;
        ++counts[who_reported(one)];
        ++cases;
    }
    return format("%-22s%7d%9d%17d%17d%10d\n", clean ? "clean look-alikes" : "seeded bugs", cases,
                  counts["both"], counts["simulator only"], counts["sanitizer only"],
                  counts["neither"]);
}

std::string tool_texts(const JudgedCase& judged) {
    std::string text;
    for (const auto& [tool, opinion] : judged.tools) {
        if (opinion.kind == Opinion::silent) continue;
        text += (text.empty() ? "" : "; ") + tool + " " + dashed_name(opinion.kind) +
                (opinion.text.empty() ? "" : ": " + opinion.text);
    }
    return text.empty() ? "all four tools silent" : text;
}

bool is_listed(const JudgedCase& judged) {
    const std::string who = who_reported(judged);
    return judged.suite_case.is_clean() ? who != "neither" : who != "both";
}

}  // namespace

bool JudgedCase::sanitizer_reported() const {
    return std::ranges::any_of(
        tools, [](const auto& tool) { return tool.second.kind == Opinion::reported; });
}

std::vector<SuiteCase> cases_in(const std::string& program, const std::string& source) {
    static const std::regex mark(R"(// (?:bug ([\w-]+): ([a-z]+: [^/\n]+)|clean ([\w-]+)))");
    std::vector<SuiteCase> cases;
    std::set<std::string> seen;
    for (std::sregex_iterator at(source.begin(), source.end(), mark), end; at != end; ++at) {
        const bool is_bug = (*at)[1].matched;
        const std::string name = is_bug ? (*at)[1] : (*at)[3];
        const std::string planted_bug = is_bug ? trimmed((*at)[2]) : "";
        // A case may have several marks that name expected reports. The first mark defines the bug.
        if (seen.insert(name).second) cases.push_back({program, name, planted_bug});
    }
    return cases;
}

std::vector<SuiteCase> read_suite(const std::string& folder) {
    std::vector<SuiteCase> all;
    for (const std::string kind : {"bugs", "clean"}) {
        std::vector<fs::path> sources;
        for (const auto& entry : fs::directory_iterator(fs::path(folder) / kind)) {
            if (entry.path().extension() == ".cu") sources.push_back(entry.path());
        }
        std::ranges::sort(sources);
        for (const fs::path& source : sources) {
            const auto cases = cases_in(kind + "_" + source.stem().string(), read_file(source));
            all.insert(all.end(), cases.begin(), cases.end());
        }
    }
    if (all.empty()) throw std::runtime_error(folder + " marks no cases; has the folder moved?");
    return all;
}

Opinion sanitizer_opinion(const std::string& output) {
    const int reports = count_reports(output);
    if (reports < 0) return {Opinion::unusable, last_line(output)};
    if (reports == 0) return {};
    return {Opinion::reported, first_report(output)};
}

Opinion simulator_opinion(const Json& report) {
    if (!report.is_object() || !report.contains("reports")) {
        return {Opinion::unusable, "simulate wrote no report"};
    }
    if (report["reports"].empty()) return {};
    const Json& first = report["reports"][0];
    return {Opinion::reported,
            first.value("check", "") + std::string(": ") + first.value("kind", "")};
}

std::string who_reported(const JudgedCase& judged) {
    const bool simulator = judged.simulator.kind == Opinion::reported;
    const bool sanitizer = judged.sanitizer_reported();
    if (simulator && sanitizer) return "both";
    if (simulator) return "simulator only";
    return sanitizer ? "sanitizer only" : "neither";
}

std::string to_text(const std::vector<JudgedCase>& all) {
    std::string text = format("%-22s%7s%9s%17s%17s%10s\n", "reported by", "cases", "both",
                              "simulator only", "sanitizer only", "neither");
    text += count_text(all, false) + count_text(all, true);
    for (const JudgedCase& one : all) {
        if (!is_listed(one)) continue;
        const std::string planted_bug =
            one.suite_case.is_clean() ? "clean" : one.suite_case.planted_bug;
        const std::string simulator = one.simulator.kind == Opinion::silent
                                          ? "simulator silent"
                                          : "simulator " + one.simulator.text;
        text += wrap(one.suite_case.name + " (" + planted_bug + "), " + who_reported(one) + ": " +
                     simulator + "; " + tool_texts(one));
    }
    return text;
}

Json to_json(const std::vector<JudgedCase>& all) {
    Json json = Json::array();
    for (const JudgedCase& one : all) {
        Json tools = Json::object();
        for (const char* const tool : kSanitizerTools) {
            const auto found = one.tools.find(tool);
            if (found != one.tools.end()) tools[tool] = opinion_json(found->second);
        }
        json.push_back(
            {{"program", one.suite_case.program},
             {"case", one.suite_case.name},
             {"seeded", one.suite_case.is_clean() ? "nothing" : one.suite_case.planted_bug},
             {"reported_by", who_reported(one)},
             {"simulator", opinion_json(one.simulator)},
             {"sanitizer", tools}});
    }
    return json;
}

bool meets_guarantees(const std::vector<JudgedCase>& all) {
    return !all.empty() && std::ranges::all_of(all, [](const JudgedCase& one) {
        const bool reported = one.simulator.kind == Opinion::reported;
        const bool all_ran = std::ranges::none_of(
            one.tools, [](const auto& tool) { return tool.second.kind == Opinion::unusable; });
        return all_ran && reported != one.suite_case.is_clean();
    });
}

}  // namespace coalesce::proof
