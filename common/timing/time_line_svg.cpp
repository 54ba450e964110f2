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
constexpr const char* kTimeLineStyle =
    R"(.diagram .needed { fill: none; stroke: var(--d-ink); stroke-width: 1.5; stroke-dasharray: 5 3; }
.diagram .axis { fill: none; stroke: var(--d-faint); }
</style>
)";

/// Formats pixels to a tenth.
std::string format_pixels(double value) {
    return format_short(std::round(10 * value) / 10);
}

std::string text_svg(double x, double y, const std::string& css_class, const std::string& text) {
    return "<text x=\"" + format_pixels(x) + "\" y=\"" + format_pixels(y) + "\"" +
           (css_class.empty() ? "" : " class=\"" + css_class + "\"") + ">" + escaped(text) +
           "</text>\n";
}

std::string rectangle_svg(const std::string& css_class, double x, double y, double width,
                          double height) {
    return "<rect class=\"" + css_class + "\" x=\"" + format_pixels(x) + "\" y=\"" +
           format_pixels(y) + "\" width=\"" + format_pixels(width) + "\" height=\"" +
           format_pixels(height) + "\"/>\n";
}

std::string path_svg(const std::string& css_class, const std::string& path_data) {
    return path_data.empty() ? "" : "<path class=\"" + css_class + "\" d=\"" + path_data + "\"/>\n";
}

double column_x(std::size_t column) {
    return kLeftMargin + (kRightMargin - kLeftMargin) * static_cast<double>(column) / kColumns;
}

/// Returns the area below `values` as an SVG path with one step per column. The value `full_value`
/// corresponds to a height of `height` pixels.
std::string filled_area_svg(const std::vector<double>& values, double full_value, double bottom,
                            double height) {
    std::string path_data;
    double previous_y = bottom;
    for (std::size_t i = 0; i <= values.size(); ++i) {
        const double fraction = i < values.size() && full_value > 0 ? values[i] / full_value : 0;
        const double y = bottom - height * std::min(fraction, 1.0);
        if (format_pixels(y) == format_pixels(previous_y)) continue;
        if (format_pixels(previous_y) == format_pixels(bottom))
            path_data += "M" + format_pixels(column_x(i)) + " " + format_pixels(bottom);
        if (format_pixels(previous_y) != format_pixels(bottom))
            path_data += "H" + format_pixels(column_x(i));
        path_data += "V" + format_pixels(y);
        previous_y = y;
    }
    return path_data;
}

std::vector<double> column_values(const std::vector<TimeLineColumn>& columns,
                                  double Moment::*moment_member) {
    std::vector<double> values;
    for (const TimeLineColumn& column : columns) values.push_back(column.mean.*moment_member);
    return values;
}

// ---- bytes in flight ----

/// Marks the times at which no loads are in flight, over the full height of the chart. Adds a label
/// if it fits.
std::string gaps_svg(const std::vector<TimeLineColumn>& columns) {
    constexpr double min_label_width = 60;
    std::string svg;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t first_column = i;
        while (i < columns.size() && columns[i].fraction_without_loads >= 0.5) ++i;
        if (i == first_column) continue;
        const double begin = column_x(first_column), end = column_x(i);
        svg += rectangle_svg("waste", begin, kChartTop, end - begin, kChartBottom - kChartTop);
        if (end - begin < min_label_width) continue;
        svg += text_svg((begin + end) / 2, (kChartTop + kChartBottom) / 2, "middle", "nothing");
    }
    return svg;
}

std::string chart_svg(const Prediction& prediction, const std::vector<TimeLineColumn>& columns) {
    const double height = kChartBottom - kChartTop;
    const double max_bytes = max_chart_bytes(prediction, columns);
    std::string svg =
        rectangle_svg("idle", kLeftMargin, kChartTop, kRightMargin - kLeftMargin, height) +
        gaps_svg(columns);
    svg += path_svg("used", filled_area_svg(column_values(columns, &Moment::bytes_in_flight),
                                            max_bytes, kChartBottom, height));
    svg += text_svg(12, kChartTop + height / 2 - 4, "", "bytes in");
    svg += text_svg(12, kChartTop + height / 2 + 12, "", "flight");
    svg += text_svg(kLeftMargin - 6, kChartBottom, "right faint", "0");
    const bool has_needed_bytes = is_nonzero_count(prediction.bytes_needed);
    const double needed_bytes_y =
        has_needed_bytes ? kChartBottom - height * prediction.bytes_needed / max_bytes : 0;
    constexpr double text_height = 12;
    if (has_needed_bytes) {
        svg += path_svg("needed", "M" + format_pixels(kLeftMargin) + " " +
                                      format_pixels(needed_bytes_y) + "H" +
                                      format_pixels(kRightMargin));
        const double y = std::min(needed_bytes_y + 5, kChartBottom - text_height);
        svg += text_svg(kLeftMargin - 6, y, "right", bytes_text(prediction.bytes_needed));
    }
    if (!has_needed_bytes || needed_bytes_y > kChartTop + 2 * text_height) {
        svg += text_svg(kLeftMargin - 6, kChartTop + 5, "right faint", bytes_text(max_bytes));
    }
    return svg;
}

// ---- stores, warps, blocks ----

std::string density_row_svg(int row_index, const std::string& label,
                            const std::vector<double>& values, double full_value,
                            const std::string& css_class) {
    const double top = kFirstRow + kRowPitch * row_index;
    return text_svg(12, top + kRowHeight - 3, "", label) +
           rectangle_svg("idle", kLeftMargin, top, kRightMargin - kLeftMargin, kRowHeight) +
           path_svg(css_class, filled_area_svg(values, full_value, top + kRowHeight, kRowHeight));
}

std::string density_rows_svg(const Prediction& prediction,
                             const std::vector<TimeLineColumn>& columns) {
    const std::vector<double> stored_bytes = column_values(columns, &Moment::bytes_stored);
    const double max_stored_bytes =
        stored_bytes.empty() ? 0 : *std::max_element(stored_bytes.begin(), stored_bytes.end());
    const double warps = max_resident_warps(prediction);
    return density_row_svg(0, "stores", stored_bytes, max_stored_bytes, "used") +
           density_row_svg(1, "at barriers", column_values(columns, &Moment::warps_at_barrier),
                           warps, "waste") +
           density_row_svg(2, "wait for loads",
                           column_values(columns, &Moment::warps_waiting_for_loads), warps,
                           "used") +
           density_row_svg(3, "at work", column_values(columns, &Moment::warps_working), warps,
                           "used");
}

constexpr double kBlocksTop = kFirstRow + 4 * kRowPitch + 2;

std::string block_life_svg(const TimeLine::BlockInterval& block, double moment_count, double top) {
    if (!(block.begin < block.end) || !(block.begin < moment_count) || !(block.end > 0)) return "";
    const double scale = (kRightMargin - kLeftMargin) / moment_count;
    const double begin = kLeftMargin + scale * std::max(block.begin, 0.0);
    const double end = kLeftMargin + scale * std::min(block.end, moment_count);
    // Leave a gap before the next block, unless the box would then vanish.
    const double block_gap = block.end < moment_count ? 1.5 : 0;
    return rectangle_svg("used", begin, top, std::max(end - begin - block_gap, 0.5), kBlockHeight);
}

std::string blocks_svg(const TimeLine& time_line, std::size_t shown_slots) {
    const std::vector<int> slots = list_slots(time_line);
    std::string svg;
    for (std::size_t i = 0; i < shown_slots; ++i) {
        const double top = kBlocksTop + kBlockPitch * static_cast<double>(i);
        svg += rectangle_svg("idle", kLeftMargin, top, kRightMargin - kLeftMargin, kBlockHeight);
        for (const TimeLine::BlockInterval& block : time_line.blocks) {
            if (block.slot != slots[i]) continue;
            svg += block_life_svg(block, static_cast<double>(time_line.moments.size()), top);
        }
    }
    if (shown_slots == 0) return svg;
    const std::string label =
        shown_slots == slots.size()
            ? "blocks"
            : "blocks, " + std::to_string(shown_slots) + " of " + std::to_string(slots.size());
    return svg + text_svg(12, kBlocksTop + 9, "", label);
}

std::string cycle_axis_svg(const TimeLine& time_line, double top) {
    const double cycles =
        time_line.cycles_per_moment * static_cast<double>(time_line.moments.size());
    if (!is_nonzero_count(cycles)) return "";
    std::string svg = text_svg(12, top + 16, "", "cycles"), tick_marks;
    const double tick_cycles = choose_tick_step(cycles, 8);
    for (double tick_cycle = 0; tick_cycle < cycles; tick_cycle += tick_cycles) {
        const double x = kLeftMargin + (kRightMargin - kLeftMargin) * tick_cycle / cycles;
        tick_marks += "M" + format_pixels(x) + " " + format_pixels(top) + "v5";
        svg += text_svg(x, top + 17, "middle faint", format_short(tick_cycle));
    }
    return path_svg("axis", tick_marks) + svg;
}

// ---- the whole drawing ----

/// Returns a description of the drawing for screen readers.
std::string diagram_description(const Prediction& prediction) {
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

std::string legend_svg(bool has_needed_bytes) {
    std::string svg = rectangle_svg("waste", kLeftMargin, kLegendBaseline - 11, 14, 13) +
                      text_svg(kLeftMargin + 20, kLegendBaseline, "faint", "nothing is in flight");
    if (!has_needed_bytes) return svg;
    return svg +
           path_svg("needed", "M" + format_pixels(kLeftMargin + 190) + " " +
                                  format_pixels(kLegendBaseline - 4) + "h24") +
           text_svg(kLeftMargin + 220, kLegendBaseline, "faint", "needed to keep memory busy");
}

}  // namespace

std::string time_line_svg(const Prediction& prediction) {
    const TimeLine& time_line = prediction.time_line;
    const std::size_t shown_slots =
        std::min<std::size_t>(list_slots(time_line).size(), kMaxBlockRows);
    const double axis_top = kBlocksTop + kBlockPitch * static_cast<double>(shown_slots) + 2;
    const double bottom = time_line.moments.empty() ? kLegendBaseline + 16 : axis_top + 26;
    const std::string height = format_pixels(bottom), width = format_pixels(kWidth);
    const std::string title = shorten_kernel_name(prediction, 70) + ": one multiprocessor";
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram\" width=\"" +
                      width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
                      "\">\n<title>" + escaped(title + " (" + prediction_label(prediction) + ")") +
                      "</title>\n<desc>" + escaped(diagram_description(prediction)) + "</desc>\n" +
                      kDiagramStyle + kTimeLineStyle;
    svg += rectangle_svg("page", 0, 0, kWidth, bottom) +
           text_svg(12, kTitleBaseline, "head", title) +
           text_svg(12, kLabelRight, "", prediction_label(prediction));
    if (time_line.moments.empty()) {
        return svg +
               text_svg(12, kLegendBaseline, "", "The model has no timeline for this launch.") +
               "</svg>\n";
    }
    const std::vector<TimeLineColumn> columns = average_columns(time_line, kColumns);
    svg += legend_svg(is_nonzero_count(prediction.bytes_needed)) + chart_svg(prediction, columns);
    svg += density_rows_svg(prediction, columns) + blocks_svg(time_line, shown_slots) +
           cycle_axis_svg(time_line, axis_top);
    return svg + "</svg>\n";
}

}  // namespace coalesce::timing
