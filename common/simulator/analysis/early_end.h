// Determines whether threads may access memory and then exit without reaching a barrier.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reports whether threads that exit without reaching a barrier have never accessed memory. Such
/// exits are correct, because since Volta a barrier of the whole block does not wait for threads
/// that have exited (CUDA C++ Programming Guide, independent thread scheduling).
bool ends_early_without_work(const ptx::Function& function);

}  // namespace coalesce::simulator
