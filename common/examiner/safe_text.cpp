#include "examiner/safe_text.h"

#include <algorithm>

namespace coalesce {
namespace {

// Reports whether a character is printed normally. Control characters, changes of text direction
// and zero-width characters are not.
bool is_harmless(std::string_view letter) {
    auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(letter[i]); };
    if (letter.size() == 1) return byte_at(0) >= 0x20 && byte_at(0) != 0x7f;
    if (letter.size() == 2) return !(byte_at(0) == 0xc2 && byte_at(1) < 0xa0);  // C1 controls
    if (letter.size() != 3) return true;
    bool is_direction_mark =
        byte_at(0) == 0xe2 && byte_at(1) == 0x80 &&
        ((byte_at(2) >= 0x8b && byte_at(2) <= 0x8f) || (byte_at(2) >= 0xa8 && byte_at(2) <= 0xae));
    bool is_isolate =
        byte_at(0) == 0xe2 && byte_at(1) == 0x81 && byte_at(2) >= 0xa0 && byte_at(2) <= 0xaf;
    bool is_byte_order = byte_at(0) == 0xef && ((byte_at(1) == 0xbb && byte_at(2) == 0xbf) ||
                                                (byte_at(1) == 0xbf && byte_at(2) >= 0xbe));
    return !is_direction_mark && !is_isolate && !is_byte_order;
}

std::string escape_byte(char letter) {
    auto byte = static_cast<unsigned char>(letter);
    return {'\\', 'x', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
}

// Returns the text with all harmful characters escaped, except for the control characters in
// `allowed_characters`.
std::string escape_unsafe(std::string_view bytes, std::size_t max_bytes,
                          std::string_view allowed_characters) {
    std::string text;
    std::size_t character_count = 0;
    while (!bytes.empty()) {
        if (character_count++ == max_bytes) return text + "...";
        std::size_t length = utf8_length(bytes);
        std::string_view letter = bytes.substr(0, std::max<std::size_t>(1, length));
        bool is_unescaped = length > 0 && (is_harmless(letter) || allowed_characters.find(letter) !=
                                                                      allowed_characters.npos);
        if (is_unescaped) {
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
    auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (byte_at(0) < 0x80) return 1;
    std::size_t length = byte_at(0) >= 0xc2 && byte_at(0) <= 0xdf   ? 2
                         : byte_at(0) >= 0xe0 && byte_at(0) <= 0xef ? 3
                         : byte_at(0) >= 0xf0 && byte_at(0) <= 0xf4 ? 4
                                                                    : 0;
    if (length == 0 || bytes.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(i) & 0xc0) != 0x80) return 0;
    }
    // Reject overlong encodings, surrogates and code points above the maximum.
    if ((byte_at(0) == 0xe0 && byte_at(1) < 0xa0) || (byte_at(0) == 0xed && byte_at(1) > 0x9f))
        return 0;
    if ((byte_at(0) == 0xf0 && byte_at(1) < 0x90) || (byte_at(0) == 0xf4 && byte_at(1) > 0x8f))
        return 0;
    return length;
}

std::string escape_line(std::string_view bytes, std::size_t max_bytes) {
    return escape_unsafe(bytes, max_bytes, "");
}

std::string escape_lines(const std::vector<std::string>& lines) {
    constexpr std::size_t max_columns = 76;
    std::string text;
    for (const std::string& line : lines) text += "  " + escape_line(line, max_columns) + "\n";
    return text;
}

std::string escape_text(std::string_view bytes) {
    return escape_unsafe(bytes, std::string_view::npos - 1, "\n\t");
}

std::string escape_markdown(std::string_view bytes) {
    // These characters begin markup, or turn an address into a link (colon and @).
    constexpr std::string_view begins_markup = "\\`*_{}[]()#+-!|~$^=@";
    std::string text;
    const std::string escaped_text = escape_line(bytes, 1000);
    for (std::size_t i = 0; i < escaped_text.size(); ++i) {
        const char letter = escaped_text[i];
        switch (letter) {
            case '&': text += "&amp;"; break;
            case '<': text += "&lt;"; break;
            case '>': text += "&gt;"; break;
            // Keep text such as "kernel.cu:12" readable in the Markdown source.
            case ':': text += escaped_text.compare(i, 2, ":/") == 0 ? "\\:" : ":"; break;
            default:
                if (begins_markup.find(letter) != begins_markup.npos) text += '\\';
                text += letter;
        }
    }
    return text;
}

std::string to_markdown_code(std::string_view bytes) {
    std::string text = escape_text(bytes);
    std::size_t longest_run = 0, run = 0;
    for (char letter : text) {
        run = letter == '`' ? run + 1 : 0;
        longest_run = std::max(longest_run, run);
    }
    std::string fence(std::max<std::size_t>(3, longest_run + 1), '`');
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
    std::size_t first_letter = text.find_first_not_of(' ');
    bool is_formula = first_letter != std::string::npos &&
                      std::string_view("=+-@|%").find(text[first_letter]) != std::string_view::npos;
    // Spreadsheets treat these full-width characters like their ASCII counterparts.
    for (std::string_view wide_character : {"\uff1d", "\uff0b", "\uff0d", "\uff20"}) {
        is_formula = is_formula || (first_letter != std::string::npos &&
                                    text.substr(first_letter).starts_with(wide_character));
    }
    if (is_formula) text.insert(0, "'");
    if (text.find_first_of(",;\"' ") == std::string::npos) return text;
    std::string quoted_text = "\"";
    for (char letter : text) {
        if (letter == '"') quoted_text += '"';
        quoted_text += letter;
    }
    return quoted_text + "\"";
}

}  // namespace coalesce
