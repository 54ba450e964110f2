// Determines whether threads may access memory and then exit without reaching a barrier.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reports whether the threads that exit without reaching a barrier never access memory. The
/// whole-block barriers of such a kernel need not wait for threads that have exited: since Volta, a
/// barrier waits only for the other threads (CUDA C++ Programming Guide, independent thread
/// scheduling). If a thread accesses memory and then exits without reaching the barrier, that is a
/// mistake.
bool ends_early_without_work(const ptx::Function& function);

}  // namespace coalesce::simulator
