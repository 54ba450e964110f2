#include <algorithm>
#include <utility>

#include "examiner/render.h"
#include "examiner/render_parts.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using namespace render;

constexpr int kAnyNumber = 1 << 20;

std::string bold(const std::string& text, const TerminalLook& look) {
    return look.is_bold ? "\033[1m" + text + "\033[0m" : text;
}

std::string with_line_end(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

std::string failure_text(const Failure& failure, const std::string& source,
                         const TerminalLook& look) {
    std::string text = bold(wrap(as_sentence(failure.headline)), look);
    text += wrap(seen_with(failure));
    if (!failure.place.file.empty()) text += "Where: " + failure.place.text() + "\n";
    const std::string lines = excerpt_of(failure, source);
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
         time == TimeShown::nowhere ? costs_of(verdict) : costs_with_time(verdict)) {
        text += row(cost.what, cost.yours, cost.ideal, cost.solution);
    }
    if (text.empty()) return "";
    return "\n" + row("Counted at " + verdict.counted.name(), "yours", "ideal", "solution") + text;
}

std::string list_text(const std::string& head, const std::vector<std::string>& sentences,
                      const std::string& mark) {
    std::string text;
    for (const std::string& sentence : sentences) text += wrap(mark + sentence);
    return text.empty() ? "" : "\n" + head + text;
}

std::string next_text(const Failure& failure) {
    return failure.next.empty() ? "" : "\n" + wrap("Next: " + failure.next);
}

int count_lines(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

/// Returns the map of the cells, as large as the remaining lines allow. Returns "" if so small a
/// map would be useless.
std::string map_text(const Failure& failure, int lines_left) {
    constexpr int fewest = 4, of_legend = 3;
    if (lines_left < fewest + of_legend) return "";
    const std::string map = map_of(failure, std::min(lines_left - of_legend, CellMap::kSide));
    return map.empty() ? "" : "\n" + map;
}

}  // namespace

std::string terminal_text(const Failure& failure) {
    return failure_text(failure, "", {}) + next_text(failure) + map_text(failure, kAnyNumber);
}

std::string terminal_text(const Verdict& verdict, const TerminalLook& look) {
    const Failure* first = verdict.failures.empty() ? nullptr : &verdict.failures.front();
    std::string text;
    if (first != nullptr) {
        text = failure_text(*first, verdict.source, look) + next_text(*first);
    } else if (verdict.passed()) {
        text = wrap(passed_text(verdict));
        if (look.has_costs && look.time == TimeShown::in_words) text += wrap(time_text(verdict));
        if (look.has_costs) text += costs_text(verdict, look.time);
    }
    text += look.after_next;
    text += list_text("Besides:\n", other_failures(verdict), "- ");
    text += list_text("", warnings(verdict), "");
    const std::string said = printed(verdict);
    if (!said.empty()) text += "\nThe kernel printed:\n" + said;
    if (first != nullptr && !time_text(verdict).empty()) {
        const std::string time = "\n" + wrap(time_text(verdict));
        if (look.lines == 0 || count_lines(text) + count_lines(time) <= look.lines) text += time;
    }
    const int left = look.lines > 0 ? look.lines - count_lines(text) : kAnyNumber;
    return first != nullptr ? text + map_text(*first, left) : text;
}

}  // namespace coalesce
