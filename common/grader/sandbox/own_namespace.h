/// \file
/// A process that takes all its descendants with it.
///
/// Bubblewrap's inner process asks to die with the outer one only when it is nearly ready, and before
/// that it waits, for ever, to be told that it may go on. Where the outer one is killed in its first
/// milliseconds (with the grader, or by a computer that is out of memory), the inner one stays. As the
/// first process of a namespace the outer one cannot leave anybody: the kernel ends them all.
#pragma once

#include <sys/types.h>

namespace coalesce::grader {

/// Whether such a process can be made here, and can make namespaces of its own; tried once.
bool has_own_namespaces();

/// As fork; the child is the first of a namespace of processes where that can be had.
pid_t fork_first_of_namespace();

}  // namespace coalesce::grader
