/// \file
/// clang as a process of its own, beside a worker that has started it and waits for it.
///
/// It is forked before the worker is restricted, restricts itself before it becomes clang, and waits for
/// its input: nothing that a student wrote is read before both are restricted. Pipes are all that it has:
/// the text comes in, PTX and messages go out, and no file is written. A worker that dies takes it along.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "examiner/compiled_from.h"

namespace coalesce::grader {

class ClangBeside {
public:
    /// Starts it by these words. Throws std::runtime_error.
    ClangBeside(const std::vector<std::string>& command, bool is_restricted);
    ~ClangBeside();
    ClangBeside(const ClangBeside&) = delete;
    ClangBeside& operator=(const ClangBeside&) = delete;

    /// Compiles a wrapped text; once. Where a signal ended clang, the worker ends by the same one, so
    /// that its end tells what happened; throws std::bad_alloc when memory ran out.
    RawOutput compile(const std::string& text);

private:
    int wait_for_end();

    pid_t process_ = 0;
    Descriptor input_, output_, messages_;
};

}  // namespace coalesce::grader
