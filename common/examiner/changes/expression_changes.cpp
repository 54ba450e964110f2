#include <algorithm>
#include <map>
#include <set>

#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

// ---- calls ----

/// A call of a function, and its arguments as first and last tokens.
struct Call {
    std::size_t name = 0, close = 0;
    std::vector<std::pair<std::size_t, std::size_t>> arguments;
};

std::vector<Call> calls_in(const Program& program) {
    std::vector<Call> calls;
    for (std::size_t i = 0; i + 1 < program.tokens().size(); ++i) {
        const bool is_call = program.token(i).is_word() && program.token(i + 1).is("(") &&
                             program.token(i + 1).match > i + 1 && program.function_at(i) &&
                             program.function_at(i)->open < i && !is_keyword(program.token(i).text);
        if (!is_call) continue;
        const std::size_t close = program.token(i + 1).match;
        calls.push_back({i, close, program.split_at_commas(i + 1, close)});
    }
    return calls;
}

/// Replaces an argument by the argument of another call of the same function: two calls often
/// belong together, as in `expf(x - largest)`.
void list_arguments_of_other_calls(ChangeList& list, const std::vector<Call>& calls) {
    const Program& program = list.program();
    for (const Call& call : calls) {
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            const auto [first, last] = call.arguments[i];
            const std::string written = program.text_between(first, last);
            std::set<std::string> others;
            for (const Call& other : calls) {
                const bool is_same =
                    program.token(other.name).text == program.token(call.name).text &&
                    other.arguments.size() == call.arguments.size();
                if (!is_same) continue;
                others.insert(
                    program.text_between(other.arguments[i].first, other.arguments[i].second));
            }
            for (const std::string& one : others) {
                if (one != written) list.replace(first, last, one, 1.7);
            }
        }
    }
}

/// Adds two values instead of choosing the larger or the smaller one. Loops that combine values are
/// often copied.
void list_sums(ChangeList& list, const std::vector<Call>& calls) {
    static const std::set<std::string> choices = {"max", "min", "fmax", "fmin", "fmaxf", "fminf"};
    const Program& program = list.program();
    for (const Call& call : calls) {
        if (!choices.contains(program.token(call.name).text) || call.arguments.size() != 2)
            continue;
        const auto [first, last] = call.arguments[0];
        const auto [other_first, other_last] = call.arguments[1];
        list.replace(call.name, call.close,
                     program.text_between(first, last) + " + " +
                         program.text_between(other_first, other_last),
                     1.6);
    }
}

// ---- names instead of expressions ----

/// Replaces an expression in parentheses, such as `(2 * stride)`, by a name.
void list_names_for_expressions(ChangeList& list) {
    const Program& program = list.program();
    for (std::size_t open = 1; open + 1 < program.tokens().size(); ++open) {
        const std::size_t close = program.token(open).match;
        const bool is_group = program.token(open).is("(") && close > open + 3 &&
                              program.token(open - 1).kind == Token::Kind::symbol &&
                              program.function_at(open) && program.statement_at(open) >= 0;
        if (!is_group || program.statement(program.statement_at(open)).open == open) continue;
        bool is_arithmetic = true;
        for (std::size_t i = open + 1; i < close; ++i) {
            const Token& one = program.token(i);
            is_arithmetic &= one.is_number() || one.is("*") || one.is("+") || one.is("-") ||
                             one.is("/") || program.is_integer(one.text, i);
        }
        if (!is_arithmetic) continue;
        for (const Name& one : program.names()) {
            const bool is_usable = one.is_integer() && one.is_visible_at(open);
            if (is_usable) list.replace(open, close, one.text, 2.0);
        }
    }
}

/// Returns an expression with threadIdx.x and threadIdx.y exchanged, or "" if it has neither.
std::string with_other_thread(const std::string& expression) {
    std::string changed;
    std::size_t copied = 0;
    for (const Token& one : tokenize(expression)) {
        if (one.text != "threadIdx.x" && one.text != "threadIdx.y") continue;
        changed += expression.substr(copied, one.begin - copied) +
                   (one.text == "threadIdx.x" ? "threadIdx.y" : "threadIdx.x");
        copied = one.end;
    }
    return copied == 0 ? "" : changed + expression.substr(copied);
}

/// Returns the first value of a declared name, or "" if it has none.
std::string first_value(const Program& program, const Name& name) {
    if (!program.token(name.declared + 1).is("=")) return "";
    std::size_t last = name.declared + 2;
    while (last + 1 < program.tokens().size() && !program.token(last + 1).is(",") &&
           !program.token(last + 1).is(";")) {
        last = std::max(last + 1, program.token(last + 1).match);
    }
    return program.text_between(name.declared + 2, last);
}

/// Replaces a variable in one statement by its value with the other index of the thread: the
/// learner uses one variable for two purposes.
void list_other_values(ChangeList& list) {
    const Program& program = list.program();
    for (const Name& name : program.names()) {
        if (name.kind != Name::Kind::integer || name.declared + 3 >= program.tokens().size())
            continue;
        const std::string value = with_other_thread(first_value(program, name));
        if (value.empty()) continue;
        std::map<int, std::vector<std::pair<std::size_t, std::string>>> uses;
        for (std::size_t i = name.declared + 1; i <= name.visible_through; ++i) {
            const bool is_use = program.is_used_name(i) && program.token(i).text == name.text &&
                                program.find_name(name.text, i) == &name;
            if (is_use) uses[program.statement_at(i)].push_back({i, "(" + value + ")"});
        }
        for (const auto& [statement, changes] : uses) list.replace_each(changes, 1.4);
    }
}

// ---- sums that number the same elements ----

/// Reports whether a token can be part of a sum of products, such as `x + BLOCK * j`.
bool belongs_to_sum(const Program& program, std::size_t token) {
    const Token& one = program.token(token);
    return one.is("+") || one.is("*") || one.is_number() || program.is_integer(one.text, token);
}

/// Returns the runs of tokens that form a sum of at least two terms, as first and last tokens. A run
/// is the whole index of an array or the end of a longer sum.
std::vector<std::pair<std::size_t, std::size_t>> find_sums(const Program& program) {
    std::vector<std::pair<std::size_t, std::size_t>> sums;
    for (std::size_t i = 1; i + 2 < program.tokens().size(); ++i) {
        const Token& before = program.token(i - 1);
        const bool begins = program.function_at(i) && !program.is_in_configure(i) &&
                            program.statement_at(i) >= 0 && belongs_to_sum(program, i) &&
                            !program.token(i).is("+") && !program.token(i).is("*") &&
                            (before.is("[") || before.is("=") || before.is("+"));
        if (!begins) continue;
        std::size_t last = i;
        bool is_sum = false;
        while (last + 1 < program.tokens().size() && belongs_to_sum(program, last + 1)) {
            is_sum |= program.token(++last).is("+");
        }
        const Token& after = program.token(last + 1);
        if (is_sum && (after.is("]") || after.is(";") || after.is(","))) sums.push_back({i, last});
    }
    return sums;
}

/// Returns the variables in a sum, without the constants.
std::set<std::string> variables_in(const Program& program, std::size_t first, std::size_t last) {
    std::set<std::string> names;
    for (std::size_t i = first; i <= last; ++i) {
        const Token& one = program.token(i);
        const Name* name = one.is_word() ? program.find_name(one.text, i) : nullptr;
        if (one.is_word() && !(name && name->kind == Name::Kind::constant)) names.insert(one.text);
    }
    return names;
}

/// Replaces a sum, or the end of a sum, by another sum of the same variables: two places often
/// number the same elements, as `x + BLOCK * j` does where a thread reads and where it stores.
void list_sums_of_same_variables(ChangeList& list) {
    const Program& program = list.program();
    const auto sums = find_sums(program);
    std::map<std::set<std::string>, std::set<std::string>> texts;
    for (const auto& [first, last] : sums) {
        texts[variables_in(program, first, last)].insert(program.text_between(first, last));
    }
    for (const auto& [first, last] : sums) {
        const std::string written = program.text_between(first, last);
        for (const std::string& other : texts[variables_in(program, first, last)]) {
            if (other != written) list.replace(first, last, other, 1.0);
        }
    }
}

// ---- comparisons ----

/// Returns the two sides of a comparison between these tokens as `a > b`, or nothing if there is
/// anything else between them.
std::vector<std::string> sides_of_comparison(const Program& program, std::size_t first,
                                             std::size_t last) {
    for (std::size_t i = first + 1; i < last; ++i) {
        const Token& op = program.token(i);
        const bool is_greater = op.is(">") || op.is(">=");
        if (!is_greater && !op.is("<") && !op.is("<=")) continue;
        if (program.end_of_operand(first) + 1 != i || program.end_of_operand(i + 1) != last)
            return {};
        const std::string left = program.text_between(first, i - 1),
                          right = program.text_between(i + 1, last);
        return is_greater ? std::vector{left, right} : std::vector{right, left};
    }
    return {};
}

/// Adds the condition that two values are equal to the second part of `a > b || c < d`: a second
/// criterion counts only if the first one does not decide.
void list_second_criteria(ChangeList& list, const Statement& branch) {
    const Program& program = list.program();
    for (std::size_t i = branch.open + 2; i + 1 < branch.close; ++i) {
        if (!program.token(i).is("||")) continue;
        const auto first = sides_of_comparison(program, branch.open + 1, i - 1);
        const std::string rest = program.text_between(i + 1, branch.close - 1);
        if (first.size() != 2 || sides_of_comparison(program, i + 1, branch.close - 1).empty())
            continue;
        list.replace(i + 1, branch.close - 1,
                     "(" + first[0] + " == " + first[1] + " && " + rest + ")", 1.6);
    }
}

/// Returns the plain assignments in the body of a branch, as pairs of target and value.
std::vector<std::pair<std::string, std::string>> assignments_in(const Program& program,
                                                                const Statement& branch) {
    std::vector<std::pair<std::string, std::string>> found;
    for (std::size_t i = branch.close + 1; i + 2 <= branch.last; ++i) {
        const bool is_assignment = program.token(i).is_word() && program.token(i + 1).is("=") &&
                                   program.token(i + 2).is_word() && program.token(i + 3).is(";");
        if (is_assignment) found.push_back({program.token(i).text, program.token(i + 2).text});
    }
    return found;
}

/// Extends a comparison by a criterion for equal values: `a >= b` becomes
/// `a > b || (a == b && c < d)`, if the branch sets `b` to `a` and `d` to `c`.
void list_ties(ChangeList& list, const Statement& branch) {
    const Program& program = list.program();
    const auto sides = sides_of_comparison(program, branch.open + 1, branch.close - 1);
    const auto assignments = assignments_in(program, branch);
    if (sides.size() != 2 || assignments.size() != 2) return;
    for (const std::size_t value : {0U, 1U}) {
        const auto& [best, other] = assignments[value];
        const auto& [place, other_place] = assignments[1 - value];
        if (sides[0] != other || sides[1] != best) continue;
        list.replace(branch.open + 1, branch.close - 1,
                     other + " > " + best + " || (" + other + " == " + best + " && " + other_place +
                         " < " + place + ")",
                     1.6);
    }
}

// ---- sums that begin with a wrong value ----

/// Sets a variable to 0 before a loop that adds to it.
void list_resets(ChangeList& list) {
    const Program& program = list.program();
    for (const Statement& loop : program.statements()) {
        if (loop.kind != Statement::Kind::loop || loop.parent < 0) continue;
        std::set<std::string> names;
        for (std::size_t i = loop.close + 1; i + 1 <= loop.last; ++i) {
            if (program.token(i + 1).is("+=") && program.token(i).is_word())
                names.insert(program.token(i).text);
        }
        const Token& first = program.token(loop.first);
        for (const std::string& name : names) {
            const Name* declared = program.find_name(name, loop.first);
            if (!declared) continue;
            const std::string value = first_value(program, *declared);
            if (!value.empty() && value != "0") {
                const std::size_t begin = declared->declared;
                std::size_t last = begin + 2;
                while (program.token(last).end - program.token(begin + 2).begin < value.size())
                    ++last;
                list.replace(begin + 2, last, "0", 1.4);
            }
            list.add({.edits = {{first.begin, first.begin, name + " = 0; "}},
                      .line = first.line,
                      .cost = 1.6,
                      .clause = "With `" + name + " = 0;` before the loop in line " +
                                std::to_string(first.line)});
        }
    }
}

}  // namespace

void list_expression_changes(ChangeList& list) {
    const Program& program = list.program();
    const std::vector<Call> calls = calls_in(program);
    list_arguments_of_other_calls(list, calls);
    list_sums(list, calls);
    list_names_for_expressions(list);
    list_other_values(list);
    list_resets(list);
    list_sums_of_same_variables(list);
    for (const Statement& one : program.statements()) {
        if (one.kind != Statement::Kind::branch) continue;
        list_second_criteria(list, one);
        list_ties(list, one);
    }
}

}  // namespace coalesce::changes
