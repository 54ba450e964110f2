/// \file
/// Creates a process whose descendants all die with it.
///
/// Bubblewrap has an outer and an inner process. The inner process waits for permission to
/// continue, without a time limit. Only after that does the inner process ask Linux to kill it when
/// the outer process ends. If the outer process is killed earlier (with the grader, or because
/// memory runs out), the inner process survives. This cannot happen if the outer process is the
/// first one of a PID namespace, because Linux then kills the whole namespace.
#pragma once

#include <sys/types.h>

namespace coalesce::grader {

/// Reports whether this process can create nested namespaces. Only the first call tests it; later
/// calls return the same result.
bool can_create_namespaces();

/// Forks this process, with the same return value as fork(). If possible, the child becomes the
/// first process of a new PID namespace.
pid_t fork_into_namespaces();

}  // namespace coalesce::grader
