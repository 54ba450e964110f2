#include <algorithm>
#include <set>

#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// Returns a statement as it is named in a sentence: its text in one line, shortened if it is long.
std::string name_of(const Program& program, const Statement& one) {
    constexpr std::size_t longest = 48;
    const std::string text = in_one_line(program.text_between(one.first, one.last));
    return "`" + (text.size() <= longest ? text : text.substr(0, longest - 4) + " ...") + "`";
}

std::string line_of(const Program& program, std::size_t token) {
    return "line " + std::to_string(program.token(token).line);
}

/// Reports whether threads synchronize in a statement: a barrier, a wait, a commit or a fence.
bool synchronizes(const Program& program, const Statement& one) {
    if (one.kind != Statement::Kind::simple) return false;
    for (std::size_t i = one.first; i <= one.last; ++i) {
        const std::string& word = program.token(i).text;
        for (const char* part : {"sync", "wait", "commit", "fence", "arrive"}) {
            const bool is_call = i + 1 <= one.last && program.token(i + 1).is("(");
            if (is_call && word.find(part) != std::string::npos) return true;
        }
    }
    return false;
}

/// Adds a change that moves a statement to an offset in the text. The change keeps the number of
/// lines, so that the lines of other statements stay the same.
void move(ChangeList& list, const Statement& one, std::size_t offset, double cost,
          const std::string& where) {
    const Program& program = list.program();
    const std::size_t begin = program.token(one.first).begin, end = program.token(one.last).end;
    const std::string text = " " + program.text_between(one.first, one.last) + " ";
    Change change{.line = program.token(one.first).line,
                  .cost = cost,
                  .clause = "With " + name_of(program, one) + " of " + line_of(program, one.first) +
                            " " + where};
    change.edits = {{begin, end, ";"}, {offset, offset, text}};
    std::ranges::sort(change.edits, {}, &Edit::begin);
    list.add(std::move(change));
}

/// Returns the block that is the body of a loop or branch, or null.
const Statement* body_block(const Program& program, const Statement& one) {
    if (one.children.size() != 1) return nullptr;
    const Statement& body = program.statement(one.children[0]);
    return body.kind == Statement::Kind::block ? &body : nullptr;
}

/// Returns the variables that a statement sets.
std::set<std::string> names_set_in(const Program& program, const Statement& one) {
    std::set<std::string> names;
    for (std::size_t i = one.first; i < one.last; ++i) {
        const Token& next = program.token(i + 1);
        const bool is_assignment = next.kind == Token::Kind::symbol && next.text.back() == '=' &&
                                   !next.is("==") && !next.is("<=") && !next.is(">=") &&
                                   !next.is("!=");
        if (is_assignment && program.token(i).is_word()) names.insert(program.token(i).text);
    }
    return names;
}

/// Reports whether the order of two statements matters, because one sets a variable that the other
/// uses.
bool depend_on_order(const Program& program, const Statement& one, const Statement& other) {
    const auto uses = [&](const Statement& user, const std::set<std::string>& names) {
        for (std::size_t i = user.first; i <= user.last; ++i) {
            if (names.contains(program.token(i).text)) return true;
        }
        return false;
    };
    return uses(other, names_set_in(program, one)) || uses(one, names_set_in(program, other));
}

/// Moves a statement over its neighbours.
void move_over_neighbours(ChangeList& list, const Statement& block, std::size_t index) {
    const Program& program = list.program();
    const Statement& one = program.statement(block.children[index]);
    const auto cost_over = [&](const Statement& neighbour) {
        if (synchronizes(program, one)) return 1.4;
        return depend_on_order(program, one, neighbour) ? 1.9 : 2.6;
    };
    if (index + 1 < block.children.size()) {
        const Statement& next = program.statement(block.children[index + 1]);
        const double cost = cost_over(next);
        move(list, one, program.token(next.last).end, cost, "after " + line_of(program, next.last));
        if (const Statement* body = body_block(program, next)) {
            const std::string inside = next.kind == Statement::Kind::loop ? "loop" : "branch";
            move(list, one, program.token(body->first).end, cost + 0.1,
                 "at the start of the " + inside + " in " + line_of(program, next.first));
            move(list, one, program.token(body->last).begin, cost + 0.1,
                 "at the end of the " + inside + " in " + line_of(program, next.first));
        }
    }
    if (index == 0) return;
    const Statement& before = program.statement(block.children[index - 1]);
    const double cost = cost_over(before);
    move(list, one, program.token(before.first).begin, cost,
         "before " + line_of(program, before.first));
    if (const Statement* body = body_block(program, before)) {
        const std::string inside = before.kind == Statement::Kind::loop ? "loop" : "branch";
        move(list, one, program.token(body->last).begin, cost,
             "at the end of the " + inside + " in " + line_of(program, before.first));
    }
}

/// Moves a statement out of the loop or branch around it.
void move_outside(ChangeList& list, const Statement& one, const Statement& around) {
    const Program& program = list.program();
    const double cost = synchronizes(program, one) ? 1.4 : 2.0;
    const std::string outside = around.kind == Statement::Kind::loop ? "loop" : "branch";
    const std::string of = " the " + outside + " in " + line_of(program, around.first);
    move(list, one, program.token(around.last).end, cost, "after" + of);
    move(list, one, program.token(around.first).begin, cost, "before" + of);
}

void remove(ChangeList& list, const Statement& one) {
    const Program& program = list.program();
    list.add({.edits = {{program.token(one.first).begin, program.token(one.last).end, ";"}},
              .line = program.token(one.first).line,
              .cost = synchronizes(program, one) ? 1.8 : 2.4,
              .clause = "Without " + name_of(program, one) + " in " + line_of(program, one.first)});
}

/// Returns the loop or branch whose body is this block, or null.
const Statement* owner_of(const Program& program, const Statement& block) {
    if (block.parent < 0) return nullptr;
    const Statement& parent = program.statement(block.parent);
    return parent.kind == Statement::Kind::block || parent.has_else ? nullptr : &parent;
}

}  // namespace

void list_moves(ChangeList& list) {
    const Program& program = list.program();
    for (const Statement& block : program.statements()) {
        if (block.kind != Statement::Kind::block || program.is_in_configure(block.first)) continue;
        for (std::size_t i = 0; i < block.children.size(); ++i) {
            const Statement& one = program.statement(block.children[i]);
            const bool is_exit =
                one.kind == Statement::Kind::branch && program.token(one.close + 1).is("return");
            if (one.kind != Statement::Kind::simple && !is_exit) continue;
            move_over_neighbours(list, block, i);
            const Statement* around = owner_of(program, block);
            if (around) move_outside(list, one, *around);
            if (!program.declares_name(one)) remove(list, one);
        }
    }
}

// ---- barriers ----

namespace {

/// Returns the calls in the text with which threads can synchronize, each as a whole statement.
std::set<std::string> synchronizations_in(const Program& program) {
    std::set<std::string> calls;
    for (const Statement& one : program.statements()) {
        if (synchronizes(program, one) && !program.declares_name(one)) {
            calls.insert(in_one_line(program.text_between(one.first, one.last)));
        }
    }
    if (program.text().find("__shared__") != std::string::npos) calls.insert("__syncthreads();");
    if (program.text().find("__pipeline_memcpy_async") != std::string::npos) {
        calls.insert({"__pipeline_commit();", "__pipeline_wait_prior(0);"});
    }
    return calls;
}

void add_call(ChangeList& list, const std::string& call, std::size_t offset, int line,
              const std::string& where, double cost) {
    list.add({.edits = {{offset, offset, " " + call + " "}},
              .line = line,
              .cost = cost,
              .clause = "With `" + call + "` " + where + " line " + std::to_string(line),
              .is_barrier = true,
              .topic = call});
}

}  // namespace

void list_barriers(ChangeList& list) {
    const Program& program = list.program();
    const std::set<std::string> calls = synchronizations_in(program);
    for (const Statement& block : program.statements()) {
        if (block.kind != Statement::Kind::block || program.is_in_configure(block.first)) continue;
        const Statement* around = owner_of(program, block);
        const bool is_branch = around && around->kind == Statement::Kind::branch;
        for (const int child : block.children) {
            const Statement& one = program.statement(child);
            const bool is_last = child == block.children.back();
            if (synchronizes(program, one) || (is_last && !around)) continue;
            if (program.token(one.first).is("return")) continue;
            const bool is_declaration =
                program.declares_name(one) && !program.token(one.last - 1).is(")");
            for (const std::string& call : calls) {
                const double cost = 1.3 + (is_branch ? 0.8 : 0) + (is_declaration ? 0.4 : 0) +
                                    (call == "__syncthreads();" ? 0 : 0.2);
                const Token& end = program.token(one.last);
                add_call(list, call, end.end, end.line, "after", cost);
            }
        }
    }
}

// ---- initial values and atomic operations ----

namespace {

/// Gives a declared variable or array the initial value zero.
void list_initial_values(ChangeList& list) {
    const Program& program = list.program();
    for (const Name& one : program.names()) {
        const std::size_t at = one.declared;
        const int statement = program.statement_at(at);
        if (statement < 0 || program.statement(statement).kind != Statement::Kind::simple) continue;
        if (program.token(program.statement(statement).first).is("__shared__")) continue;
        const std::size_t last = program.end_of_operand(at);
        const Token& next = program.token(last + 1);
        if (!next.is(";") && !next.is(",")) continue;
        const std::string value = one.kind == Name::Kind::array ? " = {}" : " = 0";
        list.replace(at, last, program.text_between(at, last) + value, 1.2);
    }
}

/// Makes an addition to memory atomic: `x[i] += v` becomes `atomicAdd(&x[i], v)`.
void list_atomics(ChangeList& list, const Statement& one) {
    const Program& program = list.program();
    for (std::size_t i = one.first + 1; i < one.last; ++i) {
        const std::size_t first = program.begin_of_operand(i - 1);
        const bool is_element = program.token(i - 1).is("]") || program.token(first).is("*");
        const std::string target = "atomicAdd(&" + program.text_between(first, i - 1) + ", ";
        if (!is_element) continue;
        if (program.token(i).is("++") && i + 1 == one.last) {
            list.replace(first, i, target + "1)", 1.3);
        }
        if (!program.token(i).is("+=") && !program.token(i).is("=")) continue;
        const std::string value = program.text_between(i + 1, one.last - 1);
        list.replace(first, one.last - 1, target + value + ")",
                     program.token(i).is("+=") ? 1.3 : 1.8);
    }
    if (program.token(one.first).is("++")) {
        const std::string target = program.text_between(one.first + 1, one.last - 1);
        list.replace(one.first, one.last - 1, "atomicAdd(&" + target + ", 1)", 1.3);
    }
}

/// Makes atomic additions plain: `atomicAdd(&x[i], v)` becomes `x[i] = v`.
void list_plain_stores(ChangeList& list, const Statement& one) {
    const Program& program = list.program();
    for (std::size_t i = one.first; i + 2 < one.last; ++i) {
        if (!program.token(i).is("atomicAdd") || !program.token(i + 1).is("(")) continue;
        const std::size_t close = program.token(i + 1).match;
        const auto parts = program.split_at_commas(i + 1, close);
        if (parts.size() != 2 || !program.token(parts[0].first).is("&")) continue;
        const std::string target = program.text_between(parts[0].first + 1, parts[0].second);
        const std::string value = program.text_between(parts[1].first, parts[1].second);
        list.replace(i, close, target + " = " + value, 2.2);
    }
}

/// Gives an integer variable the type float.
void list_type_changes(ChangeList& list) {
    const Program& program = list.program();
    for (std::size_t i = 0; i + 1 < program.tokens().size(); ++i) {
        const bool is_declared = std::ranges::any_of(
            program.names(), [&](const Name& one) { return one.declared == i + 1; });
        const bool is_local = is_declared && program.statement_at(i) >= 0;
        if (is_local && program.token(i).is("int")) list.replace(i, i, "float", 1.7);
    }
}

}  // namespace

void list_store_changes(ChangeList& list) {
    const Program& program = list.program();
    list_initial_values(list);
    list_type_changes(list);
    for (const Statement& one : program.statements()) {
        if (one.kind != Statement::Kind::simple || program.declares_name(one)) continue;
        list_atomics(list, one);
        list_plain_stores(list, one);
    }
}

}  // namespace coalesce::changes
