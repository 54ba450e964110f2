// Generates a class of students. Most are right, with their own names; some make typical mistakes, some hand in
// nothing, and a few try to deceive the grader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::grader {

/// Writes a folder for each student, with a file for each exercise. No two sources are equal, so that each is judged.
/// The same seed gives the same class.
void generate_class(const std::filesystem::path& repository, const std::filesystem::path& folder,
                    const std::vector<std::string>& exercises, int students, std::uint32_t seed);

}  // namespace coalesce::grader
