// Corrects the source lines of loads where a compiler names another line.
#pragma once

#include <string>

#include "examiner/trial.h"

namespace coalesce {

/// Returns the line that loads the value that line `line` stores. For `float4 v = tile[i]; out[j] = v;` compilers
/// merge the two, and attribute the load to the line of the store, but a line that only stores a variable loads
/// nothing.
int line_of_load(const std::string& text, int line);

/// Corrects the lines of the loads in a trial, and moves their costs to those lines.
void correct_lines_of_loads(const std::string& text, Trial& trial);

}  // namespace coalesce
