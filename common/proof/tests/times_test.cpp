// Predicted and measured times are put side by side, from files like those of the programs.
#include "proof/validate/times.h"

#include <doctest/doctest.h>

#include <sstream>

using namespace coalesce;
using namespace coalesce::proof;

namespace {

Json predicted(const std::string& variant, int size, double ms) {
    return {{"step", "02_naive"},
            {"variant", variant},
            {"rows", 512},
            {"cols", 512},
            {"predicted",
             {{"rows", size},
              {"cols", size},
              {"ms", ms},
              {"binds", "memory"},
              {"error_band", 0.08},
              {"unknown", Json::array()}}}};
}

Json measured(const std::string& variant, double ms) {
    return {{"step", "02_naive"}, {"variant", variant}, {"rows", 4096}, {"cols", 4096}, {"ms", ms}};
}

Measured some() {
    Measured all;
    all.add({{"device", {{"name", "NVIDIA H200"}}},
             {"results", {measured("naive", 2), measured("8x32", 4)}},
             {"other_sizes",
              {{{"rows", 64},
                {"cols", 64},
                {"results",
                 {{{"step", "02_naive"},
                   {"variant", "naive"},
                   {"rows", 64},
                   {"cols", 64},
                   {"ms", 1}}}}}}}});
    all.add({{"device", {{"name", "another"}}},
             {"sizes",
              {{{"rows", 256},
                {"cols", 512},
                {"results", {{{"candidate", "copy"}, {"ms", 3}}, {{"candidate", "none"}}}}}}}});
    return all;
}

}  // namespace

TEST_CASE("measured times are found by name and size, in lessons' files and in the search's") {
    const Measured all = some();
    CHECK(all.device() == "NVIDIA H200");
    CHECK(all.ms("02_naive", "naive", {4096, 4096}) == 2);
    CHECK(all.ms("02_naive", "naive", {64, 64}) == 1);
    CHECK(all.ms("search", "copy", {256, 512}) == 3);
    CHECK(all.ms("search", "copy", {512, 256}) == 0);
    CHECK(all.ms("search", "none", {256, 512}) == 0);
    CHECK(all.ms("02_naive", "8x64", {4096, 4096}) == 0);
}

TEST_CASE("what is predicted is compared where it was measured, at the size of the prediction") {
    Json none = predicted("8x32", 4096, 1);
    none.erase("predicted");
    const auto times = compared(
        {{"results",
          {predicted("naive", 4096, 2.2), predicted("8x32", 4096, 3), none,
           predicted("8x64", 4096, 1), predicted("naive", 512, 1), predicted("naive", 64, 1)}}},
        some());
    REQUIRE(times.size() == 3);
    CHECK(times[0].pair.name == "02_naive naive");
    CHECK(times[0].pair.error() == doctest::Approx(.1));
    CHECK(times[1].pair.error() == doctest::Approx(-.25));
    CHECK(times[2].shape == Shape{64, 64});
    none["not_predicted"] = "it waits";
    const Json rows = {{"results", {none, predicted("naive", 4096, 1)}}};
    const auto reasons = not_predicted(rows, {4096, 4096}, some());
    REQUIRE(reasons.size() == 1);
    CHECK(reasons[0] == "02_naive 8x32: it waits");
    CHECK(not_predicted(rows, {64, 64}, some()).empty());

    const std::string text = times_text(times);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
    CHECK(text.find(
              "4096 x 4096              2    17.5 %     25.0 %    25.0 %        0     100.0 %") !=
          std::string::npos);
    CHECK(text.find("\nall                      3    10.0 %") != std::string::npos);
    CHECK(times_markdown(times, "Title").find("## 64 x 64\n") != std::string::npos);
    const Json json = times_json(times);
    CHECK(json["results"].size() == 3);
    CHECK(json["results"][1]["predicted_ms"] == 3);
    CHECK(json["sizes"][0]["median"] == doctest::Approx(.175));
}
