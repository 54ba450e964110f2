/// \file
/// The text of a learner's file, or the reason why it cannot be compiled.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "examiner/failure.h"

namespace coalesce {

/// The text of a file, or why it cannot be compiled.
struct Source {
    /// The file's name in messages.
    std::string name;
    /// The text of the file.
    std::string text;
    /// Why the file cannot be compiled, or kind none.
    Failure problem;

    /// Reports whether the file can be compiled.
    bool is_good() const { return problem.kind == FailureKind::none; }
};

/// The largest file that is read, in bytes. A kernel has a few thousand.
constexpr std::size_t kLargestSource = std::size_t{1} << 20;

/// Reads a file. `shown_as` is its name in messages, or "" for its path.
Source read_source(const std::filesystem::path& file, const std::string& shown_as = "");
/// Returns the failure for the first #include, #embed or __has_include that is not allowed, or one of kind none.
Failure refused_include(const std::string& text, const std::string& file_name);
/// Makes a source from a text in memory, with the same requirements as for a file.
Source source_of_text(const std::string& text, const std::string& shown_as);

}  // namespace coalesce
