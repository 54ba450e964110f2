// Finds the source line for an address in the program's host code, for reports about calls and
// accesses by the host. The program must be built with -g.
#pragma once

#include "simulator/base/types.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

/// Returns the place in the source of the instruction at `address`, or an empty place if it is not
/// known.
Place find_host_place(u64 address);

/// Returns the place in the source at which the program's own code calls this library, or an empty
/// place if it is not known.
Place find_calling_place();

}  // namespace coalesce::simulator
