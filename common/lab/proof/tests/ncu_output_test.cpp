#include <doctest/doctest.h>

#include "lab/proof/tests/sample.h"
#include "lab/proof/validate/ncu_output.h"

using namespace coalesce::proof;

namespace {

constexpr const char* kRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

}  // namespace

TEST_CASE("a CSV table with one column per metric is parsed") {
    const auto launches = parse_ncu_csv(sample("ncu_raw.csv"));
    REQUIRE(launches.size() == 2);
    CHECK(launches[0].kernel == "void copy_tile<32, 8>(float *, const float *, int, int)");
    CHECK(launches[0].value_by_metric.at(kRequests) == 32768);
    CHECK(launches[0].value_by_metric.at(kSectors) == 131072);
    CHECK(launches[1].id == 1);
    CHECK(launches[1].value_by_metric.at(kSectors) == 131072);
    // The value "n/a" is not a number. The metric must be missing, and must not be read as 0.
    CHECK_FALSE(launches[1].value_by_metric.contains("smsp__sass_inst_executed_op_shared_ld.sum"));
}

TEST_CASE("a CSV table with one line per metric is parsed") {
    const auto launches = parse_ncu_csv(sample("ncu_details.csv"));
    REQUIRE(launches.size() == 2);
    CHECK(launches[0].kernel == "copy_tile");
    CHECK(launches[0].value_by_metric.at(kSectors) == 131072);
    CHECK(launches[1].value_by_metric.at(kRequests) == 8192);
    CHECK_FALSE(launches[1].value_by_metric.contains(kSectors));
}

TEST_CASE("quotes within a CSV field are parsed") {
    const auto fields = split_csv_line(R"("a","b ""c"", d",,"e")"
                                       "\r");
    CHECK(fields == std::vector<std::string>{"a", "b \"c\", d", "", "e"});
}

TEST_CASE("if there is no table, the profiler's error message is returned") {
    const std::string text = "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\n";
    try {
        parse_ncu_csv(text);
        FAIL("it found a table");
    } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()).find("ERR_NVGPUCTRPERM") != std::string::npos);
    }
}

TEST_CASE("metrics that ncu does not know are listed") {
    const std::string text =
        "==ERROR== Failed to find metric smsp__no_such.sum\n"
        "==ERROR== Failed to find metric \"l1tex__nor_this.sum\"\n";
    CHECK(find_unknown_metrics(text) ==
          std::vector<std::string>{"smsp__no_such.sum", "l1tex__nor_this.sum"});
    CHECK(find_unknown_metrics("==PROF== all is well").empty());
}
