/// \file
/// Replaces the generated parts of the book's pages.
#pragma once

#include <string>

#include "base/errors.h"

namespace coalesce::proof {

/// Returns `page` with the text between the two markers of the part `name` replaced by `text`.
/// `program` is the program that generates this part. Throws a UsageError that names `file` if the
/// page does not have these markers.
inline std::string replace_page_part(const std::string& page, const std::string& file,
                                     const std::string& name, const std::string& program,
                                     const std::string& text) {
    const std::string begin = "<!-- " + name + ": written by " + program + " -->\n";
    const std::string end = "<!-- end of " + name + " -->";
    const std::size_t from = page.find(begin), to = page.find(end);
    if (from == page.npos || to == page.npos || to < from)
        throw UsageError(
            file + " does not contain the markers of this part; add these lines: " + begin + end);
    return page.substr(0, from + begin.size()) + "\n" + text + "\n" + page.substr(to);
}

}  // namespace coalesce::proof
