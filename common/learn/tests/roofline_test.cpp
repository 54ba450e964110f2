// Tests the roofline model: its limits, its points, and its drawings as text and as SVG.

#include "learn/roofline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "expect.h"

using namespace coalesce;
using namespace coalesce::learn;

namespace {

const std::filesystem::path kRepository = COALESCE_REPOSITORY;

Roofline a_roofline() {
    return {.gpu = "A <GPU>",
            .gbps = 1000,
            .ginstructions = 400,
            .points = {{"yours", 100, 1000}, {"solution", 900, 1000}}};
}

}  // namespace

TEST_CASE("memory limits kernels left of the ridge, and instructions limit kernels right of it") {
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

TEST_CASE("the drawing fits a terminal, and each point lies on the roof") {
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

TEST_CASE("the SVG has a circle for each point, and escapes the names of the points") {
    const std::string svg = roofline_svg(a_roofline());
    std::size_t circles = 0;
    for (std::size_t at = 0; (at = svg.find("<circle", at)) != svg.npos; ++at) ++circles;
    CHECK(circles == 2);
    CHECK(svg.find("A &lt;GPU&gt;") != svg.npos);
    CHECK(svg.find("<GPU>") == svg.npos);
    CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("a roofline is computed from the limits of a known GPU and from counters") {
    const Roofline roofline = make_roofline(timing::known_gpus().front());
    CHECK(roofline.gbps > 10);
    CHECK(roofline.ginstructions > 10);
    Counters counters;
    counters.warp_instructions = 10;
    counters.load_sectors = 3;
    counters.store_sectors = 2;
    CHECK(make_point("it", counters).intensity() == doctest::Approx(10. / 160));
}

TEST_CASE("learn roofline draws correct kernels, and states why it cannot draw other kernels") {
    const ScratchCourse course;
    expect(course, {"roofline", "02"}, 1, {"only for a kernel whose result is correct"});
    expect(course,
           {"roofline", "x_row_sums", "--file", course.path("solutions/x_row_sums/kernel.cu")}, 0,
           {"warp instructions per byte", "A, yours", "B, solution", "predicted"});
    expect(course, {"roofline", "02", "--gpu", "nothing"}, 2, {"no GPU is called"});
}

TEST_CASE("learn roofline draws the variants of a lesson") {
    const ScratchCourse course;
    std::filesystem::create_symlink(kRepository / "docs", course.path("docs"));
    expect(course, {"roofline", "02", "--lesson"}, 0, {"A, naive", "B, thread_a_row", "L2 cache"});
    expect(course, {"roofline", "x_row_sums", "--lesson"}, 2, {"docs/results has no counters"});
}

TEST_CASE("the picture of a lesson's roofline is up to date") {
    const ScratchCourse course;
    std::filesystem::create_symlink(kRepository / "docs", course.path("docs"));
    const std::string svg = course.path("roofline.svg");
    expect(course, {"roofline", "18", "--lesson", "--svg", svg}, 0, {"contains the picture"});
    const std::string picture = "docs/diagrams/roofline_18_product.svg";
    const bool is_current = course.read("roofline.svg") == read_file(kRepository / picture);
    CHECK_MESSAGE(is_current, "to draw it again: ./learn roofline 18 --lesson --svg " << picture);
}

TEST_CASE("the SVG shows the limit of the L2 cache, and no two names overlap") {
    Roofline roofline = a_roofline();
    CHECK(roofline_svg(roofline).find("L2 cache") == std::string::npos);
    roofline.cache_gbps = 2000;
    roofline.points.push_back({"other", 900, 1000});
    const std::string svg = roofline_svg(roofline);
    CHECK(svg.find("L2 cache") != svg.npos);
    const auto height_of = [&](const std::string& name) {
        const std::size_t begin = svg.rfind("y=\"", svg.find(name + "</text>")) + 3;
        return std::stod(svg.substr(begin));
    };
    CHECK(height_of("other") == doctest::Approx(height_of("solution") + 15));
    CHECK(explain_roofline(roofline).find("the two limits meet at 0.2") != std::string::npos);
}
