// Tests the roofline model: its limits, its points, and both drawings.

#include "learn/roofline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "expect.h"

using namespace coalesce;
using namespace coalesce::learn;

namespace {

Roofline a_roofline() {
    return {.gpu = "A <GPU>",
            .gbps = 1000,
            .ginstructions = 400,
            .points = {{"yours", 100, 1000}, {"solution", 900, 1000}}};
}

}  // namespace

TEST_CASE("memory limits performance to the left of the ridge, instructions to the right") {
    const Roofline roofline = a_roofline();
    CHECK(roofline.ridge() == doctest::Approx(.4));
    CHECK(roofline.is_bound_by_memory(roofline.points[0]));
    CHECK_FALSE(roofline.is_bound_by_memory(roofline.points[1]));
    CHECK(roofline.attainable(.1) == doctest::Approx(100));
    CHECK(roofline.attainable(.9) == doctest::Approx(400));
    const std::string text = explain_roofline(roofline);
    CHECK(text.find("A, yours: 0.1 instructions per byte (simulated). Memory is the limit") !=
          text.npos);
    CHECK(text.find("Instructions are the limit") != text.npos);
    CHECK(text.find("2.25 times") != text.npos);
    CHECK(text.find("predicted") != text.npos);
}

TEST_CASE("the drawing fits a terminal, and each point is on the roof") {
    const std::string text = roofline_text(a_roofline());
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        CHECK(line.size() <= 80);
        lines.push_back(line);
    }
    REQUIRE(lines.size() > 3);
    CHECK(lines.size() <= 20);
    // The solution is on the flat part of the roof, which is the first line of the drawing.
    CHECK(lines[1].find('B') != std::string::npos);
    CHECK(lines[1].find('A') == std::string::npos);
    CHECK(std::count(text.begin() + static_cast<std::ptrdiff_t>(lines[0].size()), text.end(),
                     'A') == 1);
}

TEST_CASE("the SVG has a circle for each point, and escaped names") {
    const std::string svg = roofline_svg(a_roofline());
    std::size_t circles = 0;
    for (std::size_t at = 0; (at = svg.find("<circle", at)) != svg.npos; ++at) ++circles;
    CHECK(circles == 2);
    CHECK(svg.find("A &lt;GPU&gt;") != svg.npos);
    CHECK(svg.find("<GPU>") == svg.npos);
    CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("a roofline is made from a known GPU and from counters") {
    const Roofline roofline = roofline_for(timing::known_gpus().front());
    CHECK(roofline.gbps > 10);
    CHECK(roofline.ginstructions > 10);
    Counters counters;
    counters.warp_instructions = 10;
    counters.load_sectors = 3;
    counters.store_sectors = 2;
    CHECK(point_of("it", counters).intensity() == doctest::Approx(10. / 160));
}

TEST_CASE("learn roofline draws correct kernels, and explains why it cannot draw others") {
    const ScratchCourse course;
    expect(course, {"roofline", "02"}, 1, {"only for a kernel whose result is right"});
    expect(course,
           {"roofline", "x_row_sums", "--file", course.path("solutions/x_row_sums/kernel.cu")}, 0,
           {"warp instructions per byte", "A, yours", "B, solution", "predicted"});
    expect(course, {"roofline", "02", "--gpu", "nothing"}, 2, {"no GPU is called"});
}
