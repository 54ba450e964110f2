/// \file
/// Where things stand in a learner's file, by its text alone: a verdict names the line that has to
/// change, which no access and no message may have named.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coalesce {

/// The line, from 1, that has that place of the text; the last one behind its end.
int line_at(const std::string& text, std::size_t place);

/// The place of the bracket that closes the one at `open`, of any kind; the end of the text when none does.
std::size_t closing_bracket(const std::string& code, std::size_t open);

/// The text with comments, strings and characters blanked out; lines and columns stay.
std::string code_alone(const std::string& text);
/// What std::regex is given: for each character that a repetition takes it goes some calls deeper,
/// and texts far longer than any kernel are too much for its stack. In those nothing is found.
std::string searchable(const std::string& text);
/// The line of `configure` that sets a member of its answer (".grid"): else the one that returns,
/// or the function's first.
int line_of_launch(const std::string& text, const std::string& member);
/// The line of the __global__ function of that name; 0 when there is none. "": of the first one.
int line_of_kernel(const std::string& text, const std::string& name);

/// A name and where it is declared.
struct Declared {
    std::string name;
    int line = 0;  ///< 0: nowhere
};
/// An array of a thread's own that is used on both sides of a barrier, in a file without shared
/// memory: the barrier is there for nothing, and the array was meant to be shared.
Declared array_not_shared(const std::string& text);
/// The first line that takes a block's number along one axis and its size along the other; or that
/// takes the grid's size for the block's. 0: there is none.
int line_of_mixed_axes(const std::string& text);
/// The vector type to which an element of floats is cast, instead of its address: `(float2)in[i]`.
Declared cast_of_value(const std::string& text);
/// The line that uses a component of a vector again where the lines around it use one after the
/// other; or reads once more what the line before has read for the component before. 0: none does.
int line_of_repeated_component(const std::string& text);
/// A component of a vector that is used as a whole, but of which the others alone are ever set
/// ("v.w"), and where the vector is declared.
Declared component_never_set(const std::string& text);
/// The line that calls the function in which this line is part of an asm statement: such a function is a
/// word of PTX with a name, and what can be wrong with it is where and with what it is called. The line
/// itself where it is no such statement, or has several callers. (Compilers that say where a function was
/// inlined leave nothing to do.)
int line_of_word(const std::string& text, int line);
/// The line itself, or if nothing but braces is on it, the last one before it that has more.
int line_of_statement(const std::string& text, int line);
/// Whether it has an array in dynamic shared memory.
bool has_dynamic_array(const std::string& text);
/// The first line on which blocks leave whose two numbers are equal, and perhaps others: `if
/// (blockIdx.y >= blockIdx.x) return`. 0: there is none.
int line_of_leaving_diagonal(const std::string& text);

/// Of the lines that index an array by row * pitch + col the only one with another pitch.
struct OddPitch {
    int line = 0;  ///< 0: there is none
    std::string pitch, usual;
};
/// Needs two lines with the usual one, at least.
OddPitch odd_pitch(const std::string& text, const std::string& array);
/// The first line that moves a pointer, or adds to it: `in += ...`, `in + ...`. 0: there is none.
int line_of_move(const std::string& text, const std::string& pointer);
/// Whether it copies asynchronously, and nowhere commits a group of copies.
bool never_commits(const std::string& text);
/// Whether its asynchronous copies are of the kind that an mbarrier counts, and no group.
bool copies_by_mbarrier(const std::string& text);
/// The last line that waits for asynchronous copies; 0: there is none.
int line_of_copy_wait(const std::string& text);
/// The last line that sends asynchronous copies: one that copies, or calls a function that does.
int line_of_copies_sent(const std::string& text);

/// A loop, its header included.
struct Loop {
    int first_line = 0;    ///< from 1
    int last_line = 0;     ///< with its closing brace
    int barrier_line = 0;  ///< of the first barrier in it; 0: there is none
};

/// All loops of a text, inner ones too.
std::vector<Loop> loops_of(const std::string& text);
/// The innermost loop around a line; nullptr when there is none.
const Loop* innermost_loop(const std::vector<Loop>& loops, int line);

// ---- index_terms.cpp: what of an index is multiplied by the length of a row ----

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

// ---- local_arrays.cpp: arrays of a thread's own, which compilers keep in registers, where nobody sees an access
// outside of one ----

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
