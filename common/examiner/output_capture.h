// Captures the output of kernels, of which only the beginning is kept. output_pipe.cpp implements
// the capture for native programs, and pages implement it in another way.
#pragma once

#include <cstddef>
#include <string>
#include <thread>

namespace coalesce {

/// Captures everything that this process writes to its standard output, from construction to `finish`.
class OutputCapture {
public:
    /// The number of bytes to keep. A learner would not read more.
    static constexpr std::size_t kKeptBytes = 4096;

    OutputCapture();
    ~OutputCapture() { finish(); }
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;

    /// Ends the capture and restores the standard output.
    void finish();
    /// Returns the beginning of the output, which consists of whole lines.
    const std::string& text() const { return text_; }
    /// Reports whether the output was longer than `text()`.
    bool is_cut() const { return bytes_ > text_.size(); }

private:
    void read_all(int from);
    /// Replaces control characters, and removes an incomplete last line.
    void make_harmless();

    int saved_ = -1;
    std::thread reader_;
    std::string text_;
    std::size_t bytes_ = 0;
};

}  // namespace coalesce
