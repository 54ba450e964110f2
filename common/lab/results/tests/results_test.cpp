// Tests the tables in the README, using results that are defined in this file.

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/errors.h"
#include "lab/results/results.h"
#include "lab/results/results_table.h"
#include "learn/tests/expect.h"
#include "learn/tests/sample_results.h"
#include "stale_predictions.h"

using namespace coalesce::lab;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

const std::string MARKERS =
    "<!-- results: written by build/bin/learn results -->\nold\n<!-- end of results -->\n";
const std::string EMPTY_README = "# Title\n" + MARKERS + "after\n";
const std::string ONLY_LESSON = R"(title = "Naive"
builds_on = ""
[[variant]]
name = "naive"
kernel = "transpose_naive"
expect = { load = 4, store = 32 }
[[variant]]
name = "8x32"
kernel = "transpose_naive"
expect = { load = 4, store = 8 }
)";

// A temporary folder with a README. The destructor removes the folder.
struct ReportFolder {
    fs::path path = fs::temp_directory_path() / ("report-" + std::to_string(getpid()));
    ReportFolder() {
        fs::create_directories(path / "docs/results");
        fs::create_directories(path / "docs/guide");
        fs::create_directories(path / "steps/02_naive");
        write("course.toml", "");
        write("steps/02_naive/lesson.toml", ONLY_LESSON);
        write("README.md", EMPTY_README);
        write("docs/guide/results.md", MARKERS);
    }
    ~ReportFolder() { fs::remove_all(path); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
    }
    std::string read(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(path / name).rdbuf();
        return text.str();
    }
    size_t files() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
    }
};

}  // namespace

TEST_CASE("a README without results says that there are no results") {
    ReportFolder folder;
    CHECK(update_result_tables(folder.path, true) == 1);
    CHECK(folder.read("README.md") == EMPTY_README);
    CHECK(update_result_tables(folder.path, false) == 0);
    CHECK(has(folder.read("README.md"), "No GPU has been measured yet."));
    CHECK(!has(folder.read("README.md"), "old"));
    CHECK(has(folder.read("README.md"), "# Title\n"));
    CHECK(has(folder.read("README.md"), "\nafter\n"));
    CHECK(update_result_tables(folder.path, true) == 0);
}

TEST_CASE("counted, predicted and measured figures of a variant are in one row") {
    ReportFolder folder;
    Json results = {counted("02_naive", "naive"), counted("02_naive", "8x32")};
    folder.write("docs/results/a.json", Json{{"device", SIM}, {"results", results}}.dump());
    results = {timed("02_naive", "naive"), timed("02_naive", "8x32"), timed("rivals", "memcpy"),
               timed("rivals", "geam")};
    folder.write("docs/results/b.json", Json{{"device", GPU}, {"results", results}}.dump());
    results = {predicted("02_naive", "naive", "A GPU")};
    folder.write("docs/results/c.json", Json{{"device", PREDICTED}, {"results", results}}.dump());
    // This file has the format of the program `shapes`, and contains no results of steps.
    folder.write("docs/results/shapes.json",
                 R"({"device": {"name": "G"}, "results": [{"case": "x"}]})");
    const std::string text =
        format_results_markdown(read_results(folder.path / "docs/results"), "proof.md");
    CHECK(
        has(text, "**A GPU**, 4096 x 512 floats. *Counted* on the simulated GPU at 1024 x 1024: "));
    CHECK(has(text, "*Predicted*, not measured: "));
    CHECK(has(text, "[how far off they are](proof.md)"));
    size_t details = text.find("<details>");
    CHECK(
        text.find("| 02_naive | naive | 4, 32 | 1,015,808 | 37.7 | 2.12 ± 8 % | 94 % | barriers | "
                  "2.0971 | 4097 | 95.7 % |") < details);
    CHECK(text.find("| rivals | geam | - | - | - | - | - | - | 2.0971 |") < details);
    CHECK(text.find("| 02_naive | 8x32 | 4, 32 |") > details);
    CHECK_FALSE(has(text, "No GPU"));
    CHECK_FALSE(has(text, "does not know"));
    CHECK_FALSE(has(text, "**G**"));
}

TEST_CASE("times predicted for a different GPU or shape are not shown beside measured times") {
    ReportFolder folder;
    const Json measured = {{"device", GPU}, {"results", {timed("02_naive", "naive")}}};
    Json other_gpu = predicted("02_naive", "naive", "Another"),
         other_shape = predicted("02_naive", "naive", "A GPU");
    other_shape["predicted"]["rows"] = 8;
    for (const Json& row : {other_gpu, other_shape}) {
        KnownResults known{.predicted = {{"device", PREDICTED}, {"results", {row}}},
                           .measured = {measured}};
        CHECK_FALSE(has(format_results_markdown(known, "proof.md"), "redicted"));
        CHECK_FALSE(has(format_step_results("02_naive", known), "redicted"));
        known.measured.clear();
        CHECK(has(format_results_markdown(known, "proof.md"), "No GPU has been measured yet."));
        CHECK(has(format_results_markdown(known, "proof.md"), "| 02_naive | naive | 2.12 ± 8 % |"));
        CHECK(has(format_step_results("02_naive", known), "| `naive` | 2.12 ± 8 % |"));
    }
}

TEST_CASE("a lesson with smaller matrices has a table with its own sizes") {
    Json small = counted("18_product", "naive"), timed_small = timed("18_product", "naive"),
         skipped = timed_small;
    small["rows"] = small["cols"] = 256;
    timed_small["rows"] = 1000;
    skipped.erase("ms");
    const KnownResults known{
        .counted = {{"device", SIM}, {"results", {counted("02_naive", "naive"), small}}},
        .measured = {{{"device", GPU},
                      {"results", {timed("02_naive", "naive"), skipped}},
                      {"other_sizes",
                       {{{"rows", 1000}, {"cols", 512}, {"results", {timed_small}}},
                        {{"rows", 2000}, {"cols", 512}, {"results", {skipped}}}}}}}};
    const std::string lesson = format_step_results("18_product", known);
    CHECK(has(lesson, "on the simulated GPU at 256 x 256"));
    CHECK(has(lesson, "at 1000 x 512"));
    CHECK(has(lesson, "| 2.0971 |"));
    const std::string all = format_results_markdown(known, "proof.md");
    CHECK(has(all, "on the simulated GPU at 1024 x 1024"));
    CHECK_FALSE(has(all, "18_product"));
}

TEST_CASE("predictions are marked if they are uncertain or the GPU was not calibrated") {
    Json row = predicted("02_naive", "naive", "G");
    row["predicted"]["unknown"] = {"atomics"};
    row["predicted"]["measured_gpu"] = false;
    KnownResults known;
    known.predicted = {{"device", PREDICTED}, {"results", {row}}};
    const std::string text = format_step_results("02_naive", known);
    CHECK(has(text, "| 2.12 ± 8 % ? |"));
    CHECK(has(text, "A question mark means that the model may be further off"));
    CHECK(has(text, "the model has not been calibrated on it"));
}

TEST_CASE("predictions are stored in a short form, and stale predictions are detected") {
    Json result = predicted("02_naive", "naive", "G"), none = counted("02_naive", "8x32"),
         many = predicted("16_many_gpus", "peers", "G");
    result["predicted"]["launches"] = {1, 2};
    result["predicted"]["ms"] = 2.1234567;
    none["not_predicted"] = "it launches no kernel";
    const Json shown = extract_predictions({result, none, many});
    REQUIRE(shown.size() == 2);
    CHECK(shown[0]["predicted"]["ms"] == 2.123);
    CHECK_FALSE(shown[0]["predicted"].contains("launches"));
    CHECK(shown[1]["not_predicted"] == "it launches no kernel");

    CHECK(stale_predictions(shown, shown).empty());
    Json now = shown;
    now[0]["predicted"]["ms"] = 2.14;
    CHECK(stale_predictions(shown, now).empty());
    now[0]["predicted"]["ms"] = 2.15;
    CHECK(stale_predictions(shown, now) ==
          std::vector<std::string>{"02_naive naive: ms is 2.15, not 2.123"});
    now = shown;
    now[0]["predicted"]["binds"] = "memory";
    CHECK(has(stale_predictions(shown, now).at(0), "binds is \"memory\""));
    now = shown;
    now[1]["predicted"] = now[0]["predicted"];
    CHECK(stale_predictions(shown, now).at(0) == "02_naive 8x32: is predicted now");
    CHECK(stale_predictions(now, shown).at(0) == "02_naive 8x32: is not predicted any more");
    now = Json::array({shown[1]});
    CHECK(stale_predictions(shown, now).at(0) == "02_naive naive: is there no more");
    CHECK(stale_predictions(now, shown).at(0) == "02_naive naive: is new");
}

TEST_CASE("the summary has one line per lesson, with its fastest variant") {
    ReportFolder folder;
    Json naive = timed("02_naive", "naive"), faster = timed("02_naive", "8x32");
    faster["gbps"] = 4200;
    folder.write("docs/results/a.json",
                 Json{{"device", SIM}, {"results", {counted("02_naive", "naive")}}}.dump());
    folder.write("docs/results/b.json", Json{{"device", GPU}, {"results", {naive, faster}}}.dump());
    CHECK(update_result_tables(folder.path, false) == 0);
    CHECK(has(folder.read("README.md"),
              "| [02](steps/02_naive/README.md) | Naive | 4, 32 | 4097 | 95.7 % | `8x32` 4200, "
              "95.7 % |\n"));
    CHECK(has(folder.read("docs/guide/results.md"), "| [02](../../steps/02_naive/README.md) |"));
    CHECK(has(folder.read("docs/guide/results.md"), "| 02_naive | 8x32 |"));
    // Now the headline variant is itself the fastest.
    faster["gbps"] = 4000;
    folder.write("docs/results/b.json", Json{{"device", GPU}, {"results", {naive, faster}}}.dump());
    CHECK(update_result_tables(folder.path, true) == 1);
    CHECK(update_result_tables(folder.path, false) == 0);
    CHECK(has(folder.read("README.md"), "| 4097 | 95.7 % |  |\n"));
}

TEST_CASE("a file that does not contain results is rejected, and its first mistake is reported") {
    ReportFolder folder;
    const auto complaint = [&](const std::string& text) -> std::string {
        folder.write("docs/results/bad.json", text);
        try {
            read_results(folder.path / "docs/results", {"02_naive"});
        } catch (const std::exception& error) {
            const std::string message = error.what();
            CHECK(has(message, "docs/results/bad.json"));
            return message.substr(message.find("bad.json") + 8);
        }
        return "nothing";
    };
    const auto of = [](const Json& device, const std::vector<Json>& rows) {
        return Json{{"device", device}, {"results", rows}}.dump();
    };
    CHECK(has(complaint("not JSON"), " is not JSON"));
    CHECK(complaint("{}") == ": no \"device\"");
    CHECK(complaint("[]") == ": expected an object");
    CHECK(complaint(R"({"device": 3})") == ": device: expected an object");
    CHECK(complaint(R"({"device": {"name": "G"}})") == ": device: no \"kind\"");
    CHECK(has(complaint(R"({"device": {"name": "G", "kind": "toy"}})"),
              ": device.kind: expected gpu, sim"));
    CHECK(complaint(of(GPU, {})) == ": results: the list is empty");
    // Each field is tested twice: once without the field, and once with a value of the wrong type.
    const std::vector<std::pair<Json, std::vector<const char*>>> rows = {
        {timed("02_naive", "naive"),
         {"step", "variant", "rows", "cols", "verified", "ms", "gbps", "of_copy"}},
        {counted("02_naive", "naive"), {"step", "variant", "rows", "cols", "verified"}},
        {predicted("02_naive", "naive", "A GPU"), {"step", "variant", "predicted"}}};
    for (const auto& [row, fields] : rows) {
        const Json& device = row.contains("ms") ? GPU : row.contains("counters") ? SIM : PREDICTED;
        REQUIRE(complaint(of(device, {row})) == "nothing");
        for (const char* field : fields) {
            CAPTURE(field);
            Json wrong = row;
            wrong.erase(field);
            CHECK(complaint(of(device, {wrong})) ==
                  ": results[0]: no \"" + std::string(field) + "\"");
            wrong[field] = Json::array();
            CHECK(has(complaint(of(device, {wrong})), ": results[0]." + std::string(field) + ": "));
        }
        CHECK(complaint(of(device, {row, row})) == ": results[1]: \"02_naive naive\" occurs twice");
    }
    Json wrong = timed("02_naive", "naive");
    wrong["ms"] = 0;
    CHECK(complaint(of(GPU, {wrong})) == ": results[0].ms: expected a number above 0");
    wrong = counted("02_naive", "naive");
    wrong["counters"].erase("shared_load_ideal");
    CHECK(complaint(of(SIM, {wrong})) == ": results[0].counters: no \"shared_load_ideal\"");
    wrong = predicted("02_naive", "naive", "A GPU");
    wrong["predicted"]["binds"] = "magic";
    CHECK(has(complaint(of(PREDICTED, {wrong})), ": results[0].predicted.binds: "));
    CHECK(complaint(of(GPU, {timed("99_none", "naive")})) ==
          ": results[0].step: the course has no step \"99_none\"");
    folder.write("docs/results/a.json", of(SIM, {counted("02_naive", "naive")}));
    CHECK(complaint(of(SIM, {counted("02_naive", "naive")})) ==
          ": device.kind: another file also has results of this kind");
}

TEST_CASE("a lesson contains copies of its code and questions, and stale copies are detected") {
    ReportFolder folder;
    folder.write("steps/02_naive/main.cu",
                 "//! [kernel]\nvoid a() {\n//! [part]\n}\n//! [kernel]\nvoid b();\n");
    folder.write("steps/02_naive/questions.txt", "? Why?\n+ So\n  Yes.\n- Not so\n  No.\n");
    folder.write("steps/02_naive/README.md",
                 "a\n<!-- snippet: kernel -->\nb\n<!-- questions -->\n");
    CHECK(update_result_tables(folder.path, true) == 1);
    update_result_tables(folder.path, false);
    const std::string text = folder.read("steps/02_naive/README.md");
    CHECK(text ==
          "a\n<!-- snippet: kernel -->\n<!-- copy -->\n\n```cpp\nvoid a() {\n}\n```\n\n"
          "<!-- end of copy -->\nb\n<!-- questions -->\n<!-- copy -->\n\n1. Why?\n   - So\n   - "
          "Not so\n\n<details><summary>Answers</summary>\n\n1. So Yes.\n\n</details>\n\n"
          "<!-- end of copy -->\n");
    CHECK(update_result_tables(folder.path, true) == 0);
    folder.write("steps/02_naive/main.cu", "//! [kernel]\nvoid c();\n//! [kernel]\n");
    CHECK(update_result_tables(folder.path, true) == 1);
    folder.write("steps/02_naive/main.cu", "void c();\n");
    CHECK_THROWS_WITH(update_result_tables(folder.path, true),
                      doctest::Contains("does not contain a pair of marks"));
}

TEST_CASE("a README without its markers is reported as an error") {
    ReportFolder folder;
    folder.write("README.md", "no markers");
    CHECK_THROWS_WITH(update_result_tables(folder.path, false),
                      doctest::Contains("lost its markers"));
}

TEST_CASE("a lesson shows its step's results, if there are any") {
    ReportFolder folder;
    const std::string lesson = "a\n<!-- results: begin -->\nold\n<!-- results: end -->\nb\n";
    folder.write("README.md", EMPTY_README);
    folder.write("steps/02_naive/README.md", lesson);
    update_result_tables(folder.path, false);
    CHECK(folder.read("steps/02_naive/README.md") == lesson);

    Json results = {timed("02_naive", "naive"), timed("rivals", "geam")};
    folder.write("docs/results/b.json", Json{{"device", GPU}, {"results", results}}.dump());
    CHECK(update_result_tables(folder.path, false) == 0);
    CHECK(update_result_tables(folder.path, true) == 0);
    CHECK(folder.read("steps/02_naive/README.md") ==
          "a\n<!-- results: begin -->\n*Measured* on an A GPU at 4096 x 512; every output "
          "is verified.\n\n"
          "| Variant | Measured ms | GB/s | of copy |\n|---|--:|--:|--:|\n"
          "| `naive` | 2.0971 | 4097 | 95.7 % |\n<!-- results: end -->\nb\n");
    folder.write("steps/02_naive/README.md", lesson);
    CHECK(update_result_tables(folder.path, true) == 1);
    CHECK(folder.read("steps/02_naive/README.md") == lesson);
}
