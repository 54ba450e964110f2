/// \file
/// Fills the matrix and checks every process's result.
#pragma once

#include <string>

#include "many/processes/method.h"

namespace coalesce::processes {

/// Fills this process's rows of `in` with elements that all differ, and its rows of `out` with a
/// poison value.
void prepare_buffers(const SharedMatrix& shared, Method& method);

/// The errors in one process's output.
struct WrongCells {
    unsigned long long cell_count = 0;  ///< the number of wrong cells
    /// a description of the first wrong cell, such as "out(0,3) holds in(1,3), expected in(3,0)"
    std::string first;
};

/// Compares every element of this process's output with the expected value, bit for bit.
WrongCells find_wrong_cells(const SharedMatrix& shared, const float* out);

}  // namespace coalesce::processes
