#include "examiner/output_capture.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace coalesce {

void OutputCapture::read_all(int file_descriptor) {
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t count = read(file_descriptor, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        const auto byte_count = static_cast<std::size_t>(count);
        text_.append(buffer.data(),
                     std::min(byte_count, kMaxBytes - std::min(kMaxBytes, text_.size())));
        bytes_ += byte_count;
    }
    close(file_descriptor);
}

void OutputCapture::escape_control_characters() {
    std::replace_if(
        text_.begin(), text_.end(),
        [](char c) {
            return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        },
        '?');
    // Remove an incomplete last line, because the output may have been cut in the middle of a
    // character.
    if (is_truncated()) text_.resize(text_.rfind('\n') == text_.npos ? 0 : text_.rfind('\n') + 1);
}

}  // namespace coalesce
