/// \file
/// Finds lines in the text of a learner's file. The line that a learner should change is often one
/// to which no access and no message refers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coalesce {

/// Returns the line at an offset of the text, counted from 1. An offset beyond the end gives the
/// last line.
int line_at(const std::string& text, std::size_t place);

/// Returns the offset of the bracket that closes the bracket at `open`, or the end of the text.
std::size_t closing_bracket(const std::string& code, std::size_t open);

/// Replaces comments, strings and character constants with blanks. Lines and columns of the code
/// stay the same.
std::string code_alone(const std::string& text);
/// Returns the code of the text for use with std::regex, or "" if the text is far longer than any
/// kernel. std::regex recurses for each character of a repetition and would overflow the stack on
/// such a text.
std::string searchable(const std::string& text);
/// Returns the line of `configure` that sets a member of its result, such as ".grid". Otherwise
/// returns the line of its return statement, or its first line.
int line_of_launch(const std::string& text, const std::string& member);
/// Returns the line of the __global__ function of this name, or 0 if there is none. An empty name
/// means the first such function.
int line_of_kernel(const std::string& text, const std::string& name);

/// A name, and the line on which it is declared.
struct Declared {
    std::string name;
    int line = 0;  ///< 0: unknown
};
/// Finds a local array that is used before and after a barrier in a file without shared memory. The
/// barrier suggests that the learner meant to share the array.
Declared array_not_shared(const std::string& text);
/// Returns the first line that combines a block's index along one axis with its size along the
/// other axis, or uses the size of the grid instead of that of the block. Returns 0 if there is
/// none.
int line_of_mixed_axes(const std::string& text);
/// Finds a cast of an element to a vector type where the address should be cast, as in
/// `(float2)in[i]`.
Declared cast_of_value(const std::string& text);
/// Returns the line that uses a component of a vector a second time in a sequence of lines that
/// each use a different component. Returns 0 if there is none.
int line_of_repeated_component(const std::string& text);
/// Finds a component such as "v.w" that is never set, although other components are set and the
/// whole vector is used. The returned line declares the vector.
Declared component_never_set(const std::string& text);
/// Returns the line that calls the function with an asm statement on `line`. Such functions only
/// wrap PTX instructions, so the mistake is in the call. Returns `line` itself if it has no such
/// statement or if the function has several callers. Compilers that report inlined functions do not
/// need this correction.
int line_of_word(const std::string& text, int line);
/// Returns `line`. If this line contains only braces, returns the last line before it that contains
/// more.
int line_of_statement(const std::string& text, int line);
/// Reports whether the file declares an array in dynamic shared memory.
bool has_dynamic_array(const std::string& text);
/// Returns the first line that makes blocks on the diagonal return, as in `if (blockIdx.y >=
/// blockIdx.x) return`. Returns 0 if there is none.
int line_of_leaving_diagonal(const std::string& text);

/// The only line that indexes an array by row * pitch + col with another pitch than all other
/// lines.
struct OddPitch {
    int line = 0;  ///< 0 if there is none
    std::string pitch, usual;
};
/// Finds the line with an odd pitch. At least two other lines must have the usual pitch.
OddPitch odd_pitch(const std::string& text, const std::string& array);
/// Returns the first line that moves a pointer or adds to it, as in `in += ...` or `in + ...`.
/// Returns 0 if there is none.
int line_of_move(const std::string& text, const std::string& pointer);
/// Reports whether the file copies asynchronously but never commits a group of copies.
bool never_commits(const std::string& text);
/// Reports whether the file's asynchronous copies are tracked by an mbarrier instead of by groups.
bool copies_by_mbarrier(const std::string& text);
/// Returns the last line that waits for asynchronous copies, or 0 if there is none.
int line_of_copy_wait(const std::string& text);
/// Returns the last line that starts asynchronous copies, directly or by calling a function.
int line_of_copies_sent(const std::string& text);

/// A loop, including its header.
struct Loop {
    int first_line = 0;    ///< from 1
    int last_line = 0;     ///< line of its closing brace
    int barrier_line = 0;  ///< line of the first barrier in the loop; 0 if there is none
};

/// Returns all loops of a text, including nested ones.
std::vector<Loop> loops_of(const std::string& text);
/// Returns the innermost loop around a line, or nullptr.
const Loop* innermost_loop(const std::vector<Loop>& loops, int line);

// ---- index_terms.cpp: the terms of an index that are multiplied by the length of a row ----

/// A sum that lacks brackets, so that only one of its terms is multiplied, as in `row + k * cols +
/// col`.
struct MissingBrackets {
    int line = 0;        ///< 0: there is none
    std::string factor;  ///< "k"
    std::string pitch;   ///< "cols"
    std::string text;    ///< the sum as in the source, such as "row + k * cols + col"
};

/// Finds the first index that lacks brackets. It multiplies a loop's counter or threadIdx by rows
/// or cols, but does not multiply the row or column that is added.
MissingBrackets missing_brackets(const std::string& text);

// ---- local_arrays.cpp: accesses outside an array that compilers keep in registers, which no check
// can see ----

/// An access outside an array in some iteration of the surrounding loops.
struct ArrayOverrun {
    int line = 0;          ///< line of the access; 0 if there is none
    std::string array;     ///< "values"
    long long length = 0;  ///< number of elements of the array
    std::string index;     ///< "k", as in the source
    long long last = 0;    ///< the index in the last iteration
};

/// Finds the first access outside a local array. The function understands only lengths, loops and
/// indices that consist of numbers and constants of the file, such as `for (int k = 0; k <
/// TILE_DIM; k += BLOCK_ROWS)`. It ignores accesses inside `if (k < ...)`.
ArrayOverrun array_overrun(const std::string& text);

/// A local array of a thread, and its length.
struct LocalArray {
    std::string name;  ///< "" if there is none
    long long length = 0;
};
/// Returns the first local array that a line accesses, if its length is known.
LocalArray local_array_on(const std::string& text, int line);

}  // namespace coalesce
