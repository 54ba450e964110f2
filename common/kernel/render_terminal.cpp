#include <algorithm>

#include "harness/text.h"
#include "kernel/render.h"
#include "kernel/render_parts.h"

namespace coalesce {
namespace {

using namespace render;

std::string bold(const std::string& text, const TerminalLook& look) {
    return look.is_bold ? "\033[1m" + text + "\033[0m" : text;
}

std::string with_line_end(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

std::string what_is_wrong(const Failure& failure, const std::string& source,
                          const TerminalLook& look) {
    std::string text = bold(wrap(as_sentence(failure.headline)), look);
    text += wrap(seen_with(failure));
    if (!failure.place.file.empty()) text += "Where: " + failure.place.text() + "\n";
    if (needs_excerpt(failure) && !source.empty()) {
        text += "\n" + excerpt(source, failure.place.line, failure.place.column);
    }
    if (!failure.details.empty()) text += "\n" + with_line_end(failure.details);
    return text;
}

std::string costs_text(const Verdict& verdict) {
    const auto row = [](const std::string& what, const std::string& yours, const std::string& ideal,
                        const std::string& solution) {
        return format("  %-26s%12s%12s%12s\n", what.c_str(), yours.c_str(), ideal.c_str(),
                      solution.c_str());
    };
    std::string text;
    for (const CostRow& cost : costs_of(verdict)) {
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

std::string map_text(const Failure& failure, const TerminalLook& look) {
    if (!failure.map || !shows_something(*failure.map)) return "";
    const std::string text = failure.map->text();
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    if (look.map_lines > 0 && lines > look.map_lines) return "";
    return "\n" + text;
}

}  // namespace

std::string terminal_text(const Failure& failure) {
    const TerminalLook look;
    return what_is_wrong(failure, "", look) + next_text(failure) + map_text(failure, look);
}

std::string terminal_text(const Verdict& verdict, const TerminalLook& look) {
    std::string text;
    if (verdict.passed()) {
        text = wrap(passed_text(verdict));
        if (look.has_costs) text += costs_text(verdict);
    } else if (!verdict.failures.empty()) {
        text = what_is_wrong(verdict.failures.front(), verdict.source, look);
    }
    text += list_text("Besides:\n", other_failures(verdict), "- ");
    text += list_text("", warnings(verdict), "");
    const std::string said = printed(verdict);
    if (!said.empty()) text += "\nThe kernel printed:\n" + said;
    if (verdict.failures.empty()) return text + look.after_next;
    const Failure& first = verdict.failures.front();
    return text + next_text(first) + look.after_next + map_text(first, look);
}

}  // namespace coalesce
