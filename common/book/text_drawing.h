// Converts the text diagrams of lessons, such as rows of numbered cells, to SVG.
#pragma once

#include <string>
#include <vector>

namespace coalesce::book {

/// Converts a diagram to SVG. Each character keeps its position. Numbers and letters in rows become
/// cells, brackets mark cells and ranges, and all other characters remain text.
std::string draw_text_diagram(const std::vector<std::string>& lines);

}  // namespace coalesce::book
