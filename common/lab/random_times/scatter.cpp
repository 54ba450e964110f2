// Draws predicted against measured times.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/text.h"
#include "lab/proof/bench/svg.h"
#include "lab/random_times/errors.h"

namespace coalesce::timing {
namespace {

using proof::kGridColour;
using proof::kSecondaryTextColour;
using proof::Point;
using proof::Svg;
using proof::TextAnchor;

constexpr double kLeftPixel = 80, kRightPixel = 620, kTopPixel = 56, kBottomPixel = 596;
constexpr int kWidthPixels = 660, kHeightPixels = 690;
constexpr std::size_t kMaxNamedDots = 5;
constexpr const char* kDotColour = proof::kBlue;
constexpr const char* kLineColour = proof::kRed;

/// The scale of both axes, from `min_ms` to `max_ms`.
struct LogTimeScale {
    double min_ms, max_ms;
    double fraction_of_axis(double ms) const {
        return std::log(ms / min_ms) / std::log(max_ms / min_ms);
    }
    Point position_of(double measured, double predicted) const {
        return {kLeftPixel + (kRightPixel - kLeftPixel) * fraction_of_axis(measured),
                kBottomPixel - (kBottomPixel - kTopPixel) * fraction_of_axis(predicted)};
    }
};

/// Returns a scale with a small margin around all times.
LogTimeScale fit_scale(const std::vector<TimePair>& pairs) {
    double min_ms = std::numeric_limits<double>::infinity(), max_ms = 0;
    for (const TimePair& pair : pairs) {
        min_ms = std::min({min_ms, pair.measured, pair.predicted});
        max_ms = std::max({max_ms, pair.measured, pair.predicted});
    }
    if (max_ms == 0) return {0.1, 10};
    return {min_ms / 1.3, max_ms * 1.3};
}

/// Returns 1, 2 and 5 times each power of ten within the scale.
std::vector<double> list_axis_marks(const LogTimeScale& scale) {
    std::vector<double> marks;
    for (double power_of_ten = std::pow(10, std::floor(std::log10(scale.min_ms)));
         power_of_ten < scale.max_ms; power_of_ten *= 10) {
        for (const double times : {1, 2, 5}) {
            const double mark = power_of_ten * times;
            if (mark >= scale.min_ms && mark <= scale.max_ms) marks.push_back(mark);
        }
    }
    return marks;
}

void draw_axes(Svg& svg, const LogTimeScale& scale) {
    for (const double mark : list_axis_marks(scale)) {
        const Point mark_position = scale.position_of(mark, mark);
        svg.line({mark_position.x, kTopPixel}, {mark_position.x, kBottomPixel}, kGridColour);
        svg.line({kLeftPixel, mark_position.y}, {kRightPixel, mark_position.y}, kGridColour);
        svg.text({mark_position.x, kBottomPixel + 18}, format("%g", mark), TextAnchor::middle, 11,
                 kSecondaryTextColour);
        svg.text({kLeftPixel - 8, mark_position.y + 4}, format("%g", mark), TextAnchor::end, 11,
                 kSecondaryTextColour);
    }
    svg.text({(kLeftPixel + kRightPixel) / 2, kBottomPixel + 40}, "measured, milliseconds",
             TextAnchor::middle, 12);
    svg.text({kLeftPixel - 60, kTopPixel - 12}, "predicted, milliseconds", TextAnchor::start, 12);
}

/// Draws the visible part of the line on which predicted time = `times` * measured time.
void draw_line(Svg& svg, const LogTimeScale& scale, double times, const std::string& dashes) {
    const double from = std::max(scale.min_ms, scale.min_ms / times);
    const double to = std::min(scale.max_ms, scale.max_ms / times);
    svg.line(scale.position_of(from, from * times), scale.position_of(to, to * times), kLineColour,
             1.2, dashes);
}

void draw_dot(Svg& svg, Point position, bool is_fully_modelled) {
    svg.dot(position, 4, kDotColour);
    if (!is_fully_modelled) svg.dot(position, 2.6, proof::kBackgroundColour);
}

/// Draws a letter beside the dot, on the side away from the diagonal lines. The legend in the top
/// left corner explains the letters.
void draw_name(Svg& svg, const TimePair& pair, Point position, int index) {
    const char letter[] = {static_cast<char>('A' + index), '\0'};
    const bool is_slower_than_measured = pair.relative_error() > 0;
    svg.text({position.x + (is_slower_than_measured ? -6 : 6),
              position.y + (is_slower_than_measured ? -3 : 11)},
             letter, is_slower_than_measured ? TextAnchor::end : TextAnchor::start, 12);
    svg.text(
        {kLeftPixel + 12, kTopPixel + 18 + 15 * index},
        std::string(letter) + ": " + pair.name + format(", %+.0f %%", 100 * pair.relative_error()),
        TextAnchor::start, 11, kSecondaryTextColour);
}

void draw_letter_legend(Svg& svg) {
    constexpr double y = kBottomPixel + 66;
    draw_dot(svg, {kLeftPixel + 4, y}, true);
    svg.text({kLeftPixel + 14, y + 4}, "a kernel", TextAnchor::start, 11, kSecondaryTextColour);
    draw_dot(svg, {kLeftPixel + 94, y}, false);
    svg.text({kLeftPixel + 104, y + 4}, "a kernel that the model does not fully cover",
             TextAnchor::start, 11, kSecondaryTextColour);
    svg.line({kLeftPixel + 340, y}, {kLeftPixel + 368, y}, kLineColour, 1.2);
    svg.text({kLeftPixel + 374, y + 4}, "the same", TextAnchor::start, 11, kSecondaryTextColour);
    svg.line({kLeftPixel + 444, y}, {kLeftPixel + 472, y}, kLineColour, 1.2, "5 3");
    svg.text({kLeftPixel + 478, y + 4}, "10 % off", TextAnchor::start, 11, kSecondaryTextColour);
}

}  // namespace

std::string draw_svg(const std::vector<TimePair>& pairs, const std::string& title) {
    Svg svg(kWidthPixels, kHeightPixels, title);
    svg.text({kWidthPixels / 2.0, 22}, title, TextAnchor::middle, 14);
    const LogTimeScale scale = fit_scale(pairs);
    draw_axes(svg, scale);
    draw_line(svg, scale, 1, "");
    draw_line(svg, scale, 1.1, "5 3");
    draw_line(svg, scale, 1 / 1.1, "5 3");
    for (const TimePair& pair : pairs) {
        draw_dot(svg, scale.position_of(pair.measured, pair.predicted), pair.is_fully_modelled());
    }
    int named_dots = 0;
    for (const TimePair& pair : find_worst_pairs(pairs, kMaxNamedDots)) {
        draw_name(svg, pair, scale.position_of(pair.measured, pair.predicted), named_dots++);
    }
    draw_letter_legend(svg);
    return svg.finish();
}

}  // namespace coalesce::timing
