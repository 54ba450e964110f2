// Where a call of CUDA's runtime stands in a learner's program, by its text: what watches the program run
// sees the call, and no line of the host's code.
#pragma once

#include <cstddef>
#include <string>

#include "program/witnessed_run.h"

namespace coalesce {

/// The line of the launch: the first <<< that is no comment. 0: there is none.
int line_of_program_launch(const std::string& text);

/// The line of a copy of the run, by its number there. 0: the text does not say which of its calls it is.
/// Copies are made in the order in which they are written down, unless a loop or a function of the
/// program's own makes several of one call; then a text with a single call still says it.
int line_of_copy(const std::string& text, const WitnessedRun& run, std::size_t number);

}  // namespace coalesce
