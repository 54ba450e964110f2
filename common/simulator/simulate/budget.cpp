// See budget.h.
#include "simulator/simulate/budget.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/strict_toml.h"
#include "simulator/report/selection.h"
#include "simulator/report/text.h"
#include "simulator/simulate/metrics.h"

namespace coalesce::simulator {

namespace {

using Reader = StrictToml<BudgetError>;

constexpr double kMaxLimit = 1e18;

/// The maximum relative error caused by rounding a limit that is written as text.
constexpr double kMaxRoundingError = 1e-6;

std::set<std::string_view> metric_names(bool is_for_line) {
    std::set<std::string_view> names;
    for (const Metric& metric : metrics())
        if (metric.line_limit_support != LineLimitSupport::none || !is_for_line)
            names.insert(metric.name);
    return names;
}

Limits read_limits(const Reader& reader, const toml::table& table, bool is_for_line) {
    Limits limits;
    for (const std::string_view name : metric_names(is_for_line)) {
        if (!table.contains(name)) continue;
        const std::string key(name);
        limits[key] = reader.number(table, key.c_str(), "a budget", 0, kMaxLimit);
    }
    return limits;
}

LineBudget read_line(const Reader& reader, const toml::table& table) {
    std::set<std::string_view> known_keys = metric_names(true);
    known_keys.insert({"file", "source"});
    reader.allow_keys(table, known_keys, "a line's budget");
    return {.file = reader.text(table, "file", "a line's budget"),
            .source = reader.text(table, "source", "a line's budget"),
            .limits = read_limits(reader, table, true),
            .line_in_budget = Reader::line_of(table)};
}

KernelBudget read_kernel(const Reader& reader, const toml::table& table) {
    std::set<std::string_view> known_keys = metric_names(false);
    known_keys.insert({"name", "line"});
    reader.allow_keys(table, known_keys, "a kernel's budget");
    KernelBudget kernel{.name = reader.text(table, "name", "a kernel's budget"),
                        .limits = read_limits(reader, table, false),
                        .line_in_budget = Reader::line_of(table)};
    if (table.contains("line"))
        for (const toml::node& line : reader.tables(table, "line", "[[kernel.line]]"))
            kernel.lines.push_back(read_line(reader, *line.as_table()));
    return kernel;
}

/// Returns `name = value`, or "" if the counters contain no such value. Ratios are rounded up, so
/// that a limit derived from a run does not reject the same run.
std::string format_limit(const Metric& metric, const Json& counters) {
    const auto value = metric.value(counters);
    if (!value) return "";
    char text[64];
    if (std::floor(*value) == *value)
        std::snprintf(text, sizeof text, "%.0f", *value);
    else
        std::snprintf(text, sizeof text, "%.6f", *value * (1 + kMaxRoundingError / 2));
    return std::string(metric.name) + " = " + text + "\n";
}

std::string format_line(const Json& line) {
    std::string limits;
    for (const Metric& metric : metrics())
        if (metric.line_limit_support == LineLimitSupport::written)
            limits += format_limit(metric, line);
    if (limits.empty() || !line.contains("text")) return "";
    const std::filesystem::path file = line["file"].get<std::string>();
    return "\n[[kernel.line]]\nfile = " + toml_string(file.filename().string()) +
           "\nsource = " + toml_string(line["text"]) + "\n" + limits;
}

/// Reports whether the file is in the current folder. Budgets ignore lines of other files, which
/// belong to libraries.
bool is_own_file(const Json& line) {
    const std::string file = line["file"];
    return shorten_path(file) != file || !file.starts_with("/");
}

/// Adds a finding for every limit that `counters` exceed. Each finding is a copy of
/// `finding_template` with a message.
void check_limits(const Limits& limits, const Json& counters, const Finding& finding_template,
                  std::vector<Finding>& findings) {
    for (const Metric& metric : metrics()) {
        const auto limit = limits.find(metric.name);
        const auto value = metric.value(counters);
        if (limit == limits.end() || !value || *value <= limit->second * (1 + kMaxRoundingError))
            continue;
        Finding finding = finding_template;
        finding.kind = std::string(metric.display_name) + " over the limit";
        finding.message = format_value(*value) + " " + metric.display_name + ", but the limit is " +
                          format_value(limit->second);
        findings.push_back(finding);
    }
}

void check_line(const LineBudget& budget, const Budget& whole_budget, const Json& kernel,
                std::vector<Finding>& findings) {
    Finding finding_template{.rule = "budget", .kernel = kernel["name"]};
    bool is_found = false;
    for (const Json& line : kernel.value("lines", Json::array())) {
        if (!matches_path(line["file"].get<std::string>(), budget.file)) continue;
        if (!matches_pattern(line.value("text", ""), budget.source)) continue;
        is_found = true;
        finding_template.file = shorten_path(line["file"]);
        finding_template.line = line["line"];
        check_limits(budget.limits, line, finding_template, findings);
    }
    if (is_found) return;
    finding_template.kind = "no such line";
    finding_template.file = whole_budget.file;
    finding_template.line = static_cast<unsigned>(budget.line_in_budget);
    finding_template.message =
        "The kernel has no line `" + budget.source + "` in " + budget.file +
        ". If that line was edited, correct the budget, or write a new budget with --write-budget.";
    findings.push_back(finding_template);
}

/// Sets the source location of the finding to the kernel's first line in the project.
void add_place_of_kernel(const Json& kernel, Finding& finding) {
    for (const Json& line : kernel.value("lines", Json::array())) {
        if (!is_own_file(line)) continue;
        finding.file = shorten_path(line["file"]);
        finding.line = line["line"];
        return;
    }
}

}  // namespace

Budget read_budget(const std::string& file) {
    const Reader reader(file);
    const toml::table root = reader.parse();
    reader.allow_keys(root, {"kernel"}, "a budget");
    Budget budget{.file = file};
    for (const toml::node& kernel : reader.tables(root, "kernel", "[[kernel]]"))
        budget.kernels.push_back(read_kernel(reader, *kernel.as_table()));
    return budget;
}

std::string make_budget_text(const Json& run) {
    std::string text =
        "# Limits of `simulate --budget`, written by `simulate --write-budget`. Sums include "
        "all\n# launches. In names and sources, * stands for any text. Remove the limits that you "
        "do\n# not need, and raise the limits of costs that may grow.\n";
    for (const Json& kernel : run["kernels"]) {
        text += "\n[[kernel]]\nname = " + toml_string(kernel["name"]) + "\n";
        for (const Metric& metric : metrics()) text += format_limit(metric, kernel);
        for (const Json& line : kernel.value("lines", Json::array()))
            if (is_own_file(line)) text += format_line(line);
    }
    return text;
}

std::vector<Finding> check_budget(const Budget& budget, const Json& run) {
    std::vector<Finding> findings;
    for (const KernelBudget& limits : budget.kernels) {
        bool is_found = false;
        for (const Json& kernel : run["kernels"]) {
            if (!matches_pattern(kernel["name"].get<std::string>(), limits.name)) continue;
            is_found = true;
            Finding finding_template{.rule = "budget", .kernel = kernel["name"]};
            add_place_of_kernel(kernel, finding_template);
            check_limits(limits.limits, kernel, finding_template, findings);
            for (const LineBudget& line : limits.lines) check_line(line, budget, kernel, findings);
        }
        if (is_found) continue;
        findings.push_back({.rule = "budget",
                            .kind = "no such kernel",
                            .kernel = limits.name,
                            .file = budget.file,
                            .line = static_cast<unsigned>(limits.line_in_budget),
                            .message = "The program launched no kernel with this name. Correct the "
                                       "name in the budget, or remove the entry."});
    }
    return findings;
}

std::string budget_text(const std::vector<Finding>& findings) {
    if (findings.empty()) return "within the budget\n";
    std::string text = "over the budget:\n";
    for (const Finding& finding : findings) {
        const std::string place = format_place(finding.file, finding.line);
        const std::string kernel = place.empty() ? shorten_name(finding.kernel) : place;
        text += wrap(kernel + " " + finding.message, kColumns, "  ", "    ") + "\n";
    }
    return text;
}

}  // namespace coalesce::simulator
