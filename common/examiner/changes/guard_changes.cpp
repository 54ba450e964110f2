#include <algorithm>
#include <set>

#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// Reports whether a statement reads or writes an array, so that it may need a bounds check.
bool uses_array(const Program& program, const Statement& one) {
    for (std::size_t i = one.first; i <= one.last; ++i) {
        if (program.token(i).is("[")) return true;
    }
    return false;
}

/// Returns the conditions in the text that keep a thread inside the arrays, such as `row < rows`,
/// and those that name integers of this place after a size.
std::set<std::string> conditions_at(const Program& program, std::size_t token) {
    std::set<std::string> conditions;
    for (std::size_t i = 1; i + 1 < program.tokens().size(); ++i) {
        if (!program.token(i).is("<") || !program.function_at(i)) continue;
        std::size_t first = program.begin_of_operand(i - 1);
        while (first > 1 &&
               (program.token(first - 1).is("+") || program.token(first - 1).is("*"))) {
            first = program.begin_of_operand(first - 2);
        }
        const std::size_t last = program.end_of_operand(i + 1);
        if (program.token(first).is_word() && program.token(last).is_word()) {
            conditions.insert(program.text_between(first, last));
        }
    }
    constexpr std::pair<const char*, const char*> usual[] = {
        {"row", "rows"}, {"col", "cols"}, {"r", "rows"}, {"c", "cols"},
        {"i", "n"},      {"x", "cols"},   {"y", "rows"}, {"k", "inner"}};
    for (const auto& [index, size] : usual) {
        if (program.find_name(index, token) && program.find_name(size, token)) {
            conditions.insert(std::string(index) + " < " + size);
        }
    }
    return conditions;
}

/// Reports whether all names of a condition can be used at a token. The compiler would find out
/// too, but it takes longer.
bool is_usable_at(const Program& program, const std::string& condition, std::size_t token) {
    for (const Token& one : tokenize(condition)) {
        if (one.is_word() && !is_built_in_index(one.text) && !program.find_name(one.text, token)) {
            return false;
        }
    }
    return true;
}

void add_guard(ChangeList& list, const Statement& one, const std::string& condition, double cost) {
    const Token& first = list.program().token(one.first);
    list.add({.edits = {{first.begin, first.begin, "if (" + condition + ") "}},
              .line = first.line,
              .cost = cost,
              .clause = "With `if (" + condition + ")` before line " + std::to_string(first.line),
              .topic = "guard of line " + std::to_string(first.line)});
}

void list_added_guards(ChangeList& list, const Statement& one) {
    const Program& program = list.program();
    if (one.parent < 0 || program.is_in_configure(one.first) || !uses_array(program, one)) return;
    const bool is_inner_block = one.kind == Statement::Kind::block &&
                                program.statement(one.parent).kind == Statement::Kind::block;
    const bool is_simple = one.kind == Statement::Kind::simple && !program.declares_name(one);
    if (!is_simple && !is_inner_block) return;
    const std::set<std::string> conditions = conditions_at(program, one.first);
    for (const std::string& condition : conditions) {
        if (is_usable_at(program, condition, one.first)) add_guard(list, one, condition, 1.7);
    }
    for (const std::string& condition : conditions) {
        for (const std::string& other : conditions) {
            const std::string both = condition + " && " + other;
            const bool are_usable = is_usable_at(program, both, one.first);
            if (condition < other && are_usable) add_guard(list, one, both, 2.1);
        }
    }
    for (const char* condition : {"threadIdx.x == 0", "threadIdx.y == 0", "lane == 0"}) {
        if (is_usable_at(program, condition, one.first)) add_guard(list, one, condition, 2.1);
    }
}

/// Adds another condition to a branch, and removes the branch's condition.
void list_branch_changes(ChangeList& list, const Statement& one) {
    const Program& program = list.program();
    const std::string written = program.text_between(one.open + 1, one.close - 1);
    const bool joins_with_or = written.find("||") != std::string::npos;
    for (const std::string& condition : conditions_at(program, one.first)) {
        const bool is_new = written.find(condition) == std::string::npos;
        if (joins_with_or || !is_new || !is_usable_at(program, condition, one.open)) continue;
        list.replace(one.open + 1, one.close - 1, written + " && " + condition, 1.5);
    }
    if (one.has_else) return;
    list.add({.edits = {{program.token(one.first).begin, program.token(one.close).end, ""}},
              .line = program.token(one.first).line,
              .cost = 2.0,
              .clause = "Without `" + in_one_line(program.text_between(one.first, one.close)) +
                        "` in line " + std::to_string(program.token(one.first).line)});
}

}  // namespace

void list_guard_changes(ChangeList& list) {
    const Program& program = list.program();
    for (const Statement& one : program.statements()) {
        list_added_guards(list, one);
        if (one.kind == Statement::Kind::branch) list_branch_changes(list, one);
    }
}

}  // namespace coalesce::changes
