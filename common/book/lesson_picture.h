// The picture at the beginning of a lesson. The picture shows how one warp moves its elements from
// `in` to `out`, and the bandwidth that the previous lesson reached.
#pragma once

#include <filesystem>
#include <string>

#include "examiner/course/course.h"

namespace coalesce::book {

/// Returns the picture as HTML. Returns "" if the lesson's kernel neither copies nor transposes a
/// matrix.
std::string lesson_picture_html(const std::filesystem::path& root, const course::Course& course,
                                const course::Step& step);

}  // namespace coalesce::book
