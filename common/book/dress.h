// Edits each page after Doxygen.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::book {

/// Postprocesses a page: embeds its drawings, corrects heading levels, makes wide tables
/// scrollable, removes empty table headings, colours CUDA's keywords, and adds a description for
/// search engines and link previews. Returns the new HTML. `name` is the page's name, for messages.
std::string postprocess_page(const std::string& html, const std::filesystem::path& drawings,
                             const std::string& name);

}  // namespace coalesce::book
