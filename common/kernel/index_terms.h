// The indices of a kernel taken apart, by its text: what of them is multiplied by the length of a row.
#pragma once

#include <string>

namespace coalesce {

/// A sum of which only one part is multiplied, where the whole row is meant: `row + k * cols + col`.
struct MissingBrackets {
    int line = 0;        ///< 0: there is none
    std::string factor;  ///< "k"
    std::string pitch;   ///< "cols"
    std::string text;    ///< "row + k * cols + col", as it is written
};

/// The first index in which a loop's counter, or a thread's number in its block, is multiplied by rows or
/// cols, and what it counts on from is not.
MissingBrackets missing_brackets(const std::string& text);

}  // namespace coalesce
