// Where things are on this computer that a jail needs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::grader {

/// bubblewrap; "" when it is not installed.
std::string bubblewrap_program();
/// The CUDA toolkit; "" when there is none with NVRTC.
std::string toolkit_folder();
/// Where NVRTC lies; "" when there is none.
std::string compiler_library_folder();
/// Files and folders that a jail may read, all of them the system's: libraries and the toolkit.
std::vector<std::string> readable_places();

}  // namespace coalesce::grader
