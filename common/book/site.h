// The built HTML: what is done to it after Doxygen, and what is checked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contents.h"

namespace coalesce::book {

/// Puts drawings and the way on into every page, removes those that none leads to, and writes the search's index.
void finish_site(const std::filesystem::path& html, const Contents& contents);

/// Pages to which no chain of links leads from index.html.
std::vector<std::string> unreachable_pages(const std::filesystem::path& html);

/// What is wrong with a site, a line each: links to pages, files or anchors that are not there,
/// anything but a link that would come from another host, identifiers used twice, lessons without
/// their code, pages that no page leads to. Throws BookError when there is no page at all.
std::vector<std::string> faults_of_site(const std::filesystem::path& html);

}  // namespace coalesce::book
