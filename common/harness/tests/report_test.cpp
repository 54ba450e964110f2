// Tests the output of programs: tables, JSON and times.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "harness/errors.h"
#include "harness/result.h"
#include "harness/text.h"

using namespace coalesce;

namespace {

const Device simulated{.name = "a \"simulated\" GPU", .simulated = true};
const Device real{.name = "a GPU", .peak_gbps = 4000};

Result counted(const Variant& variant) {
    Result result;
    result.variant = &variant;
    result.shape = {1024, 1024};
    Counters counters;
    counters.load_requests = counters.store_requests = counters.shared_load_requests = 10;
    counters.load_sectors = 40;
    counters.store_sectors = counters.shared_load_wavefronts = 320;
    counters.shared_load_ideal = 10;
    counters.kernels = 1;
    result.counters = counters;
    return result;
}

std::size_t longest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    return longest;
}

}  // namespace

TEST_CASE("the first line names the device, and states whether times are measured or simulated") {
    CHECK(real.first_line() == "Device: a GPU, measured");
    CHECK(simulated.first_line() == "Device: a \"simulated\" GPU, simulated: counters, no times");
}

TEST_CASE("a table row for the simulator contains counters") {
    const Variant variant{.name = "naive", .about = ""};
    const Table table(simulated, true, {&variant});
    const std::string row = table.row(counted(variant), 0);
    CHECK(row.find(" 4 ") != std::string::npos);
    CHECK(row.find(" 32 ") != std::string::npos);
    CHECK(row.find(" 310 ") != std::string::npos);
    CHECK(row.find("yes") != std::string::npos);
    CHECK(row.find("GB/s") == std::string::npos);
    CHECK(table.head().find("GB/s") == std::string::npos);
}

TEST_CASE(
    "a table row for a real GPU contains the time, the bandwidth, and the fractions of a copy's "
    "and the peak bandwidth") {
    const Variant variant{.name = "naive", .about = ""};
    Result result;
    result.variant = &variant;
    result.shape = {1000, 1000};
    result.timing = Timing{.ms = 0.004, .spread = 0.001, .repetitions = 20};
    CHECK(result.gbps() == doctest::Approx(2000));
    const Table table(real, true, {&variant});
    const std::string row = table.row(result, 2500);
    CHECK(row.find("2000.0") != std::string::npos);
    CHECK(row.find("80.0 %") != std::string::npos);
    CHECK(row.find("50.0 %") != std::string::npos);
}

TEST_CASE("the bandwidth of a kernel that only reads counts each byte only once") {
    const Variant reads{.name = "reads", .about = "", .produces = computed({})};
    Result result;
    result.variant = &reads;
    result.shape = {1000, 1000};
    result.bytes = 4'000'000;
    result.timing = Timing{.ms = 0.004};
    CHECK(result.gbps() == doctest::Approx(1000));
    CHECK(useful_bytes(reads, {1000, 1000}) == 4e6);
    const auto row = [](const float*, int, int, int, double* out) { *out = 0; };
    const Variant sums{.name = "sums", .about = "", .produces = computed({.row = row})};
    CHECK(useful_bytes(sums, {1000, 500}) == 4.0 * (1000 * 500 + 1000));
    const Variant product{
        .name = "product",
        .about = "",
        .produces = computed(
            {.row = row, .out_cols = Computation::cols, .second_rows = Computation::cols})};
    CHECK(useful_bytes(product, {1000, 500}) == 4.0 * (2 * 1000 * 500 + 500 * 500));
    CHECK(useful_bytes(Variant{.name = "copy", .about = ""}, {1000, 500}) == 8.0 * 1000 * 500);
}

TEST_CASE("tables fit the width of a terminal, even if names are long") {
    const Variant variant{.name = "a name that is much longer than the others of its table",
                          .about = "",
                          .keeps_nan_payloads = false};
    for (const Device* device : {&simulated, &real}) {
        const Table table(*device, true, {&variant});
        Result result = counted(variant);
        result.timing = Timing{.ms = 1234.5678};
        CHECK(longest_line(table.head()) <= 80);
        CHECK(longest_line(table.row(result, 1)) <= 80);
        result.outcome = Outcome::skipped;
        result.reason = std::string(50, 'x') + " " + std::string(50, 'y');
        CHECK(longest_line(table.row(result, 0)) <= 80);
    }
}

TEST_CASE("predicted times are shown beside the counters, and are labelled as predictions") {
    const Variant variant{.name = "a name that is much longer than the others of its table",
                          .about = "",
                          .keeps_nan_payloads = false};
    Result result = counted(variant);
    result.counters->shared_load_wavefronts = 12345678901;
    Predicted& p = result.predicted.emplace();
    p.shape = {32768, 32768};
    p.gpu = "NVIDIA L4";
    p.copy_gbps = 300;
    p.ms = 1234.5678;
    p.gbps = 129;
    p.error_band = .15;
    p.launches.resize(2);
    const Table table(simulated, true, {&variant}, true);
    CHECK(table.head().find("predicted\n") != std::string::npos);
    CHECK(table.row(result, 0).find(" 1234.5678     43 %") != std::string::npos);
    CHECK(notes_on_predictions({result}).find("does not know") == std::string::npos);
    p.launches[1].unknown = {timing::Unknown::atomics};
    CHECK(table.row(result, 0).find(" 1234.5678?     43 %") != std::string::npos);
    Result none = counted(variant);
    none.not_predicted = "it launches no kernel";
    CHECK(table.row(none, 0).find(" - ") != std::string::npos);
    const std::string notes = notes_on_predictions({result, none});
    for (const char* words : {"not measured: NVIDIA L4 at 32768 x 32768", "Unverified", "atomics",
                              "Not predicted: a name"})
        CHECK(notes.find(words) != std::string::npos);
    CHECK(longest_line(table.head() + table.row(result, 0) + table.row(none, 0) + notes) <= 80);
    const auto json = nlohmann::json::parse(to_json(simulated, "x", {result, none}, 0));
    const auto& predicted = json["results"][0]["predicted"];
    CHECK(predicted["gpu"] == "NVIDIA L4");
    CHECK(predicted["ms"] == doctest::Approx(1234.5678));
    CHECK(predicted["of_copy"] == doctest::Approx(.43));
    CHECK(predicted["binds"] == "memory");
    CHECK(predicted["unknown"] == nlohmann::json::array({"atomics"}));
    CHECK(json["results"][1]["not_predicted"] == "it launches no kernel");
    CHECK_FALSE(json["results"][1].contains("predicted"));
}

TEST_CASE("JSON for the simulator contains counters but no time") {
    const Variant variant{.name = "with \"quotes\"", .about = ""};
    const auto json = nlohmann::json::parse(to_json(simulated, "02_naive", {counted(variant)}, 0));
    CHECK(json["device"]["name"] == "a \"simulated\" GPU");
    CHECK(json["device"]["kind"] == "sim");
    const auto& result = json["results"][0];
    CHECK(result["step"] == "02_naive");
    CHECK(result["variant"] == "with \"quotes\"");
    CHECK(result["rows"] == 1024);
    CHECK(result["verified"] == true);
    CHECK(result["counters"]["store_sectors"] == 320);
    CHECK(result["counters"].size() == std::size(kCounterNames));
    for (const char* absent : {"ms", "gbps", "of_copy"}) CHECK_FALSE(result.contains(absent));
}

TEST_CASE("JSON for a real GPU contains times but no counters") {
    const Variant variant{.name = "naive", .about = ""};
    Result result;
    result.variant = &variant;
    result.shape = {1000, 1000};
    result.timing = Timing{.ms = 0.004};
    const auto json = nlohmann::json::parse(to_json(real, "x", {result}, 2500));
    CHECK(json["device"]["kind"] == "gpu");
    CHECK(json["results"][0]["ms"] == doctest::Approx(0.004));
    CHECK(json["results"][0]["gbps"] == doctest::Approx(2000));
    CHECK(json["results"][0]["of_copy"] == doctest::Approx(0.8));
    CHECK_FALSE(json["results"][0].contains("counters"));
}

TEST_CASE("JSON distinguishes wrong variants from skipped ones") {
    const Variant variant{.name = "naive", .about = ""};
    Result wrong, skipped;
    wrong.variant = skipped.variant = &variant;
    wrong.outcome = Outcome::wrong;
    wrong.reason = "two\nlines";
    skipped.outcome = Outcome::skipped;
    skipped.reason = "why";
    const auto json = nlohmann::json::parse(to_json(simulated, "x", {wrong, skipped}, 0));
    CHECK(json["results"][0]["verified"] == false);
    CHECK(json["results"][0]["wrong"] == "two\nlines");
    CHECK(json["results"][1]["skipped"] == "why");
    CHECK_FALSE(json["results"][1].contains("verified"));
}

TEST_CASE(
    "the median ignores outliers, and the spread of the median decreases with the number of "
    "values") {
    std::vector<double> times;
    for (int i = 0; i < 99; ++i) times.push_back(1 + 0.001 * (i % 5 - 2));
    times.push_back(1000);
    const Timing timing = summarize_timings(times);
    CHECK(timing.ms == doctest::Approx(1).epsilon(0.002));
    CHECK(timing.spread < 0.01);
    CHECK(timing.repetitions == 100);
    CHECK(summarize_timings({1, 2, 3, 4}).ms == doctest::Approx(2.5));
    CHECK(summarize_timings({1, 2, 3, 4, 5}).spread > 0.1);
}

TEST_CASE("long lines are wrapped at 80 columns and keep their indentation") {
    const std::string text =
        wrap("  " + std::string(200, 'a').replace(60, 1, " ").replace(120, 1, " "));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CHECK(line.size() <= 81);
        CHECK(line.substr(0, 2) == "  ");
    }
    CHECK(wrap("one\n\ntwo") == "one\n\ntwo\n");
    const std::string before(kTerminalColumns - 2, 'a');
    CHECK(wrap(before + " 8 %") == before + "\n8 %\n");
}

TEST_CASE("the message of a CUDA error contains the location, the call, the error and advice") {
    try {
        check_cuda(cudaErrorMemoryAllocation, "cudaMalloc(&p, n)", "file.cpp", 12);
        FAIL("nothing was thrown");
    } catch (const CudaError& error) {
        const std::string text = error.what();
        CHECK(text.find("file.cpp:12: cudaMalloc(&p, n) failed") == 0);
        CHECK(text.find("cudaErrorMemoryAllocation") != std::string::npos);
        CHECK(text.find("--rows") != std::string::npos);
    }
    check_cuda(cudaSuccess, "", "", 0);
}

TEST_CASE("ordinal numbers have the correct suffixes") {
    std::string names;
    for (const unsigned number : {1u, 2u, 3u, 4u, 11u, 12u, 13u, 21u, 102u, 111u, 1023u})
        names += ordinal(number) + " ";
    CHECK(names == "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th 1023rd ");
}
