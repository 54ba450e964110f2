// The structure of a learner's file: its functions, their statements, and the names that each place
// can use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "examiner/changes/tokens.h"

namespace coalesce::changes {

/// A statement of a function.
struct Statement {
    enum class Kind { simple, block, branch, loop };
    Kind kind = Kind::simple;
    std::size_t first = 0, last = 0;  ///< indices of its first and last token
    /// token indices of the parentheses in an `if`, `for` or `while`; both 0 for other statements
    std::size_t open = 0, close = 0;
    int parent = -1;                 ///< index of the enclosing statement; -1 for a function's body
    std::vector<int> children = {};  ///< indices of the statements directly inside
    bool has_else = false;           ///< whether a branch has an `else`

    bool contains(std::size_t token) const { return first <= token && token <= last; }
};

/// A function with its parameters and its body.
struct Function {
    std::string name;
    std::size_t open = 0, close = 0;  ///< token indices of the parentheses around the parameters
    int body = 0;                     ///< index of the statement that is the body
};

/// A name that the file declares, and where it can be used.
struct Name {
    enum class Kind {
        constant,  ///< a constexpr integer
        integer,   ///< another integer
        pointer,
        array,
        other,  ///< a float, a vector or another object
    };
    std::string text;
    Kind kind = Kind::other;
    std::string type;                 ///< the last word of its type, such as "float4"
    std::size_t declared = 0;         ///< index of the token that declares it
    std::size_t visible_through = 0;  ///< index of the last token at which it can be used

    bool is_integer() const { return kind == Kind::constant || kind == Kind::integer; }
    bool is_visible_at(std::size_t token) const {
        return declared < token && token <= visible_through;
    }
};

/// A learner's file, split into tokens, statements, functions and names.
class Program {
public:
    explicit Program(const std::string& text);

    const std::string& text() const { return text_; }
    const std::vector<Token>& tokens() const { return tokens_; }
    const std::vector<Statement>& statements() const { return statements_; }
    const std::vector<Function>& functions() const { return functions_; }
    const std::vector<Name>& names() const { return names_; }

    const Token& token(std::size_t index) const { return tokens_[index]; }
    const Statement& statement(int index) const {
        return statements_[static_cast<std::size_t>(index)];
    }

    /// Returns the text from the first to the last of these tokens.
    std::string text_between(std::size_t first, std::size_t last) const;
    /// Returns the innermost statement that contains a token, or -1 if there is none.
    int statement_at(std::size_t token) const;
    /// Returns the declaration to which `word` refers if it is used at this token, or null if there
    /// is none.
    const Name* find_name(const std::string& word, std::size_t token) const;
    /// Returns the function whose parameters or body contain a token, or null if there is none.
    const Function* function_at(std::size_t token) const;
    /// Reports whether the token is in `configure`.
    bool is_in_configure(std::size_t token) const;
    /// Reports whether the token is a name that is used as a value. Keywords, names in
    /// declarations, called functions and members of other expressions do not count.
    bool is_used_name(std::size_t token) const;
    /// Reports whether a statement declares a name.
    bool declares_name(const Statement& statement) const;
    /// Reports whether `word`, if it is used at this token, names an integer, for example a size or
    /// `threadIdx.x`.
    bool is_integer(const std::string& word, std::size_t token) const;

    /// Returns the first token of the operand that ends at `token`, such as `in` for `in[k]`.
    std::size_t begin_of_operand(std::size_t token) const;
    /// Returns the last token of the operand that begins at `token`.
    std::size_t end_of_operand(std::size_t token) const;
    /// Splits the tokens between two brackets at the commas outside inner brackets. Returns the
    /// first and last token of each part. Empty parts are left out.
    std::vector<std::pair<std::size_t, std::size_t>> split_at_commas(std::size_t open,
                                                                     std::size_t close) const;

private:
    void find_functions();
    int parse_statement(std::size_t first, int parent);
    void parse_body(int index, std::size_t first);
    std::size_t end_of_simple_statement(std::size_t first) const;
    void find_names();
    std::size_t read_declaration(std::size_t type);
    void declare(std::size_t name, Name::Kind kind, const std::string& type);
    std::size_t end_of_visibility(std::size_t token) const;

    std::string text_;
    std::vector<Token> tokens_;
    std::vector<Statement> statements_;
    std::vector<Function> functions_;
    std::vector<Name> names_;
};

/// Reports whether the word is a built-in index or size such as `threadIdx.x`.
bool is_built_in_index(const std::string& word);

}  // namespace coalesce::changes
