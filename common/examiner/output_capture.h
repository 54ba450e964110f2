// Captures what a kernel prints: keeps the beginning and drops the rest. output_pipe.cpp implements it for native
// programs; a page does it differently.
#pragma once

#include <cstddef>
#include <string>
#include <thread>

namespace coalesce {

/// Captures everything that this process writes to its standard output, from construction to `finish`.
class OutputCapture {
public:
    /// The number of bytes to keep, which is as much as a learner would read.
    static constexpr std::size_t kKeptBytes = 4096;

    OutputCapture();
    ~OutputCapture() { finish(); }
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;

    /// Ends the capture and restores the standard output.
    void finish();
    /// Returns the beginning of the output, in whole lines.
    const std::string& text() const { return text_; }
    /// Reports whether the output was longer.
    bool is_cut() const { return bytes_ > text_.size(); }

private:
    void read_all(int from);
    /// Removes control characters, and an incomplete last line.
    void make_harmless();

    int saved_ = -1;
    std::thread reader_;
    std::string text_;
    std::size_t bytes_ = 0;
};

}  // namespace coalesce
