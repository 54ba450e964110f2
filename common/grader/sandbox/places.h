// Where things are on this computer that a jail needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce::grader {

/// bubblewrap; "" when it is not installed.
std::string bubblewrap_program();
/// What compiles what students hand in: NVRTC or clang, the one that built the course, unless
/// COALESCE_COMPILER names the other. Never one in the other's place: a class has one compiler. Throws
/// std::runtime_error when that variable names something else.
Compiler grading_compiler();
/// The CUDA toolkit; "" when there is none with NVRTC, or clang compiles.
std::string toolkit_folder();
/// What a jail is told of the compiler and of the folder with the simulator, as NAME=VALUE.
std::vector<std::string> compiler_environment(const std::string& simulator);
/// Files and folders that a jail may read: the system's libraries, the compiler and its headers.
std::vector<std::string> readable_places();

}  // namespace coalesce::grader
