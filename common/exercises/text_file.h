/// \file
/// A file's text.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::exercises {

/// Reads a whole file. Throws ExerciseError that names it.
std::string text_of(const std::filesystem::path& file);

}  // namespace coalesce::exercises
