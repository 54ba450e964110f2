#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/proof/validate/compare_counters.h"

using namespace coalesce::proof;

namespace {

/// Two cases that the simulator ran, and a profiler's launches with the same counters.
struct Both {
    Json cases = Json::array();
    std::vector<ProfiledLaunch> launches;

    Both() {
        add("square", "copy_tile", 100);
        add("ragged", "transpose", 7000);
    }
    void add(const std::string& name, const std::string& kernel, int scale) {
        Json counters = Json::object();
        ProfiledLaunch launch{static_cast<int>(launches.size()), "void " + kernel + "<4>(int)", {}};
        int value = scale;
        for (const CounterMetric& counter : counter_metrics()) {
            if (!counters.contains(counter.counter)) counters[counter.counter] = value++;
            launch.value_by_metric[counter.metric] = counters[counter.counter].get<double>();
        }
        cases.push_back({{"name", name}, {"kernel", kernel}, {"counters", counters}});
        launches.push_back(launch);
    }
};

}  // namespace

TEST_CASE("equal counters are equal") {
    const Both both;
    const CounterComparison comparison = compare_counters(both.cases, both.launches);
    CHECK(comparison.is_equal());
    CHECK(comparison.differences.empty());
    CHECK(comparison.cases == 2);
}

TEST_CASE("a difference of one is detected in every exact counter") {
    for (const CounterMetric& counter : counter_metrics()) {
        if (!counter.is_exact) continue;
        for (const double change : {1.0, -1.0}) {
            Both both;
            both.launches[1].value_by_metric[counter.metric] += change;
            // Also change the pipe's counts, because the comparison would pass if one of them were
            // equal.
            for (const CounterMetric& other : counter_metrics()) {
                if (!other.is_exact) both.launches[1].value_by_metric[other.metric] += 1;
            }
            const CounterComparison comparison = compare_counters(both.cases, both.launches);
            CHECK_FALSE(comparison.is_equal());
            REQUIRE(comparison.differences.size() == 1);
            CHECK(comparison.differences[0].name == "ragged");
            CHECK(comparison.differences[0].metric == counter.metric);
            CHECK(to_text(comparison).find("ragged: ") != std::string::npos);
        }
    }
}

TEST_CASE("counts of matrix instructions and copies are added if ncu reports them separately") {
    int added = 0;
    for (const CounterMetric& counter : counter_metrics()) {
        for (const char* more : counter.further_metrics) {
            Both both;
            for (const CounterMetric& other : counter_metrics())
                if (!other.is_exact)
                    /// Also change the pipe's count, because the counter would pass if it were
                    /// equal.
                    both.launches[1].value_by_metric[other.metric] += 1;
            double& plain = both.launches[1].value_by_metric[counter.metric];
            both.launches[1].value_by_metric[more] = plain;
            CHECK_FALSE(compare_counters(both.cases, both.launches).differences.empty());
            plain = 0;
            CHECK(compare_counters(both.cases, both.launches).differences.empty());
            ++added;
        }
    }
    CHECK(added == 8);
}

TEST_CASE("a known difference is reported as known, and does not hide other differences") {
    const auto with = [](const std::string& name, const std::string& counter) {
        Both both;
        both.add(name, "copy_tile", 500);
        for (const CounterMetric& metric : counter_metrics()) {
            const bool is_it = metric.counter == counter && metric.is_exact;
            both.launches[2].value_by_metric[metric.metric] += is_it || !metric.is_exact ? 7 : 0;
        }
        return compare_counters(both.cases, both.launches);
    };
    const CounterComparison known = with("13_tma rows, 332 x 1024", "load_sectors");
    CHECK(known.is_equal());
    CHECK(known.differences.empty());
    REQUIRE(known.known_reasons.size() == 1);
    CHECK(to_text(known).find("known: 13_tma load_sectors: ") != std::string::npos);
    CHECK_FALSE(with("13_tma rows, 332 x 1024", "load_requests").is_equal());
    CHECK_FALSE(with("11_any_shape any, 332 x 1024", "load_sectors").is_equal());
    CHECK_FALSE(with("12_async one_tile, 332 x 1024", "load_sectors").is_equal());
    CHECK(with("12_async one_tile, 1000 x 780", "load_sectors").is_equal());
}

TEST_CASE("the pipe's count may be slightly larger than the simulator's, but not smaller") {
    const auto with = [](double change) {
        Both both;
        both.launches[1].value_by_metric["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] +=
            change;
        return compare_counters(both.cases, both.launches);
    };
    CHECK(with(100).differences.empty());
    CHECK(with(-1).differences.size() == 1);
    CHECK(with(1000).differences.size() == 1);
    // Inexact metrics are ignored, whatever their values.
    CHECK(with(1000).is_equal());
}

TEST_CASE("if the pipe's count equals the simulator's, ncu's estimate is ignored") {
    constexpr const char* estimate =
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    constexpr const char* pipe = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    Both both;
    both.add("square again", "copy_tile", 200);
    both.launches[0].value_by_metric[estimate] += 50;
    CounterComparison comparison = compare_counters(both.cases, both.launches);
    CHECK(comparison.is_equal());
    CHECK(comparison.differences.empty());
    // Now the pipe's count is off by one as well. A close value does not count as equal.
    both.launches[0].value_by_metric[pipe] += 1;
    CHECK_FALSE(compare_counters(both.cases, both.launches).is_equal());
    // A metric that differs in most cases is not used as a check.
    both.launches[0].value_by_metric[pipe] -= 1;
    both.launches[1].value_by_metric[estimate] += 50;
    comparison = compare_counters(both.cases, both.launches);
    CHECK(comparison.differences.empty());
    CHECK_FALSE(comparison.is_equal());
}

TEST_CASE("the comparison fails if a required metric is missing, even in a single launch") {
    Both both;
    for (auto& launch : both.launches) launch.value_by_metric.erase(counter_metrics()[0].metric);
    CHECK_FALSE(compare_counters(both.cases, both.launches).is_equal());
    Both once;
    once.launches[0].value_by_metric.erase(counter_metrics()[0].metric);
    CHECK_FALSE(compare_counters(once.cases, once.launches).is_equal());
}

TEST_CASE("the comparison fails if a counter is 0 in all launches") {
    Both both;
    for (std::size_t i = 0; i < 2; ++i) {
        both.cases[i]["counters"]["load_requests"] = 0;
        both.launches[i].value_by_metric[counter_metrics()[0].metric] = 0;
    }
    CHECK_FALSE(compare_counters(both.cases, both.launches).is_equal());
    CHECK_FALSE(compare_counters(Json::array(), {}).is_equal());
}

TEST_CASE("a different number of launches is rejected, and so are launches of other kernels") {
    Both fewer;
    fewer.launches.pop_back();
    CHECK_THROWS_WITH_AS(compare_counters(fewer.cases, fewer.launches),
                         "2 kernels were launched, but ncu profiled 1", std::runtime_error);
    Both other;
    // A kernel whose name merely contains the expected name is a different kernel.
    other.launches[0].kernel = "my_copy_tile(float *)";
    CHECK_THROWS_AS(compare_counters(other.cases, other.launches), std::runtime_error);
    other.launches[0].kernel = "void ns::<unnamed>::copy_tile<32, 8>(float *)";
    CHECK_NOTHROW(compare_counters(other.cases, other.launches));
}

TEST_CASE("the chapter on profiles names all metrics that are compared") {
    const auto page = std::filesystem::path(COALESCE_REPOSITORY) / "docs/guide/profile.md";
    std::ifstream file(page);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const CounterMetric& counter : counter_metrics()) {
        if (!counter.is_exact) continue;
        const std::string row =
            "| `" + std::string(counter.counter) + "` | `" + counter.metric + "` |";
        CHECK_MESSAGE(text.find(row) != std::string::npos, page.string() << " lacks " << row);
    }
}
