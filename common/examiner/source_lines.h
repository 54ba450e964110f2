/// \file
/// Finds lines by their text in a learner's file. A message often refers to one line, while the
/// learner should change another.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "examiner/text_pattern.h"

namespace coalesce {

/// Returns the line number at an offset in the text, counted from 1. For an offset past the end,
/// returns the last line.
int line_number_at(const std::string& text, std::size_t position);

/// Returns the offset of the bracket that closes the one at `opening_position`. Returns the size of
/// the text if there is none.
std::size_t find_closing_bracket(const std::string& code, std::size_t opening_position);

/// Replaces comments, strings and character constants with spaces. The lines and columns of the
/// code stay the same.
std::string blank_out_comments(const std::string& text);
/// Returns the text without comments and strings. Returns "" if the text is far longer than any
/// kernel, because some searches take quadratic time.
std::string code_for_search(const std::string& text);
/// Returns a line of the code, without comments and strings, or "" if there is no such line.
std::string code_on_line(const std::string& text, int line);
/// Returns the line of `configure` that sets `member_name` of the returned launch, such as ".grid".
/// If there is no such line, returns the line of the return statement, or else the first line of
/// `configure`.
int find_configure_line(const std::string& text, const std::string& member_name);
/// Returns the line of the __global__ function with this name, or 0 if there is none. An empty name
/// means the first such function.
int find_kernel_line(const std::string& text, const std::string& name);
/// Returns the first line that matches the pattern, after the head of the first __global__
/// function. Returns 0 if there is none.
int find_line_in_kernel(const std::string& text, const TextPattern& pattern);

/// Returns the line that defines a constant, as in `constexpr int TILE_DIM = 32`, or 0 if there is
/// none.
int find_constant_line(const std::string& text, const std::string& name);

/// A name and the line on which it is declared. The name is "" if nothing was found.
struct Declaration {
    std::string name;
    int line = 0;  ///< line of the declaration; 0 if unknown
};
/// Finds a local array that is used before and after a barrier in a file without shared memory. The
/// barrier suggests that the learner intended to share the array.
Declaration find_unshared_array(const std::string& text);
/// Returns the first line with an expression such as `blockIdx.x * blockDim.y`, which mixes two
/// axes, or `blockIdx.x * gridDim.x`, which uses the size of the grid. Returns 0 if there is no
/// such line.
int find_line_with_mixed_axes(const std::string& text);
/// Finds a cast of an element to a vector type, as in `(float2)in[i]`. The learner probably meant
/// to cast the address of the element.
Declaration find_cast_of_value(const std::string& text);
/// Looks for consecutive lines that should each use a different vector component. Returns the first
/// line that repeats a component, or 0 if there is none.
int find_line_with_repeated_component(const std::string& text);
/// Finds a component such as "v.w" that is never set, although the whole vector is used. The
/// returned line is the vector's declaration.
Declaration find_component_never_set(const std::string& text);
/// Returns the line that calls the function containing the asm statement on `line`. The mistake is
/// in the call, because such a function only wraps PTX instructions. Returns `line` itself if the
/// function has several callers, or if `line` has no asm statement.
int find_caller_of_asm(const std::string& text, int line);
/// Returns `line` if it contains more than braces. Otherwise returns the nearest earlier line that
/// contains more than braces, or `line` if there is none.
int find_statement_line(const std::string& text, int line);
/// Reports whether the file declares a dynamic shared memory array.
bool has_dynamic_array(const std::string& text);
/// Returns the first line that makes blocks on the diagonal return, as in `if (blockIdx.y >=
/// blockIdx.x) return`. Returns 0 if there is no such line.
int find_line_leaving_diagonal(const std::string& text);
/// Returns the first line with a condition that compares blockIdx.x with blockIdx.y, or 0 if there
/// is none.
int find_line_comparing_blocks(const std::string& text);

/// A line that indexes an array as row * pitch + col, with a pitch that no other line uses.
struct OddPitch {
    int line = 0;  ///< line with the unusual pitch; 0 if there is none
    std::string pitch, usual_pitch;
};
/// Finds the line that indexes `array` with an unusual pitch. All other lines that index the array,
/// at least two, must use the same pitch.
OddPitch find_odd_pitch(const std::string& text, const std::string& array);
/// Returns the first line that adds an offset to a pointer, as in `in += ...` or `in + ...`.
/// Returns 0 if there is none.
int find_pointer_advance_line(const std::string& text, const std::string& pointer);
/// Reports whether the file makes asynchronous copies but never commits a group of them.
bool never_commits(const std::string& text);
/// Reports whether the file tracks its asynchronous copies with an mbarrier instead of groups.
bool tracks_copies_with_mbarrier(const std::string& text);
/// Returns the last line that waits for asynchronous copies, or 0 if there is none.
int find_copy_wait_line(const std::string& text);
/// Returns the last line that starts asynchronous copies, directly or through a function. Returns 0
/// if there is none.
int find_copy_start_line(const std::string& text);

/// A loop, including its header.
struct Loop {
    int first_line = 0;        ///< first line of the loop, counted from 1
    int last_line = 0;         ///< line of the loop's closing brace
    int barrier_line = 0;      ///< line of the first barrier in the loop; 0 if there is none
    std::string counter = {};  ///< the loop counter, such as "k"; empty if the loop has none
    /// the expression that changes the counter, such as "k += 8"
    std::optional<std::string> step = {};
};

/// Returns all loops in a text, including nested ones.
std::vector<Loop> find_loops(const std::string& text);
/// Returns the innermost loop around a line, or nullptr.
const Loop* find_innermost_loop(const std::vector<Loop>& loops, int line);

// ---- index_terms.cpp: the terms of an index that are multiplied by the row length ----

/// A sum such as `row + k * cols + col`, in which parentheses are missing around `row + k`.
struct MissingParentheses {
    int line = 0;        ///< line of the sum; 0 if no parentheses are missing
    std::string factor;  ///< the multiplied term, such as "k"
    std::string pitch;   ///< the row length, such as "cols"
    std::string text;    ///< the sum as written in the source, such as "row + k * cols + col"
};

/// Finds the first index such as `row + k * cols + col`, which should be `(row + k) * cols + col`.
/// Here `k` may be any loop counter or threadIdx.
MissingParentheses find_missing_parentheses(const std::string& text);

// ---- local_arrays.cpp: out-of-bounds accesses to arrays in registers, which no check detects ----

/// An access past the end of an array in some iteration of the surrounding loops.
struct ArrayOverrun {
    int line = 0;              ///< line of the access; 0 if there is none
    std::string array;         ///< name of the array, such as "values"
    long long length = 0;      ///< number of elements in the array
    std::string index;         ///< the index as written in the source, such as "k"
    long long last_value = 0;  ///< value of the index in the last iteration
};

/// Finds the first access outside a local array. Lengths, loops and indices must consist of numbers
/// and of constants defined in the file, as in `for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS)`.
/// Ignores accesses inside `if (k < ...)`.
ArrayOverrun find_array_overrun(const std::string& text);

/// A thread's local array, and its length.
struct LocalArray {
    std::string name;  ///< name of the array; "" if there is none
    long long length = 0;
};
/// Returns the first local array that a line accesses, if its length is known.
LocalArray find_local_array(const std::string& text, int line);

/// Returns the value of an expression that consists of numbers and of constants defined in the
/// file. Returns nothing for any other expression.
std::optional<long long> constant_value(const std::string& text, const std::string& expression);

/// Returns the values that an index takes over all iterations of the loops around a line. Returns
/// an empty set unless the loops and the index consist of constants and loop counters.
std::set<long long> values_of_index(const std::string& text, const std::string& index, int line);

/// Evaluates an index on a line. `values` holds the values of names such as "threadIdx.x" or "k".
/// Other variables are replaced with the expressions assigned to them, and calls of functions that
/// only return an expression are inlined. Returns nothing if a name without a value remains.
std::optional<long long> index_value(const std::string& text, const std::string& expression,
                                     int line, std::map<std::string, long long> values);

/// An array in shared memory.
struct SharedArray {
    std::string name = "";  ///< name of the array; "" if there is none
    /// Length of each dimension; empty if a length is unknown.
    std::vector<long long> lengths = {};
    int line = 0;  ///< line of the declaration
};
/// Returns all shared arrays that the file declares, in source order.
std::vector<SharedArray> list_shared_arrays(const std::string& text);
/// Returns the last line that stores to `array`, if the array's elements are never read. Returns 0
/// if no line stores to the array, or if a line uses the array in another way.
int find_store_of_unread_array(const std::string& text, const std::string& array);
/// Returns the first shared array that a line mentions. If `line` is 0, returns the first shared
/// array in the file. The name is "" if the lengths of the array are unknown.
SharedArray find_shared_array(const std::string& text, int line);
/// Looks for a loop around `line` with a condition such as `k <= 8`, which makes the loop run once
/// too often. Returns the first line of the loop, or 0 if there is no such loop.
int find_loop_that_runs_once_too_often(const std::string& text, int line);

}  // namespace coalesce
