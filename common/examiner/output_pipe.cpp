// Captures the output with a pipe. A thread reads from the pipe.
#include "examiner/output_capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

namespace coalesce {
namespace {

void flush_all() {
    std::cout.flush();
    std::fflush(stdout);
}

}  // namespace

OutputCapture::OutputCapture() {
    flush_all();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    saved_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    reader_ = std::thread([this, pipe = ends[0]] { read_all(pipe); });
}

void OutputCapture::finish() {
    if (!reader_.joinable()) return;
    flush_all();
    // Close the last write end of the pipe, so that the thread sees end-of-file.
    if (saved_ >= 0) {
        dup2(saved_, STDOUT_FILENO);
        close(saved_);
    } else {
        close(STDOUT_FILENO);  // stdout was already closed before the capture
    }
    reader_.join();
    escape_control_characters();
}

}  // namespace coalesce
