// Converts the text diagrams of lessons to SVG. A diagram shows, for example, rows of numbered
// cells.
#pragma once

#include <string>
#include <vector>

namespace coalesce::book {

/// Converts a diagram to SVG. Each character stays where it is. Numbers and letters in rows become
/// cells, brackets mark cells and ranges, and all other characters remain text.
std::string draw_text_diagram(const std::vector<std::string>& lines);

}  // namespace coalesce::book
