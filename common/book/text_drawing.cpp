#include "text_drawing.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "questions.h"

namespace coalesce::book {
namespace {

// The size of a character, in pixels.
constexpr double kAcross = 8.2;
constexpr int kDown = 23;
constexpr int kMargin = 6;
/// The maximum number of characters in a cell, such as "255" or "[31]".
constexpr std::size_t kLongestCell = 4;
/// The minimum number of neighbouring cells that are drawn as cells. Fewer numbers belong to a
/// sentence.
constexpr int kFewestCells = 3;
/// The minimum number of blanks between two drawings that stand side by side.
constexpr std::size_t kBlanksBetweenDrawings = 5;

enum class Kind { word, cell, marked, empty, ellipsis, separator, range, brace, edge };

/// A part of a line, from its first character to its last one.
struct Part {
    Kind kind = Kind::word;
    std::size_t begin = 0, end = 0;
    std::string text;
};

bool is_cell_text(const std::string& text) {
    if (text.empty() || text.size() > kLongestCell) return false;
    const bool is_number = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isdigit(c) || c == '(' || c == ')' || c == '\'';
    });
    const bool is_letter =
        std::isalpha(static_cast<unsigned char>(text[0])) &&
        (text.size() == 1 ||
         (text.size() == 2 && std::isdigit(static_cast<unsigned char>(text[1]))));
    return is_number || is_letter;
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Returns the label in a line of dashes ("32 B" for "------ 32 B ------"). In a range, replaces
/// the dots with an ellipsis.
std::string label_of(std::string text) {
    for (char& c : text)
        if (c == '-') c = ' ';
    const std::size_t dots = text.find("..");
    if (dots != text.npos) {
        const std::size_t end = text.find_first_not_of('.', dots);
        text = trimmed(text.substr(0, dots)) + " … " +
               (end == text.npos ? "" : trimmed(text.substr(end)));
    }
    return trimmed(text);
}

/// Reports whether the text is a line of dashes, perhaps with a label.
bool is_brace(const std::string& inside) {
    return inside.size() > 2 && inside.front() == '-' && inside.back() == '-' &&
           inside.find("->") == inside.npos;
}

/// Returns the part of the line that begins at `at`: a bracketed or quoted part, a bar, or a word.
Part part_at(const std::string& line, std::size_t at) {
    const char c = line[at];
    const bool follows_name =
        at > 0 && (std::isalnum(static_cast<unsigned char>(line[at - 1])) || line[at - 1] == '_');
    if (c == '[' && !follows_name) {
        const std::size_t close = line.find(']', at);
        if (close != line.npos) {
            const std::string inside = line.substr(at + 1, close - at - 1);
            const bool is_short = trimmed(inside).size() <= 3;
            return {is_short ? Kind::marked : Kind::range, at, close + 1,
                    is_short ? trimmed(inside) : label_of(inside)};
        }
    }
    if (c == '(') {
        const std::size_t close = std::min(line.find(')', at), line.size() - 1);
        const std::string inside = trimmed(line.substr(at + 1, close - at - 1));
        const bool is_number =
            !inside.empty() && inside.find_first_not_of("0123456789") == inside.npos;
        if (is_number) return {Kind::word, at, close + 1, "(" + inside + ")"};
    }
    if (c == '|' || c == '\'') {
        const std::size_t close = line.find(c, at + 1);
        const std::string inside = close == line.npos ? "" : line.substr(at + 1, close - at - 1);
        if (is_brace(inside))
            return {Kind::brace, at, c == '|' ? close : close + 1, label_of(inside)};
        if (c == '|') return {Kind::separator, at, at + 1, ""};
    }
    std::size_t end = at + 1;
    while (end < line.size() && line[end] != ' ' && line[end] != '|') {
        if (line[end] == '[' && !std::isalnum(static_cast<unsigned char>(line[end - 1])) &&
            line[end - 1] != '_' && line[end - 1] != ']')
            break;
        ++end;
    }
    const std::string text = line.substr(at, end - at);
    if (text.size() > 2 && text.starts_with("+-") && text.ends_with("-+")) {
        return {Kind::edge, at, end, ""};
    }
    const bool is_dots = text.size() > 1 && text.find_first_not_of('.') == text.npos;
    return {text == "." ? Kind::empty : is_dots ? Kind::ellipsis : Kind::word, at, end, text};
}

std::vector<Part> parts_of(const std::string& line) {
    std::vector<Part> parts;
    for (std::size_t at = line.find_first_not_of(' '); at < line.size();
         at = line.find_first_not_of(' ', at)) {
        parts.push_back(part_at(line, at));
        at = parts.back().end;
    }
    return parts;
}

/// Reports whether a row with this name contains column numbers, which are not cells themselves.
bool is_name_of_columns(const std::string& text) {
    static const std::set<std::string> names = {"c",           "col",        "bank",    "lane",
                                                "lanes",       "slot",       "thread",  "threads",
                                                "threadIdx.x", "blockIdx.x", "position"};
    return names.contains(text);
}

/// Reports whether a part follows another one after a single blank.
bool follows(const Part& part, const Part& before) {
    return part.begin == before.end + 1;
}

/// Returns the index of the first part after a row's label. A label is a word, or several words
/// with single blanks between them. "r 0" is a label, and "0 1 2" is not.
std::size_t end_of_label(const std::vector<Part>& parts, std::size_t begin, std::size_t end) {
    static const std::set<std::string> names_of_rows = {"r", "n", "row", "GPU"};
    if (names_of_rows.contains(parts[begin].text) && begin + 1 < end) return begin + 2;
    std::size_t last = begin;
    bool is_cells = is_cell_text(parts[begin].text);
    while (last + 1 < end && parts[last + 1].kind == Kind::word &&
           follows(parts[last + 1], parts[last])) {
        ++last;
        is_cells = is_cells && is_cell_text(parts[last].text);
    }
    if (is_cells && (last == begin || last - begin >= 2)) return begin;
    return parts[begin].kind == Kind::word ? last + 1 : begin;
}

/// Turns the words after a row's label into cells, if there are enough words.
void find_cells(std::vector<Part>& parts, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const std::size_t first = end_of_label(parts, begin, end);
    // Column numbers are not cells themselves.
    if (is_name_of_columns(parts[begin].text) && first <= begin + 2) return;
    for (std::size_t at = first; at < end;) {
        std::size_t last = at;
        int cells = 0;
        while (last < end && (parts[last].kind != Kind::word || is_cell_text(parts[last].text)) &&
               parts[last].kind != Kind::brace) {
            cells += parts[last].kind == Kind::word || parts[last].kind == Kind::marked ||
                     parts[last].kind == Kind::empty;
            ++last;
        }
        if (cells >= kFewestCells) {
            for (std::size_t i = at; i < last; ++i)
                if (parts[i].kind == Kind::word) parts[i].kind = Kind::cell;
        }
        at = std::max(last, at + 1);
    }
}

double x_of(double column) {
    return kMargin + column * kAcross;
}

std::string number(double value) {
    std::string text = std::to_string(value);
    return text.substr(0, text.find('.') + 2);
}

std::string box(const char* kind, double from, double to, double top, double height) {
    return std::string("<rect class=\"") + kind + "\" x=\"" + number(from) + "\" y=\"" +
           number(top) + "\" width=\"" + number(to - from) + "\" height=\"" + number(height) +
           "\" rx=\"3\"/>";
}

std::string text_at(const char* kind, double x, double y, const std::string& text) {
    return std::string("<text class=\"") + kind + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
           "\">" + to_html(text) + "</text>";
}

/// Replaces ASCII arrows and dashes with typographic characters, and removes backquotes.
std::string with_arrows(std::string text) {
    const std::pair<const char*, const char*> signs[] = {
        {"-->", "→"}, {"->", "→"}, {"<-", "←"}, {"--", "—"}, {"`", ""}};
    for (const auto& [from, to] : signs) {
        const std::string old = from;
        for (std::size_t at = 0; (at = text.find(old, at)) != text.npos;
             at += std::string(to).size())
            text.replace(at, old.size(), to);
    }
    return text;
}

std::string drawn(const Part& part, int row) {
    const double top = kMargin + row * kDown, base = top + 15.5;
    const double begin = static_cast<double>(part.begin), end = static_cast<double>(part.end);
    const double middle = (x_of(begin) + x_of(end)) / 2;
    // A cell is a little wider than its text.
    const double half = std::max(11.0, (end - begin) * kAcross / 2 + 1);
    switch (part.kind) {
        case Kind::cell:
            return box("plain", middle - half, middle + half, top + 1, kDown - 3) +
                   text_at("in-cell", middle, base, part.text);
        case Kind::marked:
            return box("marked", middle - half, middle + half, top + 1, kDown - 3) +
                   text_at("in-marked", middle, base, part.text);
        case Kind::empty: return box("plain", middle - half, middle + half, top + 1, kDown - 3);
        case Kind::ellipsis: return text_at("middle faint", middle, base, "…");
        case Kind::separator:
            return "<path class=\"line\" d=\"M" + number(middle) + " " + number(top) + "v" +
                   std::to_string(kDown) + "\"/>";
        case Kind::edge:
            return "<path class=\"line\" d=\"M" + number(x_of(begin + .5)) + " " +
                   number(top + kDown / 2.0) + "H" + number(x_of(end - .5)) + "\"/>";
        case Kind::range:
            return box("marked", x_of(begin) + 1, x_of(end) - 1, top + 1, kDown - 3) +
                   text_at("in-marked", middle, base, part.text);
        case Kind::brace:
            return "<path class=\"line\" d=\"M" + number(x_of(begin) + 3) + " " + number(top + 2) +
                   "v6H" + number(x_of(end) - 3) + "v-6\"/>" +
                   text_at("middle faint", middle, base + 6, part.text);
        case Kind::word: return text_at("word", x_of(begin), base, with_arrows(part.text));
    }
    return "";
}

/// Joins words that have single blanks between them, so that they can be set in the typeface of
/// text.
std::vector<Part> with_sentences(const std::vector<Part>& parts) {
    std::vector<Part> joined;
    for (const Part& part : parts) {
        const bool continues = !joined.empty() && part.kind == Kind::word &&
                               joined.back().kind == Kind::word &&
                               part.begin == joined.back().end + 1;
        if (continues) {
            joined.back().text += " " + part.text;
            joined.back().end = part.end;
        } else {
            joined.push_back(part);
        }
    }
    return joined;
}

}  // namespace

std::string draw_text(const std::vector<std::string>& lines) {
    std::string body, marks, all;
    std::size_t columns = 0;
    int row = 0;
    for (const std::string& line : lines) {
        std::vector<Part> parts = parts_of(line);
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= parts.size(); ++i) {
            const bool is_end =
                i == parts.size() ||
                (i > begin + 1 && parts[i].begin >= parts[i - 1].end + kBlanksBetweenDrawings);
            if (!is_end) continue;
            find_cells(parts, begin, i);
            begin = i;
        }
        // Collect the marks separately and draw them last, because they may cover a part of the
        // cells beside them.
        for (const Part& part : with_sentences(parts))
            (part.kind == Kind::marked || part.kind == Kind::range ? marks : body) +=
                drawn(part, row);
        columns = std::max(columns, line.size());
        all += trimmed(line) + "; ";
        ++row;
    }
    const bool is_shared = all.find("bank") != all.npos || all.find("tile") != all.npos ||
                           all.find("wavefront") != all.npos || all.find("slot") != all.npos;
    const std::string size = number(x_of(static_cast<double>(columns)) + kMargin) + " " +
                             std::to_string(row * kDown + 2 * kMargin);
    return "<div class=\"drawing text-drawing\" tabindex=\"0\" role=\"group\" "
           "aria-label=\"Drawing\"><svg class=\"diagram " +
           std::string(is_shared ? "of-shared" : "of-global") + "\" role=\"img\" aria-label=\"" +
           to_html(all) + "\" viewBox=\"0 0 " + size + "\" width=\"" +
           size.substr(0, size.find(' ')) + "\">" + body + marks + "</svg></div>";
}

}  // namespace coalesce::book
