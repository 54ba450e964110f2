#include "learn/line_diff.h"

#include <algorithm>

#include "base/text.h"

namespace coalesce::learn {
namespace {

using Lines = std::vector<std::string>;

Lines split_without_returns(const std::string& text) {
    Lines lines = lines_of(text);
    for (std::string& line : lines) {
        if (line.ends_with('\r')) line.pop_back();
    }
    return lines;
}

// A column of lines that all have the same width.
struct DiffColumn {
    Lines lines;
    size_t width;

    // Adds a line. A line that is too long continues, indented, on the next line of the column.
    void add(const std::string& text) {
        std::string remaining_text = text;
        while (remaining_text.size() > width) {
            lines.push_back(remaining_text.substr(0, width));
            remaining_text = "    " + remaining_text.substr(width);
        }
        lines.push_back(remaining_text);
    }
};

void align(DiffColumn& left, DiffColumn& right) {
    size_t line_count = std::max(left.lines.size(), right.lines.size());
    left.lines.resize(line_count);
    right.lines.resize(line_count);
}

std::string pad_to_width(std::string text, size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

}  // namespace

std::vector<DiffLine> line_diff(const std::string& first, const std::string& second) {
    Lines a = split_without_returns(first), b = split_without_returns(second);
    // common[i][j] is the length of the longest common subsequence of the lines of `a` from i on
    // and those of `b` from j on.
    std::vector<std::vector<int>> common_lengths(a.size() + 1, std::vector<int>(b.size() + 1, 0));
    for (size_t i = a.size(); i-- > 0;) {
        for (size_t j = b.size(); j-- > 0;) {
            common_lengths[i][j] =
                a[i] == b[j] ? common_lengths[i + 1][j + 1] + 1
                             : std::max(common_lengths[i + 1][j], common_lengths[i][j + 1]);
        }
    }
    std::vector<DiffLine> diff;
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            diff.push_back({DiffLine::both, a[i]});
            ++i, ++j;
        } else if (j == b.size() ||
                   (i < a.size() && common_lengths[i + 1][j] >= common_lengths[i][j + 1])) {
            diff.push_back({DiffLine::first, a[i++]});
        } else {
            diff.push_back({DiffLine::second, b[j++]});
        }
    }
    return diff;
}

std::vector<DiffLine> keep_changes(const std::vector<DiffLine>& diff, size_t context) {
    std::vector<bool> is_kept(diff.size());
    bool has_changes = false;
    for (size_t i = 0; i < diff.size(); ++i) {
        if (diff[i].kind == DiffLine::both) continue;
        has_changes = true;
        const size_t end = std::min(diff.size(), i + context + 1);
        for (size_t k = i - std::min(i, context); k < end; ++k) is_kept[k] = true;
    }
    if (!has_changes) return diff;
    std::vector<DiffLine> shortened_diff;
    for (size_t i = 0; i < diff.size();) {
        size_t end = i;
        while (end < diff.size() && !is_kept[end]) ++end;
        // Do not replace a single equal line, because the replacement would be longer than the
        // line.
        if (end - i > 1) {
            shortened_diff.push_back(
                {DiffLine::both, "... " + std::to_string(end - i) + " equal lines"});
            i = end;
        }
        if (i < diff.size()) shortened_diff.push_back(diff[i++]);
    }
    return shortened_diff;
}

std::string diff_text(const std::vector<DiffLine>& diff) {
    std::string text;
    for (const DiffLine& line : diff) {
        text += (line.kind == DiffLine::both ? "  " : line.kind == DiffLine::first ? "- " : "+ ");
        text += line.text;
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    return text;
}

std::string format_side_by_side(const std::string& first_head, const std::string& second_head,
                                const std::vector<DiffLine>& diff, int columns) {
    size_t width = static_cast<size_t>(columns - 3) / 2;
    DiffColumn left{{}, width}, right{{}, width};
    left.add(first_head);
    right.add(second_head);
    left.lines.push_back(std::string(width, '-'));
    right.lines.push_back(std::string(width, '-'));
    for (auto& line : diff) {
        if (line.kind == DiffLine::both) align(left, right);
        if (line.kind != DiffLine::second) left.add(line.text);
        if (line.kind != DiffLine::first) right.add(line.text);
    }
    align(left, right);
    std::string text;
    for (size_t i = 0; i < left.lines.size(); ++i) {
        bool is_different = i > 1 && left.lines[i] != right.lines[i];
        std::string row =
            pad_to_width(left.lines[i], width) + (is_different ? " * " : " | ") + right.lines[i];
        row.erase(row.find_last_not_of(' ') + 1);
        text += row + "\n";
    }
    return text;
}

}  // namespace coalesce::learn
