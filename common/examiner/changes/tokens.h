// Splits a learner's file into tokens, so that changed copies of the file can be made.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace coalesce::changes {

/// A word, a number or an operator of a file. Comments, strings and preprocessor lines have no
/// tokens.
struct Token {
    enum class Kind {
        word,    ///< a name with its members, such as `row` or `threadIdx.x`, or a keyword
        number,  ///< a number such as 32 or 0.5f
        symbol,  ///< an operator or a bracket
    };
    Kind kind = Kind::symbol;
    std::size_t begin = 0, end = 0;  ///< offsets in the text
    int line = 0;                    ///< line in the text, counted from 1
    std::string text;
    /// For a bracket, the index of the matching bracket. For all other tokens, and for brackets
    /// without a match, the token's own index.
    std::size_t match = 0;

    bool is_word() const { return kind == Kind::word; }
    bool is_number() const { return kind == Kind::number; }
    bool is(const char* symbol) const { return text == symbol; }
};

/// Splits a text into tokens and matches their brackets.
std::vector<Token> tokenize(const std::string& text);

/// Reports whether the word is a keyword, a type or a specifier of CUDA C++.
bool is_keyword(const std::string& word);
/// Reports whether a word begins the type of a variable, such as `int` or `float4`.
bool is_type(const std::string& word);
/// Reports whether the type holds integers, such as `int` or `unsigned`.
bool is_integer_type(const std::string& word);

/// Returns the part of a word before its first dot: `threadIdx` for `threadIdx.x`.
std::string base_of(const std::string& word);
/// Returns the part of a word after its last dot: `x` for `threadIdx.x`. Returns "" if there is no
/// dot.
std::string member_of(const std::string& word);

}  // namespace coalesce::changes
