// Edits the pages that Doxygen has generated.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::book {

/// Returns the edited HTML of a page. For example, embeds the page's drawings, colours CUDA's
/// keywords, makes wide tables scrollable, and adds a description for search engines. `drawings` is
/// the folder of the drawings, and `name` is the name of the page's file.
std::string postprocess_page(const std::string& html, const std::filesystem::path& drawings,
                             const std::string& name);

}  // namespace coalesce::book
