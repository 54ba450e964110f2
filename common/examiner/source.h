/// \file
/// The text of a learner's file, when it is one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "examiner/failure.h"

namespace coalesce {

/// A file's text, or why it is none that can be compiled.
struct Source {
    /// How messages name the file.
    std::string name;
    /// What it holds.
    std::string text;
    /// Why it cannot be compiled; FailureKind::none when it can.
    Failure problem;

    /// Whether there is something to compile.
    bool is_good() const { return problem.kind == FailureKind::none; }
};

/// The largest file that is read; a kernel has a few thousand bytes.
constexpr std::size_t kLargestSource = std::size_t{1} << 20;

/// Reads a file. `shown_as` is its name in messages; "": its path as given.
Source read_source(const std::filesystem::path& file, const std::string& shown_as = "");
/// The first #include (or #embed, __has_include ...) that is refused; kind none when there is none.
Failure refused_include(const std::string& text, const std::string& file_name);
/// A text that is no file yet, or no longer, with the same demands on what it holds.
Source source_of_text(const std::string& text, const std::string& shown_as);

}  // namespace coalesce
