// The parts of the course that are compiled into the WebAssembly module.
#pragma once

#include <string_view>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::page {

/// Returns the course's records.
std::vector<course::CourseText> course_texts();

/// Returns the costs of the solutions as JSON: {"03_tiled/kernel.cu": {"counters": {...},
/// "predicted": {...} | null}, ...}. The module that computes these costs returns {}.
std::string_view solutions_text();

}  // namespace coalesce::page
