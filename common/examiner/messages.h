// Parses the messages of compilers.
#pragma once

#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce {

/// The messages of a compiler, grouped by the lines they refer to.
struct CompilerOutput {
    std::vector<Message> messages;          ///< messages about the file called `file_name`
    std::vector<std::string> configure;     ///< errors in the call of `configure` that we append
    std::vector<std::string> in_own_lines;  ///< errors in other lines, which a learner cannot see
};

/// Parses the output of NVRTC, nvcc or clang. `source` is the text of the learner's file.
CompilerOutput read_messages(const std::string& output, const std::string& source,
                             const std::string& file_name);

/// Adds a period to a message that does not end with a punctuation mark.
std::string end_sentence(const std::string& text);

/// Returns a line with a caret below column `column` of `line`, counted from 1. The tabs in `line`
/// are repeated, so that the caret appears in the correct column.
std::string format_caret(const std::string& line, int column);
/// Returns line `number` of a text, counted from 1, or "" if the text has fewer lines.
std::string extract_line(const std::string& text, int number);

}  // namespace coalesce
