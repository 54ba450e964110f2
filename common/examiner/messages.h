// Parses the messages of compilers.
#pragma once

#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce {

/// The messages of a compiler, grouped by the file they refer to.
struct CompilerOutput {
    std::vector<Message> messages;       ///< about the learner's file, which is called `file_name`
    std::vector<std::string> configure;  ///< errors on our line that calls `configure`
    std::vector<std::string> ours;       ///< other errors, whose places mean nothing to a learner
};

/// Parses the output of NVRTC, nvcc or clang. `source` is the learner's text.
CompilerOutput read_messages(const std::string& output, const std::string& source,
                             const std::string& file_name);

/// Adds a full stop to a message, which compilers and the harness leave out.
std::string with_end(const std::string& text);

/// Returns the line with a caret below a column, which counts from 1. It repeats the tabs of the line, so that the
/// caret is at the right place.
std::string caret_below(const std::string& line, int column);
/// Returns line `number` of a text, counted from 1, or "" if there is none.
std::string line_of_text(const std::string& text, int number);

}  // namespace coalesce
