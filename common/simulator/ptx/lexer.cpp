// Splits PTX into tokens. A table classifies the characters, because the lexer reads all of a
// program's PTX at every start and must be fast.
#include "simulator/ptx/lexer.h"

#include <algorithm>
#include <array>
#include <limits>

namespace coalesce::simulator::ptx {

namespace {

/// Creates a string_view from two pointers. C++20 has a constructor for this purpose, but some
/// standard libraries lack it, for example emscripten's.
std::string_view text_between(const char* begin, const char* end) {
    return {begin, static_cast<std::size_t>(end - begin)};
}

enum CharacterClass : u8 {
    kSpace = 1,
    kDigit = 2,
    kNameStart = 4,  ///< may begin an identifier
    kNamePart = 8,   ///< may occur in an identifier, except at its start
};

constexpr std::array<u8, 256> make_classes() {
    std::array<u8, 256> classes{};
    for (int c = 0; c < 256; ++c) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_digit = c >= '0' && c <= '9';
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
            classes[c] |= kSpace;
        }
        if (is_digit) classes[c] |= kDigit;
        if (is_letter || c == '_' || c == '$' || c == '%') classes[c] |= kNameStart;
        if (is_letter || is_digit || c == '_' || c == '$') classes[c] |= kNamePart;
    }
    return classes;
}

constexpr std::array<u8, 256> kCharacterClasses = make_classes();

bool has_class(char c, CharacterClass wanted_class) {
    return kCharacterClasses[static_cast<u8>(c)] & wanted_class;
}

/// Shortens the text and makes it printable, so that it fits into a one-line error message.
std::string shorten_for_message(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::string result(text.substr(0, kLongest));
    for (char& c : result) {
        if (c < ' ' || c > '~') c = '?';
    }
    if (text.size() > kLongest) result += "...";
    return result;
}

}  // namespace

ParseError::ParseError(u32 line, const std::string& message)
    : std::runtime_error("PTX line " + std::to_string(line) + ": " + message), line(line) {}

Lexer::Lexer(std::string_view text)
    : begin_(text.data()), end_(text.data() + text.size()), next_character_(text.data()) {
    if (text.size() > std::numeric_limits<u32>::max()) {
        throw ParseError(1, "a module of 4 GiB or more is not supported");
    }
    advance();
}

Token Lexer::take_token() {
    const Token taken_token = current_;
    advance();
    return taken_token;
}

bool Lexer::accept(char punctuation) {
    if (!is_at(punctuation)) return false;
    advance();
    return true;
}

bool Lexer::accept_directive(std::string_view dotted) {
    if (!is_at_directive(dotted)) return false;
    advance();
    return true;
}

void Lexer::expect(char punctuation) {
    if (!accept(punctuation)) fail_expected(std::string("'") + punctuation + "'");
}

std::string_view Lexer::expect_identifier(const char* message) {
    if (!is_at(TokenKind::identifier)) fail_expected(message);
    return take_token().text;
}

void Lexer::skip_statement() {
    while (!is_at(';')) {
        if (is_at_end()) fail_expected("';'");
        advance();
    }
    advance();
}

void Lexer::skip_braces() {
    // Debug sections make up most of the PTX of a -G build, so skip characters instead of parsing
    // tokens.
    const char* opening_brace = current_.text.data();
    int depth = 1;
    while (depth > 0) {
        skip_space_and_comments();
        if (next_character_ == end_)
            throw ParseError(find_line(opening_brace), "expected '}' to close this '{'");
        if (*next_character_ == '{') ++depth;
        if (*next_character_ == '}') --depth;
        ++next_character_;
    }
    advance();
}

u32 Lexer::find_line(const char* position) const {
    return 1 + static_cast<u32>(std::count(begin_, position, '\n'));
}

void Lexer::fail(const std::string& message) const {
    throw ParseError(find_line(begin_ + previous_end_), message);
}

void Lexer::fail_expected(const std::string& expected) const {
    const std::string found_text =
        is_at_end() ? "the end of the text" : "'" + shorten_for_message(current_.text) + "'";
    throw ParseError(find_line(current_.text.data()),
                     "expected " + expected + " near " + found_text);
}

void Lexer::advance() {
    previous_end_ = static_cast<u32>(next_character_ - begin_);
    skip_space_and_comments();
    if (next_character_ == end_) {
        current_ = {TokenKind::end, std::string_view(end_, 0)};
        return;
    }
    const char c = *next_character_;
    const bool has_next_character = next_character_ + 1 < end_;
    if (has_class(c, kNameStart)) {
        read_name(TokenKind::identifier);
    } else if (c == '.' && has_next_character && has_class(next_character_[1], kNamePart)) {
        read_name(TokenKind::dotted);
    } else if (has_class(c, kDigit)) {
        read_number();
    } else if (c == '"') {
        read_string();
    } else {
        current_ = {TokenKind::punctuation, std::string_view(next_character_, 1)};
        ++next_character_;
    }
}

void Lexer::skip_space_and_comments() {
    while (next_character_ < end_) {
        if (has_class(*next_character_, kSpace)) {
            ++next_character_;
        } else if (*next_character_ != '/' || next_character_ + 1 == end_) {
            return;
        } else if (next_character_[1] == '/') {
            const char* const comment = next_character_;
            next_character_ = std::find(next_character_, end_, '\n');
            track_assembly(text_between(comment, next_character_));
        } else if (next_character_[1] == '*') {
            const std::string_view remaining_text = text_between(next_character_ + 2, end_);
            const std::size_t comment_end = remaining_text.find("*/");
            if (comment_end == std::string_view::npos) {
                throw ParseError(find_line(next_character_), "expected '*/' to close this comment");
            }
            next_character_ += 2 + comment_end + 2;
        } else {
            return;
        }
    }
}

/// Recognizes the two comments that nvcc and clang write around the text of an asm statement.
void Lexer::track_assembly(std::string_view comment) {
    if (comment.starts_with("// begin inline asm")) is_in_assembly_ = true;
    if (comment.starts_with("// end inline asm")) is_in_assembly_ = false;
}

void Lexer::read_name(TokenKind kind) {
    const char* start = next_character_++;
    while (next_character_ < end_) {
        if (has_class(*next_character_, kNamePart)) {
            ++next_character_;
        } else if (kind == TokenKind::dotted && end_ - next_character_ > 2 &&
                   next_character_[0] == ':' && next_character_[1] == ':' &&
                   has_class(next_character_[2], kNamePart)) {
            next_character_ += 3;  // .shared::cta is one word
        } else {
            break;
        }
    }
    current_ = {kind, text_between(start, next_character_)};
}

void Lexer::read_number() {
    const char* start = next_character_++;
    const bool is_hexadecimal =
        *start == '0' && next_character_ < end_ &&
        (*next_character_ == 'x' || *next_character_ == 'X' || *next_character_ == 'f' ||
         *next_character_ == 'F' || *next_character_ == 'd' || *next_character_ == 'D');
    while (next_character_ < end_) {
        const char last_character = next_character_[-1];
        const bool is_point = *next_character_ == '.' && next_character_ + 1 < end_ &&
                              has_class(next_character_[1], kDigit);
        const bool is_exponent_sign =
            (*next_character_ == '+' || *next_character_ == '-') && !is_hexadecimal &&
            (last_character == 'e' || last_character == 'E') && next_character_ + 1 < end_ &&
            has_class(next_character_[1], kDigit);
        if (!has_class(*next_character_, kNamePart) && !is_point && !is_exponent_sign) break;
        ++next_character_;
    }
    current_ = {TokenKind::number, text_between(start, next_character_)};
}

void Lexer::read_string() {
    const char* start = ++next_character_;
    while (next_character_ < end_ && *next_character_ != '"' && *next_character_ != '\n') {
        next_character_ +=
            *next_character_ == '\\' && next_character_ + 1 < end_ && next_character_[1] != '\n'
                ? 2
                : 1;
    }
    if (next_character_ == end_ || *next_character_ != '"') {
        throw ParseError(find_line(start), "expected '\"' to close this string");
    }
    current_ = {TokenKind::string, text_between(start, next_character_)};
    ++next_character_;
}

}  // namespace coalesce::simulator::ptx
