#include "examiner/changes/ranking.h"

#include <algorithm>
#include <map>
#include <set>

#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// The extra cost of a change in a line that the failure does not refer to.
constexpr double kCostOfDefinition = 0.25, kCostOfOtherLine = 0.6;

/// Returns the lines of the statement around a line.
std::set<int> lines_of_statement(const Program& program, int line) {
    std::set<int> lines = {line};
    for (const Statement& one : program.statements()) {
        if (one.kind == Statement::Kind::block) continue;
        const std::size_t last = one.close > 0 ? one.close : one.last;
        const int from = program.token(one.first).line, through = program.token(last).line;
        if (from > line || line > through) continue;
        for (int at = from; at <= through; ++at) lines.insert(at);
    }
    return lines;
}

/// Returns the lines of the branches and loops around these lines.
std::set<int> lines_around(const Program& program, const std::set<int>& inner) {
    std::set<int> lines;
    for (const Statement& one : program.statements()) {
        if (one.close == 0) continue;
        const int from = program.token(one.first).line, through = program.token(one.last).line;
        const bool is_around =
            std::ranges::any_of(inner, [&](int line) { return from <= line && line <= through; });
        if (is_around) lines.insert(from);
    }
    return lines;
}

/// Returns the lines that set a variable which these lines use.
std::set<int> defining_lines(const Program& program, const std::set<int>& users) {
    std::set<std::string> used;
    for (std::size_t i = 0; i < program.tokens().size(); ++i) {
        const Token& one = program.token(i);
        if (users.contains(one.line) && program.is_used_name(i)) used.insert(base_of(one.text));
    }
    std::set<int> lines;
    for (std::size_t i = 0; i + 1 < program.tokens().size(); ++i) {
        if (!used.contains(base_of(program.token(i).text))) continue;
        const Token& after = program.token(program.end_of_operand(i) + 1 < program.tokens().size()
                                               ? program.end_of_operand(i) + 1
                                               : i);
        const bool sets = after.kind == Token::Kind::symbol && after.text.size() <= 2 &&
                          after.text.back() == '=' && !after.is("==") && !after.is("<=") &&
                          !after.is(">=") && !after.is("!=");
        if (sets) lines.insert(program.token(i).line);
    }
    return lines;
}

/// Returns the extra cost of each line that is near the failure. All other lines have the cost
/// kCostOfOtherLine.
std::map<int, double> costs_of_lines(const Program& program, int line) {
    std::map<int, double> costs;
    if (line == 0) return costs;
    const std::set<int> own = lines_of_statement(program, line);
    std::set<int> next = defining_lines(program, own);
    for (const int one : lines_around(program, own)) next.insert(one);
    for (const int one : next) costs[one] = kCostOfDefinition;
    for (const int one : own) costs[one] = 0;
    return costs;
}

bool may_lack_barrier(FailureKind kind) {
    switch (kind) {
        case FailureKind::missing_barrier:
        case FailureKind::shared_race:
        case FailureKind::uninitialised_shared:
        case FailureKind::copy_not_waited_for:
        case FailureKind::copy_not_committed:
        case FailureKind::deadlock:
        case FailureKind::divergent_barrier: return true;
        default: return false;
    }
}

}  // namespace

std::vector<Change> list_changes(const Program& program, const Failure& failure) {
    ChangeList list(program);
    for (const auto generate :
         {list_name_changes, list_swaps, list_operator_changes, list_function_changes,
          list_term_changes, list_loop_changes, list_guard_changes, list_moves, list_barriers,
          list_store_changes, list_launch_changes}) {
        generate(list);
    }
    std::vector<Change> changes = list.take();
    const std::map<int, double> costs = costs_of_lines(program, failure.place.line);
    for (Change& one : changes) {
        const auto known = costs.find(one.line);
        one.cost += known == costs.end() ? kCostOfOtherLine : known->second;
        // A barrier can only repair a race, and reads of values that are not there yet.
        if (one.is_barrier && !may_lack_barrier(failure.kind)) one.cost += 1;
    }
    std::ranges::stable_sort(changes, {}, &Change::cost);
    std::set<std::string> known = {program.text()};
    std::erase_if(changes, [&](const Change& one) {
        return !known.insert(make_change(one, program.text())).second;
    });
    return changes;
}

}  // namespace coalesce::changes
