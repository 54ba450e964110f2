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
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
            classes[c] |= kSpace;
        }
        if (digit) classes[c] |= kDigit;
        if (letter || c == '_' || c == '$' || c == '%') classes[c] |= kNameStart;
        if (letter || digit || c == '_' || c == '$') classes[c] |= kNamePart;
    }
    return classes;
}

constexpr std::array<u8, 256> kClasses = make_classes();

bool has_class(char c, CharacterClass which) {
    return kClasses[static_cast<u8>(c)] & which;
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

ParseError::ParseError(u32 line, const std::string& what)
    : std::runtime_error("PTX line " + std::to_string(line) + ": " + what), line(line) {}

Lexer::Lexer(std::string_view text)
    : begin_(text.data()), end_(text.data() + text.size()), next_(text.data()) {
    if (text.size() > std::numeric_limits<u32>::max()) {
        throw ParseError(1, "a module of 4 GiB or more is not supported");
    }
    advance();
}

Token Lexer::take_token() {
    const Token taken = current_;
    advance();
    return taken;
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

std::string_view Lexer::expect_identifier(const char* what) {
    if (!is_at(TokenKind::identifier)) fail_expected(what);
    return take_token().text;
}

void Lexer::skip_statement() {
    while (!is_at(';')) {
        if (at_end()) fail_expected("';'");
        advance();
    }
    advance();
}

void Lexer::skip_braces() {
    // Debug sections make up most of the PTX of a -G build, so skip characters instead of parsing
    // tokens.
    const char* open = current_.text.data();
    int depth = 1;
    while (depth > 0) {
        skip_space_and_comments();
        if (next_ == end_) throw ParseError(line_of(open), "expected '}' to close this '{'");
        if (*next_ == '{') ++depth;
        if (*next_ == '}') --depth;
        ++next_;
    }
    advance();
}

u32 Lexer::line_of(const char* position) const {
    return 1 + static_cast<u32>(std::count(begin_, position, '\n'));
}

void Lexer::fail(const std::string& message) const {
    throw ParseError(line_of(begin_ + previous_end_), message);
}

void Lexer::fail_expected(const std::string& expected) const {
    const std::string found =
        at_end() ? "the end of the text" : "'" + shorten_for_message(current_.text) + "'";
    throw ParseError(line_of(current_.text.data()), "expected " + expected + " near " + found);
}

void Lexer::advance() {
    previous_end_ = static_cast<u32>(next_ - begin_);
    skip_space_and_comments();
    if (next_ == end_) {
        current_ = {TokenKind::end, std::string_view(end_, 0)};
        return;
    }
    const char c = *next_;
    const bool more = next_ + 1 < end_;
    if (has_class(c, kNameStart)) {
        read_name(TokenKind::identifier);
    } else if (c == '.' && more && has_class(next_[1], kNamePart)) {
        read_name(TokenKind::dotted);
    } else if (has_class(c, kDigit)) {
        read_number();
    } else if (c == '"') {
        read_string();
    } else {
        current_ = {TokenKind::punctuation, std::string_view(next_, 1)};
        ++next_;
    }
}

void Lexer::skip_space_and_comments() {
    while (next_ < end_) {
        if (has_class(*next_, kSpace)) {
            ++next_;
        } else if (*next_ != '/' || next_ + 1 == end_) {
            return;
        } else if (next_[1] == '/') {
            const char* const comment = next_;
            next_ = std::find(next_, end_, '\n');
            track_assembly(text_between(comment, next_));
        } else if (next_[1] == '*') {
            const std::string_view rest = text_between(next_ + 2, end_);
            const std::size_t close = rest.find("*/");
            if (close == std::string_view::npos) {
                throw ParseError(line_of(next_), "expected '*/' to close this comment");
            }
            next_ += 2 + close + 2;
        } else {
            return;
        }
    }
}

/// Recognizes the two comments that nvcc and clang write around the text of an asm statement.
void Lexer::track_assembly(std::string_view comment) {
    if (comment.starts_with("// begin inline asm")) in_assembly_ = true;
    if (comment.starts_with("// end inline asm")) in_assembly_ = false;
}

void Lexer::read_name(TokenKind kind) {
    const char* start = next_++;
    while (next_ < end_) {
        if (has_class(*next_, kNamePart)) {
            ++next_;
        } else if (kind == TokenKind::dotted && end_ - next_ > 2 && next_[0] == ':' &&
                   next_[1] == ':' && has_class(next_[2], kNamePart)) {
            next_ += 3;  // .shared::cta is one word
        } else {
            break;
        }
    }
    current_ = {kind, text_between(start, next_)};
}

void Lexer::read_number() {
    const char* start = next_++;
    const bool hexadecimal = *start == '0' && next_ < end_ &&
                             (*next_ == 'x' || *next_ == 'X' || *next_ == 'f' || *next_ == 'F' ||
                              *next_ == 'd' || *next_ == 'D');
    while (next_ < end_) {
        const char last = next_[-1];
        const bool point = *next_ == '.' && next_ + 1 < end_ && has_class(next_[1], kDigit);
        const bool exponent_sign = (*next_ == '+' || *next_ == '-') && !hexadecimal &&
                                   (last == 'e' || last == 'E') && next_ + 1 < end_ &&
                                   has_class(next_[1], kDigit);
        if (!has_class(*next_, kNamePart) && !point && !exponent_sign) break;
        ++next_;
    }
    current_ = {TokenKind::number, text_between(start, next_)};
}

void Lexer::read_string() {
    const char* start = ++next_;
    while (next_ < end_ && *next_ != '"' && *next_ != '\n') {
        next_ += *next_ == '\\' && next_ + 1 < end_ && next_[1] != '\n' ? 2 : 1;
    }
    if (next_ == end_ || *next_ != '"') {
        throw ParseError(line_of(start), "expected '\"' to close this string");
    }
    current_ = {TokenKind::string, text_between(start, next_)};
    ++next_;
}

}  // namespace coalesce::simulator::ptx
