// A class of students who never were: most are right, in words of their own; some make the mistakes
// that learners make, some hand in nothing, and a few try to get round the grader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::grader {

/// Writes one folder for each student, with a file for each exercise. No two sources are the same,
/// so that nothing is judged once for two. The same seed gives the same class.
void generate_class(const std::filesystem::path& repository, const std::filesystem::path& folder,
                    const std::vector<std::string>& exercises, int students, std::uint32_t seed);

}  // namespace coalesce::grader
