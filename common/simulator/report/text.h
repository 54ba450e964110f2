// Text for people: numbers with separators, sentences broken to the width of a terminal, colour
// where it is welcome.
//
// Builds on  nothing.
#pragma once

#include <string>
#include <string_view>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Columns that the project's output keeps to.
inline constexpr std::size_t kColumns = 80;

/// "1,048,576"
std::string with_commas(u64 value);

/// "12.5": one digit after the point. "-" when there is nothing to divide by.
std::string ratio(u64 numerator, u64 denominator);

/// Breaks `text` at spaces so that no line passes `columns`; a longer word keeps a line of its own.
/// The first line begins with `first`, all further ones with `rest`. Ends without a newline.
std::string wrap(std::string_view text, std::size_t columns, std::string_view first,
                 std::string_view rest);

/// Puts `prefix` before every line of `text`; ends with a newline.
std::string with_prefix(std::string_view prefix, std::string_view text);

/// "(x,y,z)" as CUDA programmers write an index; "32x8" as they write a shape.
std::string as_index(Dim3 index);
std::string as_shape(Dim3 shape);

/// The path as a person in the current folder would write it: nothing of that folder before it.
std::string shown_path(const std::string& path);

/// "main.cu:12", the path as shown; "" when the line is not known.
std::string as_place(const std::string& file, u32 line);

/// True when `descriptor` is a terminal and NO_COLOR is not set.
bool wants_colour(int descriptor);

}  // namespace coalesce::simulator
