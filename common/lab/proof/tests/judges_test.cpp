#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/text.h"
#include "lab/proof/validate/judges.h"
#include "lab/proof/validate/tools.h"

using namespace coalesce::proof;

namespace fs = std::filesystem;

namespace {

/// A fake compute-sanitizer, whose output depends on the tool and the cases.
class FakeSanitizer {
public:
    FakeSanitizer() {
        std::ofstream(path()) << R"sh(#!/bin/sh
tool=$2
while [ "${1#*/bugs_}${1#*/clean_}" = "$1$1" ]; do shift; done
shift
echo "$tool $*" >> "$(dirname "$0")/asked"
echo "========= COMPUTE-SANITIZER"
case "$tool $*" in
"initcheck "*stops*" "*) echo "a CUDA error" ;;
*) [ $# = 1 ] || echo "all $# cases ran" ;;
esac
case "$tool $*" in
"memcheck "*float4_at_one*)
    echo "========= Invalid __global__ read of size 16 bytes"
    echo "========= ERROR SUMMARY: 1 error" ;;
racecheck*) echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" ;;
*) echo "========= ERROR SUMMARY: 0 errors" ;;
esac
)sh";
        fs::permissions(path(), fs::perms::owner_all);
    }
    std::string path() const { return folder_ / "sanitizer"; }
    /// Returns the arguments of all runs, such as "memcheck float4_at_one at_two".
    std::vector<std::string> asked() const {
        return coalesce::lines_of(coalesce::read_file(folder_ / "asked"));
    }

private:
    coalesce::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("every judge gives a verdict on every case") {
    const FakeSanitizer sanitizer;
    const std::vector<SuiteCase> suite{
        {"bugs_alignment", "float4_at_one", "memcheck: misaligned"},
        {"bugs_shared_races", "no_barrier_after_store", "racecheck: read after write"},
        {"clean_blocks", "tiled_transpose", ""}};
    std::size_t told = 0;
    const std::vector<JudgedCase> judged =
        judge_suite(suite, sanitizer.path(), 2, [&](std::size_t done, std::size_t all) {
            CHECK(done == ++told);
            CHECK(all == 15);
        });
    CHECK(told == 15);
    REQUIRE(judged.size() == 3);
    CHECK(describe_reporting_judges(judged[0]) == "both");
    CHECK(judged[0].opinion_by_tool.at("memcheck").text ==
          "Invalid __global__ read of size 16 bytes");
    CHECK(judged[0].simulator_opinion.text.starts_with("memcheck: "));
    CHECK(describe_reporting_judges(judged[1]) == "simulator only");
    CHECK(describe_reporting_judges(judged[2]) == "neither");
    CHECK(meets_guarantees(judged));
}

TEST_CASE("each tool runs once per program, and once more for each case if it reports an error") {
    const FakeSanitizer sanitizer;
    const std::vector<SuiteCase> suite{{"bugs_alignment", "float4_at_one", "memcheck: misaligned"},
                                       {"bugs_alignment", "double_at_four", "memcheck: misaligned"},
                                       {"bugs_alignment", "never", "synccheck: deadlock"},
                                       {"clean_blocks", "stops", ""},
                                       {"clean_blocks", "tiled_transpose", ""}};
    std::size_t told = 0;
    const std::vector<JudgedCase> judged = judge_suite(
        suite, sanitizer.path(), 1, [&](std::size_t done, std::size_t) { told = done; });
    CHECK(told == 25);
    CHECK(judged[0].opinion_by_tool.at("memcheck").kind == Opinion::reported);
    CHECK(judged[1].opinion_by_tool.at("memcheck").kind == Opinion::silent);
    CHECK(judged[3].opinion_by_tool.at("initcheck").kind == Opinion::silent);
    const std::vector<std::string> asked = sanitizer.asked();
    const auto times = [&](const char* run) { return std::ranges::count(asked, run); };
    CHECK(times("racecheck float4_at_one double_at_four") == 1);
    CHECK(times("racecheck float4_at_one") == 0);
    CHECK(times("memcheck double_at_four") == 1);
    CHECK(times("racecheck never") == 1);
    // In its first run, initcheck reported nothing, but an error ended the run before the last
    // case. So initcheck ran again, without the case "stops".
    CHECK(times("initcheck stops tiled_transpose") == 1);
    CHECK(times("initcheck tiled_transpose") == 1);
    CHECK(asked.size() == 2 * 4 + 4 + 2 + 2);
}

TEST_CASE("a tool that does not start is not treated as a tool that reports nothing") {
    const std::vector<JudgedCase> judged =
        judge_suite({{"clean_blocks", "tiled_transpose", ""}}, "/no/such/compute-sanitizer", 1);
    CHECK(judged[0].opinion_by_tool.at("memcheck").kind == Opinion::unusable);
    CHECK_FALSE(meets_guarantees(judged));
}

TEST_CASE("the error message for a missing tool names the package that contains it") {
    try {
        find_tool("no-such-tool-of-nvidia");
        FAIL("it was found");
    } catch (const std::exception& error) {
        CHECK(std::string(error.what()).find("install") != std::string::npos);
    }
}
