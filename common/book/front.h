// Generates parts of the front page: its opening section, and the chart of bandwidths.
#pragma once

#include <string>

#include "contents.h"
#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the opening section of the front page: a description of the course, buttons that open
/// the first lesson and other pages, and an interactive picture.
std::string front_page_html(const Contents& contents, const course::Course& course,
                            bool has_explorer);

}  // namespace coalesce::book
