// See comparison.h.
#include "simulator/simulate/comparison.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "simulator/report/text.h"
#include "simulator/simulate/line_matching.h"

namespace coalesce::simulator {

namespace {

/// The maximum number of lines to list for each kernel in the text.
constexpr std::size_t kMaxLines = 10;

/// Returns the name without template arguments and parameters.
std::string base_name(const std::string& name) {
    return name.substr(0, name.find_first_of("<("));
}

/// Returns the counterpart of `kernel` in `other_kernels`, the kernels of the other run.
/// `own_kernels` contains the kernels of the run to which `kernel` belongs. The counterpart is the
/// kernel with the same name or, if there is none, the kernel with the same base name, provided
/// that each run has only one kernel with this base name. Returns null if there is no counterpart.
const Json* find_counterpart(const Json& kernel, const Json& own_kernels,
                             const Json& other_kernels) {
    const std::string name = kernel["name"];
    for (const Json& candidate : other_kernels)
        if (candidate["name"] == name) return &candidate;
    const auto is_related = [&](const Json& candidate) {
        return base_name(candidate["name"].get<std::string>()) == base_name(name);
    };
    if (std::count_if(own_kernels.begin(), own_kernels.end(), is_related) != 1) return nullptr;
    if (std::count_if(other_kernels.begin(), other_kernels.end(), is_related) != 1) return nullptr;
    return &*std::find_if(other_kernels.begin(), other_kernels.end(), is_related);
}

/// Returns the lines of the kernel that access memory.
std::vector<const Json*> lines_with_traffic(const Json& kernel) {
    std::vector<const Json*> lines;
    if (!kernel.contains("lines")) return lines;
    for (const Json& line : kernel["lines"])
        for (const TrafficKind& traffic_kind : traffic_kinds())
            if (read_counter(line, traffic_kind.requests) > 0) {
                lines.push_back(&line);
                break;
            }
    return lines;
}

/// Returns a key for each line. The key consists of the text of the line and the file name without
/// folders.
std::vector<std::string> make_line_keys(const std::vector<const Json*>& lines) {
    std::vector<std::string> keys;
    for (const Json* line : lines) {
        const std::filesystem::path file = line->value("file", "");
        const std::string number = std::to_string(line->value("line", 0));
        keys.push_back(file.filename().string() + ": " + line->value("text", number));
    }
    return keys;
}

std::string format_rate(const Json* line, const TrafficKind& traffic_kind) {
    const double requests = line ? read_counter(*line, traffic_kind.requests) : 0;
    return requests == 0 ? "none"
                         : format_value(read_counter(*line, traffic_kind.passes) / requests);
}

/// Compares a line with its counterpart. One of the two is null if the line exists in only one of
/// the runs.
void compare_line(const std::string& kernel, const Json* old_line, const Json* new_line,
                  std::vector<LineChange>& changes) {
    const Json& line_place = new_line ? *new_line : *old_line;
    for (const TrafficKind& traffic_kind : traffic_kinds()) {
        const double old_passes = old_line ? read_counter(*old_line, traffic_kind.passes) : 0;
        const double new_passes = new_line ? read_counter(*new_line, traffic_kind.passes) : 0;
        if (old_passes == new_passes) continue;
        const double difference = new_passes - old_passes;
        const std::string text =
            std::string(traffic_kind.name) + ": " + format_rate(old_line, traffic_kind) + " -> " +
            format_rate(new_line, traffic_kind) + " " + std::string(traffic_kind.unit) +
            " per request, " + (difference > 0 ? "+" : "-") +
            format_value(difference > 0 ? difference : -difference) +
            (new_line ? "" : " (the line is gone)");
        changes.push_back({kernel, shorten_path(line_place.value("file", "")),
                           line_place.value("line", 0u), traffic_kind.unit, difference, text});
    }
}

void compare_lines(const Json& before, const Json& after, std::vector<LineChange>& changes) {
    const std::string kernel = after["name"];
    const auto old_lines = lines_with_traffic(before), new_lines = lines_with_traffic(after);
    std::vector<bool> new_line_matched(new_lines.size());
    std::vector<bool> old_line_matched(old_lines.size());
    for (const auto& [i, j] : match_lines(make_line_keys(old_lines), make_line_keys(new_lines))) {
        compare_line(kernel, old_lines[i], new_lines[j], changes);
        old_line_matched[i] = new_line_matched[j] = true;
    }
    for (std::size_t i = 0; i < old_lines.size(); ++i)
        if (!old_line_matched[i]) compare_line(kernel, old_lines[i], nullptr, changes);
    for (std::size_t j = 0; j < new_lines.size(); ++j)
        if (!new_line_matched[j]) compare_line(kernel, nullptr, new_lines[j], changes);
}

void compare_costs(const Json& before, const Json& after, double tolerance_percent,
                   std::vector<CostChange>& changes) {
    for (const Metric& metric : metrics()) {
        if (metric.comparison_rule == ComparisonRule::never) continue;
        const auto old_value = metric.value(before), new_value = metric.value(after);
        if (metric.comparison_rule == ComparisonRule::if_both && (!old_value || !new_value))
            continue;
        const double old_cost = old_value.value_or(0), new_cost = new_value.value_or(0);
        if (old_cost == new_cost) continue;
        changes.push_back({after["name"], &metric, old_cost, new_cost,
                           new_cost > old_cost * (1 + tolerance_percent / 100)});
    }
}

std::string format_cost(const CostChange& change) {
    return std::string(change.cost->display_name) + ": " + format_value(change.old_cost) + " -> " +
           format_value(change.new_cost) + " (" + format_percent(change) + ")";
}

/// Returns the names of the changed kernels, in order and without duplicates.
std::vector<std::string> changed_kernels(const Comparison& comparison) {
    std::vector<std::string> names;
    const auto add_kernel = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const CostChange& change : comparison.costs) add_kernel(change.kernel);
    for (const LineChange& change : comparison.lines) add_kernel(change.kernel);
    return names;
}

}  // namespace

bool Comparison::is_worse() const {
    return std::any_of(costs.begin(), costs.end(),
                       [](const CostChange& change) { return change.is_worse; });
}

Comparison compare_runs(const Json& old_run, const Json& new_run, double tolerance_percent) {
    Comparison result;
    const Json &old_kernels = old_run["kernels"], &new_kernels = new_run["kernels"];
    for (const Json& kernel : new_kernels) {
        const Json* counterpart = find_counterpart(kernel, new_kernels, old_kernels);
        if (!counterpart) {
            result.new_kernels.push_back(kernel["name"]);
            continue;
        }
        compare_costs(*counterpart, kernel, tolerance_percent, result.costs);
        compare_lines(*counterpart, kernel, result.lines);
    }
    for (const Json& kernel : old_kernels)
        if (!find_counterpart(kernel, old_kernels, new_kernels))
            result.removed_kernels.push_back(kernel["name"]);
    std::stable_sort(
        result.lines.begin(), result.lines.end(),
        [](const LineChange& a, const LineChange& b) { return a.difference > b.difference; });
    return result;
}

std::string format_percent(const CostChange& change) {
    if (change.old_cost == 0) return "new";
    char text[64];
    std::snprintf(text, sizeof text, "%+.1f %%",
                  100 * (change.new_cost - change.old_cost) / change.old_cost);
    return text;
}

std::string comparison_text(const Comparison& comparison) {
    std::string text;
    const auto add_text_row = [&](const std::string& line, const char* first_text,
                                  const char* last_text) {
        text += wrap(line, kColumns, first_text, last_text) + "\n";
    };
    for (const std::string& kernel : changed_kernels(comparison)) {
        add_text_row("compared with the earlier run, " + shorten_name(kernel) + ":", "", "    ");
        for (const CostChange& change : comparison.costs)
            if (change.kernel == kernel)
                add_text_row(format_cost(change) + (change.is_worse ? ", worse" : ""), "  ",
                             "    ");
        std::size_t listed_lines = 0;
        for (const LineChange& change : comparison.lines) {
            if (change.kernel != kernel || listed_lines++ >= kMaxLines) continue;
            add_text_row(format_place(change.file, change.line) + " " + change.text, "  ", "    ");
        }
        if (listed_lines > kMaxLines)
            add_text_row("and " + std::to_string(listed_lines - kMaxLines) + " more lines", "  ",
                         "    ");
    }
    for (const std::string& name : comparison.new_kernels)
        add_text_row("not in the earlier run: " + shorten_name(name), "", "    ");
    for (const std::string& name : comparison.removed_kernels)
        add_text_row("only in the earlier run: " + shorten_name(name), "", "    ");
    return text.empty() ? "compared with the earlier run: nothing has changed\n" : text;
}

std::vector<Finding> make_comparison_findings(const Comparison& comparison) {
    std::vector<Finding> findings;
    for (const CostChange& cost : comparison.costs) {
        if (!cost.is_worse) continue;
        Finding finding{.rule = "comparison",
                        .kind = std::string(cost.cost->display_name) + " grew",
                        .kernel = cost.kernel,
                        .message = format_cost(cost)};
        const auto line = std::find_if(
            comparison.lines.begin(), comparison.lines.end(), [&](const LineChange& change) {
                return change.kernel == cost.kernel && change.difference > 0 &&
                       change.unit == cost.cost->unit;
            });
        if (line != comparison.lines.end()) {
            finding.file = line->file;
            finding.line = line->line;
            finding.message += "; " + line->text;
        }
        findings.push_back(finding);
    }
    return findings;
}

}  // namespace coalesce::simulator
