// Draws predicted against measured times.
#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/text.h"
#include "lab/proof/bench/svg.h"
#include "lab/random_times/errors.h"

namespace coalesce::timing {
namespace {

using proof::Anchor;
using proof::kGridColour;
using proof::kSecondaryTextColour;
using proof::Point;
using proof::Svg;

constexpr double kLeft = 80, kRight = 620, kTop = 56, kBottom = 596;
constexpr int kWidth = 660, kHeight = 690;
constexpr std::size_t kNamedDots = 5;
constexpr const char* kDotColour = proof::kBlue;
constexpr const char* kLineColour = proof::kRed;

/// The scale of both axes, from `least` to `most` milliseconds.
struct LogTimeScale {
    double least, most;
    double share(double ms) const { return std::log(ms / least) / std::log(most / least); }
    Point at(double measured, double predicted) const {
        return {kLeft + (kRight - kLeft) * share(measured),
                kBottom - (kBottom - kTop) * share(predicted)};
    }
};

/// Returns a scale with a small margin around all times.
LogTimeScale fit_scale(const std::vector<TimePair>& pairs) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const TimePair& pair : pairs) {
        least = std::min({least, pair.measured, pair.predicted});
        most = std::max({most, pair.measured, pair.predicted});
    }
    if (most == 0) return {0.1, 10};
    return {least / 1.3, most * 1.3};
}

/// Returns 1, 2 and 5 times each power of ten within the scale.
std::vector<double> axis_marks(const LogTimeScale& scale) {
    std::vector<double> marks;
    for (double ten = std::pow(10, std::floor(std::log10(scale.least))); ten < scale.most;
         ten *= 10) {
        for (const double times : {1, 2, 5}) {
            const double mark = ten * times;
            if (mark >= scale.least && mark <= scale.most) marks.push_back(mark);
        }
    }
    return marks;
}

void draw_axes(Svg& svg, const LogTimeScale& scale) {
    for (const double mark : axis_marks(scale)) {
        const Point here = scale.at(mark, mark);
        svg.line({here.x, kTop}, {here.x, kBottom}, kGridColour);
        svg.line({kLeft, here.y}, {kRight, here.y}, kGridColour);
        svg.text({here.x, kBottom + 18}, format("%g", mark), Anchor::middle, 11,
                 kSecondaryTextColour);
        svg.text({kLeft - 8, here.y + 4}, format("%g", mark), Anchor::end, 11,
                 kSecondaryTextColour);
    }
    svg.text({(kLeft + kRight) / 2, kBottom + 40}, "measured, milliseconds", Anchor::middle, 12);
    svg.text({kLeft - 60, kTop - 12}, "predicted, milliseconds", Anchor::start, 12);
}

/// Draws the visible part of the line on which predicted time = `times` * measured time.
void draw_line(Svg& svg, const LogTimeScale& scale, double times, const std::string& dashes) {
    const double from = std::max(scale.least, scale.least / times);
    const double to = std::min(scale.most, scale.most / times);
    svg.line(scale.at(from, from * times), scale.at(to, to * times), kLineColour, 1.2, dashes);
}

void draw_dot(Svg& svg, Point place, bool is_known) {
    svg.dot(place, 4, kDotColour);
    if (!is_known) svg.dot(place, 2.6, proof::kBackgroundColour);
}

/// Draws a letter beside the dot, on the side away from the diagonal lines. The legend in the top
/// left corner explains the letters.
void draw_name(Svg& svg, const TimePair& pair, Point place, int index) {
    const char letter[] = {static_cast<char>('A' + index), '\0'};
    const bool is_above = pair.error() > 0;
    svg.text({place.x + (is_above ? -6 : 6), place.y + (is_above ? -3 : 11)}, letter,
             is_above ? Anchor::end : Anchor::start, 12);
    svg.text({kLeft + 12, kTop + 18 + 15 * index},
             std::string(letter) + ": " + pair.name + format(", %+.0f %%", 100 * pair.error()),
             Anchor::start, 11, kSecondaryTextColour);
}

void draw_letter_legend(Svg& svg) {
    constexpr double y = kBottom + 66;
    draw_dot(svg, {kLeft + 4, y}, true);
    svg.text({kLeft + 14, y + 4}, "a kernel", Anchor::start, 11, kSecondaryTextColour);
    draw_dot(svg, {kLeft + 94, y}, false);
    svg.text({kLeft + 104, y + 4}, "a kernel that the model does not fully cover", Anchor::start,
             11, kSecondaryTextColour);
    svg.line({kLeft + 340, y}, {kLeft + 368, y}, kLineColour, 1.2);
    svg.text({kLeft + 374, y + 4}, "the same", Anchor::start, 11, kSecondaryTextColour);
    svg.line({kLeft + 444, y}, {kLeft + 472, y}, kLineColour, 1.2, "5 3");
    svg.text({kLeft + 478, y + 4}, "10 % off", Anchor::start, 11, kSecondaryTextColour);
}

}  // namespace

std::string draw_svg(const std::vector<TimePair>& pairs, const std::string& title) {
    Svg svg(kWidth, kHeight, title);
    svg.text({kWidth / 2.0, 22}, title, Anchor::middle, 14);
    const LogTimeScale scale = fit_scale(pairs);
    draw_axes(svg, scale);
    draw_line(svg, scale, 1, "");
    draw_line(svg, scale, 1.1, "5 3");
    draw_line(svg, scale, 1 / 1.1, "5 3");
    for (const TimePair& pair : pairs) {
        draw_dot(svg, scale.at(pair.measured, pair.predicted), pair.is_known());
    }
    int named = 0;
    for (const TimePair& pair : find_worst(pairs, kNamedDots)) {
        draw_name(svg, pair, scale.at(pair.measured, pair.predicted), named++);
    }
    draw_letter_legend(svg);
    return svg.finish();
}

}  // namespace coalesce::timing
