#include "examiner/safe_text.h"

#include <algorithm>

namespace coalesce {
namespace {

// Reports whether a character is printed normally. Control characters, changes of text direction
// and zero-width characters are not.
bool is_harmless(std::string_view letter) {
    auto at = [&](std::size_t i) { return static_cast<unsigned char>(letter[i]); };
    if (letter.size() == 1) return at(0) >= 0x20 && at(0) != 0x7f;
    if (letter.size() == 2) return !(at(0) == 0xc2 && at(1) < 0xa0);  // C1 controls
    if (letter.size() != 3) return true;
    bool is_mark = at(0) == 0xe2 && at(1) == 0x80 &&
                   ((at(2) >= 0x8b && at(2) <= 0x8f) || (at(2) >= 0xa8 && at(2) <= 0xae));
    bool is_isolate = at(0) == 0xe2 && at(1) == 0x81 && at(2) >= 0xa0 && at(2) <= 0xaf;
    bool is_byte_order =
        at(0) == 0xef && ((at(1) == 0xbb && at(2) == 0xbf) || (at(1) == 0xbf && at(2) >= 0xbe));
    return !is_mark && !is_isolate && !is_byte_order;
}

std::string escape_byte(char letter) {
    auto byte = static_cast<unsigned char>(letter);
    return {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
}

// Returns the text with all harmful characters escaped, except for the control characters in
// `keep`.
std::string escape_unsafe(std::string_view bytes, std::size_t most, std::string_view keep) {
    std::string text;
    std::size_t letters = 0;
    while (!bytes.empty()) {
        if (letters++ == most) return text + "...";
        std::size_t length = utf8_length(bytes);
        std::string_view letter = bytes.substr(0, std::max<std::size_t>(1, length));
        bool stays = length > 0 && (is_harmless(letter) || keep.find(letter) != keep.npos);
        if (stays) {
            text += letter;
        } else {
            for (char byte : letter) text += escape_byte(byte);
        }
        bytes.remove_prefix(letter.size());
    }
    return text;
}

}  // namespace

std::size_t utf8_length(std::string_view bytes) {
    auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (at(0) < 0x80) return 1;
    std::size_t length = at(0) >= 0xc2 && at(0) <= 0xdf   ? 2
                         : at(0) >= 0xe0 && at(0) <= 0xef ? 3
                         : at(0) >= 0xf0 && at(0) <= 0xf4 ? 4
                                                          : 0;
    if (length == 0 || bytes.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xc0) != 0x80) return 0;
    }
    // Reject overlong encodings, surrogates and code points above the maximum.
    if ((at(0) == 0xe0 && at(1) < 0xa0) || (at(0) == 0xed && at(1) > 0x9f)) return 0;
    if ((at(0) == 0xf0 && at(1) < 0x90) || (at(0) == 0xf4 && at(1) > 0x8f)) return 0;
    return length;
}

std::string escape_line(std::string_view bytes, std::size_t most) {
    return escape_unsafe(bytes, most, "");
}

std::string escape_lines(const std::vector<std::string>& lines) {
    constexpr std::size_t most_columns = 76;
    std::string text;
    for (const std::string& line : lines) text += "  " + escape_line(line, most_columns) + "\n";
    return text;
}

std::string escape_text(std::string_view bytes) {
    return escape_unsafe(bytes, std::string_view::npos - 1, "\n\t");
}

std::string escape_markdown(std::string_view bytes) {
    // These characters begin markup, or turn an address into a link (colon and @).
    constexpr std::string_view begins_markup = "\\`*_{}[]()#+-!|~$^=@";
    std::string text;
    const std::string letters = escape_line(bytes, 1000);
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const char letter = letters[i];
        switch (letter) {
            case '&': text += "&amp;"; break;
            case '<': text += "&lt;"; break;
            case '>': text += "&gt;"; break;
            // Keep text such as "kernel.cu:12" readable in the Markdown source.
            case ':': text += letters.compare(i, 2, ":/") == 0 ? "\\:" : ":"; break;
            default:
                if (begins_markup.find(letter) != begins_markup.npos) text += '\\';
                text += letter;
        }
    }
    return text;
}

std::string to_markdown_code(std::string_view bytes) {
    std::string text = escape_text(bytes);
    std::size_t longest = 0, run = 0;
    for (char letter : text) {
        run = letter == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    std::string fence(std::max<std::size_t>(3, longest + 1), '`');
    if (text.empty() || text.back() != '\n') text += '\n';
    return fence + "text\n" + text + fence + "\n";
}

std::string escape_xml(std::string_view bytes) {
    std::string text;
    for (char letter : escape_text(bytes)) {
        switch (letter) {
            case '&': text += "&amp;"; break;
            case '<': text += "&lt;"; break;
            case '>': text += "&gt;"; break;
            case '"': text += "&quot;"; break;
            case '\'': text += "&apos;"; break;
            case '\n': text += "&#10;"; break;
            case '\t': text += "&#9;"; break;
            default: text += letter;
        }
    }
    return text;
}

std::string to_csv_field(std::string_view bytes) {
    std::string text = escape_line(bytes, 1000);
    // Spreadsheets ignore leading spaces. Some fields that are not formulas, such as "-", also get
    // an apostrophe.
    std::size_t first = text.find_first_not_of(' ');
    bool is_formula = first != std::string::npos &&
                      std::string_view("=+-@|%").find(text[first]) != std::string_view::npos;
    // Spreadsheets treat these full-width characters like their ASCII counterparts.
    for (std::string_view wide : {"\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
        is_formula =
            is_formula || (first != std::string::npos && text.substr(first).starts_with(wide));
    }
    if (is_formula) text.insert(0, "'");
    if (text.find_first_of(",;\"' ") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char letter : text) {
        if (letter == '"') quoted += '"';
        quoted += letter;
    }
    return quoted + "\"";
}

}  // namespace coalesce
