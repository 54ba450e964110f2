/// \file
/// Returns the paths of the files and programs that the command uses.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::learn {

/// Returns the course's folder, which contains steps/, exercises/ and solutions/. If the
/// environment variable COALESCE_COURSE is set, returns the folder that it names.
std::filesystem::path repository();

/// Returns the folder of the learner's data, such as the progress and compiled kernels. This folder
/// is inside the course's folder.
std::filesystem::path learners_folder();

/// Returns the folder that contains the running program.
std::filesystem::path programs_folder();
/// Returns the path of the running program.
std::filesystem::path this_program();
/// Returns the path of the program of a step such as "02_naive". This program is in the same folder
/// as the running one.
std::filesystem::path program_path(const std::string& step);
/// The name of the program that runs rival kernels, such as those of cuBLAS. The name can be used
/// instead of a step's name.
inline const std::string kRivals = "rivals";
/// Returns `program`, or throws UsageError if the program has not been built.
std::filesystem::path require_built(const std::filesystem::path& program);
/// Throws UsageError if `file` is not empty and does not exist.
void require_file(const std::string& file);
/// Returns the path of the program that examines learners' kernels.
std::filesystem::path checks_program();

}  // namespace coalesce::learn
