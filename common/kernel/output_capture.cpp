// Linux only: pipe2.
#include "kernel/output_capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

void OutputCapture::read_all(int pipe) {
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t count = read(pipe, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        const auto got = static_cast<std::size_t>(count);
        text_.append(buffer.data(), std::min(got, kept_bytes - std::min(kept_bytes, text_.size())));
        bytes_ += got;
    }
    close(pipe);
}

void OutputCapture::finish() {
    if (!reader_.joinable()) return;
    flush_all();
    // The last writer's end closes here, so that the reader comes to the end.
    if (saved_ >= 0) {
        dup2(saved_, STDOUT_FILENO);
        close(saved_);
    } else {
        close(STDOUT_FILENO);  // it was closed before
    }
    reader_.join();
    // Neither may they clear somebody's terminal.
    std::replace_if(
        text_.begin(), text_.end(),
        [](char c) {
            return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        },
        '?');
    // Not half a line, and with it perhaps half a letter.
    if (is_cut()) text_.resize(text_.rfind('\n') == text_.npos ? 0 : text_.rfind('\n') + 1);
}

}  // namespace coalesce
