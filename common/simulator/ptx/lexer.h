// Splits PTX text into tokens, one at a time. Comments and white space are dropped. Compilers write
// a comment before and after each asm statement. The lexer uses these comments to record whether a
// token comes from an asm statement.
//
// Builds on  parser.h for ParseError.
// Read next  constants.h and declarations.h, which parse numbers and declarations with the lexer.
#pragma once

#include <string>
#include <string_view>

#include "simulator/base/types.h"
#include "simulator/ptx/parser.h"

namespace coalesce::simulator::ptx {

enum class TokenKind : u8 {
    end,          ///< the end of the text
    identifier,   ///< a name, such as  add  %r12  $L__BB0_1  _Z6kernelPf
    dotted,       ///< a name with its dot, such as  .global  .f32  .shared::cta  .1d
    number,       ///< a number, such as  12  0x1F  12U  0f3F800000  1.5e-3
    string,       ///< a string "..."; the text does not include the quotes
    punctuation,  ///< a single character
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
};

class Lexer {
public:
    /// `text` must outlive the lexer and all of its tokens, because the tokens point into `text`.
    explicit Lexer(std::string_view text);

    const Token& current() const { return current_; }
    bool is_at_end() const { return current_.kind == TokenKind::end; }
    bool is_at(char punctuation) const {
        return current_.kind == TokenKind::punctuation && current_.text[0] == punctuation;
    }
    bool is_at(TokenKind kind) const { return current_.kind == kind; }
    bool is_at_directive(std::string_view dotted) const {
        return current_.kind == TokenKind::dotted && current_.text == dotted;
    }
    bool is_at_identifier(std::string_view name) const {
        return current_.kind == TokenKind::identifier && current_.text == name;
    }

    /// Returns the current token and advances to the next one.
    Token take_token();
    /// If the current token equals the argument, skips the token and returns true. Otherwise
    /// returns false.
    bool accept(char punctuation);
    bool accept_directive(std::string_view dotted);
    /// Advances past the given token. Throws ParseError if the current token is a different one.
    void expect(char punctuation);
    std::string_view expect_identifier(const char* message);

    /// Advances past the next ';'.
    void skip_statement();
    /// Advances past the '}' that matches the current token '{', without parsing the text between
    /// them.
    void skip_braces();

    /// Reports whether the current token comes from an asm statement.
    bool is_in_assembly() const { return is_in_assembly_; }

    /// offset() returns the offset in the text at which the current token begins, and
    /// previous_end() returns the offset at which the previous token ends.
    u32 offset() const { return text_offset(current_.text.data()); }
    u32 previous_end() const { return previous_end_; }

    /// Throws a ParseError such as "PTX line 12: expected ';' near 'foo'", where `expected` is
    /// "';'" and foo is the current token.
    [[noreturn]] void fail_expected(const std::string& expected) const;
    /// Throws a ParseError such as "PTX line 12: the register %r9 is not declared", with the line
    /// of the last token that was read.
    [[noreturn]] void fail(const std::string& message) const;

private:
    u32 text_offset(const char* position) const { return static_cast<u32>(position - begin_); }
    u32 find_line(const char* position) const;
    void advance();
    void skip_space_and_comments();
    void track_assembly(std::string_view comment);
    void read_name(TokenKind kind);
    void read_number();
    void read_string();

    const char* begin_;
    const char* end_;
    const char* next_character_;  ///< the first character after the current token
    u32 previous_end_ = 0;
    bool is_in_assembly_ = false;
    Token current_;
};

}  // namespace coalesce::simulator::ptx
