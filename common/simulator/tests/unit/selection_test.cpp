// Tests which reports match a suppression, and how long names are shortened.
#include <doctest/doctest.h>

#include "simulator/report/selection.h"
#include "simulator/report/text.h"

using namespace coalesce::simulator;

TEST_CASE("a star in a pattern matches any text") {
    CHECK(matches_pattern("reduce<float>", "reduce<float>"));
    CHECK(matches_pattern("reduce<float>", "reduce*"));
    CHECK(matches_pattern("reduce<float>", "*<*>"));
    CHECK(matches_pattern("aab", "*ab"));
    CHECK(matches_pattern("", "*"));
    CHECK_FALSE(matches_pattern("reduce<float>", "reduce"));
    CHECK_FALSE(matches_pattern("reduce", "reduce<*"));
    CHECK_FALSE(matches_pattern("aab", "*aa"));
    CHECK(matches_path("/home/me/src/sum.cu", "sum.cu"));
    CHECK(matches_path("/home/me/src/sum.cu", "src/sum.cu"));
    CHECK_FALSE(matches_path("/home/me/src/checksum.cu", "sum.cu"));
}

TEST_CASE("a suppression matches a report if all members of the suppression match it") {
    Report report;
    report.check = "racecheck";
    report.kind = "read after write";
    report.kernel = "sum<float>";
    report.where = {"/no/such/folder/sum.cu", 7};
    CHECK(matches_suppression({.check = "racecheck"}, report));
    CHECK(matches_suppression({.check = "racecheck", .kernel = "sum*", .file = "sum.cu"}, report));
    CHECK_FALSE(matches_suppression({.check = "racecheck", .kind = "write after write"}, report));
    CHECK_FALSE(matches_suppression({.check = "racecheck", .file = "other.cu"}, report));
    // The source file cannot be read, so the line may have changed.
    CHECK_FALSE(matches_suppression({.source = "out[i] = in[i];"}, report));
}

TEST_CASE("suppressions are unchanged after conversion to text and back") {
    const std::vector<Suppression> sent{{.check = "racecheck", .source = "a\tb"},
                                        {.kernel = "sum", .file = "sum.cu"}};
    const std::vector<Suppression> received = suppressions_from_text(suppressions_to_text(sent));
    REQUIRE(received.size() == 2);
    CHECK(received[0].check == "racecheck");
    CHECK(matches_pattern("a\tb", received[0].source));
    CHECK(received[1].kernel == "sum");
    CHECK(received[1].file == "sum.cu");
    CHECK(received[1].source.empty());
}

TEST_CASE("long names are shortened by removing the innermost template arguments first") {
    const std::string name = "gemm<Shape<Int<128>, Int<64>>, Layout<Stride<Int<1>, Int<64>>>>";
    CHECK(shorten_name(name, name.size()) == name);
    CHECK(shorten_name(name, name.size() - 1) ==
          "gemm<Shape<Int<...>, Int<...>>, Layout<Stride<...>>>");
    CHECK(shorten_name(name, 30) == "gemm<Shape<...>, Layout<...>>");
    CHECK(shorten_name(name, 12) == "gemm<...>");
    CHECK(shorten_name("a_very_long_name", 10) == "a_very_...");
}
