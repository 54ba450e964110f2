// What a kernel prints, caught: its beginning is kept, the rest read and dropped. output_pipe.cpp is how; a page
// has another way.
#pragma once

#include <cstddef>
#include <string>
#include <thread>

namespace coalesce {

/// From its making to `finish` everything that this process writes to its standard output goes
/// here.
class OutputCapture {
public:
    /// As much as somebody would read.
    static constexpr std::size_t kKeptBytes = 4096;

    OutputCapture();
    ~OutputCapture() { finish(); }
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;

    /// Gives the standard output back.
    void finish();
    /// What was written, its beginning; whole lines.
    const std::string& text() const { return text_; }
    /// Whether there was more.
    bool is_cut() const { return bytes_ > text_.size(); }

private:
    void read_all(int from);
    /// It may clear nobody's terminal, and ends with a whole line.
    void make_harmless();

    int saved_ = -1;
    std::thread reader_;
    std::string text_;
    std::size_t bytes_ = 0;
};

}  // namespace coalesce
