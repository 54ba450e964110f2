#include <doctest/doctest.h>

#include "base/errors.h"
#include "base/text.h"
#include "lab/proof/bench/charts.h"
#include "lab/proof/bench/results.h"
#include "lab/proof/bench/share_chart.h"
#include "lab/proof/bench/svg.h"
#include "lab/proof/json_text.h"
#include "lab/proof/run_program.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace {

VariantResult timed(const std::string& step, const std::string& variant, std::vector<double> ms,
                    double bytes) {
    VariantResult entry{step, variant, "", ""};
    entry.ms = std::move(ms);
    entry.bytes = bytes;
    return entry;
}

SizeResults size_of(int rows, int cols) {
    const double bytes = 8.0 * rows * cols;
    SizeResults size{{rows, cols}, {}, {}};
    size.entries = {timed("01_copy", "copy", {3, 1, 2}, bytes),
                    timed("01_copy", "memcpy", {1, 1, 1}, bytes),
                    {"rivals", "triton", "absent", ""}};
    return size;
}

const Json kSimulated = Json::parse(R"({"results": [{"step": "01_copy", "variant": "copy",
    "rows": 64, "cols": 64, "counters": {"load_sectors": 512, "store_sectors": 512}}]})");
const Json kPredicted = Json::parse(R"({"device": {"name": "NVIDIA H200", "kind": "predicted"},
    "results": [{"step": "01_copy", "variant": "copy", "predicted": {"rows": 64, "cols": 64,
                 "ms": 1.6384e-5, "gbps": 2000, "of_copy": 0.5, "error_band": 0.08}},
                {"step": "01_copy", "variant": "memcpy", "not_predicted": "no kernel"},
                {"step": "10_of_bytes", "variant": "int8", "predicted": {"rows": 64, "cols": 64,
                 "ms": 1.6384e-5, "gbps": 500, "of_copy": 0.1, "error_band": 0.08}}],
    "other_sizes": [{"rows": 32, "cols": 32, "results": [{"step": "01_copy", "variant": "copy",
        "predicted": {"rows": 32, "cols": 32, "ms": 8.192e-6, "gbps": 1000, "of_copy": 0.25,
                      "error_band": 0.08}}]}]})");

std::vector<std::string> charts_of(const ChartResults& results) {
    return {draw_bandwidth_chart(results), draw_sectors_chart(results), draw_sizes_chart(results)};
}

std::size_t count_of_rings(const std::string& svg) {
    return occurrences(svg, std::string("fill:") + kBackgroundColour + ";stroke:");
}

}  // namespace

TEST_CASE("sizes are formatted") {
    CHECK(parse_sizes("4096,32768x16384") == std::vector<Shape>{{4096, 4096}, {32768, 16384}});
    for (const char* wrong : {"", "0", "-4", "4x", "x4", "4x4x4", "four", "4,,4", "65536"}) {
        CHECK_THROWS_AS(parse_sizes(wrong), UsageError);
    }
}

TEST_CASE("the fraction of a copy is computed from the median times for the same size") {
    const Json json = to_json({}, {size_of(1000, 1000)}, {});
    const Json& copy = json["results"][0];
    CHECK(copy["ms"] == 2);
    CHECK(copy["best_ms"] == 1);
    CHECK(copy["gbps"] == 4);
    CHECK(copy["of_copy"] == 0.5);
    CHECK(copy["launches"] == 3);
    CHECK(json["copy_gbps"] == 8);
    CHECK(json["results"][2]["skipped"] == "absent");
    CHECK_FALSE(json["results"][2].contains("verified"));
}

TEST_CASE("the results for the largest square come first, followed by those for other sizes") {
    const Json json = to_json({}, {size_of(64, 64), size_of(512, 128), size_of(256, 256)}, {});
    CHECK(json["results"][0]["rows"] == 256);
    CHECK(json["other_sizes"].size() == 2);
    CHECK(json["other_sizes"][1]["rows"] == 512);
}

TEST_CASE("a variant with a wrong output is reported and has no time") {
    SizeResults size = size_of(64, 64);
    size.entries[0].output_error = "out(0,0) was never written";
    const Json json = to_json({}, {size}, {});
    CHECK(json["results"][0]["verified"] == false);
    CHECK_FALSE(json["results"][0].contains("ms"));
    CHECK(to_table({size}).find("WRONG") != std::string::npos);
    CHECK(list_wrong_outputs({size}).find("out(0,0)") != std::string::npos);
    CHECK(list_wrong_outputs({size_of(64, 64)}).empty());
}

TEST_CASE("results are written as valid JSON with one line per row") {
    const Json json{
        {"a", 1},
        {"inner", {{"rows", {{{"x", 1}, {"y", "z"}}, {{"x", 2}}}}, {"none", Json::array()}}}};
    const std::string text = json_text(json);
    CHECK(Json::parse(text) == json);
    CHECK(text ==
          "{\n \"a\": 1,\n \"inner\": {\n  \"rows\": [\n   {\"x\":1,\"y\":\"z\"},\n   "
          "{\"x\":2}\n  ],\n  \"none\": []\n }\n}\n");
}

TEST_CASE("charts show every step, and depend only on the results") {
    const Json measured =
        to_json({.name = "A <GPU>", .peak_gbps = 12}, {size_of(64, 64), size_of(32, 32)}, {});
    for (const std::string& chart : charts_of({measured, kSimulated, nullptr})) {
        CHECK(chart.starts_with("<svg "));
        CHECK(chart.ends_with("</svg>\n"));
        CHECK(chart.find("01_copy") != std::string::npos);
        CHECK(chart.find("A &lt;GPU&gt;") != std::string::npos);
        CHECK(chart.find("triton") == std::string::npos);
        CHECK(chart.find("nan") == std::string::npos);
        CHECK(chart.find("predicted") == std::string::npos);
    }
}

TEST_CASE("predicted times are shown beside measured times of the same GPU, and are labelled") {
    Json measured = to_json({.name = "NVIDIA H200"}, {size_of(64, 64), size_of(32, 32)}, {});
    const ChartResults both{measured, kSimulated, kPredicted};
    for (const std::string& chart : charts_of(both)) {
        CHECK(chart.find("predicted, not measured") != std::string::npos);
        CHECK(chart.find("floats, predicted") == std::string::npos);
    }
    // The chart must contain a ring for each prediction, and one ring in the legend.
    CHECK(count_of_rings(draw_bandwidth_chart(both)) == 1 + 1);
    CHECK(count_of_rings(draw_sectors_chart(both)) == 1 + 1);
    CHECK(count_of_rings(draw_sizes_chart(both)) == 2 + 1);
    measured["device"]["name"] = "Another";
    for (const std::string& chart : charts_of({measured, kSimulated, kPredicted})) {
        CHECK(count_of_rings(chart) == 0);
        CHECK(chart.find("predicted") == std::string::npos);
    }
}

TEST_CASE("without measurements, charts show predictions that are not labelled as measured") {
    for (const std::string& chart : charts_of({nullptr, kSimulated, kPredicted})) {
        CHECK(chart.find("NVIDIA H200, ") != std::string::npos);
        CHECK(chart.find(", predicted") != std::string::npos);
        CHECK(chart.find(", measured") == std::string::npos);
        CHECK(chart.find("10_of_bytes") == std::string::npos);
        CHECK(chart.find("01_copy") != std::string::npos);
        CHECK(chart.find("nan") == std::string::npos);
    }
}

TEST_CASE("the fastest correct result with several GPUs is shown") {
    const Json two = Json::parse(R"({"device": {"name": "G", "gpus": 2}, "results": [
        {"variant": "nccl/1", "rows": 64, "cols": 64, "verified": true, "of_link": 0.5},
        {"variant": "nccl/8", "rows": 64, "cols": 64, "verified": true, "of_link": 0.625},
        {"variant": "nccl/9", "rows": 64, "cols": 64, "verified": false, "of_link": 0.875}]})");
    const Json four = Json::parse(R"({"device": {"name": "G", "gpus": 4}, "results": [
        {"variant": "peers", "rows": 64, "cols": 64, "verified": true, "of_link": 0.75}]})");
    const std::string chart = draw_links_chart({two, four});
    CHECK(chart.find("2 x G") != std::string::npos);
    CHECK(chart.find("62.5 %") != std::string::npos);
    CHECK(chart.find("75.0 %") != std::string::npos);
    CHECK(chart.find("50.0 %") == std::string::npos);
    CHECK(chart.find("87.5 %") == std::string::npos);
}

TEST_CASE("for a shape without a PyTorch result, the chart has no bar for PyTorch") {
    const Json shapes = Json::parse(R"({"device": {"name": "G"}, "results": [
        {"case": "tall", "batches": 2, "rows": 9, "cols": 3, "of_copy": 0.9,
         "torch_copy": {"of_copy": 0.3}},
        {"case": "wide", "batches": 1, "rows": 3, "cols": 9, "of_copy": 0.8}]})");
    const std::string chart = draw_shapes_chart(shapes);
    CHECK(chart.find("tall, 2 x 9 x 3<") != std::string::npos);
    CHECK(chart.find("wide, 3 x 9<") != std::string::npos);
    CHECK(chart.find("30.0 %") != std::string::npos);
    CHECK(chart.find("-100") == std::string::npos);
}
