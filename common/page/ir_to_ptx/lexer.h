// Splits LLVM IR into tokens.
#pragma once

#include <string>
#include <string_view>

#include "page/ir_to_ptx/types.h"

namespace coalesce::translator {

enum class TokenKind : u8 {
    word,         ///< define, i32, x, nuw
    key,          ///< a key, including its colon, such as entry: or line:
    local,        ///< %name, %"a name"
    global,       ///< @name
    metadata,     ///< !12, !dbg, !DILocation; the text is empty if { or " follows the !
    attributes,   ///< #0
    comdat,       ///< $name
    number,       ///< -12, 1.5e+00, 0x7FF8000000000000, 0xH3C00
    string,       ///< "text" and c"text", escapes resolved
    punctuation,  ///< one of = , ( ) [ ] { } < > * |
    dots,         ///< ...
    end,
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string text;  ///< the token without its % @ ! # $ or quotes
    std::size_t begin = 0, end = 0;
};

class Lexer {
public:
    explicit Lexer(std::string_view text);

    const Token& current() const { return token_; }
    Token take_token();
    bool is_at(TokenKind kind) const { return token_.kind == kind; }
    bool is_at(char punctuation) const;
    bool is_at_word(std::string_view word) const;
    /// Reports whether this character follows the current token, possibly after blanks.
    bool is_followed_by(char c) const;
    bool accept(char punctuation);
    bool accept_word(std::string_view word);
    void expect(char punctuation);
    void expect_word(std::string_view word);
    std::string expect(TokenKind kind, const char* what);
    /// Skips the brackets that the current token opens, with their contents.
    void skip_brackets();
    /// Skips to the first token of the next line.
    void skip_line();
    /// Returns the line that contains `position`, trimmed.
    std::string line_at(std::size_t position) const;
    std::string_view text() const { return text_; }

    [[noreturn]] void fail(const std::string& what) const;

private:
    void next();
    void read_blanks();
    void read_word();
    void read_number();
    std::string read_name();
    std::string read_quoted();
    void accept_colon();
    char peek(std::size_t ahead = 0) const;

    std::string_view text_;
    std::size_t position_ = 0;
    Token token_;
};

}  // namespace coalesce::translator
