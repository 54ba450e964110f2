#include "proof/figures.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <stdexcept>

#include "base/text.h"

namespace coalesce::proof {
namespace {

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

/// A row of a table of results ends with milliseconds, GB/s and the share of the copy.
void add_row(const std::string& line, int number, std::vector<Figure>& figures) {
    static const std::regex row(R"(\| (\d+\.\d+) \| (\d+) \| (\d+\.\d+) % \|\s*$)");
    std::smatch match;
    if (!std::regex_search(line, match, row)) return;
    const char* const units[] = {"ms", "GB/s", "%"};
    for (std::size_t i = 0; i < 3; ++i) {
        figures.push_back(figure_of(number, match[i + 1], units[i]));
    }
}

}  // namespace

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

void FigureSources::add_results(const Json& json) {
    for (const auto& [key, value] : json.items()) {
        if (key == "predicted") continue;  // nobody measured that
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
    // A little more than half a unit of the last digit: numbers in the JSON are rounded already.
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

}  // namespace coalesce::proof
