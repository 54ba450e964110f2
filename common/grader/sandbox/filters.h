/// \file
/// Which system calls a jailed process may make (seccomp). Filters add up and never go away.
#pragma once

namespace coalesce::grader {

/// What a process in a jail does from now on.
enum class Duty {
    serve,  ///< fork workers and wait for them; no network, no programs, no namespaces, no tracing
    serve_clang,  ///< the same, except for one more process of each worker, which becomes clang
    compile,  ///< a worker: read headers, compute, threads; no processes, no signals, no writing
    clang,    ///< likewise, and become a program first: clang itself
    launch,   ///< a worker: compute; it opens nothing at all
};

/// Restricts the calling process and all that it makes. Throws std::runtime_error when the kernel
/// refuses: then nothing may be run.
void restrict_system_calls(Duty duty);

}  // namespace coalesce::grader
