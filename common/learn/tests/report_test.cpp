// Tests the figures and tables of results, using invented results.

#include <doctest/doctest.h>

#include <sstream>

#include "expect.h"
#include "learn/figures.h"
#include "learn/table.h"
#include "sample_results.h"

using namespace coalesce::learn;

TEST_CASE("counted figures are formatted") {
    Json result = counted("03_tiled", "tiled");
    CHECK(sectors_per_request(result, "load") == "4");
    CHECK(sectors_per_request(result, "store") == "32");
    CHECK(bank_conflicts(result) == "1,015,808");
    CHECK(megabytes_moved(result) == "37.7");
    CHECK(milliseconds(result) == "-");
    result["counters"]["load_sectors"] = 131072 + 16384;
    CHECK(sectors_per_request(result, "load") == "4.5");
    for (const char* kind : {"shared_load", "shared_store"}) {
        for (const char* what : {"_requests", "_wavefronts", "_ideal"}) {
            result["counters"][std::string(kind) + what] = 0;
        }
    }
    CHECK(bank_conflicts(result) == "-");
}

TEST_CASE("measured figures are formatted") {
    Json result = timed("02_naive", "naive");
    CHECK(milliseconds(result) == "2.0971");
    CHECK(gigabytes_per_second(result) == "4097");
    CHECK(format_percent_of_copy(result) == "95.7 %");
    CHECK(bank_conflicts(result) == "-");
    CHECK(sectors_per_request(result, "load") == "-");
}

TEST_CASE("each result gets the correct verdict") {
    CHECK(verdict_word({{"verified", true}}) == "right");
    CHECK(verdict_word({{"verified", false}}) == "WRONG");
    CHECK(verdict_word({{"step", "x"}}) == "-");
    CHECK(skip_reason({{"skipped", "why"}}) == "why");
    CHECK(skip_reason({{"verified", true}}) == "");
}

TEST_CASE("a table fits 80 columns, and states whether its results are measured or simulated") {
    for (auto& device : {SIM, GPU}) {
        bool simulated = device["kind"] == "sim";
        Json result = simulated ? counted("09_vec4_t64", "a_name_of_nineteen_")
                                : timed("09_vec4_t64", "a_name_of_nineteen_");
        std::ostringstream out;
        Table table(out, device);
        table.print_head(result);
        table.print_row(result);
        result["skipped"] = "takes " + std::string(100, 'x') + " and much more than that, in words";
        table.print_row(result);
        table.print_notes();
        std::istringstream lines(out.str());
        for (std::string line; std::getline(lines, line);) {
            if (!has(line, "xxx")) CHECK_MESSAGE(line.size() <= 80, line);
            CHECK(!line.ends_with(' '));
        }
        CHECK(has(out.str(), simulated ? "(simulated)" : "(measured)"));
        CHECK(has(out.str(), "GB/s") == !simulated);
        CHECK(has(out.str(), "skipped [1]"));
    }
}

TEST_CASE("a table of predicted times fits 80 columns, and never labels the times as measured") {
    Json known = counted("09_vec4_t64", "a_name_of_nineteen_"), unsure = known, none = known;
    known["predicted"] = {{"gpu", "NVIDIA H200"}, {"measured_gpu", true},    {"rows", 32768},
                          {"cols", 32768},        {"ms", 123.45678},         {"of_copy", 0.4349},
                          {"error_band", 0.08},   {"unknown", Json::array()}};
    unsure["predicted"] = known["predicted"];
    unsure["predicted"]["unknown"] = {"atomics"};
    none["not_predicted"] = "it launches no kernel";
    const auto shown = [](const std::vector<Json>& results) {
        std::ostringstream out;
        Table table(out, SIM, true);
        table.print_head(results.front());
        for (const Json& result : results) table.print_row(result);
        table.print_notes();
        return out.str();
    };
    std::istringstream lines(shown({known, unsure, none}));
    for (std::string line; std::getline(lines, line);) {
        CHECK_MESSAGE(line.size() <= 80, line);
        CHECK_MESSAGE(!line.ends_with(' '), line);
    }
    const std::string all = shown({known, unsure, none}), one = shown({known});
    CHECK(has(all, "123.4568    43 %  right\n"));
    CHECK(has(all, "123.4568?    43 %"));
    CHECK(has(all, "none [1]"));
    CHECK(has(all, "[1] not predicted: it launches no kernel"));
    CHECK(has(all, "does not cover everything"));
    CHECK(has(one, "Predicted, not measured: NVIDIA H200 at 32768 x 32768, within 8 %"));
    CHECK_FALSE(has(one, "does not know"));
    CHECK_FALSE(has(one, "Unverified"));
    Json small = known;
    small["step"] = "18_product";
    small["rows"] = small["cols"] = 256;
    small["predicted"]["rows"] = small["predicted"]["cols"] = 4096;
    CHECK(
        has(shown({known, small, small}), "\n              Matrix: 256 x 256 floats\n18_product"));
    CHECK(has(shown({known, small, small}),
              "at 32768 x 32768 and 4096 x 4096\n(18_product), within"));
    known["predicted"]["measured_gpu"] = false;
    CHECK(has(shown({known}), "Unverified"));
    // On a real GPU, measured times are shown even if predictions were requested.
    std::ostringstream out;
    Table(out, GPU, true).print_head(timed("01_copy", "copy"));
    CHECK_FALSE(has(out.str(), "predicted"));
}
