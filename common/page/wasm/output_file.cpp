// Implements examiner/output_capture.h in a page. Output is written to a file in the module's
// in-memory file system.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "examiner/output_capture.h"

namespace coalesce {
namespace {

constexpr const char* kCaptureFile = "/printed";

}  // namespace

OutputCapture::OutputCapture() {
    std::fflush(stdout);
    const int file = open(kCaptureFile, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) return;
    saved_descriptor_ = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    close(file);
}

void OutputCapture::finish() {
    if (saved_descriptor_ < 0) return;
    std::fflush(stdout);
    dup2(saved_descriptor_, STDOUT_FILENO);
    close(saved_descriptor_);
    saved_descriptor_ = -1;
    read_all(open(kCaptureFile, O_RDONLY));
    unlink(kCaptureFile);
    escape_control_characters();
}

}  // namespace coalesce
