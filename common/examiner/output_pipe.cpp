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
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) return;
    saved_descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(pipe_ends[1], STDOUT_FILENO);
    close(pipe_ends[1]);
    reader_ = std::thread([this, pipe = pipe_ends[0]] { read_all(pipe); });
}

void OutputCapture::finish() {
    if (!reader_.joinable()) return;
    flush_all();
    // Close the last write end of the pipe, so that the thread sees end-of-file.
    if (saved_descriptor_ >= 0) {
        dup2(saved_descriptor_, STDOUT_FILENO);
        close(saved_descriptor_);
    } else {
        close(STDOUT_FILENO);  // stdout was already closed before the capture
    }
    reader_.join();
    escape_control_characters();
}

}  // namespace coalesce
