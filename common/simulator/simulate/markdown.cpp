// Writes the summary of a run for a pull request. See formats.h.
#include "simulator/report/text.h"
#include "simulator/simulate/formats.h"
#include "simulator/simulate/metrics.h"

namespace coalesce::simulator {

namespace {

/// Escapes text for a cell of a table.
std::string cell(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '<' || c == '\\' || c == '*' || c == '_' || c == '`') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string code(const std::string& text) {
    std::string out = "`";
    for (const char c : text) out += c == '`' ? '\'' : c == '|' ? '!' : c;
    return out + "`";
}

std::string row(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& one : cells) text += " " + one + " |";
    return text + "\n";
}

std::string findings_part(const std::vector<Finding>& findings) {
    if (findings.empty()) return "No reports, and no cost exceeds its limit.\n";
    std::string text = row({"Where", "What", "Why"}) + "|---|---|---|\n";
    for (const Finding& one : findings) {
        const std::string place = format_place(one.file, one.line);
        text += row({place.empty() ? "" : code(place), cell(one.title()), cell(one.message)});
    }
    return text;
}

std::string comparison_part(const Comparison& comparison) {
    std::string text = "\n### Compared with the earlier run\n\n";
    if (comparison.costs.empty() && comparison.new_kernels.empty() &&
        comparison.gone_kernels.empty())
        return text + "No kernel has become cheaper or more expensive.\n";
    text += row({"Kernel", "Cost", "Before", "Now", "Change"}) + "|---|---|--:|--:|--:|\n";
    for (const CostChange& one : comparison.costs) {
        const std::string change = format_percent(one);
        text +=
            row({code(shorten_name(one.kernel)), one.cost->display_name, format_value(one.before),
                 format_value(one.after), one.is_worse ? "**" + change + "**" : change});
    }
    for (const std::string& name : comparison.new_kernels)
        text += row({code(shorten_name(name)), "new", "", "", ""});
    for (const std::string& name : comparison.gone_kernels)
        text += row({code(shorten_name(name)), "gone", "", "", ""});
    for (const LineChange& one : comparison.lines)
        text += "\n- " + code(format_place(one.file, one.line)) + " " + cell(one.text);
    return text + (comparison.lines.empty() ? "" : "\n");
}

std::string kernels_part(const Json& run) {
    std::string text = "\n### Kernels\n\n";
    std::vector<std::string> head{"Kernel", "Launches"};
    std::string rule = "|---|--:|";
    for (const Metric& metric : metrics()) {
        head.push_back(metric.display_name);
        rule += "--:|";
    }
    text += row(head) + rule + "\n";
    for (const Json& kernel : run["kernels"]) {
        std::vector<std::string> cells{code(shorten_name(kernel["name"])),
                                       format_value(counter(kernel, "launches"))};
        for (const Metric& metric : metrics()) {
            const auto value = metric.value(kernel);
            cells.push_back(value ? format_value(*value) : "");
        }
        text += row(cells);
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
