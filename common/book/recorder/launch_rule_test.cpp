// Tests that find_launch_rule finds the rules of launches, and reports launches that follow no
// rule.
#include <doctest/doctest.h>

#include <algorithm>

#include "book/recorder/launch_rule.h"

using namespace coalesce::recorder;
using nlohmann::ordered_json;

namespace {

constexpr std::int64_t out_address = 0x1000, in_address = 0x2000;
using Grid = std::array<unsigned, 3>;

/// Returns one sample for each of several matrix shapes. `launch` returns the launch for a given
/// number of rows and columns.
template <class Launch>
std::vector<ObservedLaunch> sampled(Launch launch) {
    std::vector<ObservedLaunch> samples;
    for (unsigned rows : {4u, 24u, 25u, 26u, 60u, 64u, 100u, 1000u, 1024u}) {
        for (unsigned cols : {4u, 60u, 64u, 100u, 1000u, 1024u}) {
            samples.push_back({static_cast<int>(rows), static_cast<int>(cols), launch(rows, cols),
                               out_address, in_address});
        }
    }
    return samples;
}

LaunchShape launch(Grid grid, const char* kernel = "k", Grid block = {32, 8, 1}) {
    return {.kernel = kernel, .function = kernel, .grid = grid, .block = block};
}

unsigned pieces(unsigned extent, unsigned size) {
    return (extent + size - 1) / size;
}

}  // namespace

TEST_CASE("tiles of rows and columns, with the axes in either order") {
    const auto rule = find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({pieces(cols, 32), pieces(rows, 8), 1});
    }));
    CHECK(rule["other"]["grid"] ==
          ordered_json::parse(
              R"([{"of":"cols","size":32},{"of":"rows","size":8},{"of":"one","size":1}])"));
    CHECK(rule["square"] == rule["other"]);
    const auto turned = find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({pieces(rows, 64), pieces(cols, 64), 1});
    }));
    CHECK(turned["square"]["grid"] ==
          ordered_json::parse(
              R"([{"of":"rows","size":64},{"of":"cols","size":64},{"of":"one","size":1}])"));
}

TEST_CASE("all elements in one row of blocks") {
    const auto rule = find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({pieces(rows * cols, 1024), 1, 1});
    }));
    CHECK(rule["other"]["grid"][0] == ordered_json::parse(R"({"of":"elements","size":1024})"));
}

TEST_CASE("a rule of its own for square grids") {
    const auto rule = find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        const Grid grid{pieces(cols, 32), pieces(rows, 32), 1};
        return launch(grid, grid[0] == grid[1] ? "square" : "other");
    }));
    CHECK(rule["square"]["kernel"] == "square");
    CHECK(rule["other"]["kernel"] == "other");
}

TEST_CASE("partial tiles, several blocks per piece, and blocks that take several tiles") {
    const auto edge = find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({pieces(cols, 128) * 4, pieces(rows + 7, 32), 1});
    }));
    CHECK(edge["other"]["grid"] ==
          ordered_json::parse(
              R"([{"of":"cols","size":128,"times":4},{"of":"rows","size":32,"plus":7},
                  {"of":"one","size":1}])"));
    const auto tiles = find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({pieces(pieces(rows, 64) * pieces(cols, 64), 4), 1, 1});
    }));
    CHECK(tiles["other"]["grid"][0] == ordered_json::parse(R"({"of":"tiles","size":4,"tile":64})"));
    const auto stay = [](unsigned most) {
        return find_launch_rule(sampled([=](unsigned rows, unsigned cols) {
            return launch({std::min(pieces(rows, 32) * pieces(cols, 32), most), 1, 1});
        }));
    };
    CHECK(stay(5)["other"]["grid"][0] ==
          ordered_json::parse(R"({"of":"tiles","size":1,"tile":32,"most":5})"));
}

TEST_CASE("what the kernel is given") {
    const auto with = [](std::vector<Argument> (*arguments)(unsigned rows, unsigned cols)) {
        return find_launch_rule(sampled([&](unsigned rows, unsigned cols) {
            LaunchShape shape = launch({1, 1, 1});
            shape.arguments = arguments(rows, cols);
            return shape;
        }))["other"]["arguments"];
    };
    CHECK(with([](unsigned rows, unsigned cols) -> std::vector<Argument> {
              return {{true, out_address}, {true, in_address}, {false, rows},
                      {false, cols},       {false, rows},      {false, 64}};
          }) == ordered_json::parse(R"(["out","in","rows","cols","rows",64])"));
    CHECK_THROWS_AS(with([](unsigned rows, unsigned cols) -> std::vector<Argument> {
                        return {{true, out_address}, {false, rows % cols}};
                    }),
                    NoLaunchRule);
    CHECK_THROWS_AS(with([](unsigned, unsigned) -> std::vector<Argument> {
                        return {{true, 0x3000}};
                    }),
                    NoLaunchRule);
}

TEST_CASE("launches that follow no rule are rejected") {
    CHECK_THROWS(find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({rows / 7 + cols, 1, 1});
    })));
    CHECK_THROWS(find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({pieces(cols, 32), pieces(rows, 32), 1}, "k", {32, rows > 100 ? 8u : 4u, 1});
    })));
    CHECK_THROWS(find_launch_rule(sampled([](unsigned rows, unsigned cols) {
        return launch({pieces(cols, 32), pieces(rows, 32), 1}, rows > 100 ? "tall" : "flat");
    })));
}
