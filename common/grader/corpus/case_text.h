/// \file
/// Expands the submissions in cases/. Ten of them are large on purpose, up to 270 KB, and consist
/// mostly of one repeated string. Their files contain a mark in place of the repetitions:
///
///     // @repeat 50000 "\\\n"@      a backslash and a line break, 50,000 times
///
/// The string is quoted as in C++, with the escapes \\, \" and \n.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::grader {

/// Replaces every mark with the repeated text. Throws std::runtime_error for a malformed mark.
std::string expand_repeats(const std::string& text);

/// Returns the kernel in `file` as a student would submit it, with its marks expanded.
std::string read_case_file(const std::filesystem::path& file);

}  // namespace coalesce::grader
