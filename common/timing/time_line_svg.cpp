#include "timing/time_line_svg.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "timing/diagram_style.h"
#include "timing/figures.h"
#include "timing/time_line.h"
#include "timing/words.h"

namespace coalesce::timing {
namespace {

// Positions in pixels. From left to right: labels, picture, margin. From top to bottom: title,
// label, legend, bytes, stores, warps, blocks, cycles.
constexpr double kWidth = 720, kLeftMargin = 132, kRightMargin = 708, kTitleBaseline = 22,
                 kLabelRight = 41, kLegendBaseline = 63;
constexpr double kChartTop = 84, kChartBottom = 174;
constexpr double kRowPitch = 20, kRowHeight = 15, kFirstRow = 184;
constexpr double kBlockPitch = 12, kBlockHeight = 9;
constexpr int kColumns = 288;  ///< each two pixels wide
constexpr int kMaxBlockRows = 4;

// The CSS rules for the timeline, in addition to the rules that all diagrams share.
constexpr const char* kStyle =
    R"(.diagram .needed { fill: none; stroke: var(--d-ink); stroke-width: 1.5; stroke-dasharray: 5 3; }
.diagram .axis { fill: none; stroke: var(--d-faint); }
</style>
)";

/// Formats pixels to a tenth.
std::string pixels(double value) {
    return format_short(std::round(10 * value) / 10);
}

std::string text_at(double x, double y, const std::string& kind, const std::string& text) {
    return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\"" +
           (kind.empty() ? "" : " class=\"" + kind + "\"") + ">" + escaped(text) + "</text>\n";
}

std::string rectangle_svg(const std::string& kind, double x, double y, double width,
                          double height) {
    return "<rect class=\"" + kind + "\" x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" +
           pixels(width) + "\" height=\"" + pixels(height) + "\"/>\n";
}

std::string path_svg(const std::string& kind, const std::string& drawn) {
    return drawn.empty() ? "" : "<path class=\"" + kind + "\" d=\"" + drawn + "\"/>\n";
}

double column_x(std::size_t column) {
    return kLeftMargin + (kRightMargin - kLeftMargin) * static_cast<double>(column) / kColumns;
}

/// Returns the area below `values` as an SVG path with one step per column. The value `whole`
/// corresponds to a height of `height` pixels.
std::string filled_area_svg(const std::vector<double>& values, double whole, double bottom,
                            double height) {
    std::string drawn;
    double before = bottom;
    for (std::size_t i = 0; i <= values.size(); ++i) {
        const double part = i < values.size() && whole > 0 ? values[i] / whole : 0;
        const double y = bottom - height * std::min(part, 1.0);
        if (pixels(y) == pixels(before)) continue;
        if (pixels(before) == pixels(bottom))
            drawn += "M" + pixels(column_x(i)) + " " + pixels(bottom);
        if (pixels(before) != pixels(bottom)) drawn += "H" + pixels(column_x(i));
        drawn += "V" + pixels(y);
        before = y;
    }
    return drawn;
}

std::vector<double> values_of(const std::vector<Column>& columns, double Moment::*what) {
    std::vector<double> values;
    for (const Column& column : columns) values.push_back(column.mean.*what);
    return values;
}

// ---- bytes in flight ----

/// Marks the times at which no loads are in flight, over the full height of the chart. Adds a label
/// if it fits.
std::string gaps(const std::vector<Column>& columns) {
    constexpr double room_for_word = 60;
    std::string svg;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t first = i;
        while (i < columns.size() && columns[i].nothing >= 0.5) ++i;
        if (i == first) continue;
        const double begin = column_x(first), end = column_x(i);
        svg += rectangle_svg("waste", begin, kChartTop, end - begin, kChartBottom - kChartTop);
        if (end - begin < room_for_word) continue;
        svg += text_at((begin + end) / 2, (kChartTop + kChartBottom) / 2, "middle", "nothing");
    }
    return svg;
}

std::string chart(const Prediction& prediction, const std::vector<Column>& columns) {
    const double height = kChartBottom - kChartTop;
    const double top = scale_top(prediction, columns);
    std::string svg =
        rectangle_svg("idle", kLeftMargin, kChartTop, kRightMargin - kLeftMargin, height) +
        gaps(columns);
    svg += path_svg("used", filled_area_svg(values_of(columns, &Moment::bytes_in_flight), top,
                                            kChartBottom, height));
    svg += text_at(12, kChartTop + height / 2 - 4, "", "bytes in");
    svg += text_at(12, kChartTop + height / 2 + 12, "", "flight");
    svg += text_at(kLeftMargin - 6, kChartBottom, "right faint", "0");
    const bool has_need = is_nonzero_count(prediction.bytes_needed);
    const double needed = has_need ? kChartBottom - height * prediction.bytes_needed / top : 0;
    constexpr double text_height = 12;
    if (has_need) {
        svg += path_svg("needed", "M" + pixels(kLeftMargin) + " " + pixels(needed) + "H" +
                                      pixels(kRightMargin));
        const double y = std::min(needed + 5, kChartBottom - text_height);
        svg += text_at(kLeftMargin - 6, y, "right", bytes_text(prediction.bytes_needed));
    }
    if (!has_need || needed > kChartTop + 2 * text_height) {
        svg += text_at(kLeftMargin - 6, kChartTop + 5, "right faint", bytes_text(top));
    }
    return svg;
}

// ---- stores, warps, blocks ----

std::string row(int index, const std::string& label, const std::vector<double>& values,
                double whole, const std::string& kind) {
    const double top = kFirstRow + kRowPitch * index;
    return text_at(12, top + kRowHeight - 3, "", label) +
           rectangle_svg("idle", kLeftMargin, top, kRightMargin - kLeftMargin, kRowHeight) +
           path_svg(kind, filled_area_svg(values, whole, top + kRowHeight, kRowHeight));
}

std::string rows(const Prediction& prediction, const std::vector<Column>& columns) {
    const std::vector<double> stored = values_of(columns, &Moment::bytes_stored);
    const double most = stored.empty() ? 0 : *std::max_element(stored.begin(), stored.end());
    const double warps = resident_warps(prediction);
    return row(0, "stores", stored, most, "used") +
           row(1, "at barriers", values_of(columns, &Moment::warps_at_barrier), warps, "waste") +
           row(2, "wait for loads", values_of(columns, &Moment::warps_waiting_for_loads), warps,
               "used") +
           row(3, "at work", values_of(columns, &Moment::warps_working), warps, "used");
}

constexpr double kBlocksTop = kFirstRow + 4 * kRowPitch + 2;

std::string block_life_svg(const TimeLine::Life& block_life_svg, double moments, double top) {
    if (!(block_life_svg.begin < block_life_svg.end) || !(block_life_svg.begin < moments) ||
        !(block_life_svg.end > 0))
        return "";
    const double scale = (kRightMargin - kLeftMargin) / moments;
    const double begin = kLeftMargin + scale * std::max(block_life_svg.begin, 0.0);
    const double end = kLeftMargin + scale * std::min(block_life_svg.end, moments);
    // Leave a gap before the next block, unless the box would then vanish.
    const double gap = block_life_svg.end < moments ? 1.5 : 0;
    return rectangle_svg("used", begin, top, std::max(end - begin - gap, 0.5), kBlockHeight);
}

std::string blocks_svg(const TimeLine& line, std::size_t shown) {
    const std::vector<int> places = list_slots(line);
    std::string svg;
    for (std::size_t i = 0; i < shown; ++i) {
        const double top = kBlocksTop + kBlockPitch * static_cast<double>(i);
        svg += rectangle_svg("idle", kLeftMargin, top, kRightMargin - kLeftMargin, kBlockHeight);
        for (const TimeLine::Life& one : line.blocks) {
            if (one.slot != places[i]) continue;
            svg += block_life_svg(one, static_cast<double>(line.moments.size()), top);
        }
    }
    if (shown == 0) return svg;
    const std::string label = shown == places.size() ? "blocks"
                                                     : "blocks, " + std::to_string(shown) + " of " +
                                                           std::to_string(places.size());
    return svg + text_at(12, kBlocksTop + 9, "", label);
}

std::string cycles_axis(const TimeLine& line, double top) {
    const double cycles = line.cycles_per_moment * static_cast<double>(line.moments.size());
    if (!is_nonzero_count(cycles)) return "";
    std::string svg = text_at(12, top + 16, "", "cycles"), marks;
    const double step = choose_tick_step(cycles, 8);
    for (double at = 0; at < cycles; at += step) {
        const double x = kLeftMargin + (kRightMargin - kLeftMargin) * at / cycles;
        marks += "M" + pixels(x) + " " + pixels(top) + "v5";
        svg += text_at(x, top + 17, "middle faint", format_short(at));
    }
    return path_svg("axis", marks) + svg;
}

// ---- the whole drawing ----

/// Returns a description of the drawing for screen readers.
std::string description(const Prediction& prediction) {
    std::string text =
        "Time runs from left to right. The rows show bytes in flight, stores, warps and blocks.";
    if (is_nonzero_count(prediction.bytes_in_flight)) {
        text += " On average " + bytes_text(prediction.bytes_in_flight) + " are in flight";
        if (is_nonzero_count(prediction.bytes_needed)) {
            text += "; " + bytes_text(prediction.bytes_needed) + " are needed";
        }
        text += ".";
    }
    if (is_nonzero_fraction(prediction.fraction_without_loads)) {
        text += " For " + percent_text(prediction.fraction_without_loads) +
                " of the time nothing is in flight.";
    }
    return text;
}

std::string legend(bool has_need) {
    std::string svg = rectangle_svg("waste", kLeftMargin, kLegendBaseline - 11, 14, 13) +
                      text_at(kLeftMargin + 20, kLegendBaseline, "faint", "nothing is in flight");
    if (!has_need) return svg;
    return svg +
           path_svg("needed",
                    "M" + pixels(kLeftMargin + 190) + " " + pixels(kLegendBaseline - 4) + "h24") +
           text_at(kLeftMargin + 220, kLegendBaseline, "faint", "needed to keep memory busy");
}

}  // namespace

std::string time_line_svg(const Prediction& prediction) {
    const TimeLine& line = prediction.time_line;
    const std::size_t shown = std::min<std::size_t>(list_slots(line).size(), kMaxBlockRows);
    const double axis = kBlocksTop + kBlockPitch * static_cast<double>(shown) + 2;
    const double bottom = line.moments.empty() ? kLegendBaseline + 16 : axis + 26;
    const std::string height = pixels(bottom), width = pixels(kWidth);
    const std::string title = short_name(prediction, 70) + ": one multiprocessor";
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram\" width=\"" +
                      width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
                      "\">\n<title>" + escaped(title + " (" + prediction_label(prediction) + ")") +
                      "</title>\n<desc>" + escaped(description(prediction)) + "</desc>\n" +
                      kDiagramStyle + kStyle;
    svg += rectangle_svg("page", 0, 0, kWidth, bottom) +
           text_at(12, kTitleBaseline, "head", title) +
           text_at(12, kLabelRight, "", prediction_label(prediction));
    if (line.moments.empty()) {
        return svg +
               text_at(12, kLegendBaseline, "", "The model has no timeline for this launch.") +
               "</svg>\n";
    }
    const std::vector<Column> columns = average_columns(line, kColumns);
    svg += legend(is_nonzero_count(prediction.bytes_needed)) + chart(prediction, columns);
    svg += rows(prediction, columns) + blocks_svg(line, shown) + cycles_axis(line, axis);
    return svg + "</svg>\n";
}

}  // namespace coalesce::timing
