// Rules found behind launches, and launches that have none.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "recorder/launch_rule.h"

using namespace coalesce::recorder;
using nlohmann::ordered_json;

namespace {

using Grid = std::array<unsigned, 3>;

/// Samples of a launch that is a function of rows and columns.
template <class Launch>
std::vector<Sample> sampled(Launch launch) {
    std::vector<Sample> samples;
    for (unsigned rows : {4u, 60u, 64u, 100u, 1000u, 1024u}) {
        for (unsigned cols : {4u, 60u, 64u, 100u, 1000u, 1024u}) {
            samples.push_back({static_cast<int>(rows), static_cast<int>(cols), launch(rows, cols)});
        }
    }
    return samples;
}

LaunchShape launch(Grid grid, const char* kernel = "k", Grid block = {32, 8, 1}) {
    return {kernel, grid, block, 0};
}

unsigned pieces(unsigned extent, unsigned size) {
    return (extent + size - 1) / size;
}

}  // namespace

TEST_CASE("tiles of rows and columns, either way round") {
    const auto rule = launch_rule(sampled([](unsigned rows, unsigned cols) {
                                      return launch({pieces(cols, 32), pieces(rows, 8), 1});
                                  }),
                                  "x");
    CHECK(rule["other"]["grid"] == ordered_json::parse(R"([["cols",32],["rows",8],["one",1]])"));
    CHECK(rule["square"] == rule["other"]);
    const auto turned = launch_rule(sampled([](unsigned rows, unsigned cols) {
                                        return launch({pieces(rows, 64), pieces(cols, 64), 1});
                                    }),
                                    "x");
    CHECK(turned["square"]["grid"] ==
          ordered_json::parse(R"([["rows",64],["cols",64],["one",1]])"));
}

TEST_CASE("all elements in one row of blocks") {
    const auto rule = launch_rule(sampled([](unsigned rows, unsigned cols) {
                                      return launch({pieces(rows * cols, 1024), 1, 1});
                                  }),
                                  "x");
    CHECK(rule["other"]["grid"][0] == ordered_json::parse(R"(["elements",1024])"));
}

TEST_CASE("a kernel of its own for square grids") {
    const auto rule = launch_rule(sampled([](unsigned rows, unsigned cols) {
                                      const Grid grid{pieces(cols, 32), pieces(rows, 32), 1};
                                      return launch(grid, grid[0] == grid[1] ? "square" : "other");
                                  }),
                                  "x");
    CHECK(rule["square"]["kernel"] == "square");
    CHECK(rule["other"]["kernel"] == "other");
}

TEST_CASE("what follows no rule is refused") {
    CHECK_THROWS(launch_rule(sampled([](unsigned rows, unsigned cols) {
                                 return launch({rows / 7 + cols, 1, 1});
                             }),
                             "x"));
    CHECK_THROWS(launch_rule(sampled([](unsigned rows, unsigned cols) {
                                 return launch({pieces(cols, 32), pieces(rows, 32), 1}, "k",
                                               {32, rows > 100 ? 8u : 4u, 1});
                             }),
                             "x"));
    CHECK_THROWS(launch_rule(
        sampled([](unsigned rows, unsigned cols) {
            return launch({pieces(cols, 32), pieces(rows, 32), 1}, rows > 100 ? "tall" : "flat");
        }),
        "x"));
}
