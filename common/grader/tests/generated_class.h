// Generates a class of students. Most submissions are correct. Some contain typical mistakes, some
// are missing, and a few try to deceive the grader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::grader {

/// Writes a folder for each student, with one file per exercise. No two sources are equal, so the
/// grader must judge each of them. Equal seeds generate equal classes.
void generate_class(const std::filesystem::path& repository, const std::filesystem::path& folder,
                    const std::vector<std::string>& exercises, int students, std::uint32_t seed);

}  // namespace coalesce::grader
