/// \file
/// Restricts the system calls of a jailed process (seccomp). Filters accumulate and cannot be removed.
#pragma once

namespace coalesce::grader {

/// The future work of a jailed process.
enum class Duty {
    serve,  ///< fork workers and wait for them; no network, no programs, no namespaces, no tracing
    serve_clang,  ///< the same, but each worker has one more process, which becomes clang
    compile,  ///< a worker: read headers, compute, threads; no processes, no signals, no writing
    clang,    ///< the same, after becoming a program: clang itself
    launch,   ///< a worker: compute; open no files at all
};

/// Restricts the calling process and its children. Throws std::runtime_error if the kernel refuses; then nothing may
/// run.
void restrict_system_calls(Duty duty);

}  // namespace coalesce::grader
