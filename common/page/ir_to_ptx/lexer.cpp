// Splits the IR into tokens. The reader needs to see only one token ahead.
#include "page/ir_to_ptx/lexer.h"

#include <algorithm>

#include "page/ir_to_ptx/translate.h"

namespace coalesce::translator {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '.' || c == '-' || c == '$';
}
int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) {
    next();
}

char Lexer::peek(std::size_t ahead) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

Token Lexer::take_token() {
    Token token = std::move(token_);
    next();
    return token;
}

void Lexer::read_blanks() {
    for (; position_ < text_.size(); ++position_) {
        if (peek() == ';') {
            while (position_ < text_.size() && peek() != '\n') ++position_;
        }
        if (peek() != ' ' && peek() != '\t' && peek() != '\n' && peek() != '\r') return;
    }
}

void Lexer::next() {
    read_blanks();
    token_ = {};
    token_.begin = position_;
    const char c = peek();
    if (position_ >= text_.size()) {
        token_.kind = TokenKind::end;
    } else if (c == '"' || (c == 'c' && peek(1) == '"')) {
        if (c == 'c') ++position_;
        token_.kind = TokenKind::string;
        token_.text = read_quoted();
        accept_colon();
    } else if (c == '%' || c == '@' || c == '!' || c == '#' || c == '$') {
        ++position_;
        token_.kind = c == '%'   ? TokenKind::local
                      : c == '@' ? TokenKind::global
                      : c == '!' ? TokenKind::metadata
                      : c == '#' ? TokenKind::attributes
                                 : TokenKind::comdat;
        const bool is_bare = c == '!' && (peek() == '{' || peek() == '"');
        if (!is_bare) token_.text = peek() == '"' ? read_quoted() : read_name();
    } else if (is_digit(c) || ((c == '-' || c == '+') && is_digit(peek(1)))) {
        read_number();
    } else if (text_.substr(position_).starts_with("...")) {
        token_.kind = TokenKind::dots;
        position_ += 3;
    } else if (is_name_character(c)) {
        token_.kind = TokenKind::word;
        token_.text = read_name();
        accept_colon();
    } else {
        token_.kind = TokenKind::punctuation;
        token_.text = c;
        ++position_;
    }
    token_.end = position_;
}

/// Accepts the colon after a label or a field name, such as 12: or entry: or "a name":
void Lexer::accept_colon() {
    if (peek() != ':') return;
    ++position_;
    token_.kind = TokenKind::key;
}

void Lexer::read_number() {
    const std::size_t begin = position_++;
    while (is_name_character(peek()) || (peek() == '+' && (text_[position_ - 1] | 0x20) == 'e'))
        ++position_;
    token_.kind = TokenKind::number;
    token_.text = text_.substr(begin, position_ - begin);
    accept_colon();
}

std::string Lexer::read_name() {
    const std::size_t begin = position_;
    while (is_name_character(peek())) ++position_;
    return std::string(text_.substr(begin, position_ - begin));
}

std::string Lexer::read_quoted() {
    std::string result;
    for (++position_; position_ < text_.size() && peek() != '"'; ++position_) {
        if (peek() == '\\' && peek(1) == '\\') {
            ++position_;
        } else if (peek() == '\\' && hex_digit(peek(1)) >= 0 && hex_digit(peek(2)) >= 0) {
            result += static_cast<char>(hex_digit(peek(1)) * 16 + hex_digit(peek(2)));
            position_ += 2;
            continue;
        }
        result += peek();
    }
    if (position_ >= text_.size()) fail("a string does not end");
    ++position_;
    return result;
}

bool Lexer::is_at(char punctuation) const {
    return token_.kind == TokenKind::punctuation && token_.text[0] == punctuation;
}

bool Lexer::is_followed_by(char c) const {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", token_.end);
    return next != std::string_view::npos && text_[next] == c;
}

bool Lexer::is_at_word(std::string_view word) const {
    return token_.kind == TokenKind::word && token_.text == word;
}

bool Lexer::accept(char punctuation) {
    if (!is_at(punctuation)) return false;
    next();
    return true;
}

bool Lexer::accept_word(std::string_view word) {
    if (!is_at_word(word)) return false;
    next();
    return true;
}

void Lexer::expect(char punctuation) {
    if (!accept(punctuation)) fail(std::string("expected '") + punctuation + "'");
}

void Lexer::expect_word(std::string_view word) {
    if (!accept_word(word)) fail("expected '" + std::string(word) + "'");
}

std::string Lexer::expect(TokenKind kind, const char* what) {
    if (token_.kind != kind) fail(std::string("expected ") + what);
    return take_token().text;
}

void Lexer::skip_brackets() {
    int depth = 0;
    do {
        if (is_at('(') || is_at('[') || is_at('{') || is_at('<')) ++depth;
        if (is_at(')') || is_at(']') || is_at('}') || is_at('>')) --depth;
        if (is_at(TokenKind::end)) fail("a bracket is not closed");
        next();
    } while (depth > 0);
}

void Lexer::skip_line() {
    position_ = std::min(text_.find('\n', token_.begin), text_.size());
    next();
}

std::string Lexer::line_at(std::size_t position) const {
    const std::size_t line_break =
        position == 0 ? std::string_view::npos : text_.rfind('\n', position - 1);
    const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
    const std::size_t end = std::min(text_.find('\n', position), text_.size());
    std::string_view line = text_.substr(begin, end - begin);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    return std::string(line);
}

void Lexer::fail(const std::string& what) const {
    const auto begin = text_.begin();
    const auto lines = std::count(begin, begin + static_cast<std::ptrdiff_t>(token_.begin), '\n');
    throw Untranslated("line " + std::to_string(lines + 1) +
                           " of clang's output cannot be parsed: " + what + " near '" +
                           token_.text + "'",
                       line_at(token_.begin), "", 0);
}

}  // namespace coalesce::translator
