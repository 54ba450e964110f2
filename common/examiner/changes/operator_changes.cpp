#include <algorithm>
#include <set>

#include "base/text.h"
#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// Two operators of which one is often written instead of the other.
struct OperatorMistake {
    const char *written, *meant;
    double cost;
};

constexpr OperatorMistake kOperatorMistakes[] = {
    {"<", "<=", 1.3},  {"<=", "<", 1.2},   {">", ">=", 1.3},   {">=", ">", 1.2},  {"<", ">", 1.9},
    {">", "<", 1.9},   {"==", "!=", 1.7},  {"!=", "==", 1.7},  {"<", ">=", 2.0},  {">=", "<", 2.0},
    {"&&", "||", 1.3}, {"||", "&&", 1.3},  {"+", "-", 1.7},    {"-", "+", 1.5},   {"*", "/", 2.0},
    {"/", "*", 1.8},   {"/", "%", 1.3},    {"%", "/", 1.3},    {"*", "+", 2.0},   {"+", "*", 2.0},
    {"=", "+=", 1.4},  {"+=", "=", 1.4},   {"+=", "-=", 2.0},  {"*=", "+=", 1.8}, {"+=", "*=", 1.8},
    {"/=", "-=", 2.4}, {"/=", ">>=", 2.0}, {">>=", "/=", 2.0}, {"<<", ">>", 2.0}, {">>", "<<", 2.0},
    {"++", "--", 2.4}, {"--", "++", 2.4},  {"^", "+", 2.2},    {"+", "^", 2.2},   {"&", "%", 1.8},
    {"<=", ">", 2.2}};

/// Functions of which one is often called instead of the other.
constexpr std::pair<const char*, const char*> kSimilarFunctions[] = {
    {"__shfl_down_sync", "__shfl_up_sync"},
    {"__shfl_down_sync", "__shfl_xor_sync"},
    {"__shfl_down_sync", "__shfl_sync"},
    {"__shfl_up_sync", "__shfl_sync"},
    {"min", "max"},
    {"fminf", "fmaxf"},
    {"atomicMin", "atomicMax"},
    {"atomicAdd", "atomicMax"},
    {"atomicAdd", "atomicExch"},
    {"__syncwarp", "__syncthreads"}};

/// Reports whether the token is an operator between two operands.
bool is_binary(const Program& program, std::size_t token) {
    if (token == 0 || !program.function_at(token)) return false;
    const Token& before = program.token(token - 1);
    return before.is_number() || before.is(")") || before.is("]") ||
           (before.is_word() && (!is_keyword(before.text)));
}

/// Reports whether the token is in the declaration of a variable's type, as in `float* p`.
bool is_part_of_type(const Program& program, std::size_t token) {
    return token > 0 && is_type(base_of(program.token(token - 1).text));
}

/// Reports whether the `=` at this token gives a declared name its first value. There `+=` is no
/// alternative.
bool is_initializer(const Program& program, std::size_t token) {
    const std::size_t name = program.begin_of_operand(token - 1);
    return std::ranges::any_of(program.names(),
                               [&](const Name& one) { return one.declared == name; });
}

}  // namespace

void list_operator_changes(ChangeList& list) {
    const Program& program = list.program();
    for (std::size_t i = 1; i < program.tokens().size(); ++i) {
        const Token& token = program.token(i);
        if (token.kind != Token::Kind::symbol || !program.function_at(i)) continue;
        const bool counts = token.is("++") || token.is("--");
        if (!counts && (!is_binary(program, i) || is_part_of_type(program, i))) continue;
        if (token.is("=") && is_initializer(program, i)) continue;
        for (const OperatorMistake& one : kOperatorMistakes) {
            if (token.is(one.written)) list.replace(i, i, one.meant, one.cost);
        }
    }
}

void list_function_changes(ChangeList& list) {
    const Program& program = list.program();
    for (std::size_t i = 0; i + 1 < program.tokens().size(); ++i) {
        if (!program.token(i).is_word() || !program.token(i + 1).is("(")) continue;
        for (const auto& [one, other] : kSimilarFunctions) {
            if (program.token(i).is(one)) list.replace(i, i, other, 1.4);
            if (program.token(i).is(other)) list.replace(i, i, one, 1.4);
        }
    }
}

// ---- numbers, terms and factors ----

namespace {

/// Returns the value of a decimal whole number, or a negative number for any other token.
long long value_of(const Token& token) {
    constexpr std::size_t most_digits = 6;
    const bool is_whole = token.is_number() && token.text.size() <= most_digits &&
                          token.text.find_first_not_of("0123456789") == std::string::npos;
    return is_whole ? std::stoll(token.text) : -1;
}

/// Returns how unlikely it is that `written` was written instead of `meant`.
double cost_of_number(long long written, long long meant) {
    constexpr long long small = 4;
    if (written <= small && meant <= small) return 1.5;
    if (meant == 2 * written || written == 2 * meant) return 1.5;
    return std::abs(written - meant) == 1 ? 2.0 : 1.9;
}

void list_number_changes(ChangeList& list, std::size_t token) {
    const Program& program = list.program();
    const long long value = value_of(program.token(token));
    if (value < 0) return;
    std::set<long long> others = {value + 1, 2 * value, 4 * value};
    if (value > 0) others.insert({value - 1, 0});
    if (value % 2 == 0) others.insert(value / 2);
    if (value % 4 == 0) others.insert(value / 4);
    if (value != 1) others.insert(1);
    others.erase(value);
    for (const long long other : others) {
        list.replace(token, token, std::to_string(other), cost_of_number(value, other));
    }
    for (const Name& one : program.names()) {
        const bool is_used = one.is_visible_at(token) && one.is_integer() && value != 0;
        if (is_used) list.replace(token, token, one.text, 2.2);
    }
    if (value == 0) return;
    for (const char* size : {"blockDim.x", "blockDim.y", "gridDim.x"}) {
        if (!program.is_in_configure(token)) list.replace(token, token, size, 2.4);
    }
}

/// Removes an operand with the operator before it, as `+ k` or `* 4`; or the first operand with the
/// operator behind it.
void list_removals(ChangeList& list, std::size_t op) {
    const Program& program = list.program();
    static const std::set<std::string> removable = {"+", "-", "*", "/", "%", "&&", "||"};
    if (!removable.contains(program.token(op).text) || !is_binary(program, op) ||
        is_part_of_type(program, op)) {
        return;
    }
    const bool joins = program.token(op).is("&&") || program.token(op).is("||");
    std::size_t last = program.end_of_operand(op + 1);
    std::size_t first = program.begin_of_operand(op - 1);
    if (joins) {
        const auto ends = [&](std::size_t i) {
            const Token& token = program.token(i);
            return token.is("&&") || token.is("||") || token.is(";") || token.is("?") ||
                   token.match != i || token.is("=") || token.is("return");
        };
        while (last + 1 < program.tokens().size() && !ends(last + 1)) {
            last = program.end_of_operand(last + 1);
        }
        while (first > 0 && !ends(first - 1)) first = program.begin_of_operand(first - 1);
    }
    // An index or a bound that is off by one is a common mistake.
    const bool is_one = !joins && last == op + 1 && program.token(last).is("1");
    const double cost = is_one ? 1.1 : joins ? 1.7 : 1.6;
    list.replace(first, last, program.text_between(first, op - 1), cost);
    list.replace(first, last, program.text_between(op + 1, last), joins ? 1.7 : 1.8);
}

/// Puts a sum in parentheses: `a + b * c` becomes `(a + b) * c`.
void list_parentheses(ChangeList& list, std::size_t op) {
    const Program& program = list.program();
    const bool multiplies =
        program.token(op).is("*") || program.token(op).is("/") || program.token(op).is("%");
    if (!multiplies || !is_binary(program, op) || is_part_of_type(program, op)) return;
    const std::size_t factor = program.begin_of_operand(op - 1);
    if (factor < 2) return;
    const Token& before = program.token(factor - 1);
    if (!before.is("+") && !before.is("-")) return;
    const std::size_t first = program.begin_of_operand(factor - 2);
    list.replace(first, op - 1, "(" + program.text_between(first, op - 1) + ")", 1.3);
}

/// Removes the parentheses around a sum.
void list_removed_parentheses(ChangeList& list, std::size_t open) {
    const Program& program = list.program();
    const std::size_t close = program.token(open).match;
    const bool is_group = program.token(open).is("(") && close > open + 3 && open > 0 &&
                          program.token(open - 1).kind == Token::Kind::symbol;
    if (!is_group || program.function_at(open) == nullptr) return;
    list.replace(open, close, program.text_between(open + 1, close - 1), 2.2);
}

/// Rounds a quotient up, and turns ceil_div into a plain division.
void list_rounding_changes(ChangeList& list, std::size_t token) {
    const Program& program = list.program();
    const Token& one = program.token(token);
    if (one.is("/") && is_binary(program, token)) {
        const std::size_t first = program.begin_of_operand(token - 1);
        const std::size_t last = program.end_of_operand(token + 1);
        list.replace(first, last,
                     "ceil_div(" + program.text_between(first, token - 1) + ", " +
                         program.text_between(token + 1, last) + ")",
                     1.2);
    }
    if (!one.is("ceil_div") || !program.token(token + 1).is("(")) return;
    const std::size_t close = program.token(token + 1).match;
    const auto parts = program.split_at_commas(token + 1, close);
    if (parts.size() != 2) return;
    const std::string dividend = program.text_between(parts[0].first, parts[0].second);
    const std::string divisor = program.text_between(parts[1].first, parts[1].second);
    list.replace(token, close, dividend + " / " + divisor, 2.2);
    list.replace(token, close, dividend, 1.9);
}

/// Returns the factors that the lesson uses: its constants, the sizes of a block, 2 and 4.
std::vector<std::string> factors_at(const Program& program, std::size_t token) {
    std::vector<std::string> factors = {"2", "4"};
    for (const Name& one : program.names()) {
        if (one.kind == Name::Kind::constant && one.is_visible_at(token)) {
            factors.push_back(one.text);
        }
    }
    if (!program.is_in_configure(token)) {
        factors.insert(factors.end(), {"blockDim.x", "blockDim.y"});
    }
    return factors;
}

/// Adds a term or a factor to an integer name.
void list_additions(ChangeList& list, std::size_t token) {
    const Program& program = list.program();
    const std::string& name = program.token(token).text;
    if (!program.is_used_name(token) || !program.is_integer(name, token)) return;
    const Token& next = program.token(token + 1);
    if (next.is("=") || next.is("++") || next.is("+=") || next.is("[")) return;
    const bool is_block = base_of(name) == "blockIdx" || base_of(name) == "gridDim";
    const bool is_multiplied = next.is("*") || program.token(token - 1).is("*");
    const Token& before = program.token(token - 1);
    const bool is_divisor = before.is("/") || before.is("%");
    const auto in_brackets = [&](const std::string& product) {
        return is_divisor ? "(" + product + ")" : product;
    };
    for (const std::string& factor : factors_at(program, token)) {
        if (factor == name) continue;
        const bool is_doubled_divisor = is_divisor && factor == "2";
        const double cost = is_doubled_divisor           ? 1.5
                            : is_block && !is_multiplied ? 1.4
                            : is_multiplied              ? 2.6
                                                         : 2.0;
        list.replace(token, token, in_brackets(name + " * " + factor), cost);
        const bool is_small = factor == "2" || factor == "4";
        list.replace(token, token, in_brackets(name + " / " + factor), is_small ? 2.0 : 2.6);
        if (!is_small) list.replace(token, token, in_brackets(name + " % " + factor), 2.6);
    }
    const auto with_sum = [&](const std::string& sum, double cost) {
        const bool needs_brackets = is_multiplied || is_divisor || next.is("/") || next.is("%");
        list.replace(token, token, needs_brackets ? "(" + sum + ")" : sum, cost);
    };
    with_sum(name + " + 1", 2.1);
    with_sum(name + " - 1", 2.1);
    for (int at = program.statement_at(token); at >= 0; at = program.statement(at).parent) {
        const Statement& loop = program.statement(at);
        if (loop.kind != Statement::Kind::loop || token <= loop.close) continue;
        for (const Name& counter : program.names()) {
            const bool is_counter = loop.open < counter.declared && counter.declared < loop.close;
            if (is_counter && counter.text != name) with_sum(name + " + " + counter.text, 1.7);
        }
    }
    for (const char* index : {"threadIdx.x", "threadIdx.y"}) {
        if (!program.is_in_configure(token) && name != index) {
            with_sum(name + " + " + index, 2.4);
        }
    }
}

}  // namespace

void list_term_changes(ChangeList& list) {
    const Program& program = list.program();
    for (std::size_t i = 1; i + 1 < program.tokens().size(); ++i) {
        list_number_changes(list, i);
        if (!program.function_at(i)) continue;
        list_removals(list, i);
        list_parentheses(list, i);
        list_removed_parentheses(list, i);
        list_rounding_changes(list, i);
        list_additions(list, i);
    }
}

}  // namespace coalesce::changes
