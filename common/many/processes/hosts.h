/// \file
/// Transposes a matrix on the GPUs of several processes, on one or more hosts.
#pragma once

#include "many/many.h"

namespace coalesce::processes {

/// Implements `main` for a program that mpirun starts with one process per GPU. Returns the same
/// exit code as run_step.
int run_on_hosts(int argc, char** argv, const many::MethodKind& method);

}  // namespace coalesce::processes
