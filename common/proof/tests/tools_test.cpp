#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "proof/validate/tools.h"

using namespace coalesce::proof;

namespace fs = std::filesystem;

namespace {

/// Stands in for compute-sanitizer: reports what it is told to by the case's name.
class FakeSanitizer {
public:
    FakeSanitizer() : path_(fs::temp_directory_path() / ("fake-" + std::to_string(getpid()))) {
        std::ofstream(path_) << R"sh(#!/bin/sh
for last in "$@"; do :; done
echo "========= COMPUTE-SANITIZER"
if [ "$2 $last" = "memcheck float4_at_one" ]; then
    echo "========= Invalid __global__ read of size 16 bytes"
    echo "========= ERROR SUMMARY: 1 error"
elif [ "$2" = racecheck ]; then
    echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
else
    echo "========= ERROR SUMMARY: 0 errors"
fi
)sh";
        fs::permissions(path_, fs::perms::owner_all);
    }
    ~FakeSanitizer() { fs::remove(path_); }
    std::string path() const { return path_; }

private:
    fs::path path_;
};

}  // namespace

TEST_CASE("all judges speak on all cases") {
    const FakeSanitizer sanitizer;
    const std::vector<SuiteCase> suite{
        {"bugs_alignment", "float4_at_one", "memcheck: misaligned"},
        {"bugs_shared_races", "no_barrier_after_store", "racecheck: read after write"},
        {"clean_blocks", "tiled_transpose", ""}};
    std::size_t told = 0;
    const std::vector<Judged> judged =
        judge(suite, sanitizer.path(), 2, [&](std::size_t done, std::size_t all) {
            CHECK(done == ++told);
            CHECK(all == 15);
        });
    CHECK(told == 15);
    REQUIRE(judged.size() == 3);
    CHECK(who_reported(judged[0]) == "both");
    CHECK(judged[0].tools.at("memcheck").text == "Invalid __global__ read of size 16 bytes");
    CHECK(judged[0].simulator.text.starts_with("memcheck: "));
    CHECK(who_reported(judged[1]) == "simulator only");
    CHECK(who_reported(judged[2]) == "neither");
    CHECK(is_as_promised(judged));
}

TEST_CASE("a tool that cannot run is no silence") {
    const std::vector<Judged> judged =
        judge({{"clean_blocks", "tiled_transpose", ""}}, "/no/such/compute-sanitizer", 1);
    CHECK(judged[0].tools.at("memcheck").kind == Opinion::unusable);
    CHECK_FALSE(is_as_promised(judged));
}

TEST_CASE("a tool that is not there is named, with what to install") {
    try {
        find_tool("no-such-tool-of-nvidia");
        FAIL("it was found");
    } catch (const std::exception& error) {
        CHECK(std::string(error.what()).find("install") != std::string::npos);
    }
}
