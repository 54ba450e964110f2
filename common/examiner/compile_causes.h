// Explains compiler errors whose messages do not say what to change.
#pragma once

#include <string>

namespace coalesce {

/// The cause of a compiler error.
struct CompileCause {
    std::string sentence = "";  ///< "" if the cause is unknown
    std::string advice = "";
    int line = 0;  ///< the line of the mistake, if it is not the line of the message; otherwise 0
};

/// Returns the cause of a compiler error with this message on this line of the source `text`.
CompileCause explain_compile_error(const std::string& message, int line, const std::string& text);

}  // namespace coalesce
