// Tests the comparison of predicted and measured times. The inputs have the formats of the
// programs' files.
#include "lab/proof/validate/times.h"

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

MeasuredTimes some() {
    MeasuredTimes all;
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

TEST_CASE("measured times of lessons and of the search are found by name and size") {
    const MeasuredTimes all = some();
    CHECK(all.device() == "NVIDIA H200");
    CHECK(all.ms("02_naive", "naive", {4096, 4096}) == 2);
    CHECK(all.ms("02_naive", "naive", {64, 64}) == 1);
    CHECK(all.ms("search", "copy", {256, 512}) == 3);
    CHECK(all.ms("search", "copy", {512, 256}) == 0);
    CHECK(all.ms("search", "none", {256, 512}) == 0);
    CHECK(all.ms("02_naive", "8x64", {4096, 4096}) == 0);
}

TEST_CASE("a prediction is compared with the measurement of the same size") {
    Json none = predicted("8x32", 4096, 1);
    none.erase("predicted");
    const auto times = match_times(
        {{"results",
          {predicted("naive", 4096, 2.2), predicted("8x32", 4096, 3), none,
           predicted("8x64", 4096, 1), predicted("naive", 512, 1), predicted("naive", 64, 1)}}},
        some());
    REQUIRE(times.size() == 3);
    CHECK(times[0].time_pair.name == "02_naive naive");
    CHECK(times[0].time_pair.relative_error() == doctest::Approx(.1));
    CHECK(times[1].time_pair.relative_error() == doctest::Approx(-.25));
    CHECK(times[2].shape == Shape{64, 64});
    none["not_predicted"] = "it waits";
    const Json rows = {{"results", {none, predicted("naive", 4096, 1)}}};
    const auto reasons = find_unpredicted(rows, {4096, 4096}, some());
    REQUIRE(reasons.size() == 1);
    CHECK(reasons[0] == "02_naive 8x32: it waits");
    CHECK(find_unpredicted(rows, {64, 64}, some()).empty());

    const std::string text = format_times_text(times);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
    CHECK(text.find(
              "4096 x 4096              2    17.5 %     25.0 %    25.0 %        0     100.0 %") !=
          std::string::npos);
    CHECK(text.find("\nall                      3    10.0 %") != std::string::npos);
    CHECK(format_times_markdown(times, "Title").find("## 64 x 64\n") != std::string::npos);
    // The model covers all kernels, so there is no separate row for the covered ones.
    CHECK(text.find("known") == std::string::npos);
    const Json json = format_times_json(times);
    CHECK(json["results"].size() == 3);
    CHECK(json["results"][1]["predicted_ms"] == 3);
    CHECK(json["sizes"][0]["median"] == doctest::Approx(.175));
    CHECK(json["sizes"][0]["known"]["pairs"] == 2);
}

TEST_CASE("a second run can be compared with the first in the same way as predictions") {
    const auto times = match_times(
        {{"results",
          {predicted("naive", 4096, 2.2), predicted("8x32", 4096, 3), predicted("naive", 64, 1)}}},
        some());
    MeasuredTimes other;
    other.add({{"device", {{"name", "another"}}},
               {"results", {measured("naive", 5), measured("8x32", 4)}}});
    const auto replaced = compare_with_run(times, other);
    REQUIRE(replaced.size() == 2);
    CHECK(replaced[0].time_pair.measured == 2);
    CHECK(replaced[0].time_pair.predicted == 5);
    CHECK(replaced[1].time_pair.predicted == 4);
    const Json size = format_times_json(replaced)["sizes"][0];
    CHECK(size["compared"] == 1);
    CHECK(size["in_order"] == 0);  // the two runs rank the kernels differently
    CHECK(compare_with_run(times, {}).empty());
}

TEST_CASE("the errors of predictions without a warning are listed separately") {
    Json unsure = predicted("8x32", 4096, 1);  // predicted in the wrong order, with a warning
    unsure["predicted"]["unknown"] = {"atomics"};
    const auto times = match_times(
        {{"results", {predicted("naive", 4096, 2.1), unsure, predicted("naive", 64, 1)}}}, some());
    const std::string text = format_times_text(times);
    const std::string of_all =
        "\n4096 x 4096              2    40.0 %     75.0 %    75.0 %        1       0.0 %\n";
    const std::string of_known =
        "  known                  1     5.0 %      5.0 %     5.0 %        1     100.0 %\n";
    CHECK(text.find(of_all + of_known + "64 x 64 ") != std::string::npos);
    CHECK(text.find("\nall                      3     5.0 %") != std::string::npos);
    CHECK(text.find("\n  known                  2     2.5 %") != std::string::npos);
    const Json size = format_times_json(times)["sizes"][0];
    CHECK(size["in_order"] == 0);
    CHECK(size["compared"] == 1);
    CHECK(size["known"]["in_order"] == 1);
    CHECK(size["known"]["compared"] == 0);
}
