// Which line of a kernel a load belongs to, where a compiler says another one.
#pragma once

#include <string>

#include "examiner/trial.h"

namespace coalesce {

/// The line that loads what a line stores. In `float4 v = tile[i]; out[j] = v;` compilers make one copy of
/// the two, and give its load the line of its store; a line that stores a variable as it is loads nothing.
int line_of_load(const std::string& text, int line);

/// Gives the loads of a trial those lines: one by one, and with what each line cost.
void correct_lines_of_loads(const std::string& text, Trial& trial);

}  // namespace coalesce
