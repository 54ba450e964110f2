#include "examiner/changes/program.h"

#include <algorithm>
#include <utility>

namespace coalesce::changes {
namespace {

constexpr const char* kBuiltIns[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};

}  // namespace

bool is_built_in_index(const std::string& word) {
    return std::ranges::find(kBuiltIns, base_of(word)) != std::end(kBuiltIns);
}

Program::Program(const std::string& text) : text_(text), tokens_(tokenize(text)) {
    find_functions();
    find_names();
}

std::string Program::text_between(std::size_t first, std::size_t last) const {
    return text_.substr(tokens_[first].begin, tokens_[last].end - tokens_[first].begin);
}

// ---- functions and statements ----

/// Finds the functions: a name, parameters in parentheses and a body in braces, outside of any
/// other braces.
void Program::find_functions() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (!tokens_[i].is("{") || tokens_[i].match == i) continue;
        const std::size_t close = i > 0 ? i - 1 : 0;
        if (tokens_[close].is(")") && tokens_[close].match > 0) {
            const std::size_t open = tokens_[close].match;
            const int body = parse_statement(i, -1);
            functions_.push_back({tokens_[open - 1].text, open, close, body});
        }
        i = tokens_[i].match;
    }
}

/// Parses the statement that begins at a token, and returns its index.
int Program::parse_statement(std::size_t first, int parent) {
    const int index = static_cast<int>(statements_.size());
    statements_.push_back({.first = first, .last = first, .parent = parent});
    const auto at = [&]() -> Statement& { return statements_[static_cast<std::size_t>(index)]; };
    const Token& token = tokens_[first];
    if (token.is("{")) {
        at().kind = Statement::Kind::block;
        at().last = token.match;
        for (std::size_t i = first + 1; i < token.match && i < tokens_.size();) {
            const int child = parse_statement(i, index);
            at().children.push_back(child);
            i = statement(child).last + 1;
        }
    } else if (token.is("if") || token.is("for") || token.is("while")) {
        at().kind = token.is("if") ? Statement::Kind::branch : Statement::Kind::loop;
        parse_body(index, first);
    } else {
        at().last = end_of_simple_statement(first);
    }
    return index;
}

/// Parses the parentheses and the body of an `if`, `for` or `while`.
void Program::parse_body(int index, std::size_t first) {
    const auto at = [&]() -> Statement& { return statements_[static_cast<std::size_t>(index)]; };
    std::size_t open = first + 1;
    if (open < tokens_.size() && tokens_[open].is("constexpr")) ++open;
    if (open + 1 >= tokens_.size() || !tokens_[open].is("(") || tokens_[open].match == open) {
        at().kind = Statement::Kind::simple;
        at().last = end_of_simple_statement(first);
        return;
    }
    at().open = open;
    at().close = tokens_[open].match;
    std::size_t next = at().close + 1;
    while (next < tokens_.size()) {
        const int child = parse_statement(next, index);
        at().children.push_back(child);
        at().last = statement(child).last;
        next = at().last + 1;
        const bool has_else = at().kind == Statement::Kind::branch && next + 1 < tokens_.size() &&
                              tokens_[next].is("else") && !at().has_else;
        if (!has_else) return;
        at().has_else = true;
        ++next;
    }
}

/// Returns the token of the semicolon that ends a statement.
std::size_t Program::end_of_simple_statement(std::size_t first) const {
    for (std::size_t i = first; i < tokens_.size(); ++i) {
        if (tokens_[i].is(";")) return i;
        if (tokens_[i].match > i) i = tokens_[i].match;
        // A brace that closes the surrounding block: the statement lacks its semicolon.
        if (i + 1 < tokens_.size() && tokens_[i + 1].is("}")) return i;
    }
    return tokens_.size() - 1;
}

int Program::statement_at(std::size_t token) const {
    int found = -1;
    for (std::size_t i = 0; i < statements_.size(); ++i) {
        // Inner statements are stored behind the statements that contain them.
        if (statements_[i].contains(token)) found = static_cast<int>(i);
    }
    return found;
}

const Function* Program::function_at(std::size_t token) const {
    for (const Function& one : functions_) {
        if (one.open <= token && token <= statement(one.body).last) return &one;
    }
    return nullptr;
}

bool Program::is_in_configure(std::size_t token) const {
    const Function* function = function_at(token);
    return function && function->name == "configure";
}

// ---- names ----

void Program::find_names() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].is_word() && is_type(tokens_[i].text)) i = read_declaration(i);
    }
}

/// Reads the names that a declaration declares, and returns the last token that was read.
std::size_t Program::read_declaration(std::size_t type) {
    std::string type_word = tokens_[type].text;
    const bool is_constant = (type > 0 && tokens_[type - 1].is("constexpr")) ||
                             (type > 1 && tokens_[type - 2].is("constexpr"));
    bool is_pointer = false;
    std::size_t at = type + 1;
    for (; at < tokens_.size(); ++at) {
        if (tokens_[at].is("*")) {
            is_pointer = true;
        } else if (is_type(tokens_[at].text)) {
            type_word = tokens_[at].text;
        } else if (!tokens_[at].is("&") && !tokens_[at].is("const") &&
                   !tokens_[at].is("__restrict__") && !tokens_[at].is("volatile")) {
            break;
        }
    }
    const auto is_name = [&](std::size_t i) {
        return i + 1 < tokens_.size() && tokens_[i].is_word() && !is_keyword(tokens_[i].text) &&
               !tokens_[i + 1].is("(");
    };
    while (is_name(at)) {
        const Name::Kind kind = tokens_[at + 1].is("[")       ? Name::Kind::array
                                : is_pointer                  ? Name::Kind::pointer
                                : !is_integer_type(type_word) ? Name::Kind::other
                                : is_constant                 ? Name::Kind::constant
                                                              : Name::Kind::integer;
        declare(at, kind, type_word);
        // Skip the value, up to the next comma. In a list of parameters, a type follows the comma.
        std::size_t next = at + 1;
        while (next < tokens_.size() && !tokens_[next].is(",") && !tokens_[next].is(";") &&
               !tokens_[next].is(")")) {
            next = std::max(next, tokens_[next].match) + 1;
        }
        if (next + 1 >= tokens_.size() || !tokens_[next].is(",") || !is_name(next + 1)) return at;
        at = next + 1;
    }
    return at - 1;
}

void Program::declare(std::size_t name, Name::Kind kind, const std::string& type) {
    names_.push_back({tokens_[name].text, kind, type, name, end_of_visibility(name)});
}

std::size_t Program::end_of_visibility(std::size_t token) const {
    for (const Function& one : functions_) {
        if (one.open < token && token < one.close) return statement(one.body).last;
    }
    for (int index = statement_at(token); index >= 0; index = statement(index).parent) {
        const Statement& around = statement(index);
        const bool is_header = around.open < token && token < around.close;
        if (around.kind == Statement::Kind::block || is_header) return around.last;
    }
    return tokens_.size();
}

const Name* Program::find_name(const std::string& word, std::size_t token) const {
    const Name* found = nullptr;
    for (const Name& one : names_) {
        if (one.text == word && one.is_visible_at(token)) found = &one;
    }
    return found;
}

bool Program::declares_name(const Statement& statement) const {
    return std::ranges::any_of(names_,
                               [&](const Name& name) { return statement.contains(name.declared); });
}

bool Program::is_used_name(std::size_t index) const {
    const Token& one = tokens_[index];
    if (!one.is_word() || is_keyword(one.text) || !function_at(index)) return false;
    const bool is_called =
        index + 1 < tokens_.size() && (tokens_[index + 1].is("(") || tokens_[index + 1].is("::"));
    const bool is_member =
        index > 0 &&
        (tokens_[index - 1].is(".") || tokens_[index - 1].is("->") || tokens_[index - 1].is("::"));
    const bool is_declared =
        std::ranges::any_of(names_, [&](const Name& name) { return name.declared == index; });
    return !is_called && !is_member && !is_declared;
}

bool Program::is_integer(const std::string& word, std::size_t token) const {
    if (is_built_in_index(word)) return true;
    const Name* name = find_name(word, token);
    return name && name->is_integer();
}

// ---- operands ----

std::size_t Program::begin_of_operand(std::size_t token) const {
    std::size_t at = token;
    for (;;) {
        const Token& one = tokens_[at];
        const bool is_closing = one.is(")") || one.is("]");
        if (is_closing && one.match < at) at = one.match;
        if (at == 0) return at;
        const Token& before = tokens_[at - 1];
        const bool is_called = tokens_[at].is("(") || tokens_[at].is("[");
        const bool continues =
            is_called && ((before.is_word() && !is_keyword(before.text)) || before.is("]"));
        if (!continues) return at;
        --at;
    }
}

std::size_t Program::end_of_operand(std::size_t token) const {
    std::size_t at = token;
    while (at + 1 < tokens_.size() &&
           (tokens_[at].is("-") || tokens_[at].is("!") || tokens_[at].is("&"))) {
        ++at;
    }
    if (tokens_[at].match > at) at = tokens_[at].match;
    while (at + 1 < tokens_.size() && (tokens_[at + 1].is("[") || tokens_[at + 1].is("(")) &&
           tokens_[at + 1].match > at) {
        at = tokens_[at + 1].match;
    }
    return at;
}

std::vector<std::pair<std::size_t, std::size_t>> Program::split_at_commas(std::size_t open,
                                                                          std::size_t close) const {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    std::size_t begin = open + 1;
    for (std::size_t i = begin; i <= close && i < tokens_.size(); ++i) {
        if (i == close || tokens_[i].is(",")) {
            if (i > begin) parts.push_back({begin, i - 1});
            begin = i + 1;
        } else if (tokens_[i].match > i) {
            i = tokens_[i].match;
        }
    }
    return parts;
}

}  // namespace coalesce::changes
