/// \file
/// Finds lines in a learner's file by its text alone, because the line to change is often one that no access and no
/// message names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coalesce {

/// Returns the line of an offset in the text, counted from 1; for larger offsets the last line.
int line_at(const std::string& text, std::size_t place);

/// Returns the offset of the bracket that closes the one at `open`, or the end of the text.
std::size_t closing_bracket(const std::string& code, std::size_t open);

/// Replaces comments, strings and character constants by blanks, and keeps lines and columns.
std::string code_alone(const std::string& text);
/// Returns the text for std::regex, which recurses for each character of a repetition and would overflow the stack on
/// texts far longer than any kernel. For those it returns "".
std::string searchable(const std::string& text);
/// Returns the line of `configure` that sets a member of its result (".grid"), or else its return statement, or its
/// first line.
int line_of_launch(const std::string& text, const std::string& member);
/// Returns the line of the __global__ function of this name, or of the first one if the name is "". 0: there is none.
int line_of_kernel(const std::string& text, const std::string& name);

/// A name and the line that declares it.
struct Declared {
    std::string name;
    int line = 0;  ///< 0: unknown
};
/// Finds a local array that is used on both sides of a barrier in a file without shared memory. The barrier suggests
/// that the array was meant to be shared.
Declared array_not_shared(const std::string& text);
/// Returns the first line that combines a block's number along one axis with its size along the other, or uses the
/// grid's size instead of the block's. 0: there is none.
int line_of_mixed_axes(const std::string& text);
/// Finds a cast of an element instead of its address to a vector type: `(float2)in[i]`.
Declared cast_of_value(const std::string& text);
/// Returns the line that uses a component of a vector a second time, where the lines around it use a different one
/// each; or that reads again what the previous line read for another component. 0: there is none.
int line_of_repeated_component(const std::string& text);
/// Finds a component ("v.w") that is never set, although the others are and the whole vector is used. Also returns
/// the line that declares the vector.
Declared component_never_set(const std::string& text);
/// Returns the line that calls the function whose asm statement is on this line, because such functions name PTX
/// instructions and the mistake is in the call. Returns `line` if it is not such a statement or has several callers.
/// Compilers that report inlined functions do not need this.
int line_of_word(const std::string& text, int line);
/// Returns the line, or if it contains only braces, the last line before it that contains more.
int line_of_statement(const std::string& text, int line);
/// Reports whether the file declares an array in dynamic shared memory.
bool has_dynamic_array(const std::string& text);
/// Returns the first line that makes blocks on the diagonal return: `if (blockIdx.y >= blockIdx.x) return`. 0: there
/// is none.
int line_of_leaving_diagonal(const std::string& text);

/// The only line that indexes an array by row * pitch + col with a pitch that differs from all others.
struct OddPitch {
    int line = 0;  ///< 0 if there is none
    std::string pitch, usual;
};
/// Finds such a line. At least two other lines must have the usual pitch.
OddPitch odd_pitch(const std::string& text, const std::string& array);
/// Returns the first line that moves a pointer or adds to it: `in += ...`, `in + ...`. 0: there is none.
int line_of_move(const std::string& text, const std::string& pointer);
/// Reports whether the file copies asynchronously but never commits a group of copies.
bool never_commits(const std::string& text);
/// Reports whether its asynchronous copies are tracked by an mbarrier, not by groups.
bool copies_by_mbarrier(const std::string& text);
/// Returns the last line that waits for asynchronous copies. 0: there is none.
int line_of_copy_wait(const std::string& text);
/// Returns the last line that starts asynchronous copies, directly or through a function.
int line_of_copies_sent(const std::string& text);

/// A loop, including its header.
struct Loop {
    int first_line = 0;    ///< from 1
    int last_line = 0;     ///< line of its closing brace
    int barrier_line = 0;  ///< line of the first barrier in it; 0: none
};

/// Returns all loops of a text, including nested ones.
std::vector<Loop> loops_of(const std::string& text);
/// Returns the innermost loop around a line, or nullptr.
const Loop* innermost_loop(const std::vector<Loop>& loops, int line);

// ---- index_terms.cpp: what of an index is multiplied by the length of a row ----

/// A sum that lacks brackets, so that only one term is multiplied: `row + k * cols + col`.
struct MissingBrackets {
    int line = 0;        ///< 0: there is none
    std::string factor;  ///< "k"
    std::string pitch;   ///< "cols"
    std::string text;    ///< "row + k * cols + col", as in the source
};

/// Finds the first index that multiplies a loop's counter, or a thread's number in its block, by rows or cols, but
/// not the row or column that is added to it.
MissingBrackets missing_brackets(const std::string& text);

// ---- local_arrays.cpp: arrays of a thread's own, which compilers keep in registers, where nobody sees an access
// outside of one ----

/// An access outside its array in some iteration of the loops around it.
struct ArrayOverrun {
    int line = 0;          ///< line of the access; 0 if there is none
    std::string array;     ///< "values"
    long long length = 0;  ///< number of elements of the array
    std::string index;     ///< "k", as in the source
    long long last = 0;    ///< the index in the last iteration
};

/// Finds the first such access. It understands only lengths, loops and indices that consist of numbers and constants
/// of the file, such as `for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS)`, and ignores accesses inside `if (k < ...)`.
ArrayOverrun array_overrun(const std::string& text);

/// A thread's own array, and its length.
struct LocalArray {
    std::string name;  ///< "" if there is none
    long long length = 0;
};
/// Returns the first such array that a line accesses, if its length is known.
LocalArray local_array_on(const std::string& text, int line);

}  // namespace coalesce
