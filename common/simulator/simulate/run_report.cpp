// See run_report.h.
#include "simulator/simulate/run_report.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "simulator/profile/json.h"
#include "simulator/simulate/program_file.h"

namespace coalesce::simulator {

namespace {

namespace fs = std::filesystem;

/// Returns the complete reports in the folder. The report of the process `first_process` comes
/// first.
std::vector<Json> read_reports(const fs::path& folder, int first_process) {
    std::vector<std::pair<int, Json>> reports_by_process;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const int process = std::atoi(entry.path().stem().c_str());
        std::ifstream in(entry.path());
        Json json = Json::parse(in, nullptr, false);
        if (json.is_discarded() || !json.contains("reports")) continue;
        reports_by_process.emplace_back(process == first_process ? 0 : process, std::move(json));
    }
    std::sort(reports_by_process.begin(), reports_by_process.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Json> reports;
    for (auto& [process, json] : reports_by_process) reports.push_back(std::move(json));
    return reports;
}

/// The members that add_numbers does not add. The times in "predicted" are added by add_elements
/// instead.
const std::set<std::string> kUnaddedMembers{"line", "other_line", "registers", "predicted"};

/// Adds the numbers of `added_run` to those of `sum`, including numbers in nested objects. Copies
/// values that `sum` lacks, and leaves all other values of `sum` unchanged.
void add_numbers(Json& sum, const Json& added_run) {
    for (const auto& [key, value] : added_run.items()) {
        if (!sum.contains(key))
            sum[key] = value;
        else if (kUnaddedMembers.contains(key))
            continue;
        else if (value.is_number_float())
            sum[key] = sum[key].get<double>() + value.get<double>();
        else if (value.is_number())
            sum[key] = sum[key].get<std::uint64_t>() + value.get<std::uint64_t>();
        else if (value.is_object())
            add_numbers(sum[key], value);
    }
}

using KeyOf = Json (*)(const Json& element);

Json key_of_line(const Json& line) {
    return {line["file"], line["line"]};
}

/// Adds the elements of `added_run` to the list `sum`. Elements with the same key are merged into
/// one element.
void add_elements(Json& sum, const Json& added_run, KeyOf make_key) {
    for (const Json& element : added_run) {
        const auto matching_element = std::find_if(
            sum.begin(), sum.end(),
            [&](const Json& element) { return make_key(element) == make_key(element); });
        if (matching_element == sum.end()) {
            sum.push_back(element);
            continue;
        }
        const auto both_have = [&](const char* member) {
            return matching_element->contains(member) && element.contains(member);
        };
        if (both_have("lines"))
            add_elements((*matching_element)["lines"], element["lines"], key_of_line);
        if (both_have("predicted")) {
            Json& ms = (*matching_element)["predicted"]["ms"];
            ms = ms.get<double>() + element["predicted"]["ms"].get<double>();
        }
        add_numbers(*matching_element, element);
    }
}

/// Returns the members that identify a report. Reports with equal keys are considered the same.
Json key_of_report(const Json& report) {
    Json key = report;
    for (const char* member : {"count", "block", "thread", "other_block", "other_thread"})
        key.erase(member);
    return key;
}

void add_run(Json& sum, const Json& added_run) {
    add_elements(sum["kernels"], added_run["kernels"],
                 [](const Json& kernel) { return kernel["name"]; });
    add_elements(sum["reports"], added_run["reports"], key_of_report);
    if (added_run.contains("host_work"))
        add_elements(sum["host_work"], added_run["host_work"],
                     [](const Json& host_work) { return host_work["function"]; });
    if (added_run.contains("suppressed"))
        sum["suppressed"] = sum.value("suppressed", 0) + added_run["suppressed"].get<int>();
    if (!sum.contains("exactness") || !added_run.contains("exactness")) return;
    add_numbers(sum["exactness"], added_run["exactness"]);
    for (const char* list_name : {"host_functions", "newer_targets", "not_covered"})
        for (const Json& name : added_run["exactness"][list_name]) {
            Json& element = sum["exactness"][list_name];
            if (std::find(element.begin(), element.end(), name) == element.end())
                element.push_back(name);
        }
}

}  // namespace

std::optional<Json> join_reports(const fs::path& folder, int first_process) {
    std::vector<Json> reports = read_reports(folder, first_process);
    if (reports.empty()) return std::nullopt;
    for (std::size_t k = 1; k < reports.size(); ++k) add_run(reports[0], reports[k]);
    return std::move(reports[0]);
}

void add_source_text(Json& run) {
    std::map<std::string, std::vector<std::string>> files;
    for (Json& kernel : run["kernels"]) {
        if (!kernel.contains("lines")) continue;
        for (Json& line : kernel["lines"]) {
            const std::string file = line["file"];
            if (!files.contains(file))
                files[file] = lines_of(coalesce::read_if_exists(file).value_or(""));
            const std::size_t number = line["line"];
            if (number - 1 < files[file].size()) line["text"] = trimmed(files[file][number - 1]);
        }
    }
}

void add_ending(Json& run, const Ending& ending) {
    if (ending.signal != 0)
        run["ending"] = {{"signal", ending.signal}};
    else
        run["ending"] = {{"exit_code", ending.exit_code}};
}

Json read_run(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw CanNotRun("cannot read " + file + "; write it with simulate --json " + file);
    Json run = Json::parse(in, nullptr, false);
    if (run.is_discarded() || !run.is_object() || !run.contains("kernels"))
        throw CanNotRun(file + " is not a report; write it again with simulate --json " + file);
    if (run.value("schema_version", 0) != kSchemaVersion)
        throw CanNotRun(file +
                        " was written by another version of simulate; write it again with --json");
    return run;
}

}  // namespace coalesce::simulator
