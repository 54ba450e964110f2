#include "base/text.h"

#include "examiner/render.h"
#include "examiner/render_parts.h"
#include "examiner/safe_text.h"

namespace coalesce {
namespace {

using namespace render;

/// Escapes several lines of text and preserves the line breaks.
std::string html_lines(const std::string& text) {
    std::string html;
    for (const std::string& line : lines_of(text)) html += escape_xml(line) + "\n";
    return html;
}

std::string element(const std::string& tag, const std::string& text, const std::string& kind = "") {
    if (text.empty()) return "";
    const std::string attribute = kind.empty() ? "" : " class=\"" + kind + "\"";
    return "<" + tag + attribute + ">" + (tag == "pre" ? html_lines(text) : escape_xml(text)) +
           "</" + tag + ">\n";
}

std::string html_list(const std::vector<std::string>& sentences, const std::string& kind) {
    std::string items;
    for (const std::string& sentence : sentences) items += element("li", sentence);
    return items.empty() ? "" : "<ul class=\"" + kind + "\">\n" + items + "</ul>\n";
}

std::string html_costs(const Verdict& verdict) {
    std::string rows;
    for (const CostRow& row : costs_with_time(verdict)) {
        rows += "<tr>" + element("th", row.label) + element("td", row.kernel_cost) +
                element("td", row.ideal_cost) + element("td", row.solution) + "</tr>\n";
    }
    if (rows.empty()) return "";
    return "<table class=\"costs\">\n" +
           element("caption",
                   "Counted at " + verdict.shape_name(verdict.counted_shape) + ", simulated") +
           "<tr><td></td><th>yours</th><th>ideal</th><th>solution</th></tr>\n" + rows +
           "</table>\n";
}

std::string failure_html(const Failure& failure, const Verdict& verdict) {
    std::string html = element("h2", format_sentence(failure.headline)) +
                       element("p", format_failing_input(failure, verdict.sizes)) +
                       element("p", failure.place.text(), "place");
    html += element("pre", source_excerpt(failure, verdict.source), "excerpt");
    return html + element("pre", failure.details, "details");
}

}  // namespace

std::string html_text(const Verdict& verdict) {
    std::string html =
        "<article class=\"verdict " + std::string(verdict.passed() ? "passed" : "failed") + "\">\n";
    if (verdict.passed()) html += element("h2", passed_text(verdict));
    if (!verdict.failures.empty()) html += failure_html(verdict.failures.front(), verdict);
    html += element("p", time_text(verdict), "predicted");
    html += element("p", format_faster(verdict), "faster");
    html +=
        html_list(other_failures(verdict), "besides") + html_list(warnings(verdict), "warnings");
    const std::string printed_text = format_printed(verdict);
    if (!printed_text.empty())
        html += element("p", "The kernel printed:") + element("pre", printed_text, "output");
    if (!verdict.failures.empty()) {
        const Failure& first_failure = verdict.failures.front();
        if (!first_failure.advice.empty())
            html += element("p", "Next: " + first_failure.advice, "next");
        html += element("pre", format_map(first_failure), "map");
    }
    return html + html_costs(verdict) + "</article>\n";
}

}  // namespace coalesce
