#include <utility>

#include "examiner/render.h"
#include "examiner/render_parts.h"
#include "examiner/safe_text.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using namespace render;

std::string failure_markdown(const Failure& failure, const Verdict& verdict) {
    std::string text = "**" + escape_markdown(format_sentence(failure.headline)) + "**\n\n";
    const std::string input_text = format_failing_input(failure, verdict.sizes);
    if (!input_text.empty()) text += escape_markdown(input_text) + "\n\n";
    if (const std::string lines = source_excerpt(failure, verdict.source); !lines.empty()) {
        text += "Line " + std::to_string(failure.place.line) + " of your file:\n\n" +
                to_markdown_code(lines) + "\n";
    }
    if (!failure.details.empty()) text += to_markdown_code(failure.details) + "\n";
    return text;
}

std::string costs_text(const Verdict& verdict) {
    const std::vector<CostRow> rows = costs_with_time(verdict);
    if (rows.empty()) return "";
    std::string text = "| counted at " + verdict.shape_name(verdict.counted_shape) +
                       " (simulated) | yours | ideal | solution |\n|---|---|---|---|\n";
    for (const CostRow& row : rows) {
        text += "| " + row.label + " | " + row.kernel_cost + " | " + row.ideal_cost + " | " +
                row.solution + " |\n";
    }
    return text + "\n";
}

std::string list_text(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += "- " + escape_markdown(sentence) + "\n";
    return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string markdown_text(const Verdict& verdict) {
    std::string text;
    if (verdict.passed()) text = escape_markdown(passed_text(verdict)) + "\n\n";
    if (!verdict.failures.empty()) text = failure_markdown(verdict.failures.front(), verdict);
    const std::string time = time_text(verdict);
    if (!time.empty()) text += escape_markdown(time) + "\n\n";
    const std::string faster_note = format_faster(verdict);
    if (!faster_note.empty()) text += escape_markdown(faster_note) + "\n\n";
    text += list_text(other_failures(verdict)) + list_text(warnings(verdict));
    const std::string printed_text = format_printed(verdict);
    if (!printed_text.empty())
        text += "The kernel printed:\n\n" + to_markdown_code(printed_text) + "\n";
    if (!verdict.failures.empty()) {
        const Failure& first_failure = verdict.failures.front();
        if (!first_failure.advice.empty())
            text += "Next: " + escape_markdown(first_failure.advice) + "\n\n";
        if (const std::string map = format_map(first_failure); !map.empty())
            text += to_markdown_code(map) + "\n";
    }
    return text + costs_text(verdict);
}

}  // namespace coalesce
