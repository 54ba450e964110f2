/// \file
/// Restricts the system calls of a jailed process with seccomp. Filters accumulate and cannot be
/// removed.
#pragma once

namespace coalesce::grader {

/// The task of a jailed process. The task determines which system calls the process may make.
enum class Duty {
    serve,        ///< forks workers; may not use networks, run programs, trace or make namespaces
    serve_clang,  ///< like `serve`, but a worker may start one process, which becomes clang
    compile,      ///< a worker; may read files and use threads, but not write, fork or send signals
    clang,        ///< like `compile`, but may also execute a program: clang
    launch,       ///< a worker that only computes, and may not open files
};

/// Restricts the system calls of the calling process and its children. Throws std::runtime_error if
/// the Linux kernel rejects the filter. The caller must then run no untrusted code.
void restrict_system_calls(Duty duty);

}  // namespace coalesce::grader
