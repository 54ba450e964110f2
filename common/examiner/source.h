/// \file
/// The text of a learner's file, or the failure that explains why the file cannot be compiled.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "examiner/failure.h"

namespace coalesce {

/// The text of a file, or the failure that explains why the file cannot be compiled.
struct Source {
    /// The file's name in messages.
    std::string name;
    std::string text;
    /// The reason why the file cannot be compiled. Its kind is `none` if the file can be compiled.
    Failure problem;

    /// Reports whether the file can be compiled.
    bool is_good() const { return problem.kind == FailureKind::none; }
};

/// The largest file that is read, in bytes. A typical kernel is a few thousand bytes long.
constexpr std::size_t kLargestSource = std::size_t{1} << 20;

/// Reads a file. Messages refer to the file as `displayed_name`, or by its path if `displayed_name`
/// is empty.
Source read_source(const std::filesystem::path& file, const std::string& displayed_name = "");
/// Returns the failure for the first #include, #embed or __has_include that is not allowed. If all
/// are allowed, returns a failure of kind `none`.
Failure find_refused_include(const std::string& text, const std::string& file_name);
/// Converts carriage returns to line feeds in a text that has no line feeds (old Mac OS line ends).
/// Not all compilers accept a carriage return as a line end.
std::string convert_to_line_feeds(std::string text);
/// Creates a source from a string in memory, which must meet the same requirements as a file.
Source make_source(const std::string& text, const std::string& displayed_name);

}  // namespace coalesce
