// The search index: each section of each page, with its heading.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::book {

/// Returns the sections of a page, each as {"page", "anchor", "title", "heading", "text"}. Each
/// heading with an anchor begins a section. The text before the first such heading is a section
/// whose "anchor" and "heading" are empty.
nlohmann::json list_sections(const std::string& page, const std::string& html);

}  // namespace coalesce::book
