/// \file
/// Expands the submissions in cases/. Ten of them are large by design, up to 270 KB, and nearly all of each is one
/// text repeated many times. Their files contain a mark instead:
///
///     // @repeat 50000 "\\\n"@      50,000 times a backslash and the end of the line
///
/// The text is quoted as in C++, with the escapes \\, \" and \n.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce::grader {

/// Replaces every mark by the text that it stands for. Throws std::runtime_error for a malformed mark.
std::string with_repeats(const std::string& text);

/// Returns the submission in `file` (a kernel, not an archive) as a student would hand it in.
std::string case_text(const std::filesystem::path& file);

}  // namespace coalesce::grader
