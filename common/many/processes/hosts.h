/// \file
/// One matrix over the GPUs of several processes, on one host or on many.
#pragma once

#include "many/many.h"

namespace coalesce::processes {

/// The `main` of a program that mpirun starts, a process for each GPU. Returns what run_step does.
int run_on_hosts(int argc, char** argv, const many::KindOfWay& way);

}  // namespace coalesce::processes
