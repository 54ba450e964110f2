/// \file
/// Runs clang in a separate process, which a worker starts and waits for.
///
/// The worker forks the child process before the worker restricts itself. The child restricts
/// itself, executes clang and waits for input. Both processes are therefore restricted before
/// either reads anything from a student. The child communicates only through pipes: it receives the
/// source, returns PTX and messages, and writes no files. The child is killed when the worker ends.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "examiner/compiled_from.h"

namespace coalesce::grader {

class ClangProcess {
public:
    /// Starts clang with this command line. Throws std::runtime_error on failure.
    ClangProcess(const std::vector<std::string>& command, bool is_restricted);
    ~ClangProcess();
    ClangProcess(const ClangProcess&) = delete;
    ClangProcess& operator=(const ClangProcess&) = delete;

    /// Compiles a source that wrap_source() has prepared. May be called only once. If a signal
    /// ended clang, the worker sends itself the same signal, so that the grader sees the cause.
    /// Throws std::bad_alloc if clang ran out of memory.
    RawOutput compile(const std::string& text);

private:
    int wait_for_end();

    pid_t process_ = 0;
    Descriptor input_, output_, messages_;
};

}  // namespace coalesce::grader
