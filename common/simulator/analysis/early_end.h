// Determines whether threads may access memory and then exit without reaching a barrier.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reports whether the threads that exit without reaching a barrier never access memory. If so,
/// their exit is no mistake: since Volta, a barrier of the whole block does not wait for threads
/// that have exited (CUDA C++ Programming Guide, independent thread scheduling). A thread that
/// accesses memory and then exits without reaching the barrier is a mistake.
bool ends_early_without_work(const ptx::Function& function);

}  // namespace coalesce::simulator
