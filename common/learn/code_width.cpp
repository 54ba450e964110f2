#include "learn/code_width.h"

#include <algorithm>

#include "base/text.h"

namespace coalesce::learn {
namespace {

using Lines = std::vector<std::string>;

std::string indentation(const std::string& line) {
    return line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
}

/// Returns the offset of the trailing comment in a line of C++, or npos if there is none.
std::size_t find_trailing_comment(const std::string& line) {
    bool is_quoted = false;
    for (std::size_t position = 0; position < line.size(); ++position) {
        is_quoted ^= line[position] == '"';
        if (!is_quoted && line.compare(position, 2, "//") == 0) return position;
    }
    return line.npos;
}

/// Splits a text at the blanks outside of quotes.
Lines split_at_blanks(const std::string& text) {
    Lines words(1);
    bool is_quoted = false;
    for (const char letter : text) {
        is_quoted ^= letter == '"';
        if (letter != ' ' || is_quoted) {
            words.back() += letter;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    return words;
}

/// Appends a text, wrapped at blanks. The first line begins with `first_indent`, and all other
/// lines begin with `next_indent`. Every line except the last ends with `line_end`.
void add_broken_lines(Lines& lines, const std::string& text, const std::string& first_indent,
                      const std::string& next_indent, const std::string& line_end,
                      std::size_t columns) {
    std::string line = first_indent;
    bool is_empty = true;
    for (const std::string& word : split_at_blanks(text)) {
        if (!is_empty && line.size() + 1 + word.size() + line_end.size() > columns) {
            lines.push_back(line + line_end);
            line = next_indent;
            is_empty = true;
        }
        line += (is_empty ? "" : " ") + word;
        is_empty = false;
    }
    lines.push_back(line);
}

void add_cpp(Lines& lines, const std::string& line, std::size_t columns) {
    const std::string indent = indentation(line);
    const std::size_t comment = find_trailing_comment(line);
    if (comment != line.npos)
        add_broken_lines(lines, trimmed(line.substr(comment + 2)), indent + "// ", indent + "// ",
                         "", columns);
    const std::string code = trimmed(line.substr(0, comment));
    if (code.empty()) return;
    if (indent.size() + code.size() <= columns) {
        lines.push_back(indent + code);
    } else {
        add_broken_lines(lines, code, indent, indent + "    ", "", columns);
    }
}

/// Wraps a command at blanks. Also breaks a word that is too long, such as a list of counters,
/// after its commas.
void add_command(Lines& lines, const std::string& line, std::size_t columns) {
    const std::string indent = indentation(line);
    std::string command = trimmed(line);
    const bool is_continued = command.ends_with(" \\");
    if (is_continued) command = trimmed(command.substr(0, command.size() - 2));
    Lines broken_lines;
    add_broken_lines(broken_lines, command, indent, indent + "    ", " \\", columns);
    if (is_continued) broken_lines.back() += " \\";
    for (std::string remaining_text : broken_lines) {
        while (remaining_text.size() > columns) {
            const std::size_t comma = remaining_text.rfind(',', columns - 2);
            if (comma == remaining_text.npos) break;
            lines.push_back(remaining_text.substr(0, comma + 1) + "\\");
            remaining_text = remaining_text.substr(comma + 1);
        }
        lines.push_back(remaining_text);
    }
}

std::size_t max_line_width(const Lines& lines) {
    std::size_t max_width = 0;
    for (const std::string& line : lines) max_width = std::max(max_width, line.size());
    return max_width;
}

/// A run of columns that are blank in every line.
struct BlankColumns {
    std::size_t begin = 0, count = 0;
};

/// Columns to leave between the parts of a diagram.
constexpr std::size_t kKeptGapColumns = 2;

/// Returns the longest run of blank columns that may be removed. A run at the left edge may be
/// removed as a whole. Of any other run, `kKeptGapColumns` columns must remain.
BlankColumns find_removable_columns(const Lines& lines) {
    BlankColumns widest_gap, current_gap;
    for (std::size_t column = 0; column < max_line_width(lines); ++column) {
        const bool is_blank = std::ranges::all_of(lines, [&](const std::string& line) {
            return column >= line.size() || line[column] == ' ';
        });
        current_gap = is_blank ? BlankColumns{current_gap.count == 0 ? column : current_gap.begin,
                                              current_gap.count + 1}
                               : BlankColumns{};
        const std::size_t kept_count =
            current_gap.begin == 0 ? 0 : std::min(current_gap.count, kKeptGapColumns);
        if (current_gap.count - kept_count > widest_gap.count)
            widest_gap = {current_gap.begin, current_gap.count - kept_count};
    }
    return widest_gap;
}

/// Removes columns that are blank in every line, until the lines fit.
Lines fit_diagram(Lines lines, std::size_t columns) {
    while (max_line_width(lines) > columns) {
        const BlankColumns blank_columns = find_removable_columns(lines);
        if (blank_columns.count == 0) break;
        const std::size_t removed_count =
            std::min(blank_columns.count, max_line_width(lines) - columns);
        for (std::string& line : lines) {
            if (blank_columns.begin < line.size()) line.erase(blank_columns.begin, removed_count);
        }
    }
    return lines;
}

}  // namespace

std::vector<std::string> fit_columns(const std::vector<std::string>& lines,
                                     const std::string& language, std::size_t columns) {
    if (max_line_width(lines) <= columns) return lines;
    if (language.empty() || language == "text") return fit_diagram(lines, columns);
    const bool is_command = language == "sh" || language == "console" || language == "bash";
    Lines fitted_lines;
    for (const std::string& line : lines) {
        if (line.size() <= columns) {
            fitted_lines.push_back(line);
        } else if (is_command) {
            add_command(fitted_lines, line, columns);
        } else {
            add_cpp(fitted_lines, line, columns);
        }
    }
    return fitted_lines;
}

}  // namespace coalesce::learn
