// Arrays of a thread's own, by a kernel's text: compilers keep them in registers, where nobody sees an access
// outside of one.
#pragma once

#include <string>

namespace coalesce {

/// An access that leaves its array in some turn of the loops around it.
struct ArrayOverrun {
    int line = 0;          ///< of the access; 0: there is none
    std::string array;     ///< "values"
    long long length = 0;  ///< its elements
    std::string index;     ///< "k", as it is written
    long long last = 0;    ///< the index in the last turn
};

/// The first one. Only lengths, loops and indices are understood that numbers and constants of the file
/// decide: `for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS)`. An access below `if (k < ...)` is left alone.
ArrayOverrun array_overrun(const std::string& text);

/// An array of a thread's own, and its elements.
struct LocalArray {
    std::string name;  ///< "": there is none
    long long length = 0;
};
/// The first one that a line accesses, as far as its length is understood.
LocalArray local_array_on(const std::string& text, int line);

}  // namespace coalesce
