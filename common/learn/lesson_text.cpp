#include "learn/lesson_text.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "harness/text.h"
#include "learn/code_width.h"

namespace coalesce::learn {
namespace {

using Cells = std::vector<std::string>;

/// Replaces links and images with their text, and removes the marks of bold text.
std::string remove_markup(const std::string& text) {
    std::string plain_text;
    bool is_in_code = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '`') is_in_code = !is_in_code;
        if (!is_in_code && text.compare(i, 2, "**") == 0) {
            ++i;
            continue;
        }
        const size_t link_separator = is_in_code || text[i] != '[' ? text.npos : text.find("](", i);
        const size_t end = link_separator == text.npos ? text.npos : text.find(')', link_separator);
        if (end == text.npos) {
            plain_text += text[i];
            continue;
        }
        const bool is_image = !plain_text.empty() && plain_text.back() == '!';
        if (is_image) plain_text.pop_back();
        const std::string words = remove_markup(text.substr(i + 1, link_separator - i - 1));
        plain_text += is_image ? "(Picture: " + words + ")" : words;
        i = end;
    }
    return plain_text;
}

Cells split_into_cells(const std::string& row) {
    Cells cells;
    for (size_t at = 1, bar; (bar = row.find('|', at)) != row.npos; at = bar + 1)
        cells.push_back(remove_markup(trimmed(row.substr(at, bar - at))));
    return cells;
}

/// Formats a table in columns, or as one paragraph per row if the columns do not fit.
std::string table_text(const std::vector<Cells>& rows) {
    std::vector<size_t> widths(rows.front().size());
    size_t total_width = 0;
    for (size_t column = 0; column < widths.size(); ++column) {
        for (const Cells& row : rows)
            if (column < row.size()) widths[column] = std::max(widths[column], row[column].size());
        total_width += widths[column] + 2;
    }
    std::string text;
    for (size_t r = 0; r < rows.size(); ++r) {
        std::string line;
        for (size_t c = 0; c < std::min(widths.size(), rows[r].size()); ++c) {
            if (total_width <= kTerminalColumns) {
                line += rows[r][c] + std::string(widths[c] + 2 - rows[r][c].size(), ' ');
            } else if (r > 0 && !rows[r][c].empty()) {
                line += (line.empty() ? "- " : "; ") +
                        (rows[0][c].empty() ? "" : rows[0][c] + ": ") + rows[r][c];
            }
        }
        if (total_width <= kTerminalColumns)
            text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        else if (r > 0)
            text += wrap_with_hanging_indent("- ", line.substr(2));
    }
    return text;
}

/// Reports whether the line is a comment that only the book uses.
bool is_comment(const std::string& line) {
    const size_t begin = line.find_first_not_of(' ');
    return begin != line.npos && line.compare(begin, 4, "<!--") == 0;
}

/// Formats one lesson. Lines of a paragraph are collected until the paragraph ends.
class LessonText {
public:
    LessonText(const Style& style, bool shows_answers)
        : style_(style), shows_answers_(shows_answers) {}

    std::string format_lines(const std::string& markdown) {
        for (const std::string& line : lines_of(markdown)) add(line);
        end_block();
        return text_;
    }

private:
    void add(const std::string& line) {
        if (line.starts_with("</details>")) {
            is_hidden_ = false;
        } else if (line.starts_with("<details>")) {
            end_block();
            add_fold(line);
        } else if (is_hidden_ || (!is_in_code_ && (line.starts_with("<") || is_comment(line)))) {
            return;
        } else if (line.starts_with("```")) {
            end_block();
            is_in_code_ = !is_in_code_;
            language_ = line.substr(3);
        } else if (is_in_code_) {
            code_.push_back(line);
        } else if (paragraph_.empty() && line.starts_with("    ")) {
            add_code({line}, "sh");
        } else if (line.starts_with('#')) {
            end_block();
            add_heading(line);
        } else if (line.starts_with("|")) {
            if (!line.starts_with("|-") && !line.starts_with("|:"))
                table_.push_back(split_into_cells(line));
        } else {
            add_to_paragraph(line);
        }
    }

    void add_code(const std::vector<std::string>& lines, const std::string& language) {
        for (const std::string& line : fit_columns(lines, language, kTerminalColumns))
            text_ += line + "\n";
    }

    /// Adds a heading. Underlines headings of the two upper levels, so that they stand out without
    /// colours.
    void add_heading(const std::string& line) {
        const std::string heading = remove_markup(line.substr(line.find_first_not_of("# ")));
        text_ += style_.paint_strong(heading) + "\n";
        if (!line.starts_with("###"))
            text_ += std::string(heading.size(), line.starts_with("##") ? '-' : '=') + "\n";
    }

    void add_to_paragraph(const std::string& line) {
        const size_t start = line.find_first_not_of(' ');
        if (start == line.npos) {
            end_block();
            text_ += text_.ends_with("\n\n") ? "" : "\n";
            return;
        }
        const size_t number = line.find_first_not_of("0123456789", start);
        const bool is_numbered = number != start && line.compare(number, 2, ". ") == 0;
        if (is_numbered || line.compare(start, 2, "- ") == 0) {
            end_block();
            bullet_ = line.substr(0, is_numbered ? number + 2 : start + 2);
            paragraph_ = line.substr(bullet_.size());
        } else {
            paragraph_ += (paragraph_.empty() ? "" : " ") + line.substr(start);
        }
    }

    void add_fold(const std::string& line) {
        const size_t begin = line.find("<summary>") + 9, end = line.find("</summary>");
        if (end == line.npos) return;
        text_ += wrap(remove_markup(line.substr(begin, end - begin)) +
                      (shows_answers_ ? "" : " (folded; --answers shows the text)"));
        is_hidden_ = !shows_answers_;
    }

    void end_block() {
        if (!table_.empty()) text_ += table_text(table_);
        table_.clear();
        if (!paragraph_.empty())
            text_ += bullet_.empty() ? wrap(remove_markup(paragraph_))
                                     : wrap_with_hanging_indent(bullet_, remove_markup(paragraph_));
        paragraph_.clear();
        bullet_.clear();
        add_code(code_, language_);
        code_.clear();
    }

    const Style& style_;
    bool shows_answers_;
    std::string text_, paragraph_, bullet_, language_;
    std::vector<std::string> code_;
    std::vector<Cells> table_;
    bool is_in_code_ = false, is_hidden_ = false;
};

}  // namespace

std::string lesson_text(const std::string& markdown, const Style& style, bool shows_answers) {
    return LessonText(style, shows_answers).format_lines(markdown);
}

}  // namespace coalesce::learn
