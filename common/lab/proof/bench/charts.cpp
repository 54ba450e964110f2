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

/// Returns the fastest kernel of the same step, or nullptr if no kernel is faster than `headline`.
const Json* fastest_of_same_step(const Json& headline, const Json& results) {
    const Json* fastest = course::find_fastest_result(headline.at("step"), results);
    return fastest && fastest->at("gbps") > headline.at("gbps") ? fastest : nullptr;
}

/// Returns the first variant of each step, and every rival except the copy, which the charts draw
/// as a separate line.
std::vector<Json> headline_results(const Json& results) {
    std::vector<Json> chosen;
    std::set<std::string> seen;
    for (const Json& result : results) {
        const bool is_first = seen.insert(result.value("step", "")).second;
        if (!is_timed(result) || result.value("variant", "") == "memcpy") continue;
        if (is_first || is_rival(result)) chosen.push_back(result);
    }
    return chosen;
}

std::string row_label(const Json& result) {
    return result.value(is_rival(result) ? "variant" : "step", "");
}

/// Draws the legend for the rings, at the right edge of a picture.
void draw_legend(Svg& svg, const ShownAndPredicted& both, Point place) {
    if (!both.predicted) return;
    const std::string text = "predicted, not measured";
    svg.ring({place.x - 7 * static_cast<double>(text.size()) + 10, place.y - 4}, 4,
             kPredictedColour);
    svg.text(place, text, Anchor::end, 11, kSecondaryTextColour);
}

void draw_legend_of_fastest(Svg& svg, Point place) {
    svg.dot({place.x, place.y - 4}, 4, kFastestColour);
    svg.text({place.x + 9, place.y}, "the fastest variant of the lesson", Anchor::start, 11,
             kSecondaryTextColour);
}

/// An axis that maps values to pixels.
struct Axis {
    double first_pixel, last_pixel, most;
    double at(double value) const {
        return first_pixel + (last_pixel - first_pixel) * value / most;
    }
};

void draw_gbps_grid(Svg& svg, const Axis& up, double left, double right) {
    svg.text({left - 6, up.at(up.most) - 10}, "GB/s", Anchor::end, 11, kSecondaryTextColour);
    for (double gbps = 0; gbps <= up.most; gbps += 1000) {
        svg.line({left, up.at(gbps)}, {right, up.at(gbps)}, kGridColour);
        svg.text({left - 6, up.at(gbps) + 4}, format("%.0f", gbps), Anchor::end, 11,
                 kSecondaryTextColour);
    }
}

// ---- bandwidth by step ----

void draw_gbps_axis(Svg& svg, const Axis& right, double top, double bottom) {
    for (double gbps = 0; gbps <= right.most; gbps += 1000) {
        svg.line({right.at(gbps), top}, {right.at(gbps), bottom}, kGridColour);
        svg.text({right.at(gbps), bottom + 15}, format("%.0f", gbps), Anchor::middle, 11,
                 kSecondaryTextColour);
    }
}

/// Draws a ring at the predicted value, on a line that spans its error band.
void draw_predicted(Svg& svg, const Json& row, const Axis& right, double y) {
    const double gbps = row.at("gbps"), band = row.value("error_band", 0.0);
    const double last = std::min(gbps * (1 + band), right.most);
    svg.line({right.at(gbps / (1 + band)), y}, {right.at(last), y}, kPredictedColour, 1.5);
    svg.ring({right.at(gbps), y}, 4, kPredictedColour);
}

void draw_bar(Svg& svg, const ShownAndPredicted& both, const Json& result, const Axis& right,
              double y) {
    constexpr double height = 16;
    const double gbps = result["gbps"];
    const bool is_predicted = both.shown.is_predicted;
    svg.text({right.first_pixel - 8, y + 13}, row_label(result), Anchor::end);
    svg.box({right.first_pixel, y}, right.at(gbps) - right.first_pixel, height,
            is_predicted       ? kPredictedBarColour
            : is_rival(result) ? kRivalColour
                               : kStepColour);
    const Json* predicted = is_predicted     ? &result
                            : both.predicted ? both.predicted->row(result)
                                             : nullptr;
    if (const Json* fastest = fastest_of_same_step(result, both.shown.results);
        fastest && !is_rival(result)) {
        const Point end{right.at(fastest->at("gbps")), y + height / 2};
        svg.line({right.at(gbps), end.y}, end, kFastestColour, 2);
        svg.dot(end, 4, kFastestColour);
    }
    if (predicted) draw_predicted(svg, *predicted, right, y + height / 2);
    svg.text({right.last_pixel + 50, y + 13}, format("%.0f", gbps), Anchor::end, 11,
             kSecondaryTextColour);
    svg.text({right.last_pixel + 100, y + 13},
             format(is_predicted ? "%.0f %%" : "%.1f %%", 100 * result.value("of_copy", 0.0)),
             Anchor::end, 11, kSecondaryTextColour);
}

void draw_ceiling(Svg& svg, const Axis& right, double gbps, const std::string& name, double bottom,
                  Anchor anchor) {
    svg.line({right.at(gbps), 40}, {right.at(gbps), bottom}, kCopyColour, 1.5, "5 3");
    const double gap = anchor == Anchor::end ? -4 : 4;
    svg.text({right.at(gbps) + gap, 50}, name + format(" %.0f", gbps), anchor, 11, kCopyColour);
}

// ---- sectors ----

std::map<std::string, double> useful_sector_fractions(const Json& simulated) {
    std::map<std::string, double> shares;
    constexpr double bytes_a_sector = 32;
    for (const Json& result : simulated.at("results")) {
        if (!result.contains("counters")) continue;
        const double sectors = result["counters"].value("load_sectors", 0.0) +
                               result["counters"].value("store_sectors", 0.0);
        const double useful =
            2 * sizeof(float) * result.value("rows", 0.0) * result.value("cols", 0.0);
        if (sectors == 0) continue;
        shares[result.value("step", "") + " " + result.value("variant", "")] =
            useful / (sectors * bytes_a_sector);
    }
    return shares;
}

void draw_traffic_line(Svg& svg, const Axis& right, const Axis& up, double copy) {
    svg.line({right.at(0), up.at(0)}, {right.at(1), up.at(copy)}, kCopyColour, 1.5, "5 3");
    svg.text({right.at(0.62), up.at(0.62 * copy) - 10}, "if only traffic counted", Anchor::end, 11,
             kCopyColour);
}

void draw_share_axis(Svg& svg, const Axis& right, const Axis& up) {
    for (int percent = 0; percent <= 100; percent += 25) {
        const double x = right.at(percent / 100.0);
        svg.line({x, up.at(0)}, {x, up.at(up.most)}, kGridColour);
        svg.text({x, up.at(0) + 16}, format("%d %%", percent), Anchor::middle, 11,
                 kSecondaryTextColour);
    }
    svg.text({(right.at(0) + right.at(1)) / 2, up.at(0) + 36},
             "useful part of the sectors that warps request (simulated)", Anchor::middle, 11,
             kSecondaryTextColour);
}

/// A variant's dot in the chart.
struct NamedPoint {
    Point place;
    std::string name;  ///< name of a headline; empty for other variants
};

std::vector<NamedPoint> list_named_points(const Json& results, const Json& simulated,
                                          const Axis& right, const Axis& up) {
    const auto shares = useful_sector_fractions(simulated);
    std::set<std::string> seen;
    std::vector<NamedPoint> spots;
    for (const Json& result : results) {
        const auto share =
            shares.find(result.value("step", "") + " " + result.value("variant", ""));
        if (!is_timed(result) || share == shares.end()) continue;
        // Host code is over 40 times slower than kernels, so its dot would not be visible.
        if (course::is_host_result(result)) continue;
        const bool is_headline = seen.insert(result.value("step", "")).second;
        spots.push_back({{right.at(share->second), up.at(result["gbps"])},
                         is_headline ? row_label(result) : ""});
    }
    return spots;
}

/// Writes names beside their dots. Names at the right edge are written in a separate column, in
/// which they do not overlap.
void draw_point_names(Svg& svg, std::vector<NamedPoint> spots, double edge) {
    std::ranges::sort(spots, {}, [](const NamedPoint& spot) { return spot.place.y; });
    double free_from = 0;
    for (const NamedPoint& spot : spots) {
        if (spot.name.empty()) continue;
        double x = spot.place.x + 8, y = spot.place.y;
        if (spot.place.x > edge - 20) {
            x = edge + 10;
            y = std::max(y, free_from);
            free_from = y + 14;
        }
        svg.text({x, y + 4}, spot.name, Anchor::start, 11);
    }
}

// ---- sizes ----

struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;  ///< (side, GB/s)
};

std::vector<Line> lines_over_sizes(const ChartData& shown) {
    std::vector<Line> lines;
    const auto add = [&](const std::string& name, double side, double gbps) {
        auto line = std::ranges::find(lines, name, &Line::name);
        if (line == lines.end()) line = lines.insert(line, {name, {}});
        line->points.emplace_back(side, gbps);
    };
    for (const auto& [side, results] : shown.squares) {
        for (const Json& result : results) {
            if (result.value("variant", "") == "memcpy" && !is_rival(result) && is_timed(result)) {
                add("memcpy", side, result["gbps"]);
            }
        }
        for (const Json& result : headline_results(results)) {
            if (!is_rival(result)) add(row_label(result), side, result["gbps"]);
        }
    }
    return lines;
}

/// Draws a line through points. `place` maps the side of a matrix to its position on the horizontal
/// axis.
void draw_line(Svg& svg, const Line& line, std::map<double, double>& place, const Axis& up,
               LineStyle style, bool is_predicted) {
    for (std::size_t i = 0; i < line.points.size(); ++i) {
        const auto [side, gbps] = line.points[i];
        const Point to{place[side], up.at(gbps)};
        if (!is_predicted) svg.dot(to, 3, style.colour);
        if (i == 0) continue;
        const auto [side_before, gbps_before] = line.points[i - 1];
        svg.line({place[side_before], up.at(gbps_before)}, to, style.colour, 1.5, style.dashes);
    }
}

/// Writes names at the right ends of the lines, with enough distance between the names.
void draw_names(Svg& svg, std::vector<std::pair<double, std::size_t>> ends,
                const std::vector<Line>& lines, double x) {
    std::ranges::sort(ends);
    double free_from = 0;
    for (const auto& [wanted, index] : ends) {
        const double y = std::max(wanted, free_from);
        const LineStyle style = choose_line_style(index);
        svg.line({x, y}, {x + 18, y}, style.colour, 2, style.dashes);
        svg.text({x + 23, y + 4}, lines[index].name, Anchor::start, 11);
        free_from = y + 14;
    }
}

/// Draws rings for the predictions of the headlines, in the colours of their lines.
void draw_rings(Svg& svg, const std::vector<Line>& predicted, const std::vector<Line>& lines,
                std::map<double, double>& place, const Axis& up) {
    for (const Line& line : predicted) {
        const auto same = std::ranges::find(lines, line.name, &Line::name);
        if (same == lines.end()) continue;
        const auto index = static_cast<std::size_t>(same - lines.begin());
        for (const auto& [side, gbps] : line.points) {
            if (!place.contains(side)) continue;
            svg.ring({place[side], up.at(gbps)}, 4, choose_line_style(index).colour);
        }
    }
}

}  // namespace

std::string bandwidth_chart(const ChartResults& results) {
    const ShownAndPredicted both = select_shown(results);
    const ChartData& shown = both.shown;
    const std::vector<Json> bars = headline_results(shown.results);
    constexpr double row = 22, top = 60;
    const double bottom = top + row * static_cast<double>(bars.size());
    Svg svg(760, static_cast<int>(bottom) + 64, "Bandwidth by step");
    const Axis right{150, 640, shown.axis_max_gbps()};
    svg.text({14, 24}, "GB/s by lesson: " + shown.caption(), Anchor::start, 14);
    draw_gbps_axis(svg, right, top - 6, bottom);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        draw_bar(svg, both, bars[i], right, top + row * static_cast<double>(i));
    }
    draw_ceiling(svg, right, shown.copy_gbps, "copy", bottom, Anchor::end);
    if (shown.peak_gbps > 0)
        draw_ceiling(svg, right, shown.peak_gbps, "peak", bottom, Anchor::start);
    svg.text({690, 32}, "GB/s", Anchor::end, 11, kSecondaryTextColour);
    svg.text({740, 32}, "of copy", Anchor::end, 11, kSecondaryTextColour);
    draw_legend_of_fastest(svg, {18, bottom + 54});
    svg.text({14, bottom + 36},
             std::string("10^9 bytes read + written per second; percent of ") +
                 (shown.is_predicted ? "a copy; lines: range of nine in ten measurements"
                                     : "cudaMemcpy in the same run"),
             Anchor::start, 11, kSecondaryTextColour);
    draw_legend(svg, both, {746, bottom + 54});
    return svg.finish();
}

std::string sectors_chart(const ChartResults& results) {
    const ShownAndPredicted both = select_shown(results);
    Svg svg(760, 460, "Sectors moved and sectors needed");
    const Axis right{70, 640, 1}, up{400, 62, both.shown.axis_max_gbps()};
    svg.text({14, 24}, "GB/s against the useful part of the traffic: " + both.shown.caption(),
             Anchor::start, 14);
    draw_gbps_grid(svg, up, right.first_pixel, right.last_pixel);
    draw_share_axis(svg, right, up);
    draw_traffic_line(svg, right, up, both.shown.copy_gbps);
    const std::vector<NamedPoint> spots =
        list_named_points(both.shown.results, results.simulated, right, up);
    // Draw the headlines last, on top of the other variants.
    for (const bool is_headline : {false, true}) {
        for (const NamedPoint& spot : spots) {
            if (spot.name.empty() == is_headline) continue;
            svg.dot(spot.place, is_headline ? 5 : 3, is_headline ? kStepColour : kRivalColour);
        }
    }
    if (both.predicted) {
        for (const NamedPoint& spot :
             list_named_points(both.predicted->results, results.simulated, right, up)) {
            if (!spot.name.empty()) svg.ring(spot.place, 4, kPredictedColour);
        }
    }
    draw_point_names(svg, spots, right.last_pixel);
    draw_legend(svg, both, {746, 450});
    return svg.finish();
}

std::string sizes_chart(const ChartResults& results) {
    const ShownAndPredicted both = select_shown(results);
    const std::vector<Line> lines = lines_over_sizes(both.shown);
    Svg svg(760, 440, "Bandwidth by size");
    const Axis up{390, 62, both.shown.axis_max_gbps()};
    svg.text({14, 24}, "GB/s by size, square: " + both.shown.source_label(), Anchor::start, 14);
    draw_gbps_grid(svg, up, 70, 620);
    const auto& sides = both.shown.squares;
    const double steps = std::max<double>(1, static_cast<double>(sides.size()) - 1);
    std::map<double, double> place;
    for (const auto& [side, rows] : sides) {
        place[side] = 90 + 510 * static_cast<double>(place.size()) / steps;
        svg.text({place[side], 408}, std::to_string(side), Anchor::middle, 11,
                 kSecondaryTextColour);
    }
    svg.text({345, 428}, "side of the square matrix, in floats", Anchor::middle, 11,
             kSecondaryTextColour);
    std::vector<std::pair<double, std::size_t>> ends;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        draw_line(svg, lines[i], place, up, choose_line_style(i), both.shown.is_predicted);
        ends.emplace_back(up.at(lines[i].points.back().second), i);
    }
    if (both.predicted) draw_rings(svg, lines_over_sizes(*both.predicted), lines, place, up);
    if (both.shown.is_predicted) draw_rings(svg, lines, lines, place, up);
    draw_names(svg, ends, lines, 628);
    draw_legend(svg, both, {746, 432});
    return svg.finish();
}

void draw_charts(const ChartResults& results, const std::string& folder) {
    write_file(folder + "/bandwidth.svg", bandwidth_chart(results));
    write_file(folder + "/sectors.svg", sectors_chart(results));
    write_file(folder + "/sizes.svg", sizes_chart(results));
}

}  // namespace coalesce::proof
