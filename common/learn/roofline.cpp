#include "learn/roofline.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "examiner/safe_text.h"
#include "harness/text.h"
#include "timing/diagram_style.h"

namespace coalesce::learn {
namespace {

/// The number of schedulers of a multiprocessor. Each scheduler issues at most one instruction per
/// cycle.
constexpr double kSchedulersPerMultiprocessor = 4;

/// The range of intensities (instructions per byte) that a drawing shows, as exponents of ten.
constexpr double kFirstPower = -2, kLastPower = 1;

/// Returns the horizontal position of an intensity in a drawing, from 0 to 1.
double horizontal_fraction(double intensity) {
    const double power = std::log10(intensity);
    return std::clamp((power - kFirstPower) / (kLastPower - kFirstPower), 0.0, 1.0);
}

/// Returns the vertical position of a rate in a drawing, from 0 at the bottom to 1 at the peak.
double vertical_fraction(const Roofline& roofline, double rate) {
    const double lowest_rate = roofline.attainable(std::pow(10, kFirstPower));
    const double highest_rate = roofline.ginstructions;
    return std::clamp(std::log(rate / lowest_rate) / std::log(highest_rate / lowest_rate), 0.0,
                      1.0);
}

char find_letter(std::size_t point) {
    return static_cast<char>('A' + point % 26);
}

/// Returns the intensity, in instructions per byte, at a horizontal position from 0 to 1.
double intensity_at(double horizontal_position) {
    return std::pow(10, kFirstPower + horizontal_position * (kLastPower - kFirstPower));
}

std::string svg_line(double x0, double y0, double x1, double y1) {
    return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x0, y0, x1, y1);
}

std::string svg_text(double x, double y, const std::string& text) {
    return format("<text x=\"%.1f\" y=\"%.1f\">", x, y) + escape_xml(text) + "</text>\n";
}

/// Finds places for the names of points, so that no two names overlap.
class Labels {
public:
    /// Returns the text as SVG, at the first free position at or below (x, y).
    std::string place_label(double x, double y, const std::string& text) {
        const double width = kPixelsPerCharacter * static_cast<double>(text.size());
        const auto overlaps = [&](const Label& other_label) {
            return std::abs(other_label.y - y) < kLinePixels &&
                   x < other_label.x + other_label.width && other_label.x < x + width;
        };
        while (std::ranges::any_of(placed_labels_, overlaps)) y += kLinePixels;
        placed_labels_.push_back({x, y, width});
        return svg_text(x, y, text);
    }

private:
    struct Label {
        double x, y, width;
    };
    static constexpr double kPixelsPerCharacter = 7.5, kLinePixels = 15;
    std::vector<Label> placed_labels_;
};

/// Draws the limits of memory, of the L2 cache if it is known, and of instructions.
/// `x` and `y` return positions in pixels.
std::string svg_limits(const Roofline& roofline, const auto& x, const auto& y, Labels& labels) {
    const double min_intensity = std::pow(10, kFirstPower),
                 max_intensity = std::pow(10, kLastPower);
    const double peak = roofline.ginstructions;
    std::string text = "<g stroke-width=\"2\">\n" +
                       svg_line(x(min_intensity), y(roofline.attainable(min_intensity)),
                                x(roofline.ridge()), y(peak)) +
                       svg_line(x(roofline.ridge()), y(peak), x(max_intensity), y(peak)) + "</g>\n";
    if (roofline.cache_gbps <= roofline.gbps) return text;
    const double start = y(roofline.cache_gbps * min_intensity), end = y(peak);
    const double middle = (x(min_intensity) + x(roofline.ridge())) / 2;
    return text + "<g stroke-width=\"1\" stroke-dasharray=\"6 4\">\n" +
           svg_line(x(min_intensity), start, x(roofline.cache_ridge()), end) + "</g>\n" +
           labels.place_label(x(min_intensity) + 8, end + (start - end) / 7, "L2 cache") +
           labels.place_label(middle + 14, (y(roofline.attainable(min_intensity)) + end) / 2,
                              "memory");
}

}  // namespace

double Roofline::attainable(double intensity) const {
    return std::min(ginstructions, intensity * gbps);
}

bool Roofline::is_bound_by_memory(const RooflinePoint& point) const {
    return point.intensity() < ridge();
}

Roofline make_roofline(const timing::Gpu& gpu) {
    const double cycles_per_ns = gpu.multiprocessors * gpu.clock_ghz;
    return {.gpu = gpu.name,
            .gbps = gpu.copy_gbps,
            .cache_gbps = cycles_per_ns * gpu.l2_read_bytes_per_cycle,
            .ginstructions = cycles_per_ns * kSchedulersPerMultiprocessor / gpu.add_issue_cycles};
}

RooflinePoint make_point(const std::string& name, const Counters& counters) {
    return {name, static_cast<double>(counters.warp_instructions),
            static_cast<double>(counters.bytes_moved())};
}

std::string roofline_text(const Roofline& roofline) {
    constexpr int width = 61, height = 13;
    std::vector<std::string> lines(height, std::string(width, ' '));
    const auto row = [&](double rate) {
        return height - 1 -
               static_cast<int>(std::lround(vertical_fraction(roofline, rate) * (height - 1)));
    };
    const auto put_letter = [&](int column, double rate, char letter) {
        lines[static_cast<std::size_t>(row(rate))][static_cast<std::size_t>(column)] = letter;
    };
    for (int column = 0; column < width; ++column) {
        const double intensity = intensity_at(static_cast<double>(column) / (width - 1));
        put_letter(column, roofline.attainable(intensity),
                   intensity < roofline.ridge() ? '/' : '-');
    }
    for (std::size_t i = 0; i < roofline.points.size(); ++i) {
        const double intensity = roofline.points[i].intensity();
        put_letter(static_cast<int>(std::lround(horizontal_fraction(intensity) * (width - 1))),
                   roofline.attainable(intensity), find_letter(i));
    }
    std::string text = "Maximum rate in 10^9 warp instructions per second (" + roofline.gpu + ")\n";
    for (int i = 0; i < height; ++i) {
        const std::string label =
            i == 0            ? format("%8.0f", roofline.ginstructions)
            : i == height - 1 ? format("%8.0f", roofline.attainable(std::pow(10, kFirstPower)))
                              : std::string(8, ' ');
        std::string line = label + " |" + lines[static_cast<std::size_t>(i)];
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    const std::string axis(width, '-');
    return text + std::string(9, ' ') + "+" + axis + "\n" + std::string(10, ' ') +
           "0.01                0.1                  1                 10\n" +
           std::string(10, ' ') + "warp instructions per byte\n";
}

std::string roofline_svg(const Roofline& roofline) {
    constexpr double width = 640, height = 360, left = 70, right = 620, top = 30, bottom = 310;
    const auto x = [&](double intensity) {
        return left + horizontal_fraction(intensity) * (right - left);
    };
    const auto y = [&](double rate) {
        return bottom - vertical_fraction(roofline, rate) * (bottom - top);
    };
    std::string text =
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>Roofline, ",
            width, height, width, height) +
        escape_xml(roofline.gpu) + "</title>\n" + kDiagramStyle +
        ".diagram line { stroke: var(--d-ink); }\n</style>\n" +
        format("<rect class=\"page\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height) +
        "<g stroke-width=\"1\">\n";
    Labels labels;
    text += svg_line(left, bottom, right, bottom) + svg_line(left, bottom, left, top);
    text += "</g>\n" + svg_limits(roofline, x, y, labels);
    for (const double tick : {.01, .1, 1., 10.}) {
        text += svg_text(x(tick) - 10, bottom + 18, format_short(tick));
    }
    text += svg_text(left, bottom + 38, "warp instructions per byte (simulated)") +
            svg_text(left, top - 12,
                     "Maximum rate in 10^9 warp instructions per second, on " + roofline.gpu +
                         " (predicted)");
    for (const RooflinePoint& point : roofline.points) {
        const double point_x = x(point.intensity()), rate = roofline.attainable(point.intensity());
        // The labels of the axis are below it, so put the name of a point on the axis above the
        // point.
        const double label_offset = y(rate) + 16 < bottom ? 16 : -6;
        text +=
            format("<circle class=\"used\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", point_x, y(rate)) +
            labels.place_label(point_x + 9, y(rate) + label_offset, point.name);
    }
    return text + "</svg>\n";
}

std::string explain_roofline(const Roofline& roofline) {
    std::string text;
    for (std::size_t i = 0; i < roofline.points.size(); ++i) {
        const RooflinePoint& point = roofline.points[i];
        const bool is_memory_bound = roofline.is_bound_by_memory(point);
        const double times = is_memory_bound ? roofline.ridge() / point.intensity()
                                             : point.intensity() / roofline.ridge();
        text +=
            wrap(std::string(1, find_letter(i)) + ", " + point.name + ": " +
                 format_short(point.intensity()) + " instructions per byte (simulated). " +
                 (is_memory_bound
                      ? "Memory is the limit. With more than " + format_short(times) +
                            " times as many instructions per byte, instructions would be the "
                            "limit."
                      : "Instructions are the limit. The kernel executes " + format_short(times) +
                            " times as many instructions per byte as the GPU can execute in the "
                            "time that memory needs for a byte."));
    }
    const std::string cache = roofline.cache_gbps <= roofline.gbps
                                  ? ""
                                  : " If all sectors are in the L2 cache, which delivers " +
                                        format_short(roofline.cache_gbps) +
                                        " GB/s, the two limits meet at " +
                                        format_short(roofline.cache_ridge()) + ".";
    return text + wrap("The two limits meet at " + format_short(roofline.ridge()) +
                       " instructions per byte: " + format_short(roofline.ginstructions) +
                       " billion instructions per second, and " + format_short(roofline.gbps) +
                       " GB/s." + cache +
                       " All warp instructions count, and so do the bytes of all sectors, even of "
                       "those that are in a cache. All limits are predicted.");
}

}  // namespace coalesce::learn
