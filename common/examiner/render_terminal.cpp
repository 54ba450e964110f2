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

std::string bold(const std::string& text, const TerminalOptions& look) {
    return look.is_bold ? "\033[1m" + text + "\033[0m" : text;
}

std::string with_line_end(std::string text) {
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
                         const TerminalOptions& look, int lines_around = 2) {
    std::string text = bold(wrap(as_sentence(failure.headline)), look);
    text += wrap(format_failing_input(failure, verdict.sizes));
    if (!failure.place.file.empty()) text += "Where: " + failure.place.text() + "\n";
    const std::string lines = source_excerpt(failure, verdict.source, lines_around);
    if (!lines.empty()) text += "\n" + lines;
    if (!failure.details.empty()) text += "\n" + with_line_end(failure.details);
    return text;
}

std::string costs_text(const Verdict& verdict, TimeShown time) {
    const auto row = [](const std::string& what, const std::string& yours, const std::string& ideal,
                        const std::string& solution) {
        return format("  %-28s%12s%12s%12s\n", what.c_str(), yours.c_str(), ideal.c_str(),
                      solution.c_str());
    };
    std::string text;
    for (const CostRow& cost :
         time == TimeShown::in_table ? costs_with_time(verdict) : cost_rows(verdict)) {
        text += row(cost.what, cost.yours, cost.ideal, cost.solution);
    }
    if (text.empty()) return "";
    return "\n" +
           row("Counted at " + verdict.name_of(verdict.counted), "yours", "ideal", "solution") +
           text;
}

std::string list_text(const std::string& head, const std::vector<std::string>& sentences,
                      const std::string& mark) {
    std::string text;
    for (const std::string& sentence : sentences) text += wrap(mark + sentence);
    return text.empty() ? "" : "\n" + head + text;
}

/// Lists all failures except the first. If the list would need more than `lines` lines, returns
/// only the number of failures.
std::string other_failures_text(const Verdict& verdict, int lines) {
    const std::vector<std::string> others = other_failures(verdict);
    const std::string text = list_text("Besides:\n", others, "- ");
    if (others.empty() || count_rows(text) <= lines) return text;
    return "Not shown: " + format_count(others.size(), "other finding") +
           " (--json lists all of them)\n";
}

std::string format_next(const Failure& failure) {
    return failure.next.empty() ? "" : "\n" + wrap("Next: " + failure.next);
}

std::string format_full_map(const Failure& failure) {
    const std::string map = format_map(failure);
    return map.empty() ? "" : "\n" + map;
}

/// Returns a map of the cells that fits into the remaining lines of a screen. Returns "" if too few
/// lines remain, or if the map would show no more than the text already says.
std::string format_small_map(const Failure& failure, int lines_left) {
    constexpr int fewest = 8, most = 16, of_legend = 3;
    if (lines_left < fewest + of_legend || !failure.map || !failure.map->has_pattern()) return "";
    return "\n" + format_map(failure, std::min(lines_left - of_legend, most));
}

}  // namespace

std::string terminal_text(const Failure& failure) {
    return failure_text(failure, {}, {}) + format_next(failure) + format_full_map(failure);
}

std::string terminal_text(const Verdict& verdict, const TerminalOptions& look) {
    const Failure* first = verdict.failures.empty() ? nullptr : &verdict.failures.front();
    std::string text;
    if (first != nullptr) {
        // Show fewer lines around the mistake if the verdict would not fit on a screen.
        constexpr int of_warnings = 1;
        for (int around = 2; around >= 0; --around) {
            text = failure_text(*first, verdict, look, around) + format_next(*first);
            const int rest = count_rows(look.text_after_next) +
                             of_warnings * static_cast<int>(warnings(verdict).size());
            if (look.lines == 0 || count_rows(text) + rest <= look.lines) break;
        }
    } else if (verdict.passed()) {
        text = wrap(passed_text(verdict));
        if (look.has_costs && look.time == TimeShown::in_words)
            text += wrap(time_text(verdict)) + wrap(faster_text(verdict));
        if (look.has_costs) text += costs_text(verdict, look.time);
    }
    text += look.text_after_next;
    text +=
        other_failures_text(verdict, look.lines == 0 ? kAnyNumber : look.lines - count_rows(text));
    text += list_text("", warnings(verdict), "");
    const std::string said = format_printed(verdict);
    if (!said.empty()) text += "\nThe kernel printed:\n" + said;
    const std::string time_after_failure = first != nullptr ? time_text(verdict) : "";
    if (!time_after_failure.empty()) {
        const std::string time = "\n" + wrap(time_after_failure);
        if (look.lines == 0 || count_rows(text) + count_rows(time) <= look.lines) text += time;
    }
    if (first == nullptr) return text;
    if (look.lines == 0 || look.has_full_map) return text + format_full_map(*first);
    return text + format_small_map(*first, look.lines - count_rows(text));
}

}  // namespace coalesce
