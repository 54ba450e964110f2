// Corrects the line numbers of loads that the compiler attributes to the wrong lines.
#pragma once

#include <string>

#include "examiner/trial.h"

namespace coalesce {

/// Returns the line that loads the value stored on `line`, or `line` itself if there is no such
/// load. For `float4 v = tile[i]; out[j] = v;`, compilers attribute the load to the line of the
/// store.
int find_load_line(const std::string& text, int line);

/// Corrects the line numbers of the loads in a trial, and moves their costs to the corrected lines.
void correct_load_lines(const std::string& text, Trial& trial);

}  // namespace coalesce
