// What is compiled in of the course.
#pragma once

#include <string_view>

namespace coalesce::page {

/// course.toml.
std::string_view course_text();

/// What the solutions cost: {"03_tiled/kernel.cu": {"counters": {...}, "predicted": {...} | null}, ...}, as
/// page_cost gives it. {} in the module that finds it out.
std::string_view solutions_text();

}  // namespace coalesce::page
