// Parses the messages of compilers.
#pragma once

#include <string>
#include <vector>

#include "examiner/compile.h"

namespace coalesce {

/// The messages of a compiler. They are about the learner's file, or about lines that we append to
/// the file.
struct CompilerOutput {
    std::vector<Message> messages;       ///< messages about the learner's file
    std::vector<std::string> configure;  ///< errors in the appended call of `configure`
    /// errors in the other appended lines, which the learner cannot see
    std::vector<std::string> own_messages;
};

/// Parses the output of NVRTC, nvcc or clang. `source` is the text of the learner's file, and
/// `file_name` is the file's name in the resulting messages.
CompilerOutput read_messages(const std::string& output, const std::string& source,
                             const std::string& file_name);

/// Adds a period to a message that does not end with a punctuation mark.
std::string end_sentence(const std::string& text);

/// Returns a line with a caret below one column of `line`. Columns are counted from 1. Tabs before
/// the column are copied from `line`, so that the caret is aligned.
std::string format_caret(const std::string& line, int column);
/// Returns line `number` of a text, counted from 1, or "" if the text has fewer lines.
std::string extract_line(const std::string& text, int number);

}  // namespace coalesce
