/// \file
/// Collects the data that a page needs about an exercise: the initial texts, the solutions and the
/// requirements. common/page/src/exercises.ts declares the type of this data.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "examiner/course/course.h"

namespace coalesce::exercises {

/// Returns the data of a step, which must have an exercise. `root` is the course's folder. Throws
/// std::runtime_error if a solution is missing or has no markers.
nlohmann::ordered_json page_data(const course::Step& step, const std::filesystem::path& root);

/// Returns the result of `page_data`, with the exercise's records added as "texts". A page needs
/// the records of an exercise that is not in its WebAssembly module, such as a teacher's own
/// exercise.
nlohmann::ordered_json page_data_with_records(const course::Step& step,
                                              const std::filesystem::path& root);

}  // namespace coalesce::exercises
