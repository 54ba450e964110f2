// Edits each page after Doxygen.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::book {

/// Postprocesses a page. For example, embeds its drawings, colours CUDA's keywords, makes wide
/// tables scrollable, and adds a description for search engines. Returns the new HTML.
std::string postprocess_page(const std::string& html, const std::filesystem::path& drawings,
                             const std::string& name);

}  // namespace coalesce::book
