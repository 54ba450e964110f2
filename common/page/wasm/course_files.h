// The parts of the course that are compiled into the module.
#pragma once

#include <string_view>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::page {

/// The course's records.
std::vector<course::CourseText> course_texts();

/// What the solutions cost: {"03_tiled/kernel.cu": {"counters": {...}, "predicted": {...} | null}, ...}, as
/// the answer to "cost" has it. {} in the module that finds it out.
std::string_view solutions_text();

}  // namespace coalesce::page
