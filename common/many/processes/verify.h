/// \file
/// What the matrix holds, and whether every process has what belongs to it.
#pragma once

#include <string>

#include "many/processes/way.h"

namespace coalesce::processes {

/// Writes this process's rows of the input, in which every element differs from every other, and
/// poisons its output.
void prepare(const Shared& shared, Way& way);

/// What one process found wrong.
struct Wrong {
    unsigned long long cells = 0;  ///< how many
    std::string first;             ///< "out(0,3) holds in(1,3), expected in(3,0)"
};

/// Compares every element of this process's output with the input, bit by bit.
Wrong check(const Shared& shared, const float* out);

}  // namespace coalesce::processes
