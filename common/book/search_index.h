// What the search knows: each section of each page, by its heading.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace coalesce::book {

/// The sections of a page: {"page", "anchor", "title", "heading", "text"}; what stands above the first heading with
/// an anchor has neither anchor nor heading.
nlohmann::json sections_of(const std::string& page, const std::string& html);

}  // namespace coalesce::book
