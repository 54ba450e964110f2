// The parts of the front page that are made from results: its beginning, and the lessons'
// bandwidths.
#pragma once

#include <string>

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the front page's beginning: what the course is, the buttons that lead into it, and a
/// picture to play with.
std::string front_page_html(const Contents& contents, const course::Course& course,
                            bool with_explorer);

}  // namespace coalesce::book
