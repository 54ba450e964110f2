// Writes the summary of a run for a pull request. See formats.h.
#include "simulator/report/text.h"
#include "simulator/simulate/formats.h"
#include "simulator/simulate/metrics.h"

namespace coalesce::simulator {

namespace {

/// Escapes text for a cell of a table.
std::string format_cell(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '<' || c == '\\' || c == '*' || c == '_' || c == '`') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string format_code(const std::string& text) {
    std::string out = "`";
    for (const char c : text) out += c == '`' ? '\'' : c == '|' ? '!' : c;
    return out + "`";
}

std::string format_row(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
}

std::string findings_part(const std::vector<Finding>& findings) {
    if (findings.empty()) return "No reports, and no cost exceeds its limit.\n";
    std::string text = format_row({"Where", "What", "Why"}) + "|---|---|---|\n";
    for (const Finding& finding : findings) {
        const std::string place_text = format_place(finding.file, finding.line);
        text += format_row({place_text.empty() ? "" : format_code(place_text),
                            format_cell(finding.title()), format_cell(finding.message)});
    }
    return text;
}

std::string comparison_part(const Comparison& comparison) {
    std::string text = "\n### Compared with the earlier run\n\n";
    if (comparison.costs.empty() && comparison.new_kernels.empty() &&
        comparison.removed_kernels.empty())
        return text + "No kernel has become cheaper or more expensive.\n";
    text += format_row({"Kernel", "Cost", "Before", "Now", "Change"}) + "|---|---|--:|--:|--:|\n";
    for (const CostChange& cost_change : comparison.costs) {
        const std::string change = format_percent(cost_change);
        text += format_row({format_code(shorten_name(cost_change.kernel)),
                            cost_change.cost->display_name, format_value(cost_change.old_cost),
                            format_value(cost_change.new_cost),
                            cost_change.is_worse ? "**" + change + "**" : change});
    }
    for (const std::string& name : comparison.new_kernels)
        text += format_row({format_code(shorten_name(name)), "new", "", "", ""});
    for (const std::string& name : comparison.removed_kernels)
        text += format_row({format_code(shorten_name(name)), "gone", "", "", ""});
    for (const LineChange& change : comparison.lines)
        text += "\n- " + format_code(format_place(change.file, change.line)) + " " +
                format_cell(change.text);
    return text + (comparison.lines.empty() ? "" : "\n");
}

std::string kernels_part(const Json& run) {
    std::string text = "\n### Kernels\n\n";
    std::vector<std::string> column_names{"Kernel", "Launches"};
    std::string separator_row = "|---|--:|";
    for (const Metric& metric : metrics()) {
        column_names.push_back(metric.display_name);
        separator_row += "--:|";
    }
    text += format_row(column_names) + separator_row + "\n";
    for (const Json& kernel : run["kernels"]) {
        std::vector<std::string> cells{format_code(shorten_name(kernel["name"])),
                                       format_value(read_counter(kernel, "launches"))};
        for (const Metric& metric : metrics()) {
            const auto value = metric.value(kernel);
            cells.push_back(value ? format_value(*value) : "");
        }
        text += format_row(cells);
    }
    return text;
}

}  // namespace

std::string to_markdown(const std::vector<Finding>& findings, const Json& run,
                        const Comparison* comparison) {
    std::string text = "## Simulated GPU\n\n" + findings_part(findings);
    if (comparison) text += comparison_part(*comparison);
    return text + kernels_part(run) +
           "\nCounters are simulated and exact; any times are predicted.\n";
}

}  // namespace coalesce::simulator
