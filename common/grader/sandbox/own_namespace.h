/// \file
/// Creates a process whose descendants all die with it.
///
/// Bubblewrap has an outer and an inner process. The inner one first waits for permission to
/// continue, without a time limit, and only later asks the kernel to kill it when the outer one
/// ends. The inner process therefore survives if the outer one is killed in its first milliseconds,
/// together with the grader or for lack of memory. This cannot happen if the outer process is the
/// first one of a PID namespace, because the kernel then kills the whole namespace.
#pragma once

#include <sys/types.h>

namespace coalesce::grader {

/// Reports whether this process can create nested namespaces. Tests this only once, and then
/// remembers the result.
bool has_own_namespaces();

/// Forks this process. If possible, the child becomes the first process of a new PID namespace.
pid_t fork_first_of_namespace();

}  // namespace coalesce::grader
