#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "proof/figures.h"

using namespace coalesce::proof;

namespace fs = std::filesystem;

namespace {

const fs::path REPOSITORY = COALESCE_REPOSITORY;

std::string read_text(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    REQUIRE_MESSAGE(stream, file.string());
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> files_below(const fs::path& folder, const std::string& extension) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == extension) files.push_back(entry.path());
    }
    return files;
}

FigureSources committed() {
    FigureSources sources;
    for (const fs::path& file : files_below(REPOSITORY / "docs/results", ".json")) {
        // Texts quote times of the H200 alone.
        if (file.parent_path().filename() == "other_gpus") continue;
        sources.add_results(Json::parse(read_text(file)));
    }
    sources.add_citations(read_text(REPOSITORY / "docs/results/cited.txt"));
    return sources;
}

std::vector<fs::path> texts() {
    std::vector<fs::path> texts{REPOSITORY / "README.md"};
    for (const char* folder : {"steps", "docs", "exercises", "solutions"}) {
        for (const char* extension : {".md", ".cu"}) {
            const auto more = files_below(REPOSITORY / folder, extension);
            texts.insert(texts.end(), more.begin(), more.end());
        }
    }
    return texts;
}

FigureSources one_result() {
    FigureSources sources;
    sources.add_results(Json::parse(
        R"({"copy_gbps": 4289.36, "results": [{"ms": 2.00284, "gbps": 4288.87, "of_copy": 0.9649,
            "predicted": {"ms": 3.5, "gbps": 4444, "of_copy": 0.5}}]})"));
    sources.add_citations("# a comment\n\n64 GB/s: PCI Express 5.0\n");
    return sources;
}

bool are_all_known(FigureSources& sources, const std::string& text) {
    for (const Figure& figure : figures_in(text)) {
        if (!sources.have(figure)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("figures are found, wherever they stand") {
    const auto figures = figures_in(
        "It takes 2.00 ms, which is\n4 289 GB/s or 96.5 % of memcpy.\n"
        "| `naive` | 18.9773 | 453 | 10.6 % |\nand 30 % of the time\n");
    REQUIRE(figures.size() == 6);
    CHECK(figures[0].text == "2.00 ms");
    CHECK(figures[0].decimals == 2);
    CHECK(figures[1].value == 4289);
    CHECK(figures[1].line == 2);
    CHECK(figures[2].unit == "%");
    CHECK(figures[5].text == "10.6 %");
}

TEST_CASE("a figure is known when a result rounds to it") {
    FigureSources sources = one_result();
    CHECK(are_all_known(sources, "4289 GB/s, 2.003 ms, 2 ms, 96.5 % of the copy"));
    CHECK(sources.unused_citations() == std::set<std::string>{"64 GB/s"});
    CHECK(are_all_known(sources, "a bus of 64 GB/s"));
    CHECK(sources.unused_citations().empty());
    for (const char* invented : {"4290 GB/s", "2.004 ms", "97 % of memcpy", "65 GB/s", "3.5 ms",
                                 "| `x` | 2.0028 | 4289 | 96.4 % |"}) {
        CHECK_FALSE_MESSAGE(are_all_known(sources, invented), invented);
    }
    CHECK_THROWS_AS(sources.add_citations("64 GB/s, from somewhere"), std::runtime_error);
}

TEST_CASE("no text of the course has a figure that is in no committed result") {
    FigureSources sources = committed();
    int figures = 0;
    for (const fs::path& file : texts()) {
        for (const Figure& figure : figures_in(read_text(file))) {
            ++figures;
            CHECK_MESSAGE(sources.have(figure),
                          fs::relative(file, REPOSITORY).string()
                              << ":" << figure.line << ": " << figure.text
                              << " is in no JSON below docs/results; docs/results/cited.txt is "
                                 "for what others measured");
        }
    }
    CHECK(figures > 100);
    for (const std::string& citation : sources.unused_citations()) {
        FAIL_CHECK("docs/results/cited.txt: nobody quotes " << citation);
    }
}
