// The frame of every page: a sidebar that lists all pages, and links to the previous and next page.
#pragma once

#include <string>

#include "contents.h"

namespace coalesce::book {

/// Returns Doxygen's HTML_HEADER: common/book/theme/header.html with the sidebar. The sidebar lists
/// the explorer only if `has_explorer` is true.
std::string header_html(const Contents& contents, bool has_explorer);
/// Returns the whole page of an application, such as the explorer. `fragment` consists of the line
/// <!-- page: TITLE; FILES -->, in which FILES are scripts and style sheets, and of the page's
/// <main> element.
std::string application_page_html(const std::string& fragment, const Contents& contents);
/// Returns links to the previous and the next page, or "" if the page is not in the contents.
std::string previous_and_next_links_html(const std::string& html_file, const Contents& contents);

}  // namespace coalesce::book
