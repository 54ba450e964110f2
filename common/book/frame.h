// What is around every page: the sidebar, in the book's order, and the way on at its end.
#pragma once

#include <string>

#include "contents.h"

namespace coalesce::book {

/// Doxygen's HTML_HEADER, from common/book/theme/header.html with the sidebar in it. The explorer is a page only
/// where it could be built.
std::string header_html(const Contents& contents, bool with_explorer);
/// Links to the page before and the page after; "" for what is no page of the contents.
std::string neighbours_html(const std::string& html_file, const Contents& contents);

}  // namespace coalesce::book
