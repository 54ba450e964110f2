// Tests the comparison of results with lesson.toml. Every kind of difference must be reported, and
// matching results must not be reported.

#include "expectations.h"

#include <doctest/doctest.h>

using namespace coalesce::course;
using nlohmann::json;

namespace {

Step tiled() {
    Variant kernel{
        .name = "tiled",
        .kernel = "transpose_tiled",
        .expected_costs = {{"load", 4}, {"store", 4}, {"shared_load", 32}, {"shared_store", 1}},
        .line = 7};
    Variant half{.name = "half",
                 .kernel = "half",
                 .expected_costs = {{"load", 4.5}, {"store", 32}},
                 .line = 11};
    Variant host{.name = "host", .kernel = "", .expected_costs = {}, .line = 15};
    return {.name = "03_tiled", .title = "", .builds_on = "", .variants = {kernel, half, host}};
}

json result(const char* variant, int load, int store, int shared_load, int shared_store) {
    int shared = shared_load == 0 ? 0 : 100;
    return {{"step", "03_tiled"},
            {"variant", variant},
            {"verified", true},
            {"counters",
             {{"load_requests", 100},
              {"load_sectors", load},
              {"store_requests", 100},
              {"store_sectors", store},
              {"shared_load_requests", shared},
              {"shared_load_wavefronts", shared_load},
              {"shared_store_requests", shared},
              {"shared_store_wavefronts", shared_store}}}};
}

json right_results() {
    return {{{"step", "02_naive"}, {"variant", "naive"}},
            result("tiled", 400, 400, 3200, 100),
            result("half", 450, 3200, 0, 0),
            {{"step", "03_tiled"}, {"variant", "host"}, {"verified", true}}};
}

void differs(const json& results, const std::string& words) {
    auto found = differences(tiled(), results);
    REQUIRE(found.size() == 1);
    CHECK_MESSAGE(found[0].find(words) != std::string::npos, found[0]);
}

}  // namespace

TEST_CASE("equal costs are not reported") {
    CHECK(differences(tiled(), right_results()).empty());
}

TEST_CASE("a single additional sector is reported") {
    json results = right_results();
    results[1]["counters"]["load_sectors"] = 401;
    differs(results,
            "03_tiled, tiled (lesson.toml:7): load is to cost 4 sectors per request, but has 401 "
            "sectors in 100 requests (4.01 each)");
}

TEST_CASE("wavefronts are compared too") {
    json results = right_results();
    results[1]["counters"]["shared_load_wavefronts"] = 100;
    differs(results, "shared_load is to cost 32 wavefronts per request");
}

TEST_CASE("an expected cost that is missing in the results is reported") {
    json results = right_results();
    results[2]["counters"]["store_requests"] = 0;
    results[2]["counters"]["store_sectors"] = 0;
    differs(results, "store is to cost 32 sectors per request, but has 0 sectors in 0 requests");
}

TEST_CASE("an unexpected cost in the results is reported") {
    json results = right_results();
    results[2]["counters"]["shared_load_requests"] = 5;
    results[2]["counters"]["shared_load_wavefronts"] = 5;
    differs(results, "shared_load is not expected");
}

TEST_CASE("results that were not verified or not counted are reported") {
    json results = right_results();
    results[3]["verified"] = false;
    differs(results, "host (lesson.toml:15): its result was not verified");
    results = right_results();
    results[1].erase("counters");
    differs(results, "has no counters");
}

TEST_CASE("variants with different names or in a different order are reported") {
    json results = right_results();
    std::swap(results[1], results[2]);
    CHECK(differences(tiled(), results).size() == 2);
    results = right_results();
    results.erase(3);
    differs(results, "did not run \"host\" of lesson.toml:15");
    results = right_results();
    results.push_back(result("more", 400, 400, 0, 0));
    differs(results, "lesson.toml has no variant \"more\"");
    CHECK(differences(tiled(), json::array()).size() == 3);
}
