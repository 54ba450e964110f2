#include "lab/proof/bench/charts.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/files.h"
#include "examiner/course/results_file.h"
#include "harness/result.h"
#include "harness/text.h"
#include "lab/proof/bench/shown.h"
#include "lab/proof/bench/svg.h"

namespace coalesce::proof {
namespace {

constexpr const char* kStepColour = kBlue;
constexpr const char* kRivalColour = kGrey;
constexpr const char* kCopyColour = kRed;
constexpr const char* kPredictedColour = kAmber;
constexpr const char* kPredictedBarColour = kPaleAmber;
constexpr const char* kFastestColour = kGreen;

/// The style of a line in a chart. Styles combine colours and dashes, so that there are more styles
/// than lessons.
struct LineStyle {
    const char* colour;
    const char* dashes;
};
LineStyle choose_line_style(std::size_t index) {
    constexpr const char* colours[] = {kRed, kGrey, kAmber, kGreen, kBlue, kPink, kViolet, kSky};
    constexpr const char* dashes[] = {"", "6 3", "2 3"};
    constexpr std::size_t count = std::size(colours);
    return {colours[index % count], dashes[index / count % std::size(dashes)]};
}

/// Returns the fastest kernel of the same step, or nullptr if no kernel is faster than
/// `headline_result`.
const Json* find_faster_of_same_step(const Json& headline_result, const Json& results) {
    const Json* fastest = course::find_fastest_result(headline_result.at("step"), results);
    return fastest && fastest->at("gbps") > headline_result.at("gbps") ? fastest : nullptr;
}

/// Returns the first variant of each step, and every rival except the copy, which the charts draw
/// as a separate line.
std::vector<Json> select_headline_results(const Json& results) {
    std::vector<Json> headline_results;
    std::set<std::string> seen_steps;
    for (const Json& result : results) {
        const bool is_first = seen_steps.insert(result.value("step", "")).second;
        if (!is_timed(result) || result.value("variant", "") == "memcpy") continue;
        if (is_first || is_rival(result)) headline_results.push_back(result);
    }
    return headline_results;
}

std::string format_row_label(const Json& result) {
    return result.value(is_rival(result) ? "variant" : "step", "");
}

/// Draws the legend for the rings, at the right edge of a picture.
void draw_legend(Svg& svg, const ChartDataAndPredictions& chart_data, Point right_end) {
    if (!chart_data.predicted) return;
    const std::string text = "predicted, not measured";
    svg.draw_ring({right_end.x - 7 * static_cast<double>(text.size()) + 10, right_end.y - 4}, 4,
                  kPredictedColour);
    svg.text(right_end, text, TextAnchor::end, 11, kSecondaryTextColour);
}

void draw_legend_of_fastest(Svg& svg, Point position) {
    svg.dot({position.x, position.y - 4}, 4, kFastestColour);
    svg.text({position.x + 9, position.y}, "the fastest variant of the lesson", TextAnchor::start,
             11, kSecondaryTextColour);
}

/// An axis that maps values to pixels.
struct ValueAxis {
    double first_pixel, last_pixel, max_value;
    double pixel_of(double value) const {
        return first_pixel + (last_pixel - first_pixel) * value / max_value;
    }
};

void draw_gbps_grid(Svg& svg, const ValueAxis& vertical_axis, double left_pixel,
                    double right_pixel) {
    svg.text({left_pixel - 6, vertical_axis.pixel_of(vertical_axis.max_value) - 10}, "GB/s",
             TextAnchor::end, 11, kSecondaryTextColour);
    for (double gbps = 0; gbps <= vertical_axis.max_value; gbps += 1000) {
        svg.line({left_pixel, vertical_axis.pixel_of(gbps)},
                 {right_pixel, vertical_axis.pixel_of(gbps)}, kGridColour);
        svg.text({left_pixel - 6, vertical_axis.pixel_of(gbps) + 4}, format("%.0f", gbps),
                 TextAnchor::end, 11, kSecondaryTextColour);
    }
}

// ---- bandwidth by step ----

void draw_gbps_axis(Svg& svg, const ValueAxis& horizontal_axis, double top_pixel,
                    double bottom_pixel) {
    for (double gbps = 0; gbps <= horizontal_axis.max_value; gbps += 1000) {
        svg.line({horizontal_axis.pixel_of(gbps), top_pixel},
                 {horizontal_axis.pixel_of(gbps), bottom_pixel}, kGridColour);
        svg.text({horizontal_axis.pixel_of(gbps), bottom_pixel + 15}, format("%.0f", gbps),
                 TextAnchor::middle, 11, kSecondaryTextColour);
    }
}

/// Draws a ring at the predicted value, on a line that spans its error band.
void draw_prediction(Svg& svg, const Json& row, const ValueAxis& horizontal_axis, double y) {
    const double gbps = row.at("gbps"), error_band = row.value("error_band", 0.0);
    const double last_gbps = std::min(gbps * (1 + error_band), horizontal_axis.max_value);
    svg.line({horizontal_axis.pixel_of(gbps / (1 + error_band)), y},
             {horizontal_axis.pixel_of(last_gbps), y}, kPredictedColour, 1.5);
    svg.draw_ring({horizontal_axis.pixel_of(gbps), y}, 4, kPredictedColour);
}

void draw_bar(Svg& svg, const ChartDataAndPredictions& chart_data, const Json& result,
              const ValueAxis& horizontal_axis, double y) {
    constexpr double height = 16;
    const double gbps = result["gbps"];
    const bool is_predicted = chart_data.shown.is_predicted;
    svg.text({horizontal_axis.first_pixel - 8, y + 13}, format_row_label(result), TextAnchor::end);
    svg.draw_box({horizontal_axis.first_pixel, y},
                 horizontal_axis.pixel_of(gbps) - horizontal_axis.first_pixel, height,
                 is_predicted       ? kPredictedBarColour
                 : is_rival(result) ? kRivalColour
                                    : kStepColour);
    const Json* predicted_row = is_predicted           ? &result
                                : chart_data.predicted ? chart_data.predicted->row(result)
                                                       : nullptr;
    if (const Json* fastest = find_faster_of_same_step(result, chart_data.shown.results);
        fastest && !is_rival(result)) {
        const Point end{horizontal_axis.pixel_of(fastest->at("gbps")), y + height / 2};
        svg.line({horizontal_axis.pixel_of(gbps), end.y}, end, kFastestColour, 2);
        svg.dot(end, 4, kFastestColour);
    }
    if (predicted_row) draw_prediction(svg, *predicted_row, horizontal_axis, y + height / 2);
    svg.text({horizontal_axis.last_pixel + 50, y + 13}, format("%.0f", gbps), TextAnchor::end, 11,
             kSecondaryTextColour);
    svg.text({horizontal_axis.last_pixel + 100, y + 13},
             format(is_predicted ? "%.0f %%" : "%.1f %%", 100 * result.value("of_copy", 0.0)),
             TextAnchor::end, 11, kSecondaryTextColour);
}

void draw_ceiling(Svg& svg, const ValueAxis& horizontal_axis, double ceiling_gbps,
                  const std::string& name, double bottom_pixel, TextAnchor text_anchor) {
    svg.line({horizontal_axis.pixel_of(ceiling_gbps), 40},
             {horizontal_axis.pixel_of(ceiling_gbps), bottom_pixel}, kCopyColour, 1.5, "5 3");
    const double text_distance = text_anchor == TextAnchor::end ? -4 : 4;
    svg.text({horizontal_axis.pixel_of(ceiling_gbps) + text_distance, 50},
             name + format(" %.0f", ceiling_gbps), text_anchor, 11, kCopyColour);
}

// ---- sectors ----

std::map<std::string, double> find_useful_fractions(const Json& simulated_results) {
    std::map<std::string, double> useful_fractions;
    constexpr double bytes_per_sector = 32;
    for (const Json& result : simulated_results.at("results")) {
        if (!result.contains("counters")) continue;
        const double sectors = result["counters"].value("load_sectors", 0.0) +
                               result["counters"].value("store_sectors", 0.0);
        const double useful_bytes =
            2 * sizeof(float) * result.value("rows", 0.0) * result.value("cols", 0.0);
        if (sectors == 0) continue;
        useful_fractions[result.value("step", "") + " " + result.value("variant", "")] =
            useful_bytes / (sectors * bytes_per_sector);
    }
    return useful_fractions;
}

void draw_traffic_line(Svg& svg, const ValueAxis& horizontal_axis, const ValueAxis& vertical_axis,
                       double copy_gbps) {
    svg.line({horizontal_axis.pixel_of(0), vertical_axis.pixel_of(0)},
             {horizontal_axis.pixel_of(1), vertical_axis.pixel_of(copy_gbps)}, kCopyColour, 1.5,
             "5 3");
    svg.text({horizontal_axis.pixel_of(0.62), vertical_axis.pixel_of(0.62 * copy_gbps) - 10},
             "if only traffic counted", TextAnchor::end, 11, kCopyColour);
}

void draw_share_axis(Svg& svg, const ValueAxis& horizontal_axis, const ValueAxis& vertical_axis) {
    for (int percent = 0; percent <= 100; percent += 25) {
        const double x = horizontal_axis.pixel_of(percent / 100.0);
        svg.line({x, vertical_axis.pixel_of(0)},
                 {x, vertical_axis.pixel_of(vertical_axis.max_value)}, kGridColour);
        svg.text({x, vertical_axis.pixel_of(0) + 16}, format("%d %%", percent), TextAnchor::middle,
                 11, kSecondaryTextColour);
    }
    svg.text({(horizontal_axis.pixel_of(0) + horizontal_axis.pixel_of(1)) / 2,
              vertical_axis.pixel_of(0) + 36},
             "useful part of the sectors that warps request (simulated)", TextAnchor::middle, 11,
             kSecondaryTextColour);
}

/// A variant's dot in the chart.
struct NamedDot {
    Point position_in_chart;
    std::string name;  ///< name of a headline; empty for other variants
};

std::vector<NamedDot> list_dots(const Json& results, const Json& simulated_results,
                                const ValueAxis& horizontal_axis, const ValueAxis& vertical_axis) {
    const auto shares = find_useful_fractions(simulated_results);
    std::set<std::string> named_steps;
    std::vector<NamedDot> dots;
    for (const Json& result : results) {
        const auto share =
            shares.find(result.value("step", "") + " " + result.value("variant", ""));
        if (!is_timed(result) || share == shares.end()) continue;
        // Host code is over 40 times slower than kernels, so its dot would not be visible.
        if (course::is_host_result(result)) continue;
        const bool is_first_of_step = named_steps.insert(result.value("step", "")).second;
        dots.push_back(
            {{horizontal_axis.pixel_of(share->second), vertical_axis.pixel_of(result["gbps"])},
             is_first_of_step ? format_row_label(result) : ""});
    }
    return dots;
}

/// Writes names beside their dots. Names at the right edge are written in a separate column, in
/// which they do not overlap.
void draw_dot_names(Svg& svg, std::vector<NamedDot> dots, double right_edge) {
    std::ranges::sort(dots, {}, [](const NamedDot& dot) { return dot.position_in_chart.y; });
    double next_free_y = 0;
    for (const NamedDot& dot : dots) {
        if (dot.name.empty()) continue;
        double x = dot.position_in_chart.x + 8, y = dot.position_in_chart.y;
        if (dot.position_in_chart.x > right_edge - 20) {
            x = right_edge + 10;
            y = std::max(y, next_free_y);
            next_free_y = y + 14;
        }
        svg.text({x, y + 4}, dot.name, TextAnchor::start, 11);
    }
}

// ---- sizes ----

struct BandwidthLine {
    std::string name;
    std::vector<std::pair<double, double>> side_and_gbps;  ///< (side, GB/s)
};

std::vector<BandwidthLine> make_lines_over_sizes(const ChartData& chart_data) {
    std::vector<BandwidthLine> lines;
    const auto add_point = [&](const std::string& name, double side, double gbps) {
        auto line = std::ranges::find(lines, name, &BandwidthLine::name);
        if (line == lines.end()) line = lines.insert(line, {name, {}});
        line->side_and_gbps.emplace_back(side, gbps);
    };
    for (const auto& [side, results] : chart_data.results_by_side) {
        for (const Json& result : results) {
            if (result.value("variant", "") == "memcpy" && !is_rival(result) && is_timed(result)) {
                add_point("memcpy", side, result["gbps"]);
            }
        }
        for (const Json& result : select_headline_results(results)) {
            if (!is_rival(result)) add_point(format_row_label(result), side, result["gbps"]);
        }
    }
    return lines;
}

/// Draws a line through points. `x_by_side` maps the side of a matrix to its position on the
/// horizontal axis.
void draw_line(Svg& svg, const BandwidthLine& line, std::map<double, double>& x_by_side,
               const ValueAxis& vertical_axis, LineStyle style, bool is_predicted) {
    for (std::size_t i = 0; i < line.side_and_gbps.size(); ++i) {
        const auto [side, gbps] = line.side_and_gbps[i];
        const Point to{x_by_side[side], vertical_axis.pixel_of(gbps)};
        if (!is_predicted) svg.dot(to, 3, style.colour);
        if (i == 0) continue;
        const auto [side_before, gbps_before] = line.side_and_gbps[i - 1];
        svg.line({x_by_side[side_before], vertical_axis.pixel_of(gbps_before)}, to, style.colour,
                 1.5, style.dashes);
    }
}

/// Writes names at the right ends of the lines, with enough distance between the names.
void draw_line_names(Svg& svg, std::vector<std::pair<double, std::size_t>> line_ends,
                     const std::vector<BandwidthLine>& lines, double x) {
    std::ranges::sort(line_ends);
    double free_from = 0;
    for (const auto& [wanted, index] : line_ends) {
        const double y = std::max(wanted, free_from);
        const LineStyle style = choose_line_style(index);
        svg.line({x, y}, {x + 18, y}, style.colour, 2, style.dashes);
        svg.text({x + 23, y + 4}, lines[index].name, TextAnchor::start, 11);
        free_from = y + 14;
    }
}

/// Draws rings for the predictions of the headlines, in the colours of their lines.
void draw_prediction_rings(Svg& svg, const std::vector<BandwidthLine>& predicted_lines,
                           const std::vector<BandwidthLine>& lines,
                           std::map<double, double>& x_by_side, const ValueAxis& vertical_axis) {
    for (const BandwidthLine& line : predicted_lines) {
        const auto measured_line = std::ranges::find(lines, line.name, &BandwidthLine::name);
        if (measured_line == lines.end()) continue;
        const auto index = static_cast<std::size_t>(measured_line - lines.begin());
        for (const auto& [side, gbps] : line.side_and_gbps) {
            if (!x_by_side.contains(side)) continue;
            svg.draw_ring({x_by_side[side], vertical_axis.pixel_of(gbps)}, 4,
                          choose_line_style(index).colour);
        }
    }
}

}  // namespace

std::string draw_bandwidth_chart(const ChartResults& results) {
    const ChartDataAndPredictions chart_data = select_chart_data(results);
    const ChartData& shown_data = chart_data.shown;
    const std::vector<Json> headline_results = select_headline_results(shown_data.results);
    constexpr double row_height = 22, top_pixel = 60;
    const double bottom_pixel =
        top_pixel + row_height * static_cast<double>(headline_results.size());
    Svg svg(760, static_cast<int>(bottom_pixel) + 64, "Bandwidth by step");
    const ValueAxis horizontal_axis{150, 640, shown_data.axis_max_gbps()};
    svg.text({14, 24}, "GB/s by lesson: " + shown_data.caption(), TextAnchor::start, 14);
    draw_gbps_axis(svg, horizontal_axis, top_pixel - 6, bottom_pixel);
    for (std::size_t i = 0; i < headline_results.size(); ++i) {
        draw_bar(svg, chart_data, headline_results[i], horizontal_axis,
                 top_pixel + row_height * static_cast<double>(i));
    }
    draw_ceiling(svg, horizontal_axis, shown_data.copy_gbps, "copy", bottom_pixel, TextAnchor::end);
    if (shown_data.peak_gbps > 0)
        draw_ceiling(svg, horizontal_axis, shown_data.peak_gbps, "peak", bottom_pixel,
                     TextAnchor::start);
    svg.text({690, 32}, "GB/s", TextAnchor::end, 11, kSecondaryTextColour);
    svg.text({740, 32}, "of copy", TextAnchor::end, 11, kSecondaryTextColour);
    draw_legend_of_fastest(svg, {18, bottom_pixel + 54});
    svg.text({14, bottom_pixel + 36},
             std::string("10^9 bytes read + written per second; percent of ") +
                 (shown_data.is_predicted ? "a copy; lines: range of nine in ten measurements"
                                          : "cudaMemcpy in the same run"),
             TextAnchor::start, 11, kSecondaryTextColour);
    draw_legend(svg, chart_data, {746, bottom_pixel + 54});
    return svg.finish();
}

std::string draw_sectors_chart(const ChartResults& results) {
    const ChartDataAndPredictions chart_data = select_chart_data(results);
    Svg svg(760, 460, "Sectors moved and sectors needed");
    const ValueAxis horizontal_axis{70, 640, 1},
        vertical_axis{400, 62, chart_data.shown.axis_max_gbps()};
    svg.text({14, 24}, "GB/s against the useful part of the traffic: " + chart_data.shown.caption(),
             TextAnchor::start, 14);
    draw_gbps_grid(svg, vertical_axis, horizontal_axis.first_pixel, horizontal_axis.last_pixel);
    draw_share_axis(svg, horizontal_axis, vertical_axis);
    draw_traffic_line(svg, horizontal_axis, vertical_axis, chart_data.shown.copy_gbps);
    const std::vector<NamedDot> dots =
        list_dots(chart_data.shown.results, results.simulated, horizontal_axis, vertical_axis);
    // Draw the headlines last, on top of the other variants.
    for (const bool is_headline : {false, true}) {
        for (const NamedDot& dot : dots) {
            if (dot.name.empty() == is_headline) continue;
            svg.dot(dot.position_in_chart, is_headline ? 5 : 3,
                    is_headline ? kStepColour : kRivalColour);
        }
    }
    if (chart_data.predicted) {
        for (const NamedDot& dot : list_dots(chart_data.predicted->results, results.simulated,
                                             horizontal_axis, vertical_axis)) {
            if (!dot.name.empty()) svg.draw_ring(dot.position_in_chart, 4, kPredictedColour);
        }
    }
    draw_dot_names(svg, dots, horizontal_axis.last_pixel);
    draw_legend(svg, chart_data, {746, 450});
    return svg.finish();
}

std::string draw_sizes_chart(const ChartResults& results) {
    const ChartDataAndPredictions chart_data = select_chart_data(results);
    const std::vector<BandwidthLine> lines = make_lines_over_sizes(chart_data.shown);
    Svg svg(760, 440, "Bandwidth by size");
    const ValueAxis vertical_axis{390, 62, chart_data.shown.axis_max_gbps()};
    svg.text({14, 24}, "GB/s by size, square: " + chart_data.shown.source_label(),
             TextAnchor::start, 14);
    draw_gbps_grid(svg, vertical_axis, 70, 620);
    const auto& results_by_side = chart_data.shown.results_by_side;
    const double side_intervals =
        std::max<double>(1, static_cast<double>(results_by_side.size()) - 1);
    std::map<double, double> x_by_side;
    for (const auto& [side, rows] : results_by_side) {
        x_by_side[side] = 90 + 510 * static_cast<double>(x_by_side.size()) / side_intervals;
        svg.text({x_by_side[side], 408}, std::to_string(side), TextAnchor::middle, 11,
                 kSecondaryTextColour);
    }
    svg.text({345, 428}, "side of the square matrix, in floats", TextAnchor::middle, 11,
             kSecondaryTextColour);
    std::vector<std::pair<double, std::size_t>> line_ends;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        draw_line(svg, lines[i], x_by_side, vertical_axis, choose_line_style(i),
                  chart_data.shown.is_predicted);
        line_ends.emplace_back(vertical_axis.pixel_of(lines[i].side_and_gbps.back().second), i);
    }
    if (chart_data.predicted)
        draw_prediction_rings(svg, make_lines_over_sizes(*chart_data.predicted), lines, x_by_side,
                              vertical_axis);
    if (chart_data.shown.is_predicted)
        draw_prediction_rings(svg, lines, lines, x_by_side, vertical_axis);
    draw_line_names(svg, line_ends, lines, 628);
    draw_legend(svg, chart_data, {746, 432});
    return svg.finish();
}

void draw_charts(const ChartResults& results, const std::string& folder) {
    write_file(folder + "/bandwidth.svg", draw_bandwidth_chart(results));
    write_file(folder + "/sectors.svg", draw_sectors_chart(results));
    write_file(folder + "/sizes.svg", draw_sizes_chart(results));
}

}  // namespace coalesce::proof
