// Declares the functions that describe families of matrix instructions. Each function is defined
// next to the handlers of its family.
#pragma once

#include "simulator/execute/describe.h"

namespace coalesce::simulator {

// Defined in matrix_moves.cpp.
DescribeFunction describe_matrix_access, describe_matrix_move;
// Defined in tensor_cores.cpp.
DescribeFunction describe_mma, describe_wmma;

}  // namespace coalesce::simulator
