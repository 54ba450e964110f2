// Formats text for people to read: numbers with separators, sentences that fit the width of a
// terminal, and optional colour.
#pragma once

#include <string>
#include <string_view>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// The maximum number of columns in a line of the project's output.
inline constexpr std::size_t kColumns = 80;

/// Returns text such as "1,048,576".
std::string format_with_commas(u64 value);

/// Returns the ratio with one digit after the point, such as "12.5", or "-" if the denominator is
/// 0.
std::string format_ratio(u64 numerator, u64 denominator);

/// Breaks `text` at spaces so that no line is longer than `columns`. A single word that is longer
/// than a line gets its own line. The first line begins with `first_prefix`, and all other lines
/// begin with `later_prefix`. The result does not end with a newline.
std::string wrap(std::string_view text, std::size_t columns, std::string_view first_prefix,
                 std::string_view later_prefix);

/// Shortens the name of a kernel for display. Template arguments are replaced with "...", the
/// innermost first, until the name has at most `max_length` characters. A name that is still too
/// long is cut off.
std::string shorten_name(const std::string& name, std::size_t max_length = 120);

/// Adds `prefix` to the beginning of every line of `text`. The result ends with a newline.
std::string prefix_lines(std::string_view prefix, std::string_view text);

/// format_index formats an index as "(x,y,z)", and format_shape formats a shape as "32x8", as CUDA
/// programmers write them.
std::string format_index(Dim3 index);
std::string format_shape(Dim3 shape);

/// Returns `path` relative to the current folder if it is inside that folder, otherwise unchanged.
std::string shorten_path(const std::string& path);

/// Returns text such as "main.cu:12", with the path from shorten_path(), or "" if the line is not
/// known.
std::string format_place(const std::string& file, u32 line);

/// Reports whether text in colour should be written to `descriptor`. This is so if `descriptor` is
/// a terminal and NO_COLOR is not set.
bool wants_colour(int descriptor);

}  // namespace coalesce::simulator
