/// \file
/// Runs clang in a process beside the worker that starts it and waits for it.
///
/// The process is forked before the worker is restricted, and restricts itself before it becomes clang and waits for
/// its input. So nothing that a student wrote is read before both are restricted. It communicates only through pipes:
/// the source goes in, PTX and messages come out, and no file is written. It dies with the worker.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "examiner/compiled_from.h"

namespace coalesce::grader {

class ClangBeside {
public:
    /// Starts clang with this command line. Throws std::runtime_error.
    ClangBeside(const std::vector<std::string>& command, bool is_restricted);
    ~ClangBeside();
    ClangBeside(const ClangBeside&) = delete;
    ClangBeside& operator=(const ClangBeside&) = delete;

    /// Compiles a wrapped text; may be called once. If a signal ended clang, the worker ends by the same signal, so
    /// that the grader sees the cause. Throws std::bad_alloc if memory ran out.
    RawOutput compile(const std::string& text);

private:
    int wait_for_end();

    pid_t process_ = 0;
    Descriptor input_, output_, messages_;
};

}  // namespace coalesce::grader
