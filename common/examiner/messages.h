// What compilers print, taken apart.
#pragma once

#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce {

/// What a compiler said, sorted by where it points.
struct CompilerOutput {
    std::vector<Message> messages;       ///< about the learner's file, with `file_name` for it
    std::vector<std::string> configure;  ///< errors where our lines call `configure`
    std::vector<std::string> ours;       ///< other errors: their places mean nothing to a learner
};

/// Reads the output of NVRTC, nvcc or clang. `source` is the learner's text.
CompilerOutput read_messages(const std::string& output, const std::string& source,
                             const std::string& file_name);

/// What compilers and the harness say goes on in texts of their own; here it ends, as a sentence does.
std::string with_end(const std::string& text);

/// What stands below a line and points at a column, from 1. Tabs stay, so that it stands below its letter.
std::string caret_below(const std::string& line, int column);
/// A line of a text, from 1, without its end; "" when there is none.
std::string line_of_text(const std::string& text, int number);

}  // namespace coalesce
