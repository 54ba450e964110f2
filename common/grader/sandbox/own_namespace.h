/// \file
/// Creates a process whose descendants all die with it.
///
/// Bubblewrap's inner process asks to die with the outer one only when it is nearly ready; before that it waits
/// without limit for permission to go on. If the outer process is killed in its first milliseconds (with the grader,
/// or because memory ran out), the inner one remains. If the outer one is the first process of a namespace, the
/// kernel ends all others with it.
#pragma once

#include <sys/types.h>

namespace coalesce::grader {

/// Reports whether such a process can be created here and can itself create namespaces. Tested once.
bool has_own_namespaces();

/// Works as fork, but if possible the child is the first process of a new process namespace.
pid_t fork_first_of_namespace();

}  // namespace coalesce::grader
