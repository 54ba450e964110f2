#include "lab/proof/bench/svg.h"

#include "base/text.h"
#include "harness/text.h"

namespace coalesce::proof {
namespace {

/// common/book/theme/book.css repeats these colours, because a page's theme switch can override the
/// system's theme.
constexpr const char* kStyleSheet = R"(<style>
.chart { --c-page: #ffffff; --c-ink: #1d242b; --c-quiet: #56616c; --c-grid: #d3d9df;
  --c-blue: #0b66a8; --c-grey: #8a939c; --c-red: #b5451c; --c-amber: #a86f00; --c-pale: #f0d9a8;
  --c-green: #007a5a; --c-sky: #2f93c8; --c-pink: #b84b8c; --c-violet: #5d3a9b; }
@media (prefers-color-scheme: dark) {
.chart { --c-page: #14181c; --c-ink: #e4e9ee; --c-quiet: #a4afba; --c-grid: #38424c;
  --c-blue: #4b9be0; --c-grey: #7d8893; --c-red: #f0804f; --c-amber: #e0a030; --c-pale: #5c4a1e;
  --c-green: #35b58c; --c-sky: #86cdf2; --c-pink: #e58cc0; --c-violet: #ab8fe6; }
}
</style>
)";

}  // namespace

Svg::Svg(int width, int height, const std::string& title) {
    svg_text_ = format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" class=\"chart\" font-family=\"sans-serif\" role=\"img\">\n",
        width, height, width, height);
    svg_text_ += "<title>" + escaped(title) + "</title>\n" + kStyleSheet;
    draw_box({0, 0}, width, height, kBackgroundColour);
}

void Svg::draw_box(Point corner, double width, double height, const std::string& fill) {
    svg_text_ +=
        format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" style=\"fill:%s\"/>\n",
               corner.x, corner.y, width, height, fill.c_str());
}

void Svg::line(Point from, Point to, const std::string& colour, double width,
               const std::string& dashes) {
    svg_text_ += format(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" style=\"stroke:%s\" "
        "stroke-width=\"%.1f\"",
        from.x, from.y, to.x, to.y, colour.c_str(), width);
    if (!dashes.empty()) svg_text_ += " stroke-dasharray=\"" + dashes + "\"";
    svg_text_ += "/>\n";
}

void Svg::dot(Point centre, double radius, const std::string& fill) {
    svg_text_ += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" style=\"fill:%s\"/>\n",
                        centre.x, centre.y, radius, fill.c_str());
}

void Svg::draw_ring(Point centre, double radius, const std::string& colour) {
    svg_text_ += format(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" style=\"fill:%s;stroke:%s\" "
        "stroke-width=\"1.5\"/>\n",
        centre.x, centre.y, radius, kBackgroundColour, colour.c_str());
}

void Svg::text(Point place, const std::string& text, TextAnchor anchor, double size,
               const std::string& colour) {
    const char* name = anchor == TextAnchor::start    ? "start"
                       : anchor == TextAnchor::middle ? "middle"
                                                      : "end";
    svg_text_ += format(
        "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" text-anchor=\"%s\" style=\"fill:%s\">",
        place.x, place.y, size, name, colour.c_str());
    svg_text_ += escaped(text) + "</text>\n";
}

}  // namespace coalesce::proof
