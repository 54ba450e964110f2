// Captures the output of kernels and keeps only its beginning. output_pipe.cpp implements the
// capture for native programs; web pages have a different implementation.
#pragma once

#include <cstddef>
#include <string>
#include <thread>

namespace coalesce {

/// Captures everything that this process writes to standard output between construction and
/// `finish`.
class OutputCapture {
public:
    /// The number of bytes to keep. A learner would not read more.
    static constexpr std::size_t kMaxBytes = 4096;

    OutputCapture();
    ~OutputCapture() { finish(); }
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;

    /// Ends the capture and restores standard output.
    void finish();
    /// Returns the beginning of the output, in whole lines.
    const std::string& text() const { return text_; }
    /// Reports whether the output was longer than `text()`.
    bool is_truncated() const { return bytes_ > text_.size(); }

private:
    void read_all(int file_descriptor);
    /// Replaces control characters, and removes the last line if it is incomplete.
    void escape_control_characters();

    int saved_descriptor_ = -1;
    std::thread reader_;
    std::string text_;
    std::size_t bytes_ = 0;
};

}  // namespace coalesce
