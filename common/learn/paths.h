/// \file
/// Paths of the files and programs that the command uses.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::learn {

/// Returns the course's folder, which holds course.toml, steps/, exercises/ and solutions/. It is the repository that
/// this command was built from, unless COALESCE_COURSE names another.
std::filesystem::path repository();

/// Returns the folder of the learner's data inside the course's folder: progress, copies and compiled kernels.
std::filesystem::path learners_folder();

/// Returns the folder of this command's program.
std::filesystem::path programs();
/// Returns the path of this command's program.
std::filesystem::path this_program();
/// Returns the path of a step's program, such as "02_naive", which is beside this one.
std::filesystem::path program_of(const std::string& step);
/// The name that runs the program of rival kernels, used where a step could be named.
inline const std::string kRivals = "rivals";
/// Returns the path of a program. Throws UsageError if it is not built.
std::filesystem::path built(const std::filesystem::path& program);
/// Throws UsageError if a file was named and does not exist. "" means that none was named.
void check_is_there(const std::string& file);
/// Returns the path of the program that examines learners' kernels.
std::filesystem::path checks_program();

}  // namespace coalesce::learn
