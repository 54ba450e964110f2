// Edits each page after Doxygen.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::book {

/// Returns the page with these changes: drawings are included, heading levels are corrected, tables
/// scroll separately and have no empty headings, CUDA's keywords are coloured, and there is a
/// description for links to the page. `name` is the page's name, for messages.
std::string postprocess_page(const std::string& html, const std::filesystem::path& drawings,
                             const std::string& name);

}  // namespace coalesce::book
