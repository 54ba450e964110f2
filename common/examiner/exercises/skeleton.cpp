#include "examiner/exercises/skeleton.h"

#include <algorithm>

#include "base/text.h"

namespace coalesce::exercises {
namespace {

using Lines = std::vector<std::string>;

constexpr char kMarker[] = "//! [blank]";
constexpr char kPrefix[] = "//!";

std::string joined(const std::vector<Segment>& segments, Lines Segment::*which) {
    std::string text;
    for (const Segment& segment : segments) {
        for (const std::string& line : segment.*which) text += line + "\n";
    }
    return text;
}

// Removes the marker from a line of the skeleton, along with the space after it. For example, the
// first line below becomes the second:
//
//             //!     x = 1;
//                 x = 1;
std::string without_prefix(const std::string& line) {
    std::string indent = line.substr(0, line.find(kPrefix));
    std::string rest = trimmed(line).substr(sizeof(kPrefix) - 1);
    if (rest.empty()) return "";
    return indent + rest.substr(rest.front() == ' ' ? 1 : 0);
}

bool has_learner_text(const Segment& segment) {
    return std::ranges::any_of(segment.blank,
                               [](const std::string& line) { return !trimmed(line).empty(); });
}

// Reads the lines of a marked solution, and keeps track of whether the current line is between two
// markers.
class SkeletonReader {
public:
    explicit SkeletonReader(const std::string& name) : name_(name) {}

    void read(const std::string& line, int number) {
        std::string text = trimmed(line);
        if (text == kMarker) return handle_marker(number);
        bool for_skeleton = text.starts_with(kPrefix);
        if (for_skeleton && !current_.is_marked) {
            fail(number, "`//!` is allowed only between a pair of \"" + std::string(kMarker) +
                             "\" lines; write an ordinary comment, or add these lines");
        }
        if (for_skeleton) {
            current_.blank.push_back(without_prefix(line));
        } else {
            current_.solved.push_back(line);
            if (!current_.is_marked) current_.blank.push_back(line);
        }
    }

    Skeleton finish() {
        if (current_.is_marked) {
            fail(current_.line, "this marker has no closing marker; add \"" + std::string(kMarker) +
                                    "\" after the lines that the learner writes");
        }
        close_segment();
        if (skeleton_.blanks() == 0) {
            fail(1, "nothing is marked, so there is nothing to write; put the lines \"" +
                        std::string(kMarker) + "\" around the text that the learner writes");
        }
        return std::move(skeleton_);
    }

private:
    [[noreturn]] void fail(int line, const std::string& what) const {
        throw UsageError(name_ + ":" + std::to_string(line) + ": " + what);
    }

    void handle_marker(int number) {
        if (current_.is_marked && current_.solved.empty()) {
            fail(current_.line,
                 "there is nothing to write between these markers; add the solution's lines");
        }
        if (current_.is_marked && !has_learner_text(current_)) {
            fail(current_.line,
                 "the skeleton does not say what to write here; add \"//! // TODO: ...\"");
        }
        bool was_marked = current_.is_marked;
        close_segment();
        current_.is_marked = !was_marked;
        current_.line = number;
    }

    void close_segment() {
        bool is_empty = current_.blank.empty() && current_.solved.empty();
        if (!is_empty) skeleton_.segments.push_back(std::move(current_));
        current_ = {};
    }

    std::string name_;
    Skeleton skeleton_;
    Segment current_;
};

}  // namespace

std::string Skeleton::blank() const {
    return joined(segments, &Segment::blank);
}

std::string Skeleton::solved() const {
    return joined(segments, &Segment::solved);
}

int Skeleton::blanks() const {
    return static_cast<int>(std::ranges::count(segments, true, &Segment::is_marked));
}

int Skeleton::lines_to_write() const {
    int count = 0;
    for (const Segment& segment : segments) {
        if (!segment.is_marked) continue;
        count +=
            static_cast<int>(std::ranges::count_if(segment.solved, [](const std::string& line) {
                std::string text = trimmed(line);
                return !text.empty() && !text.starts_with("//");
            }));
    }
    return count;
}

Skeleton parse_skeleton(const std::string& marked, const std::string& name) {
    SkeletonReader reader(name);
    int number = 0;
    for (const std::string& line : lines_of(marked)) reader.read(line, ++number);
    return reader.finish();
}

// Shares no code with `SkeletonReader`, so that it can find mistakes in that class.
std::string find_unmarked_difference(const std::string& skeleton, const std::string& marked) {
    const Lines has = lines_of(skeleton);
    std::size_t next = 0;
    bool between_markers = false;
    auto told = [&](const std::string& line) {
        return "line " + std::to_string(next + 1) + " is \"" +
               (next < has.size() ? trimmed(has[next]) : std::string("(the end)")) + "\", not \"" +
               trimmed(line) + "\"";
    };
    for (const std::string& line : lines_of(marked)) {
        std::string wanted = trimmed(line);
        if (wanted == kMarker) {
            between_markers = !between_markers;
            continue;
        }
        if (between_markers) {
            if (!wanted.starts_with(kPrefix)) continue;  // the line occurs only in the solution
            wanted = trimmed(wanted.substr(sizeof(kPrefix) - 1));
            if (next >= has.size() || trimmed(has[next]) != wanted) return told(wanted);
        } else if (next >= has.size() || has[next] != line) {
            return told(line);
        }
        ++next;
    }
    if (next < has.size())
        return "line " + std::to_string(next + 1) + " is not part of the skeleton";
    return "";
}

}  // namespace coalesce::exercises
