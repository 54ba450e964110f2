// Tests that the source of every bandwidth and time quoted in the texts is a committed result or a
// citation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "lab/proof/json_text.h"

using namespace coalesce;
using namespace coalesce::proof;

namespace fs = std::filesystem;

namespace {

/// A quoted number with its unit.
struct Figure {
    int line = 0;
    std::string text;  ///< the figure as it is quoted, such as "4289 GB/s"
    std::string unit;  ///< "GB/s", "ms", or "%" (of the copy's speed)
    double value = 0;
    int decimals = 0;
};

Figure figure_of(int line, std::string digits, const std::string& unit) {
    std::erase(digits, ' ');
    const std::size_t point = digits.find('.');
    Figure figure{line, digits + " " + unit, unit, std::stod(digits), 0};
    if (point != std::string::npos) {
        figure.decimals = static_cast<int>(digits.size() - point - 1);
    }
    return figure;
}

void add_quoted(const std::string& line, int number, std::vector<Figure>& figures) {
    static const std::regex quoted(
        R"((\d{1,3}(?: \d{3})+|\d+)(\.\d+)? (GB/s|ms\b|% of (?:a |the )?(?:mem)?c(?:o)?py))");
    for (std::sregex_iterator at(line.begin(), line.end(), quoted), end; at != end; ++at) {
        const std::string unit = (*at)[3].str()[0] == '%' ? "%" : (*at)[3].str();
        figures.push_back(figure_of(number, (*at)[1].str() + (*at)[2].str(), unit));
    }
}

/// Parses a row of a results table. The row ends with milliseconds, GB/s and the percentage of the
/// copy.
void add_row(const std::string& line, int number, std::vector<Figure>& figures) {
    static const std::regex row(R"(\| (\d+\.\d+) \| (\d+) \| (\d+\.\d+) % \|\s*$)");
    std::smatch match;
    if (!std::regex_search(line, match, row)) return;
    const char* const units[] = {"ms", "GB/s", "%"};
    for (std::size_t i = 0; i < 3; ++i) {
        figures.push_back(figure_of(number, match[i + 1], units[i]));
    }
}

/// Finds figures such as "4 289.5 GB/s", "2.00 ms", "96.5 % of memcpy", and rows of results tables
/// such as "| 2.0568 | 4176 | 97.4 % |". A percentage counts as a figure only if it refers to a
/// copy.
std::vector<Figure> figures_in(const std::string& text) {
    std::vector<Figure> figures;
    int number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        add_quoted(line, number, figures);
        add_row(line, number, figures);
    }
    return figures;
}

/// The results and citations in which quoted figures must occur.
class FigureSources {
public:
    /// Adds every result in a file that bench has written, including nested results.
    void add_results(const Json& json);
    /// Adds citations, one per line, in the form "FIGURE: SOURCE". Ignores lines that begin with #.
    /// Throws std::runtime_error for any other line.
    void add_citations(const std::string& text);

    /// Reports whether a result rounds to the quoted value, or a citation contains the figure.
    bool have(const Figure& figure);
    /// Returns the citations that have() has not used so far.
    std::set<std::string> unused_citations() const;

private:
    std::set<std::pair<std::string, double>> values_;
    std::set<std::string> cited_, used_;
};

void FigureSources::add_results(const Json& json) {
    for (const auto& [key, value] : json.items()) {
        if (key == "predicted") continue;  // predictions are not measurements
        if (value.is_structured()) add_results(value);
        if (!value.is_number()) continue;
        const double number = value.get<double>();
        if (key.ends_with("gbps")) values_.emplace("GB/s", number);
        if (key == "ms" || key == "best_ms") values_.emplace("ms", number);
        if (key == "of_copy") values_.emplace("%", 100 * number);
    }
}

void FigureSources::add_citations(const std::string& text) {
    for (const std::string& line : lines_of(text)) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos || figures_in(line.substr(0, colon)).size() != 1) {
            throw std::runtime_error("not of the form \"FIGURE: WHERE IT IS FROM\": " + line);
        }
        cited_.insert(line.substr(0, colon));
    }
}

bool FigureSources::have(const Figure& figure) {
    // Accept slightly more than half a unit in the last digit, because numbers in the JSON are
    // already rounded.
    const double reach = 0.5001 * std::pow(10.0, -figure.decimals);
    const bool measured = std::ranges::any_of(values_, [&](const auto& known) {
        return known.first == figure.unit && std::abs(known.second - figure.value) <= reach;
    });
    if (measured) return true;
    if (!cited_.contains(figure.text)) return false;
    used_.insert(figure.text);
    return true;
}

std::set<std::string> FigureSources::unused_citations() const {
    std::set<std::string> unused;
    std::ranges::set_difference(cited_, used_, std::inserter(unused, unused.end()));
    return unused;
}

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
        // The texts quote only times that were measured on an H200.
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

TEST_CASE("quoted figures are found anywhere in the text") {
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

TEST_CASE("a quoted figure is accepted if a result rounds to it") {
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

TEST_CASE("every figure in the course's texts comes from a committed result") {
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
