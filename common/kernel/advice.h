// The next action after each kind of wrong result.
#pragma once

#include "harness/faults.h"
#include "harness/harness.h"

namespace coalesce {

/// A sentence: what to look at.
const char* next_after(Fault fault, const Produces& task);
/// Whether the fault says which mistake was made: `scattered` does not, `off_by_one_row` does.
bool names_the_mistake(Fault fault);

}  // namespace coalesce
