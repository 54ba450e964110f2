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

/// Returns the counterpart of `kernel` in `others`, the kernels of the other run. `own` contains
/// the kernels of the run to which `kernel` belongs. The counterpart is the kernel with the same
/// name or, if there is none, the kernel with the same base name, provided that each run has only
/// one kernel with this base name. Returns null if there is no counterpart.
const Json* find_counterpart(const Json& kernel, const Json& own, const Json& others) {
    const std::string name = kernel["name"];
    for (const Json& other : others)
        if (other["name"] == name) return &other;
    const auto is_related = [&](const Json& one) {
        return base_name(one["name"].get<std::string>()) == base_name(name);
    };
    if (std::count_if(own.begin(), own.end(), is_related) != 1) return nullptr;
    if (std::count_if(others.begin(), others.end(), is_related) != 1) return nullptr;
    return &*std::find_if(others.begin(), others.end(), is_related);
}

/// Returns the lines of the kernel that access memory.
std::vector<const Json*> lines_with_traffic(const Json& kernel) {
    std::vector<const Json*> lines;
    if (!kernel.contains("lines")) return lines;
    for (const Json& line : kernel["lines"])
        for (const TrafficKind& kind : traffic_kinds())
            if (counter(line, kind.requests) > 0) {
                lines.push_back(&line);
                break;
            }
    return lines;
}

/// Returns a key for each line. The key consists of the text of the line and the file name without
/// folders.
std::vector<std::string> keys_of(const std::vector<const Json*>& lines) {
    std::vector<std::string> keys;
    for (const Json* line : lines) {
        const std::filesystem::path file = line->value("file", "");
        const std::string number = std::to_string(line->value("line", 0));
        keys.push_back(file.filename().string() + ": " + line->value("text", number));
    }
    return keys;
}

std::string format_rate(const Json* line, const TrafficKind& kind) {
    const double requests = line ? counter(*line, kind.requests) : 0;
    return requests == 0 ? "none" : format_value(counter(*line, kind.passes) / requests);
}

/// Compares a line with its counterpart. One of the two is null if the line exists in only one of
/// the runs.
void compare_line(const std::string& kernel, const Json* before, const Json* after,
                  std::vector<LineChange>& changes) {
    const Json& place = after ? *after : *before;
    for (const TrafficKind& kind : traffic_kinds()) {
        const double old_passes = before ? counter(*before, kind.passes) : 0;
        const double new_passes = after ? counter(*after, kind.passes) : 0;
        if (old_passes == new_passes) continue;
        const double difference = new_passes - old_passes;
        const std::string text = std::string(kind.name) + ": " + format_rate(before, kind) +
                                 " -> " + format_rate(after, kind) + " " + std::string(kind.unit) +
                                 " per request, " + (difference > 0 ? "+" : "-") +
                                 format_value(difference > 0 ? difference : -difference) +
                                 (after ? "" : " (the line is gone)");
        changes.push_back({kernel, path_to_show(place.value("file", "")), place.value("line", 0u),
                           kind.unit, difference, text});
    }
}

void compare_lines(const Json& before, const Json& after, std::vector<LineChange>& changes) {
    const std::string kernel = after["name"];
    const auto old_lines = lines_with_traffic(before), new_lines = lines_with_traffic(after);
    std::vector<bool> has_match(new_lines.size());
    std::vector<bool> had_match(old_lines.size());
    for (const auto& [i, j] : match_lines(keys_of(old_lines), keys_of(new_lines))) {
        compare_line(kernel, old_lines[i], new_lines[j], changes);
        had_match[i] = has_match[j] = true;
    }
    for (std::size_t i = 0; i < old_lines.size(); ++i)
        if (!had_match[i]) compare_line(kernel, old_lines[i], nullptr, changes);
    for (std::size_t j = 0; j < new_lines.size(); ++j)
        if (!has_match[j]) compare_line(kernel, nullptr, new_lines[j], changes);
}

void compare_costs(const Json& before, const Json& after, double tolerance_percent,
                   std::vector<CostChange>& changes) {
    for (const Metric& metric : metrics()) {
        if (metric.compared == Compared::never) continue;
        const auto old_value = metric.value(before), new_value = metric.value(after);
        if (metric.compared == Compared::if_both && (!old_value || !new_value)) continue;
        const double from = old_value.value_or(0), to = new_value.value_or(0);
        if (from == to) continue;
        changes.push_back(
            {after["name"], &metric, from, to, to > from * (1 + tolerance_percent / 100)});
    }
}

std::string format_cost(const CostChange& one) {
    return std::string(one.cost->display_name) + ": " + format_value(one.before) + " -> " +
           format_value(one.after) + " (" + format_percent(one) + ")";
}

/// Returns the names of the changed kernels, in order and without duplicates.
std::vector<std::string> changed_kernels(const Comparison& comparison) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const CostChange& one : comparison.costs) add(one.kernel);
    for (const LineChange& one : comparison.lines) add(one.kernel);
    return names;
}

}  // namespace

bool Comparison::is_worse() const {
    return std::any_of(costs.begin(), costs.end(),
                       [](const CostChange& one) { return one.is_worse; });
}

Comparison compare_runs(const Json& before, const Json& after, double tolerance_percent) {
    Comparison result;
    const Json &old_kernels = before["kernels"], &new_kernels = after["kernels"];
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
            result.gone_kernels.push_back(kernel["name"]);
    std::stable_sort(
        result.lines.begin(), result.lines.end(),
        [](const LineChange& a, const LineChange& b) { return a.difference > b.difference; });
    return result;
}

std::string format_percent(const CostChange& change) {
    if (change.before == 0) return "new";
    char text[64];
    std::snprintf(text, sizeof text, "%+.1f %%",
                  100 * (change.after - change.before) / change.before);
    return text;
}

std::string comparison_text(const Comparison& comparison) {
    std::string text;
    const auto add = [&](const std::string& line, const char* first, const char* rest) {
        text += wrap(line, kColumns, first, rest) + "\n";
    };
    for (const std::string& kernel : changed_kernels(comparison)) {
        add("compared with the earlier run, " + shorten_name(kernel) + ":", "", "    ");
        for (const CostChange& one : comparison.costs)
            if (one.kernel == kernel)
                add(format_cost(one) + (one.is_worse ? ", worse" : ""), "  ", "    ");
        std::size_t listed = 0;
        for (const LineChange& one : comparison.lines) {
            if (one.kernel != kernel || listed++ >= kMaxLines) continue;
            add(format_place(one.file, one.line) + " " + one.text, "  ", "    ");
        }
        if (listed > kMaxLines)
            add("and " + std::to_string(listed - kMaxLines) + " more lines", "  ", "    ");
    }
    for (const std::string& name : comparison.new_kernels)
        add("not in the earlier run: " + shorten_name(name), "", "    ");
    for (const std::string& name : comparison.gone_kernels)
        add("only in the earlier run: " + shorten_name(name), "", "    ");
    return text.empty() ? "compared with the earlier run: nothing has changed\n" : text;
}

std::vector<Finding> findings_of_comparison(const Comparison& comparison) {
    std::vector<Finding> all;
    for (const CostChange& cost : comparison.costs) {
        if (!cost.is_worse) continue;
        Finding one{.rule = "comparison",
                    .kind = std::string(cost.cost->display_name) + " grew",
                    .kernel = cost.kernel,
                    .message = format_cost(cost)};
        const auto line = std::find_if(
            comparison.lines.begin(), comparison.lines.end(), [&](const LineChange& change) {
                return change.kernel == cost.kernel && change.difference > 0 &&
                       change.unit == cost.cost->unit;
            });
        if (line != comparison.lines.end()) {
            one.file = line->file;
            one.line = line->line;
            one.message += "; " + line->text;
        }
        all.push_back(one);
    }
    return all;
}

}  // namespace coalesce::simulator
