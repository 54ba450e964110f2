// Converts the text diagrams of lessons, such as rows of numbered cells, to SVG.
#pragma once

#include <string>
#include <vector>

namespace coalesce::book {

/// Returns a diagram as an SVG, in which each character keeps its position. Numbers and letters in
/// rows become cells, brackets mark cells and ranges, and all other characters remain text.
std::string draw_text(const std::vector<std::string>& lines);

}  // namespace coalesce::book
