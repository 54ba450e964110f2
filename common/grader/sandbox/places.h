// Finds the programs, libraries and headers that a jail needs on this computer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce::grader {

/// Returns the path of bubblewrap, or "" if it is not installed.
std::string bubblewrap_program();
/// Returns the compiler for submissions: the one that COALESCE_COMPILER names, or else the one that
/// built the course. There is no fallback to another compiler, because all submissions of a class
/// must be compiled by the same one.
Compiler grading_compiler();
/// Returns the folder of the CUDA toolkit. Returns "" if there is no toolkit with NVRTC, or if the
/// compiler is clang.
std::string toolkit_folder();
/// Returns the environment of a jail, as NAME=VALUE strings. The environment names the compiler and
/// the simulator's folder.
std::vector<std::string> compiler_environment(const std::string& simulator);
/// Returns the files and folders that a jail may read: system libraries, the compiler and its
/// headers.
std::vector<std::string> readable_paths();

}  // namespace coalesce::grader
