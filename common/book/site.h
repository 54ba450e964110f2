// Edits and checks the HTML that Doxygen generated.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contents.h"

namespace coalesce::book {

/// Completes the pages of a site: embeds the drawings, adds links to the previous and next page,
/// and writes the search index. Deletes pages that no link leads to.
void finish_site(const std::filesystem::path& html, const Contents& contents);

/// Returns the pages that cannot be reached from index.html by following links.
std::vector<std::string> find_unreachable_pages(const std::filesystem::path& html);

/// Returns the mistakes in a site, one per line, such as links to missing pages, duplicate
/// identifiers and unreachable pages. Throws BookError if there are no pages.
std::vector<std::string> find_site_faults(const std::filesystem::path& html);

}  // namespace coalesce::book
