// Edits each page after Doxygen.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::book {

/// Returns the page with its drawings embedded, its heading levels corrected, wide tables made
/// scrollable, empty table headings removed, CUDA's keywords coloured, and a description added for
/// links to the page. `name` is the page's name, for messages.
std::string postprocess_page(const std::string& html, const std::filesystem::path& drawings,
                             const std::string& name);

}  // namespace coalesce::book
