// The families of instructions on matrices. Each has a function, which is defined beside its handlers.
#pragma once

#include "simulator/execute/describe.h"

namespace coalesce::simulator {

// matrix_moves.cpp
Describe describe_matrix_access, describe_matrix_move;
// tensor_cores.cpp
Describe describe_mma, describe_wmma;

}  // namespace coalesce::simulator
