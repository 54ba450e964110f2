/// \file
/// Where the command finds what it works on.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::learn {

/// The folder of the course: course.toml, steps/, exercises/, solutions/. It is the repository that
/// this command was built from, unless COALESCE_COURSE names another.
std::filesystem::path repository();

/// What is kept for the learner, in the folder of the course: progress, copies, what was compiled.
std::filesystem::path learners_folder();

/// The folder that this command's program lies in.
std::filesystem::path programs();
/// This command itself.
std::filesystem::path this_program();
/// The program of a step, "02_naive", beside the command itself.
std::filesystem::path program_of(const std::string& step);
/// Called like a step where steps are: the kernels of others, and their program.
inline const std::string kRivals = "rivals";
/// That program, which must be there. Throws UsageError.
std::filesystem::path built(const std::filesystem::path& program);
/// A learner's file that a command was given, which must be there; "": none was. Throws UsageError.
void check_is_there(const std::string& file);
/// The program that examines a learner's kernels.
std::filesystem::path checks_program();

}  // namespace coalesce::learn
