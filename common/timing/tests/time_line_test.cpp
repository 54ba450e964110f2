// Tests the timeline of a launch, as text and as a drawing.
#include "timing/time_line.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "timing/tests/samples.h"
#include "timing/time_line_svg.h"

using namespace coalesce::timing;

namespace {

/// Returns the row of the text that has the given label.
std::string row_of(const std::string& text, const std::string& label) {
    for (const std::string& line : coalesce::lines_of(text)) {
        const std::size_t bar = line.find('|');
        if (bar != line.npos && line.substr(0, line.find_last_not_of(' ', bar - 1) + 1) == label) {
            return line.substr(bar + 1);
        }
    }
    return "no row " + label;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("lesson 04, drawn with 60 columns, has no loads in flight between groups of loads") {
    CHECK(time_line_text(samples::like_04(), 60) ==
          R"(padded: one multiprocessor (predicted, NVIDIA H200, within
8 %)
16 KB needed  |---------------------------------------------
              |
              |     ::::::.               .:::::.
              |    .########:            .########:.
in flight     |   :###########:..       .############..
0             |xxx______________xxxxxxxxx______________xxxxx
stores        |               .:####:.               :=###:.
at barriers   |          ..::==:.              ...:==::
wait for loads|   .=#######==:..        .:########=::..
at work       |               .:####:.               :=###=.
place 1 of 2  |[=====================[=====================[
place 2 of 2  |=[=====================[=====================
cycles        |0        |1000    |2000     |3000    |4000
x: nothing is in flight. .:=#: low to high. [==]: a block.
)");
}

TEST_CASE("lesson 04 has gaps, and lesson 05 has none") {
    const std::string gaps = row_of(time_line_text(samples::like_04()), "0");
    CHECK(gaps.substr(0, 3) == "xxx");
    CHECK(count_of(gaps, "_x") == 2);
    CHECK(row_of(time_line_text(samples::like_05()), "0").find_first_not_of('_') ==
          std::string::npos);
}

TEST_CASE("the line of required bytes is above 04's curve, and below the maximum of 05's") {
    CHECK(row_of(time_line_text(samples::like_04()), "16 KB needed").find_first_not_of('-') ==
          std::string::npos);
    const std::string text = time_line_text(samples::like_05());
    CHECK(text.find("16 KB needed") > text.find("23 KB"));
    CHECK(row_of(text, "16 KB needed").find('-') == std::string::npos);
}

TEST_CASE("the text has at most 16 lines, without overlong lines or trailing blanks") {
    for (Prediction p : {samples::like_04(), samples::like_05()}) {
        for (int width = 0; width <= 200; width += width < 90 ? 1 : 10) {
            for (const char* gpu :
                 {"NVIDIA H200", "NVIDIA GeForce RTX 4090 Laptop GPU, unlike others"}) {
                p.gpu = gpu;
                p.kernel = std::string(static_cast<std::size_t>(width), 'k');
                const auto lines = coalesce::lines_of(time_line_text(p, width));
                CHECK(lines.size() <= 16);
                for (const std::string& line : lines) {
                    CHECK(line.size() <= static_cast<std::size_t>(std::max(width, 40)));
                    CHECK(line.find_last_not_of(' ') + 1 == line.size());
                }
            }
        }
    }
}

TEST_CASE("if there are many positions, three of them are shown, with the total number") {
    const std::string text = time_line_text(samples::like_05());
    CHECK(count_of(text, "\nplace ") == 3);
    CHECK(count_of(text, "\nplace 3 of 8") == 1);
}

TEST_CASE("the text is ASCII without control characters") {
    Prediction p = samples::like_05();
    p.kernel = "\xc3\xa9\x1b[1m";
    for (const char c : time_line_text(p)) CHECK((c == '\n' || (c >= ' ' && c <= '~')));
}

TEST_CASE("any number of columns preserves the means and sums of moments") {
    TimeLine line{.cycles_per_moment = 10, .moments = {}, .blocks = {}};
    for (const double bytes : {0.0, 100.0, 200.0, 300.0}) {
        line.moments.push_back({.bytes_in_flight = bytes,
                                .bytes_stored = 0,
                                .warps_at_barrier = bytes / 100,
                                .warps_waiting_for_loads = 0,
                                .warps_working = 0});
    }
    const auto halves = average_columns(line, 2);
    CHECK(halves[0].mean.bytes_in_flight == doctest::Approx(50));
    CHECK(halves[1].mean.warps_at_barrier == doctest::Approx(2.5));
    CHECK(halves[0].fraction_without_loads == doctest::Approx(0.5));
    CHECK(halves[1].fraction_without_loads == 0);
    const auto thirds = average_columns(line, 3);
    CHECK(thirds[0].mean.bytes_in_flight == doctest::Approx(25));
    const auto eighths = average_columns(line, 8);
    CHECK(eighths[7].mean.bytes_in_flight == doctest::Approx(300));
    double sum = 0;
    for (const TimeLineColumn& column : average_columns(line, 7))
        sum += column.mean.bytes_in_flight;
    CHECK(sum / 7 == doctest::Approx(150));
}

TEST_CASE("even a single load in flight is visible") {
    Prediction p = samples::like_04();
    p.time_line.moments.assign(65, Moment{});
    p.time_line.moments[30].bytes_in_flight = 128;
    const std::string text = time_line_text(p);
    CHECK(row_of(text, "in flight") == std::string(30, ' ') + ".");
    CHECK(row_of(text, "0")[30] == '_');
    CHECK(count_of(row_of(text, "0"), "x") == 64);
}

TEST_CASE("blocks are cut off where the timeline ends") {
    Prediction p = samples::like_04();
    p.time_line.moments.assign(65, Moment{});
    p.time_line.blocks = {{5, -10, 10}, {5, 12, 30}, {5, 60, 99}, {7, 100, 120}};
    const std::string place = row_of(time_line_text(p), "place 1 of 2");
    CHECK(place == "=========]  [================]                              [====");
    CHECK(row_of(time_line_text(p), "place 2 of 2").empty());
}

TEST_CASE("there are few tick marks, and they are at round numbers of cycles") {
    CHECK(choose_tick_step(4800, 8) == 1000);
    CHECK(choose_tick_step(4800, 3) == 2000);
    CHECK(choose_tick_step(90, 10) == 10);
    CHECK(choose_tick_step(0.9, 3) == doctest::Approx(0.5));
}

TEST_CASE("an empty timeline is replaced with a sentence") {
    Prediction p = samples::like_04();
    p.time_line = {};
    CHECK(time_line_text(p) ==
          "padded: one multiprocessor (predicted, NVIDIA H200, within 8 %)\n"
          "The model has no timeline for this launch.\n");
    CHECK(count_of(time_line_svg(p), "The model has no timeline for this launch.") == 1);
}

TEST_CASE("the drawing has a description, and light and dark colours") {
    const std::string svg = time_line_svg(samples::like_04());
    CHECK(svg.substr(0, 70).find("class=\"diagram\"") != std::string::npos);
    CHECK(count_of(
              svg,
              "<title>padded: one multiprocessor (predicted, NVIDIA H200, within 8 %)</title>") ==
          1);
    CHECK(count_of(svg,
                   "3.4 KB are in flight; 16 KB are needed. For 38 % of the time nothing is in "
                   "flight.</desc>") == 1);
    CHECK(count_of(svg, "prefers-color-scheme: dark") == 1);
    CHECK(count_of(svg, "class=\"needed\"") == 2);
    // After its style sheet, the drawing contains no colours, so that a page can set them.
    CHECK(svg.substr(svg.find("</style>")).find('#') == std::string::npos);
}

TEST_CASE("the drawing has three gaps for lesson 04, and none for lesson 05") {
    CHECK(count_of(time_line_svg(samples::like_04()), ">nothing<") == 2);
    CHECK(count_of(time_line_svg(samples::like_04()), "<rect class=\"waste\"") == 4);
    CHECK(count_of(time_line_svg(samples::like_05()), "<rect class=\"waste\"") == 1);
}

TEST_CASE("drawings of long timelines are small") {
    Prediction p = samples::like_04();
    p.time_line.moments.resize(100000);
    for (std::size_t i = 0; i < p.time_line.moments.size(); ++i) {
        p.time_line.moments[i].bytes_in_flight = static_cast<double>(i * 7919 % 20000);
    }
    CHECK(time_line_svg(p).size() < 40000);
}
