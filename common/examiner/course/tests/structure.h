/// \file
/// Checks that the folders of the steps match their records.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::course {

/// Looks at steps/: each step of the course has a folder with main.cu and README.md, and each folder
/// is a step (that of the whole program has program.cu instead); the headers of main.cu name the step, what it builds on and what comes next; its first
/// kernel begins near the top, the one that the exercise asks for stands between its markers, and the
/// file is short; the kernels of main.cu, and of the headers beside it, are those of lesson.toml.
/// Returns a sentence with the place for each thing that is not so.
std::vector<std::string> structural_faults(const Course& course,
                                           const std::filesystem::path& steps);

}  // namespace coalesce::course
