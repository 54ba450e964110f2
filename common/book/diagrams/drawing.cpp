#include "drawing.h"

#include "base/text.h"
#include "harness/text.h"
#include "timing/diagram_style.h"

namespace coalesce::diagrams {
namespace {

// Style rules in addition to those that all diagrams share.
constexpr const char* style =
    R"(.diagram .code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12px; }
.diagram .lane { text-anchor: middle; font-size: 10px; fill: var(--d-used-ink); }
.diagram .gap { fill: none; stroke: var(--d-page); }
.diagram { --d-shared: #8a3bc9; --d-waiting: #b4650f; }
@media (prefers-color-scheme: dark) { .diagram { --d-shared: #8a43c4; --d-waiting: #a35f17; } }
.diagram .shared { fill: var(--d-shared); }
</style>
)";

/// Style rules for drawings with animated cells.
constexpr const char* animation_style = R"(<style>
.diagram .turn { fill: var(--d-shared); }
@media (prefers-reduced-motion: no-preference) {
.diagram .turn { animation: diagram-turn .3s both; animation-delay: calc(1s + .1s * var(--turn)); }
@keyframes diagram-turn { from { fill: var(--d-waiting); } }
}
</style>
)";

const char* css_class(CellContents contents) {
    switch (contents) {
        case CellContents::idle: return "idle";
        case CellContents::used: return "used";
        case CellContents::wasted: return "waste";
        case CellContents::shared: return "shared";
    }
    return "";
}

}  // namespace

void Drawing::add_text(int x, int y, const std::string& words, const char* style_class) {
    body_ += format("<text x=\"%d\" y=\"%d\"", x, y);
    if (*style_class) body_ += format(" class=\"%s\"", style_class);
    body_ += ">" + escaped(words) + "</text>\n";
}

void Drawing::add_cell(int x, int y, int width, int height, CellContents contents,
                       const std::string& label) {
    body_ += format("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                    css_class(contents), x, y, width, height);
    if (!label.empty()) add_text(x + width / 2, y + height / 2 + 4, label, "lane");
}

void Drawing::add_animated_cell(int x, int y, int side, int step) {
    is_animated_ = true;
    body_ += format(
        "<rect class=\"turn\" style=\"--turn:%d\" x=\"%d\" y=\"%d\" width=\"%d\" "
        "height=\"%d\"/>\n",
        step, x, y, side, side);
}

void Drawing::add_grid(int x, int y, int cols, int rows, int side) {
    body_ += format("<rect class=\"idle\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", x, y,
                    cols * side, rows * side);
    body_ += "<path class=\"gap\" d=\"";
    for (int col = 1; col <= cols; ++col)
        body_ += format("M%d.5 %dv%d", x + col * side - 1, y, rows * side);
    for (int row = 1; row <= rows; ++row)
        body_ += format("M%d %d.5h%d", x, y + row * side - 1, cols * side);
    body_ += "\"/>\n";
}

std::string Drawing::svg(const std::string& title) const {
    return format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram\" width=\"%d\" "
               "height=\"%d\" "
               "viewBox=\"0 0 %d %d\">\n",
               width_, height_, width_, height_) +
           "<title>" + escaped(title) + "</title>\n" + kDiagramStyle + style +
           (is_animated_ ? animation_style : "") +
           format("<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", width_, height_) + body_ +
           "</svg>\n";
}

}  // namespace coalesce::diagrams
