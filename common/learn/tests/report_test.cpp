// Figures, tables and the README's results, made from results that were written down here.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/errors.h"
#include "learn/figures.h"
#include "learn/readme.h"
#include "learn/table.h"

using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

const Json SIM = {{"name", "A simulated GPU"}, {"kind", "sim"}};
const Json GPU = {{"name", "A GPU"}, {"kind", "gpu"}};

Json counted(const std::string& step, const std::string& variant) {
    return {{"step", step},
            {"variant", variant},
            {"rows", 1024},
            {"cols", 1024},
            {"verified", true},
            {"counters",
             {{"load_requests", 32768},
              {"load_sectors", 131072},
              {"store_requests", 32768},
              {"store_sectors", 1048576},
              {"shared_load_requests", 32768},
              {"shared_load_wavefronts", 1048576},
              {"shared_load_ideal", 32768},
              {"shared_store_requests", 32768},
              {"shared_store_wavefronts", 32768},
              {"shared_store_ideal", 32768}}}};
}

Json timed(const std::string& step, const std::string& variant) {
    return {{"step", step},     {"variant", variant}, {"rows", 4096},   {"cols", 512},
            {"verified", true}, {"ms", 2.09712},      {"gbps", 4096.6}, {"of_copy", 0.9574}};
}

// A folder that is gone again at the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("report-" + std::to_string(getpid()));
    Folder() {
        fs::create_directories(path / "docs/results");
        fs::create_directories(path / "steps/02_naive");
    }
    ~Folder() { fs::remove_all(path); }
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

const std::string EMPTY_README =
    "# Title\n<!-- results: written by build/bin/learn results -->\nold\n<!-- end of results -->\n"
    "after\n";

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("counted figures") {
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

TEST_CASE("measured figures") {
    Json result = timed("02_naive", "naive");
    CHECK(milliseconds(result) == "2.0971");
    CHECK(gigabytes_per_second(result) == "4097");
    CHECK(of_copy(result) == "95.7 %");
    CHECK(bank_conflicts(result) == "-");
    CHECK(sectors_per_request(result, "load") == "-");
}

TEST_CASE("verdicts") {
    CHECK(verdict({{"verified", true}}) == "right");
    CHECK(verdict({{"verified", false}}) == "WRONG");
    CHECK(verdict({{"step", "x"}}) == "-");
    CHECK(reason_of_skip({{"skipped", "why"}}) == "why");
    CHECK(reason_of_skip({{"verified", true}}) == "");
}

TEST_CASE("a table has 80 columns, and says measured or simulated") {
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

TEST_CASE("predicted times have a table of 80 columns, and are never called measured") {
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
    CHECK(has(all, "does not know"));
    CHECK(has(one, "Predicted, not measured: NVIDIA H200 at 32768 x 32768, within 8 %"));
    CHECK_FALSE(has(one, "does not know"));
    CHECK_FALSE(has(one, "Unverified"));
    known["predicted"]["measured_gpu"] = false;
    CHECK(has(shown({known}), "Unverified"));
    // A real GPU's times are measured, whatever was asked for.
    std::ostringstream out;
    Table(out, GPU, true).print_head(timed("01_copy", "copy"));
    CHECK_FALSE(has(out.str(), "predicted"));
}

TEST_CASE("without results the README says so") {
    Folder folder;
    folder.write("README.md", EMPTY_README);
    CHECK(update_readme(folder.path, true) == 1);
    CHECK(folder.read("README.md") == EMPTY_README);
    CHECK(update_readme(folder.path, false) == 0);
    CHECK(has(folder.read("README.md"), "No GPU has been measured yet."));
    CHECK(!has(folder.read("README.md"), "old"));
    CHECK(has(folder.read("README.md"), "# Title\n"));
    CHECK(has(folder.read("README.md"), "\nafter\n"));
    CHECK(update_readme(folder.path, true) == 0);
}

TEST_CASE("measured results come first, headlines first, rivals whole, all variants once") {
    Folder folder;
    Json results = {counted("02_naive", "naive"), counted("02_naive", "8x32")};
    folder.write("docs/results/a.json", Json{{"device", SIM}, {"results", results}}.dump());
    results = {timed("02_naive", "naive"), timed("02_naive", "8x32"), timed("rivals", "memcpy"),
               timed("rivals", "geam")};
    folder.write("docs/results/b.json", Json{{"device", GPU}, {"results", results}}.dump());
    std::string text = results_in_markdown(folder.path / "docs/results");
    CHECK(text.find("**A GPU**, 4096 x 512 floats, measured") < text.find("simulated"));
    size_t details = text.find("<details>");
    CHECK(text.find("| 02_naive | naive | 2.0971 | 4097 | 95.7 % |") < details);
    CHECK(text.find("| rivals | geam |") < details);
    CHECK(text.find("| 02_naive | 8x32 |") > details);
    CHECK(has(text, "| 02_naive | naive | 4 | 32 | 1,015,808 | 37.7 |"));
    CHECK(!has(text, "No GPU"));
}

TEST_CASE("files that are no results are named") {
    Folder folder;
    for (const char* text : {"not JSON", "{}", "{\"device\": 3}", "[]"}) {
        folder.write("docs/results/bad.json", text);
        CHECK_THROWS_WITH(results_in_markdown(folder.path / "docs/results"),
                          doctest::Contains("bad.json is not"));
    }
}

TEST_CASE("a README without its markers") {
    Folder folder;
    folder.write("README.md", "no markers");
    CHECK_THROWS_WITH(update_readme(folder.path, false), doctest::Contains("lost its markers"));
}

TEST_CASE("a lesson shows what was measured of its step, once something was") {
    Folder folder;
    const std::string lesson = "a\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nb\n";
    folder.write("README.md", EMPTY_README);
    folder.write("steps/02_naive/README.md", lesson);
    update_readme(folder.path, false);
    CHECK(folder.read("steps/02_naive/README.md") == lesson);

    Json results = {timed("02_naive", "naive"), timed("03_tiled", "tiled")};
    folder.write("docs/results/b.json", Json{{"device", GPU}, {"results", results}}.dump());
    CHECK(update_readme(folder.path, false) == 0);
    CHECK(update_readme(folder.path, true) == 0);
    CHECK(folder.read("steps/02_naive/README.md") ==
          "a\n<!-- measured: begin -->\nMeasured, A GPU, 4096 x 512:\n\n"
          "| Variant | ms | GB/s | of copy |\n|---|--:|--:|--:|\n"
          "| `naive` | 2.0971 | 4097 | 95.7 % |\n<!-- measured: end -->\nb\n");
    folder.write("steps/02_naive/README.md", lesson);
    CHECK(update_readme(folder.path, true) == 1);
    CHECK(folder.read("steps/02_naive/README.md") == lesson);
}
