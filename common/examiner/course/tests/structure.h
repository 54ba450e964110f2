/// \file
/// Checks that the folders of the steps match their records.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::course {

/// Checks the folders in steps/ against the course. Returns a sentence with the location for each
/// violation of these rules:
/// - Each step has a folder with main.cu and README.md, and each folder belongs to a step. The
///   whole program has program.cu instead of main.cu.
/// - The header of main.cu names the step, the step that it builds on, and the next step.
/// - The file is short. Its first kernel begins near the top, and the kernel of the exercise is
///   between markers.
/// - lesson.toml lists exactly the kernels in main.cu and in the headers in its folder.
std::vector<std::string> structural_faults(const Course& course,
                                           const std::filesystem::path& steps);

}  // namespace coalesce::course
