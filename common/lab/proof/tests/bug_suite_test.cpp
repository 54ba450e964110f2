#include <doctest/doctest.h>

#include <algorithm>
#include "lab/proof/tests/sample.h"
#include "lab/proof/validate/bug_suite.h"

using namespace coalesce::proof;

namespace {

JudgedCase judged(const std::string& planted_bug, Opinion::Kind simulator,
                  Opinion::Kind racecheck) {
    JudgedCase one{{"bugs_x", "case", planted_bug}, {simulator, "racecheck: x"}, {}};
    for (const char* const tool : kSanitizerTools) one.opinion_by_tool[tool] = {};
    one.opinion_by_tool["racecheck"] = {racecheck, "Error: Race"};
    return one;
}

}  // namespace

TEST_CASE("markers of bugs in source files are parsed") {
    const auto cases =
        find_cases_in_source("bugs_x",
                             "a = b;  // bug one: racecheck: read after write // other one\n"
                             "c = d;  // bug one: racecheck: write after read\n"
                             "// clean two\n// a clean sheet is no mark of a bug\n"
                             "// bug three: synccheck: deadlock\n");
    REQUIRE(cases.size() >= 3);
    CHECK(cases[0].name == "one");
    CHECK(cases[0].planted_bug == "racecheck: read after write");
    CHECK(cases[1].name == "two");
    CHECK(cases[1].is_clean());
    CHECK(cases.back().may_run_forever());
}

TEST_CASE("the suite contains bugs, clean cases and endless loops") {
    const auto suite = read_suite(COALESCE_REPOSITORY "/common/simulator/tests");
    CHECK(std::ranges::count_if(suite, &SuiteCase::is_clean) >= 40);
    CHECK(std::ranges::count_if(suite, [](auto& one) { return !one.is_clean(); }) >= 60);
    CHECK(std::ranges::any_of(suite, &SuiteCase::may_run_forever));
}

TEST_CASE("the output of compute-sanitizer is parsed") {
    const Opinion memory = parse_sanitizer_opinion(sample("sanitizer_memcheck.txt"));
    CHECK(memory.kind == Opinion::reported);
    CHECK(memory.text == "Invalid __global__ write of size 4 bytes");
    const Opinion race = parse_sanitizer_opinion(sample("sanitizer_racecheck.txt"));
    CHECK(race.kind == Opinion::reported);
    CHECK(race.text.starts_with("Error: Race reported between Write access"));
    CHECK(
        parse_sanitizer_opinion("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n")
            .kind == Opinion::silent);
    CHECK(parse_sanitizer_opinion("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 "
                                  "warnings)\n")
              .kind == Opinion::silent);
    const Opinion broken = parse_sanitizer_opinion("========= Error: Device not supported\n");
    CHECK(broken.kind == Opinion::unusable);
}

TEST_CASE(
    "for each case, the judges that reported it are listed, and broken guarantees are detected") {
    using O = Opinion;
    CHECK(describe_reporting_judges(judged("racecheck: x", O::reported, O::reported)) == "both");
    CHECK(describe_reporting_judges(judged("racecheck: x", O::reported, O::silent)) ==
          "simulator only");
    CHECK(describe_reporting_judges(judged("racecheck: x", O::silent, O::reported)) ==
          "sanitizer only");
    CHECK(describe_reporting_judges(judged("", O::silent, O::endless)) == "neither");

    CHECK(meets_guarantees({judged("racecheck: x", O::reported, O::silent)}));
    CHECK(meets_guarantees({judged("", O::silent, O::silent)}));
    CHECK_FALSE(meets_guarantees({judged("racecheck: x", O::silent, O::reported)}));
    CHECK_FALSE(meets_guarantees({judged("", O::reported, O::silent)}));
    CHECK_FALSE(meets_guarantees({judged("racecheck: x", O::reported, O::unusable)}));
    CHECK_FALSE(meets_guarantees({}));
}

TEST_CASE("the table lists the cases that only one of the judges reports") {
    const std::string text = to_text({judged("racecheck: x", Opinion::reported, Opinion::silent),
                                      judged("", Opinion::silent, Opinion::reported)});
    CHECK(text.find("case (racecheck: x), simulator only") != std::string::npos);
    CHECK(text.find("case (clean), sanitizer only") != std::string::npos);
}
