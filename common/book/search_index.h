// The search index: each section of each page, with its heading.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::book {

/// Returns the sections of a page: {"page", "anchor", "title", "heading", "text"}. The text before
/// the first heading with an anchor has neither anchor nor heading.
nlohmann::json list_sections(const std::string& page, const std::string& html);

}  // namespace coalesce::book
