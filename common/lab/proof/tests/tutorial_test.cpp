// Tests how a GPU's counters and times for the tutorial kernels are read, and how they are compared
// with the simulator's.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/files.h"
#include "lab/proof/validate/tutorial_comparison.h"
#include "lab/proof/validate/tutorial_record.h"

using namespace coalesce::proof;

namespace {

/// Returns ncu's output for two launches, with made-up metrics and values.
std::string ncu_csv(const std::string& second_kernel = "add<4>") {
    return "==PROF== Connected to process 1\n"
           "\"ID\",\"Kernel Name\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
           "\"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum\",\"l1tex__t_requests_pipe_lsu_mem_"
           "global_op_red.sum\","
           "\"sm__cycles_elapsed.max\"\n"
           "\"\",\"\",\"\",\"\",\"\",\"cycle\"\n"
           "\"0\",\"copy(float *)\",\"1,024\",\"0\",\"0\",\"9,000\"\n"
           "\"1\",\"void " +
           second_kernel + "(int *, int)\",\"64\",\"3\",\"4\",\"700.5\"\n";
}

ThemeOutput output_of_theme() {
    return {"stream", "# median of 20 launches\ncopy 0.012500 ms\nadd 0.500000 ms\n", ncu_csv(),
            ncu_csv()};
}

const char* const kCounters[] = {
    "load_requests",           "load_sectors",           "store_requests",
    "store_sectors",           "atomic_requests",        "atomic_sectors",
    "shared_load_requests",    "shared_load_wavefronts", "shared_store_requests",
    "shared_store_wavefronts", "shared_atomic_requests", "shared_atomic_wavefronts"};

/// Returns the simulator's output, with the counters 100, 101, ... and a predicted time of 0.9 ms.
Json simulated() {
    Json kernel = {{"name", "copy"}, {"launches", 1}};
    int value = 100;
    for (const char* counter : kCounters) kernel[counter] = value++;
    kernel["predicted"] = {{"ms", .9}, {"error_band", .15}, {"unknown", Json::array()}};
    return {{"kernels", Json::array({kernel})}};
}

/// Returns a record of a GPU with the same counters as simulated().
Json recorded() {
    Json counters = Json::object();
    int value = 100;
    for (const char* counter : kCounters) counters[counter] = value++;
    return counters;
}

ComparedKernel compared(bool is_held_back, double measured_ms) {
    ComparedKernel kernel{.theme = "stream", .name = "copy", .is_held_back = is_held_back};
    kernel.differences = compare_tutorial_counters(recorded(), simulated());
    kernel.time = compare_tutorial_time(measured_ms, simulated());
    return kernel;
}

}  // namespace

TEST_CASE("a theme's output becomes a record, with the held-back times stored separately") {
    const ThemeRecord record = make_theme_record(output_of_theme());
    REQUIRE(record.measured.size() == 2);
    CHECK(record.measured[0].at("counters").at("load_requests") == 1024);
    CHECK_FALSE(record.measured[0].at("counters").contains("atomic_requests"));
    CHECK(record.measured[1].at("kernel") == "add<4>");
    CHECK(record.measured[1].at("counters").at("atomic_requests") == 7);
    for (const Json& kernel : record.measured) {
        const bool is_apart = std::ranges::any_of(
            record.held_back, [&](const Json& one) { return one.at("name") == kernel.at("name"); });
        CHECK(is_apart == is_held_back_kernel(kernel.at("name")));
        CHECK(is_apart != kernel.contains("ms"));
    }
}

TEST_CASE("a missing launch, a different kernel and a wrong result are rejected") {
    ThemeOutput fewer = output_of_theme();
    fewer.times = "copy 0.012500 ms\n";
    CHECK_THROWS_AS(make_theme_record(fewer), std::runtime_error);
    ThemeOutput other = output_of_theme();
    other.full = ncu_csv("subtract");
    CHECK_THROWS_AS(make_theme_record(other), std::runtime_error);
    ThemeOutput wrong = output_of_theme();
    wrong.times = "copy WRONG: element 0 should be 1, not 2\nadd 0.5 ms\n";
    CHECK_THROWS_AS(make_theme_record(wrong), std::runtime_error);
}

TEST_CASE("a record is read back as it was written, and includes held-back times only on request") {
    const coalesce::TemporaryFolder folder;
    TutorialRecord record{{{"device", "a GPU"}}, Json::array(), Json::array()};
    record.add(make_theme_record(output_of_theme()));
    record.write(folder.path);
    CHECK(TutorialRecord::read(folder.path, false).measured == record.measured);
    CHECK(TutorialRecord::read(folder.path, false).held_back.empty());
    CHECK(TutorialRecord::read(folder.path, true).held_back == record.held_back);
}

TEST_CASE("several runs of a kernel result in a range for each counter that varies") {
    Json copy = make_theme_record(output_of_theme()).measured[0],
         add = make_theme_record(output_of_theme()).measured[1];
    const auto launch = [](const std::string& kernel, double loads, double atomics) {
        return ProfiledLaunch{
            .kernel = kernel,
            .value_by_metric = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", loads},
                                {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", atomics}}};
    };
    const std::vector<ProfiledLaunch> launches = {
        launch("copy(float *)", 1024, 0), launch("copy(float *)", 1024, 0),
        launch("void add<4>(int *, int)", 66, 7), launch("void add<4>(int *, int)", 61, 0)};
    add_runs({&copy, &add}, launches, 2);
    CHECK(copy.at("runs") == 3);
    CHECK_FALSE(copy.contains("ranges"));
    CHECK(add.at("runs") == 3);
    CHECK(add.at("ranges") == Json{{"load_requests", {61, 66}}, {"atomic_requests", {0, 7}}});

    CHECK_THROWS_AS(add_runs({&copy}, launches, 2), std::runtime_error);
    CHECK_THROWS_AS(add_runs({&add, &copy}, launches, 2), std::runtime_error);
}

TEST_CASE("the comparison reports whether a difference is within run-to-run variation") {
    const Json ranges = {{"load_sectors", {10, 20}}, {"shared_load_pipe", {5, 6}}};
    const auto is_in = [&](const std::string& counter, double simulated) {
        return are_in_range({{"", counter, "", simulated, 15}}, ranges);
    };
    CHECK(is_in("load_sectors", 10));
    CHECK(is_in("load_sectors", 20));
    CHECK_FALSE(is_in("load_sectors", 9));
    CHECK_FALSE(is_in("load_sectors", 21));
    CHECK_FALSE(is_in("store_sectors", 15));
    CHECK(is_in("shared_load_wavefronts", 6));
    CHECK_FALSE(is_in("shared_load_wavefronts", 7));
    CHECK_FALSE(are_in_range({}, ranges));
    CHECK_FALSE(
        are_in_range({{"", "load_sectors", "", 15, 16}, {"", "store_sectors", "", 1, 2}}, ranges));
}

TEST_CASE("equal counters compare equal, and a counter that is off by one is detected") {
    CHECK(compare_tutorial_counters(recorded(), simulated()).empty());
    for (const char* counter : kCounters) {
        for (const int change : {1, -1}) {
            Json other = recorded();
            other[counter] = other.at(counter).get<int>() + change;
            const auto differences = compare_tutorial_counters(other, simulated());
            REQUIRE(differences.size() == 1);
            CHECK(differences[0].counter == counter);
        }
        Json none = recorded();
        none.erase(counter);  // the record omits counters that are 0
        CHECK(compare_tutorial_counters(none, simulated()).size() == 1);
    }
}

TEST_CASE("a run compares equal to itself") {
    CHECK(counters_of_only_launch(simulated()) == recorded());
    CHECK(compare_tutorial_counters(counters_of_only_launch(simulated()), simulated()).empty());
}

TEST_CASE(
    "wavefronts count as equal if either of the two hardware counters equals the simulator's") {
    Json other = recorded();
    other["shared_load_wavefronts"] = 999;
    other["shared_load_pipe"] = 107;
    CHECK(compare_tutorial_counters(other, simulated()).empty());
    other["shared_load_pipe"] = 108;
    CHECK(compare_tutorial_counters(other, simulated()).size() == 1);
}

TEST_CASE("kernels with more than one launch cannot be compared") {
    Json twice = simulated();
    twice["kernels"][0]["launches"] = 2;
    CHECK_THROWS_AS(compare_tutorial_counters(recorded(), twice), std::runtime_error);
}

TEST_CASE(
    "a good verdict needs equal counters, and enough times within their bands in both halves") {
    const TutorialLimits all{1, 1};
    const ComparedKernel good = compared(false, 1), bad_time = compared(true, 2);
    CHECK(make_tutorial_verdict({good, compared(true, 1)}, all).is_good);
    CHECK_FALSE(make_tutorial_verdict({good, bad_time}, all).is_good);
    CHECK(make_tutorial_verdict({good, bad_time}, {1, 0}).is_good);
    CHECK(make_tutorial_verdict({good, bad_time}, {1, 0}).text.find("BEYOND") != std::string::npos);
    CHECK_FALSE(make_tutorial_verdict({}, {}).is_good);

    ComparedKernel differs = good;
    differs.differences = {{"", "load_sectors", "", 1, 2}};
    CHECK_FALSE(make_tutorial_verdict({good, differs}, {}).is_good);
    differs.known = "for a reason";
    CHECK(make_tutorial_verdict({good, differs}, {.5, 0}).is_good);
    CHECK_FALSE(make_tutorial_verdict({good, differs}, {.6, 0}).is_good);

    // A counter within the range of several runs on hardware counts neither as equal nor as failed.
    ComparedKernel in_range = good;
    in_range.differences = {{"", "load_sectors", "", 1, 2}};
    in_range.differing_runs = 6;
    in_range.are_counts_in_range = true;
    CHECK(make_tutorial_verdict({good, in_range},
                                {.min_equal_fraction = .5, .min_repeatable_equal_fraction = 1})
              .is_good);
    CHECK_FALSE(make_tutorial_verdict({good, in_range}, {.min_equal_fraction = .6}).is_good);
    CHECK_FALSE(
        make_tutorial_verdict({good, differs}, {.min_repeatable_equal_fraction = .6}).is_good);
    CHECK(make_tutorial_verdict({good, in_range}, {}).text.find("6 runs on the hardware") !=
          std::string::npos);
    in_range.are_counts_in_range = false;
    CHECK_FALSE(make_tutorial_verdict({good, in_range}, {}).is_good);

    ComparedKernel failed = good;
    failed.simulator_failure = "simulate failed";
    CHECK_FALSE(make_tutorial_verdict({good, failed}, {}).is_good);
}

TEST_CASE("a time that is predicted with a warning may be outside its error band") {
    ComparedKernel unknown = compared(false, 2);
    REQUIRE(unknown.time.has_value());
    unknown.time->unknown = {"atomics"};
    CHECK(make_tutorial_verdict({unknown}, {1, 1}).is_good);
    CHECK(make_tutorial_verdict({unknown}, {1, 1}).text.find("not known: atomics") !=
          std::string::npos);
}

TEST_CASE("every known difference has a reason") {
    const auto known = read_known_differences("# comment\n\ncopy: it is slow: very\n");
    REQUIRE(known.size() == 1);
    CHECK(known.at("copy") == "it is slow: very");
    CHECK_THROWS_AS(read_known_differences("copy\n"), std::runtime_error);
}

TEST_CASE("the committed record has at least 150 kernels, and half of their times are held back") {
    const TutorialRecord record =
        TutorialRecord::read(COALESCE_REPOSITORY "/docs/results/tutorial", true);
    CHECK(record.measured.size() >= 150);
    CHECK(record.held_back.size() * 100 > record.measured.size() * 40);
    CHECK(record.held_back.size() * 100 < record.measured.size() * 60);
    for (const Json& kernel : record.measured)
        CHECK(is_held_back_kernel(kernel.at("name")) != kernel.contains("ms"));
    for (const Json& kernel : record.held_back) CHECK(is_held_back_kernel(kernel.at("name")));
}
