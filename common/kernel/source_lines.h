/// \file
/// Where things stand in a learner's file, by its text alone: a verdict names the line that has to
/// change, which no access and no message may have named.
#pragma once

#include <string>

namespace coalesce {

/// The text with comments, strings and characters blanked out; lines and columns stay.
std::string code_alone(const std::string& text);
/// The line of the function `configure`; 0 when there is none.
int line_of_configure(const std::string& text);
/// The line of the __global__ function of that name; 0 when there is none. "": of the first one.
int line_of_kernel(const std::string& text, const std::string& name);

}  // namespace coalesce
