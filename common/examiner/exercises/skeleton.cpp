#include "examiner/exercises/skeleton.h"

#include <algorithm>

#include "base/text.h"

namespace coalesce::exercises {
namespace {

using Lines = std::vector<std::string>;

constexpr char kMarker[] = "//! [blank]";
constexpr char kPrefix[] = "//!";

std::string join_segments(const std::vector<Segment>& segments, Lines Segment::*member) {
    std::string text;
    for (const Segment& segment : segments) {
        for (const std::string& line : segment.*member) text += line + "\n";
    }
    return text;
}

// Removes the marker from a line of the skeleton, along with the space after it. For example, the
// first line below becomes the second:
//
//             //!     x = 1;
//                 x = 1;
std::string remove_prefix(const std::string& line) {
    std::string indent = line.substr(0, line.find(kPrefix));
    std::string text_after_prefix = trimmed(line).substr(sizeof(kPrefix) - 1);
    if (text_after_prefix.empty()) return "";
    return indent + text_after_prefix.substr(text_after_prefix.front() == ' ' ? 1 : 0);
}

bool has_learner_text(const Segment& segment) {
    return std::ranges::any_of(segment.blank_lines,
                               [](const std::string& line) { return !trimmed(line).empty(); });
}

// Reads the lines of a marked solution, and keeps track of whether the current line is between two
// markers.
class SkeletonReader {
public:
    explicit SkeletonReader(const std::string& name) : name_(name) {}

    void read_line(const std::string& line, int number) {
        std::string text = trimmed(line);
        if (text == kMarker) return handle_marker(number);
        bool is_skeleton_line = text.starts_with(kPrefix);
        if (is_skeleton_line && !current_segment_.is_marked) {
            fail(number, "`//!` is allowed only between a pair of \"" + std::string(kMarker) +
                             "\" lines; write an ordinary comment, or add these lines");
        }
        if (is_skeleton_line) {
            current_segment_.blank_lines.push_back(remove_prefix(line));
        } else {
            current_segment_.solved_lines.push_back(line);
            if (!current_segment_.is_marked) current_segment_.blank_lines.push_back(line);
        }
    }

    Skeleton finish() {
        if (current_segment_.is_marked) {
            fail(current_segment_.line, "this marker has no closing marker; add \"" +
                                            std::string(kMarker) +
                                            "\" after the lines that the learner writes");
        }
        close_segment();
        if (skeleton_.blank_count() == 0) {
            fail(1, "nothing is marked, so there is nothing to write; put the lines \"" +
                        std::string(kMarker) + "\" around the text that the learner writes");
        }
        return std::move(skeleton_);
    }

private:
    [[noreturn]] void fail(int line, const std::string& message) const {
        throw UsageError(name_ + ":" + std::to_string(line) + ": " + message);
    }

    void handle_marker(int number) {
        if (current_segment_.is_marked && current_segment_.solved_lines.empty()) {
            fail(current_segment_.line,
                 "there is nothing to write between these markers; add the solution's lines");
        }
        if (current_segment_.is_marked && !has_learner_text(current_segment_)) {
            fail(current_segment_.line,
                 "the skeleton does not say what to write here; add \"//! // TODO: ...\"");
        }
        bool was_marked = current_segment_.is_marked;
        close_segment();
        current_segment_.is_marked = !was_marked;
        current_segment_.line = number;
    }

    void close_segment() {
        bool is_empty =
            current_segment_.blank_lines.empty() && current_segment_.solved_lines.empty();
        if (!is_empty) skeleton_.segments.push_back(std::move(current_segment_));
        current_segment_ = {};
    }

    std::string name_;
    Skeleton skeleton_;
    Segment current_segment_;
};

}  // namespace

std::string Skeleton::blank_text() const {
    return join_segments(segments, &Segment::blank_lines);
}

std::string Skeleton::solved_text() const {
    return join_segments(segments, &Segment::solved_lines);
}

int Skeleton::blank_count() const {
    return static_cast<int>(std::ranges::count(segments, true, &Segment::is_marked));
}

int Skeleton::lines_to_write() const {
    int count = 0;
    for (const Segment& segment : segments) {
        if (!segment.is_marked) continue;
        count += static_cast<int>(
            std::ranges::count_if(segment.solved_lines, [](const std::string& line) {
                std::string text = trimmed(line);
                return !text.empty() && !text.starts_with("//");
            }));
    }
    return count;
}

Skeleton parse_skeleton(const std::string& marked_text, const std::string& name) {
    SkeletonReader reader(name);
    int number = 0;
    for (const std::string& line : lines_of(marked_text)) reader.read_line(line, ++number);
    return reader.finish();
}

// Shares no code with `SkeletonReader`, so that it can find mistakes in that class.
std::string find_unmarked_difference(const std::string& skeleton, const std::string& marked_text) {
    const Lines skeleton_lines = lines_of(skeleton);
    std::size_t next_line = 0;
    bool between_markers = false;
    auto describe_difference = [&](const std::string& line) {
        return "line " + std::to_string(next_line + 1) + " is \"" +
               (next_line < skeleton_lines.size() ? trimmed(skeleton_lines[next_line])
                                                  : std::string("(the end)")) +
               "\", not \"" + trimmed(line) + "\"";
    };
    for (const std::string& line : lines_of(marked_text)) {
        std::string expected_line = trimmed(line);
        if (expected_line == kMarker) {
            between_markers = !between_markers;
            continue;
        }
        if (between_markers) {
            if (!expected_line.starts_with(kPrefix))
                continue;  // the line occurs only in the solution
            expected_line = trimmed(expected_line.substr(sizeof(kPrefix) - 1));
            if (next_line >= skeleton_lines.size() ||
                trimmed(skeleton_lines[next_line]) != expected_line)
                return describe_difference(expected_line);
        } else if (next_line >= skeleton_lines.size() || skeleton_lines[next_line] != line) {
            return describe_difference(line);
        }
        ++next_line;
    }
    if (next_line < skeleton_lines.size())
        return "line " + std::to_string(next_line + 1) + " is not part of the skeleton";
    return "";
}

}  // namespace coalesce::exercises
