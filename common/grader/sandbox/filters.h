/// \file
/// Restricts the system calls of a jailed process with seccomp. Filters accumulate and cannot be
/// removed.
#pragma once

namespace coalesce::grader {

/// The task of a jailed process, which determines its filter.
enum class Duty {
    serve,        ///< forks workers and waits for them; no network, programs, namespaces or tracing
    serve_clang,  ///< like `serve`, but a worker may start one process, which becomes clang
    compile,  ///< a worker that reads headers and uses threads; no processes, signals or writing
    clang,    ///< like `compile`, after exec: clang itself
    launch,   ///< a worker that computes and opens no files
};

/// Restricts the system calls of the calling process and its children. Throws std::runtime_error if
/// the Linux kernel rejects the filter. The caller must then not run any untrusted code.
void restrict_system_calls(Duty duty);

}  // namespace coalesce::grader
