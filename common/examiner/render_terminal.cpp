#include <algorithm>
#include <utility>

#include "base/text.h"
#include "examiner/render.h"
#include "examiner/render_parts.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using namespace render;

constexpr int kAnyNumber = 1 << 20;

std::string bold(const std::string& text, const TerminalOptions& options) {
    return options.is_bold ? "\033[1m" + text + "\033[0m" : text;
}

std::string add_line_end(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

/// Returns the number of rows that a text occupies on a terminal, where long lines wrap.
int count_rows(const std::string& text) {
    int rows = 0;
    for (const std::string& line : lines_of(text)) {
        const int columns = static_cast<int>(line.size());
        rows += std::max(1, (columns + kTerminalColumns - 1) / kTerminalColumns);
    }
    return rows;
}

std::string failure_text(const Failure& failure, const Verdict& verdict,
                         const TerminalOptions& options, int line_context = 2) {
    std::string text = bold(wrap(format_sentence(failure.headline)), options);
    text += wrap(format_failing_input(failure, verdict.sizes));
    if (!failure.place.file.empty()) text += "Where: " + failure.place.text() + "\n";
    const std::string lines = source_excerpt(failure, verdict.source, line_context);
    if (!lines.empty()) text += "\n" + lines;
    if (!failure.details.empty()) text += "\n" + add_line_end(failure.details);
    return text;
}

std::string costs_text(const Verdict& verdict, TimeShown time) {
    const auto row = [](const std::string& label, const std::string& kernel_cost,
                        const std::string& ideal_cost, const std::string& solution) {
        return format("  %-28s%12s%12s%12s\n", label.c_str(), kernel_cost.c_str(),
                      ideal_cost.c_str(), solution.c_str());
    };
    std::string text;
    for (const CostRow& cost :
         time == TimeShown::in_table ? costs_with_time(verdict) : cost_rows(verdict)) {
        text += row(cost.label, cost.kernel_cost, cost.ideal_cost, cost.solution);
    }
    if (text.empty()) return "";
    return "\n" +
           row("Counted at " + verdict.shape_name(verdict.counted_shape), "yours", "ideal",
               "solution") +
           text;
}

std::string list_text(const std::string& head, const std::vector<std::string>& sentences,
                      const std::string& highlight) {
    std::string text;
    for (const std::string& sentence : sentences) text += wrap(highlight + sentence);
    return text.empty() ? "" : "\n" + head + text;
}

/// Lists all failures except the first. If the list would need more than `lines` lines, returns
/// only the number of failures.
std::string other_failures_text(const Verdict& verdict, int lines) {
    const std::vector<std::string> other_lines = other_failures(verdict);
    const std::string text = list_text("Besides:\n", other_lines, "- ");
    if (other_lines.empty() || count_rows(text) <= lines) return text;
    return "Not shown: " + format_count(other_lines.size(), "other finding") +
           " (--json lists all of them)\n";
}

std::string format_next(const Failure& failure) {
    return failure.advice.empty() ? "" : "\n" + wrap("Next: " + failure.advice);
}

std::string format_full_map(const Failure& failure) {
    const std::string map = format_map(failure);
    return map.empty() ? "" : "\n" + map;
}

/// Returns a map of the cells that fits into the remaining lines of a screen. Returns "" if too few
/// lines remain, or if the map would show no more than the text already says.
std::string format_small_map(const Failure& failure, int unused_lines) {
    constexpr int min_rows = 8, max_rows = 16, legend_rows = 3;
    if (unused_lines < min_rows + legend_rows || !failure.map || !failure.map->has_pattern())
        return "";
    return "\n" + format_map(failure, std::min(unused_lines - legend_rows, max_rows));
}

}  // namespace

std::string terminal_text(const Failure& failure) {
    return failure_text(failure, {}, {}) + format_next(failure) + format_full_map(failure);
}

std::string terminal_text(const Verdict& verdict, const TerminalOptions& options) {
    const Failure* first_failure = verdict.failures.empty() ? nullptr : &verdict.failures.front();
    std::string text;
    if (first_failure != nullptr) {
        // Show fewer lines around the mistake if the verdict would not fit on a screen.
        constexpr int rows_per_warning = 1;
        for (int around = 2; around >= 0; --around) {
            text = failure_text(*first_failure, verdict, options, around) +
                   format_next(*first_failure);
            const int rows_below = count_rows(options.text_after_next) +
                                   rows_per_warning * static_cast<int>(warnings(verdict).size());
            if (options.lines == 0 || count_rows(text) + rows_below <= options.lines) break;
        }
    } else if (verdict.passed()) {
        text = wrap(passed_text(verdict));
        if (options.has_costs && options.time == TimeShown::in_words)
            text += wrap(time_text(verdict)) + wrap(format_faster(verdict));
        if (options.has_costs) text += costs_text(verdict, options.time);
    }
    text += options.text_after_next;
    text += other_failures_text(verdict,
                                options.lines == 0 ? kAnyNumber : options.lines - count_rows(text));
    text += list_text("", warnings(verdict), "");
    const std::string printed_text = format_printed(verdict);
    if (!printed_text.empty()) text += "\nThe kernel printed:\n" + printed_text;
    const std::string time_after_failure = first_failure != nullptr ? time_text(verdict) : "";
    if (!time_after_failure.empty()) {
        const std::string time = "\n" + wrap(time_after_failure);
        if (options.lines == 0 || count_rows(text) + count_rows(time) <= options.lines)
            text += time;
    }
    if (first_failure == nullptr) return text;
    if (options.lines == 0 || options.has_full_map) return text + format_full_map(*first_failure);
    return text + format_small_map(*first_failure, options.lines - count_rows(text));
}

}  // namespace coalesce
