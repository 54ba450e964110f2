// Finds what a jail needs on this computer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce::grader {

/// Returns the path of bubblewrap, or "" if it is not installed.
std::string bubblewrap_program();
/// Returns the compiler of submissions, NVRTC or clang: the one that built the course, unless COALESCE_COMPILER names
/// the other. One is never replaced by the other, because a class has one compiler. Throws std::runtime_error if the
/// variable names something else.
Compiler grading_compiler();
/// Returns the folder of the CUDA toolkit, or "" if there is none with NVRTC or if clang compiles.
std::string toolkit_folder();
/// Returns the environment of a jail, as NAME=VALUE, that names the compiler and the simulator's folder.
std::vector<std::string> compiler_environment(const std::string& simulator);
/// Returns the files and folders that a jail may read: the system's libraries, the compiler and its headers.
std::vector<std::string> readable_places();

}  // namespace coalesce::grader
