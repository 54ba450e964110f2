#include "text_drawing.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "questions.h"

namespace coalesce::book {
namespace {

// The size of a character, in pixels.
constexpr double kCharacterWidthPixels = 8.2;
constexpr int kLineHeightPixels = 23;
constexpr int kMarginPixels = 6;
/// The maximum number of characters in a cell, such as "255" or "[31]".
constexpr std::size_t kMaxCellCharacters = 4;
/// The minimum length of a sequence of neighbouring words that is drawn as cells. A shorter
/// sequence is part of a sentence.
constexpr int kMinNeighbouringCells = 3;
/// The minimum number of blanks between two drawings that are side by side.
constexpr std::size_t kMinBlanksBetweenDrawings = 5;

enum class LinePartKind { word, cell, marked, empty, ellipsis, separator, range, brace, edge };

/// A part of a line: its kind, its columns [begin, end), and its text.
struct LinePart {
    LinePartKind kind = LinePartKind::word;
    std::size_t begin = 0, end = 0;
    std::string text;
};

bool is_cell_text(const std::string& text) {
    if (text.empty() || text.size() > kMaxCellCharacters) return false;
    const bool is_number = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isdigit(c) || c == '(' || c == ')' || c == '\'';
    });
    const bool is_letter =
        std::isalpha(static_cast<unsigned char>(text[0])) &&
        (text.size() == 1 ||
         (text.size() == 2 && std::isdigit(static_cast<unsigned char>(text[1]))));
    return is_number || is_letter;
}

std::string trim(const std::string& text) {
    const std::size_t first_letter = text.find_first_not_of(' ');
    return first_letter == text.npos
               ? ""
               : text.substr(first_letter, text.find_last_not_of(' ') + 1 - first_letter);
}

/// Returns the label in a line of dashes ("32 B" for "------ 32 B ------"). In a label such as "0
/// .. 31", replaces the dots with an ellipsis.
std::string extract_label(std::string text) {
    for (char& c : text)
        if (c == '-') c = ' ';
    const std::size_t dots_begin = text.find("..");
    if (dots_begin != text.npos) {
        const std::size_t end = text.find_first_not_of('.', dots_begin);
        text = trim(text.substr(0, dots_begin)) + " … " +
               (end == text.npos ? "" : trim(text.substr(end)));
    }
    return trim(text);
}

/// Reports whether the text is a line of dashes, with or without a label.
bool is_brace(const std::string& inner_text) {
    return inner_text.size() > 2 && inner_text.front() == '-' && inner_text.back() == '-' &&
           inner_text.find("->") == inner_text.npos;
}

/// Returns the part of a line that begins at column `begin`: text in brackets or quotes, a vertical
/// bar or a word.
LinePart read_line_part(const std::string& line, std::size_t begin) {
    const char c = line[begin];
    const bool follows_name =
        begin > 0 &&
        (std::isalnum(static_cast<unsigned char>(line[begin - 1])) || line[begin - 1] == '_');
    if (c == '[' && !follows_name) {
        const std::size_t close_index = line.find(']', begin);
        if (close_index != line.npos) {
            const std::string inner_text = line.substr(begin + 1, close_index - begin - 1);
            const bool is_short = trim(inner_text).size() <= 3;
            return {is_short ? LinePartKind::marked : LinePartKind::range, begin, close_index + 1,
                    is_short ? trim(inner_text) : extract_label(inner_text)};
        }
    }
    if (c == '(') {
        const std::size_t close_index = std::min(line.find(')', begin), line.size() - 1);
        const std::string inner_text = trim(line.substr(begin + 1, close_index - begin - 1));
        const bool is_number =
            !inner_text.empty() && inner_text.find_first_not_of("0123456789") == inner_text.npos;
        if (is_number) return {LinePartKind::word, begin, close_index + 1, "(" + inner_text + ")"};
    }
    if (c == '|' || c == '\'') {
        const std::size_t close_index = line.find(c, begin + 1);
        const std::string inner_text =
            close_index == line.npos ? "" : line.substr(begin + 1, close_index - begin - 1);
        if (is_brace(inner_text))
            return {LinePartKind::brace, begin, c == '|' ? close_index : close_index + 1,
                    extract_label(inner_text)};
        if (c == '|') return {LinePartKind::separator, begin, begin + 1, ""};
    }
    std::size_t end = begin + 1;
    while (end < line.size() && line[end] != ' ' && line[end] != '|') {
        if (line[end] == '[' && !std::isalnum(static_cast<unsigned char>(line[end - 1])) &&
            line[end - 1] != '_' && line[end - 1] != ']')
            break;
        ++end;
    }
    const std::string text = line.substr(begin, end - begin);
    if (text.size() > 2 && text.starts_with("+-") && text.ends_with("-+")) {
        return {LinePartKind::edge, begin, end, ""};
    }
    const bool is_dots = text.size() > 1 && text.find_first_not_of('.') == text.npos;
    return {text == "." ? LinePartKind::empty
            : is_dots   ? LinePartKind::ellipsis
                        : LinePartKind::word,
            begin, end, text};
}

std::vector<LinePart> split_into_parts(const std::string& line) {
    std::vector<LinePart> parts;
    for (std::size_t position = line.find_first_not_of(' '); position < line.size();
         position = line.find_first_not_of(' ', position)) {
        parts.push_back(read_line_part(line, position));
        position = parts.back().end;
    }
    return parts;
}

/// Reports whether a row with the label `text` contains column numbers. Column numbers are not
/// drawn as cells.
bool is_column_label(const std::string& text) {
    static const std::set<std::string> column_labels = {
        "c",      "col",     "bank",        "lane",       "lanes",   "slot",
        "thread", "threads", "threadIdx.x", "blockIdx.x", "position"};
    return column_labels.contains(text);
}

/// Reports whether a single blank separates a part from the part before it.
bool is_next_word(const LinePart& part, const LinePart& previous_part) {
    return part.begin == previous_part.end + 1;
}

/// Returns the index of the first part after a row's label. A label is a word, or several words
/// with single blanks between them. "r 0" is a label, and "0 1 2" is not.
std::size_t find_end_of_label(const std::vector<LinePart>& parts, std::size_t begin,
                              std::size_t end) {
    static const std::set<std::string> row_labels = {"r", "n", "row", "GPU"};
    if (row_labels.contains(parts[begin].text) && begin + 1 < end) return begin + 2;
    std::size_t last_part = begin;
    bool are_cells = is_cell_text(parts[begin].text);
    while (last_part + 1 < end && parts[last_part + 1].kind == LinePartKind::word &&
           is_next_word(parts[last_part + 1], parts[last_part])) {
        ++last_part;
        are_cells = are_cells && is_cell_text(parts[last_part].text);
    }
    if (are_cells && (last_part == begin || last_part - begin >= 2)) return begin;
    return parts[begin].kind == LinePartKind::word ? last_part + 1 : begin;
}

/// Converts the words after a row's label to cells, if there are at least kMinNeighbouringCells
/// words.
void convert_words_to_cells(std::vector<LinePart>& parts, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const std::size_t first_word = find_end_of_label(parts, begin, end);
    // Column numbers are not drawn as cells.
    if (is_column_label(parts[begin].text) && first_word <= begin + 2) return;
    for (std::size_t position = first_word; position < end;) {
        std::size_t last_word = position;
        int cell_count = 0;
        while (
            last_word < end &&
            (parts[last_word].kind != LinePartKind::word || is_cell_text(parts[last_word].text)) &&
            parts[last_word].kind != LinePartKind::brace) {
            cell_count += parts[last_word].kind == LinePartKind::word ||
                          parts[last_word].kind == LinePartKind::marked ||
                          parts[last_word].kind == LinePartKind::empty;
            ++last_word;
        }
        if (cell_count >= kMinNeighbouringCells) {
            for (std::size_t i = position; i < last_word; ++i)
                if (parts[i].kind == LinePartKind::word) parts[i].kind = LinePartKind::cell;
        }
        position = std::max(last_word, position + 1);
    }
}

double column_to_pixels(double column) {
    return kMarginPixels + column * kCharacterWidthPixels;
}

std::string format_pixels(double value) {
    std::string text = std::to_string(value);
    return text.substr(0, text.find('.') + 2);
}

std::string rectangle_svg(const char* css_class, double from, double to, double top,
                          double height) {
    return std::string("<rect class=\"") + css_class + "\" x=\"" + format_pixels(from) + "\" y=\"" +
           format_pixels(top) + "\" width=\"" + format_pixels(to - from) + "\" height=\"" +
           format_pixels(height) + "\" rx=\"3\"/>";
}

std::string text_svg(const char* css_class, double x, double y, const std::string& text) {
    return std::string("<text class=\"") + css_class + "\" x=\"" + format_pixels(x) + "\" y=\"" +
           format_pixels(y) + "\">" + to_html(text) + "</text>";
}

/// Replaces ASCII arrows and dashes with typographic characters, and removes backquotes.
std::string replace_ascii_arrows(std::string text) {
    const std::pair<const char*, const char*> replacements[] = {
        {"-->", "→"}, {"->", "→"}, {"<-", "←"}, {"--", "—"}, {"`", ""}};
    for (const auto& [from, to] : replacements) {
        const std::string replaced_text = from;
        for (std::size_t position = 0; (position = text.find(replaced_text, position)) != text.npos;
             position += std::string(to).size())
            text.replace(position, replaced_text.size(), to);
    }
    return text;
}

std::string part_svg(const LinePart& part, int row) {
    const double top = kMarginPixels + row * kLineHeightPixels, baseline = top + 15.5;
    const double begin = static_cast<double>(part.begin), end = static_cast<double>(part.end);
    const double center = (column_to_pixels(begin) + column_to_pixels(end)) / 2;
    // A cell is a little wider than its text.
    const double half_width = std::max(11.0, (end - begin) * kCharacterWidthPixels / 2 + 1);
    switch (part.kind) {
        case LinePartKind::cell:
            return rectangle_svg("plain", center - half_width, center + half_width, top + 1,
                                 kLineHeightPixels - 3) +
                   text_svg("in-cell", center, baseline, part.text);
        case LinePartKind::marked:
            return rectangle_svg("marked", center - half_width, center + half_width, top + 1,
                                 kLineHeightPixels - 3) +
                   text_svg("in-marked", center, baseline, part.text);
        case LinePartKind::empty:
            return rectangle_svg("plain", center - half_width, center + half_width, top + 1,
                                 kLineHeightPixels - 3);
        case LinePartKind::ellipsis: return text_svg("middle faint", center, baseline, "…");
        case LinePartKind::separator:
            return "<path class=\"line\" d=\"M" + format_pixels(center) + " " + format_pixels(top) +
                   "v" + std::to_string(kLineHeightPixels) + "\"/>";
        case LinePartKind::edge:
            return "<path class=\"line\" d=\"M" + format_pixels(column_to_pixels(begin + .5)) +
                   " " + format_pixels(top + kLineHeightPixels / 2.0) + "H" +
                   format_pixels(column_to_pixels(end - .5)) + "\"/>";
        case LinePartKind::range:
            return rectangle_svg("marked", column_to_pixels(begin) + 1, column_to_pixels(end) - 1,
                                 top + 1, kLineHeightPixels - 3) +
                   text_svg("in-marked", center, baseline, part.text);
        case LinePartKind::brace:
            return "<path class=\"line\" d=\"M" + format_pixels(column_to_pixels(begin) + 3) + " " +
                   format_pixels(top + 2) + "v6H" + format_pixels(column_to_pixels(end) - 3) +
                   "v-6\"/>" + text_svg("middle faint", center, baseline + 6, part.text);
        case LinePartKind::word:
            return text_svg("word", column_to_pixels(begin), baseline,
                            replace_ascii_arrows(part.text));
    }
    return "";
}

/// Joins words that are separated by single blanks, so that they can be set in a proportional
/// typeface.
std::vector<LinePart> join_words_into_sentences(const std::vector<LinePart>& parts) {
    std::vector<LinePart> joined_parts;
    for (const LinePart& part : parts) {
        const bool continues_sentence = !joined_parts.empty() && part.kind == LinePartKind::word &&
                                        joined_parts.back().kind == LinePartKind::word &&
                                        part.begin == joined_parts.back().end + 1;
        if (continues_sentence) {
            joined_parts.back().text += " " + part.text;
            joined_parts.back().end = part.end;
        } else {
            joined_parts.push_back(part);
        }
    }
    return joined_parts;
}

}  // namespace

std::string draw_text_diagram(const std::vector<std::string>& lines) {
    std::string unmarked_svg, marked_svg, description;
    std::size_t column_count = 0;
    int row = 0;
    for (const std::string& line : lines) {
        std::vector<LinePart> parts = split_into_parts(line);
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= parts.size(); ++i) {
            const bool ends_drawing =
                i == parts.size() ||
                (i > begin + 1 && parts[i].begin >= parts[i - 1].end + kMinBlanksBetweenDrawings);
            if (!ends_drawing) continue;
            convert_words_to_cells(parts, begin, i);
            begin = i;
        }
        // Draw the marks last, because they may cover parts of the neighbouring cells.
        for (const LinePart& part : join_words_into_sentences(parts))
            (part.kind == LinePartKind::marked || part.kind == LinePartKind::range
                 ? marked_svg
                 : unmarked_svg) += part_svg(part, row);
        column_count = std::max(column_count, line.size());
        description += trim(line) + "; ";
        ++row;
    }
    const bool is_shared = description.find("bank") != description.npos ||
                           description.find("tile") != description.npos ||
                           description.find("wavefront") != description.npos ||
                           description.find("slot") != description.npos;
    const std::string view_size =
        format_pixels(column_to_pixels(static_cast<double>(column_count)) + kMarginPixels) + " " +
        std::to_string(row * kLineHeightPixels + 2 * kMarginPixels);
    return "<div class=\"drawing text-drawing\" tabindex=\"0\" role=\"group\" "
           "aria-label=\"Drawing\"><svg class=\"diagram " +
           std::string(is_shared ? "of-shared" : "of-global") + "\" role=\"img\" aria-label=\"" +
           to_html(description) + "\" viewBox=\"0 0 " + view_size + "\" width=\"" +
           view_size.substr(0, view_size.find(' ')) + "\">" + unmarked_svg + marked_svg +
           "</svg></div>";
}

}  // namespace coalesce::book
