#include "proof/bench/charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/files.h"
#include "harness/result.h"
#include "harness/text.h"
#include "proof/bench/svg.h"

namespace coalesce::proof {
namespace {

constexpr const char* kStepColour = "#2f6f9f";
constexpr const char* kRivalColour = "#a9a9a9";
constexpr const char* kCopyColour = "#b5541c";
/// One for each line of a chart: told apart by eyes that see no red, or no green.
constexpr const char* kLineColours[] = {"#b5541c", "#7a7a7a", "#d89000", "#009e73", "#56b4e9",
                                        "#0072b2", "#cc79a7", "#5d3a9b", "#000000", "#8c6d31"};

bool is_rival(const Json& result) {
    return result.value("step", "") == "rivals";
}

bool is_timed(const Json& result) {
    return result.contains("gbps") && result.value("verified", false);
}

std::string shape_of(const Json& result) {
    return Shape{result.at("rows"), result.at("cols")}.name();
}

/// Host code and transfers are slower by a factor of 40 and more: they would not be seen.
bool is_of_device(const Json& result) {
    static const std::set<std::string> others{"host_to_device", "device_to_host", "cpu_serial",
                                              "cpu_parallel"};
    return !others.contains(result.value("variant", ""));
}

/// The first of each step, and every rival but the copy, which is a line of its own.
std::vector<Json> headlines(const Json& results) {
    std::vector<Json> chosen;
    std::set<std::string> seen;
    for (const Json& result : results) {
        const bool is_first = seen.insert(result.value("step", "")).second;
        if (!is_timed(result) || result.value("variant", "") == "memcpy") continue;
        if (is_first || is_rival(result)) chosen.push_back(result);
    }
    return chosen;
}

std::string label_of(const Json& result) {
    return result.value(is_rival(result) ? "variant" : "step", "");
}

std::string caption(const Json& measured) {
    return measured["device"].value("name", "") + ", " + shape_of(measured["results"].at(0)) +
           " floats, measured";
}

/// What cudaMemcpy reached in the same run; 0 when it was not timed.
double copy_gbps(const Json& measured) {
    for (const Json& result : measured.at("results")) {
        if (result.value("variant", "") == "memcpy" && is_timed(result)) return result["gbps"];
    }
    return 0;
}

/// Numbers along an axis, in pixels.
struct Axis {
    double first_pixel, last_pixel, most;
    double at(double value) const {
        return first_pixel + (last_pixel - first_pixel) * value / most;
    }
};

/// The next thousand above the peak.
double most_gbps(const Json& measured) {
    return 1000 * std::ceil(measured["device"].value("peak_gbps", 5000.0) / 1000 + 0.01);
}

void draw_gbps_grid(Svg& svg, const Axis& up, double left, double right) {
    for (double gbps = 0; gbps <= up.most; gbps += 1000) {
        svg.line({left, up.at(gbps)}, {right, up.at(gbps)}, kGridColour);
        svg.text({left - 6, up.at(gbps) + 4}, format("%.0f", gbps), Anchor::end, 11, kQuiet);
    }
}

// ---- bandwidth by step ----

void draw_bar(Svg& svg, const Json& result, const Axis& right, double y) {
    constexpr double height = 16;
    const double gbps = result["gbps"];
    svg.text({right.first_pixel - 8, y + 13}, label_of(result), Anchor::end);
    svg.box({right.first_pixel, y}, right.at(gbps) - right.first_pixel, height,
            is_rival(result) ? kRivalColour : kStepColour);
    svg.text({right.last_pixel + 50, y + 13}, format("%.0f", gbps), Anchor::end, 11, kQuiet);
    svg.text({right.last_pixel + 100, y + 13},
             format("%.1f %%", 100 * result.value("of_copy", 0.0)), Anchor::end, 11, kQuiet);
}

void draw_ceiling(Svg& svg, const Axis& right, double gbps, const std::string& name, double bottom,
                  Anchor anchor) {
    svg.line({right.at(gbps), 40}, {right.at(gbps), bottom}, kCopyColour, 1.5, "5 3");
    const double gap = anchor == Anchor::end ? -4 : 4;
    svg.text({right.at(gbps) + gap, 50}, name + format(" %.0f", gbps), anchor, 11, kCopyColour);
}

// ---- sectors ----

std::map<std::string, double> useful_shares(const Json& simulated) {
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
    svg.text({right.at(0.62), up.at(0.62 * copy) - 10}, "were traffic all that counts", Anchor::end,
             11, kCopyColour);
}

void draw_share_axis(Svg& svg, const Axis& right, const Axis& up) {
    for (int percent = 0; percent <= 100; percent += 25) {
        const double x = right.at(percent / 100.0);
        svg.line({x, up.at(0)}, {x, up.at(up.most)}, kGridColour);
        svg.text({x, up.at(0) + 16}, format("%d %%", percent), Anchor::middle, 11, kQuiet);
    }
    svg.text({(right.at(0) + right.at(1)) / 2, up.at(0) + 36},
             "useful part of the sectors that warps ask for (simulated)", Anchor::middle, 11,
             kQuiet);
}

/// One variant in the picture.
struct Spot {
    Point place;
    std::string name;  ///< of a headline; others have none
};

std::vector<Spot> spots_of(const Json& measured, const Json& simulated, const Axis& right,
                           const Axis& up) {
    const auto shares = useful_shares(simulated);
    std::set<std::string> seen;
    std::vector<Spot> spots;
    for (const Json& result : measured.at("results")) {
        const auto share =
            shares.find(result.value("step", "") + " " + result.value("variant", ""));
        if (!is_timed(result) || share == shares.end() || !is_of_device(result)) continue;
        const bool is_headline = seen.insert(result.value("step", "")).second;
        spots.push_back({{right.at(share->second), up.at(result["gbps"])},
                         is_headline ? label_of(result) : ""});
    }
    return spots;
}

/// Beside their dots; those at the right edge in a column of their own, pushed apart.
void name_spots(Svg& svg, std::vector<Spot> spots, double edge) {
    std::ranges::sort(spots, {}, [](const Spot& spot) { return spot.place.y; });
    double free_from = 0;
    for (const Spot& spot : spots) {
        if (spot.name.empty()) continue;
        double x = spot.place.x + 8, y = spot.place.y;
        if (spot.place.x > edge - 60) {
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
    std::vector<std::pair<double, double>> points;  ///< side, GB/s
};

/// The squares of a file, by side.
std::map<int, Json> squares(const Json& measured) {
    std::map<int, Json> by_side;
    const auto add = [&](const Json& results) {
        if (results.empty() || results[0]["rows"] != results[0]["cols"]) return;
        by_side[results[0]["rows"].get<int>()] = results;
    };
    add(measured.at("results"));
    for (const Json& size : measured.value("other_sizes", Json::array())) add(size.at("results"));
    return by_side;
}

std::vector<Line> lines_over_sizes(const Json& measured) {
    std::vector<Line> lines;
    const auto add = [&](const std::string& name, double side, double gbps) {
        auto line = std::ranges::find(lines, name, &Line::name);
        if (line == lines.end()) line = lines.insert(line, {name, {}});
        line->points.emplace_back(side, gbps);
    };
    for (const auto& [side, results] : squares(measured)) {
        for (const Json& result : results) {
            if (result.value("variant", "") == "memcpy" && !is_rival(result) && is_timed(result)) {
                add("memcpy", side, result["gbps"]);
            }
        }
        for (const Json& result : headlines(results)) {
            if (!is_rival(result)) add(label_of(result), side, result["gbps"]);
        }
    }
    return lines;
}

/// `place` has the sides along the axis.
void draw_line(Svg& svg, const Line& line, std::map<double, double>& place, const Axis& up,
               const char* colour) {
    for (std::size_t i = 0; i < line.points.size(); ++i) {
        const auto [side, gbps] = line.points[i];
        const Point to{place[side], up.at(gbps)};
        svg.dot(to, 3, colour);
        if (i == 0) continue;
        const auto [side_before, gbps_before] = line.points[i - 1];
        svg.line({place[side_before], up.at(gbps_before)}, to, colour, 1.5);
    }
}

/// Names at the right end of the lines, pushed apart where they would lie on each other.
void draw_names(Svg& svg, std::vector<std::pair<double, std::size_t>> ends,
                const std::vector<Line>& lines, double x) {
    std::ranges::sort(ends);
    double free_from = 0;
    for (const auto& [wanted, index] : ends) {
        const double y = std::max(wanted, free_from);
        svg.text({x, y + 4}, lines[index].name, Anchor::start, 11,
                 kLineColours[index % std::size(kLineColours)]);
        free_from = y + 14;
    }
}

}  // namespace

std::string bandwidth_chart(const Json& measured) {
    const std::vector<Json> bars = headlines(measured.at("results"));
    constexpr double row = 22, top = 60;
    const double bottom = top + row * static_cast<double>(bars.size());
    Svg svg(760, static_cast<int>(bottom) + 30, "Bandwidth by step");
    const Axis right{150, 640, most_gbps(measured)};
    svg.text({14, 24}, "GB/s by step: " + caption(measured), Anchor::start, 14);
    const double peak = measured["device"].value("peak_gbps", 0.0);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        draw_bar(svg, bars[i], right, top + row * static_cast<double>(i));
    }
    draw_ceiling(svg, right, copy_gbps(measured), "copy", bottom, Anchor::end);
    if (peak > 0) draw_ceiling(svg, right, peak, "peak", bottom, Anchor::start);
    svg.text({14, bottom + 20},
             "10^9 bytes read + written a second; percent of cudaMemcpy in the "
             "same run",
             Anchor::start, 11, kQuiet);
    return svg.finished();
}

std::string sectors_chart(const Json& measured, const Json& simulated) {
    Svg svg(760, 460, "Sectors moved against sectors useful");
    const Axis right{70, 640, 1}, up{400, 50, most_gbps(measured)};
    svg.text({14, 24}, "GB/s against the useful part of the traffic: " + caption(measured),
             Anchor::start, 14);
    draw_gbps_grid(svg, up, right.first_pixel, right.last_pixel);
    draw_share_axis(svg, right, up);
    draw_traffic_line(svg, right, up, copy_gbps(measured));
    const std::vector<Spot> spots = spots_of(measured, simulated, right, up);
    // Headlines lie on top of the others.
    for (const bool is_headline : {false, true}) {
        for (const Spot& spot : spots) {
            if (spot.name.empty() == is_headline) continue;
            svg.dot(spot.place, is_headline ? 5 : 3, is_headline ? kStepColour : kRivalColour);
        }
    }
    name_spots(svg, spots, right.last_pixel);
    return svg.finished();
}

std::string sizes_chart(const Json& measured) {
    const std::vector<Line> lines = lines_over_sizes(measured);
    Svg svg(760, 440, "Bandwidth by size");
    const Axis up{390, 50, most_gbps(measured)};
    svg.text({14, 24},
             "GB/s by size, square: " + measured["device"].value("name", "") + ", measured",
             Anchor::start, 14);
    draw_gbps_grid(svg, up, 70, 620);
    const auto sides = squares(measured);
    const double steps = std::max<double>(1, static_cast<double>(sides.size()) - 1);
    std::map<double, double> place;
    for (const auto& [side, results] : sides) {
        place[side] = 90 + 510 * static_cast<double>(place.size()) / steps;
        svg.text({place[side], 408}, std::to_string(side), Anchor::middle, 11, kQuiet);
    }
    std::vector<std::pair<double, std::size_t>> ends;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        draw_line(svg, lines[i], place, up, kLineColours[i % std::size(kLineColours)]);
        ends.emplace_back(up.at(lines[i].points.back().second), i);
    }
    draw_names(svg, ends, lines, 628);
    return svg.finished();
}

void draw_charts(const Json& measured, const Json& simulated, const std::string& folder) {
    write_file(folder + "/bandwidth.svg", bandwidth_chart(measured));
    write_file(folder + "/sectors.svg", sectors_chart(measured, simulated));
    write_file(folder + "/sizes.svg", sizes_chart(measured));
}

}  // namespace coalesce::proof
