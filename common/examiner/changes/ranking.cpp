#include "examiner/changes/ranking.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "examiner/changes/generators.h"

namespace coalesce::changes {
namespace {

/// The extra cost of a change in a line that the failure does not refer to.
constexpr double kCostOfDefinition = 0.25, kCostOfOtherLine = 0.6;
/// The extra cost for each further step, from lines to the lines that set their variables.
constexpr double kCostOfStep = 0.1;
/// The extra cost of a change in a line that the learner has not written.
constexpr double kCostOfGivenLine = 1.2;

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

/// Reports whether the failure is that elements were not written. Then the launch may be too small.
bool is_unwritten(const Failure& failure) {
    return failure.fault == Fault::never_written || failure.fault == Fault::grid_too_small ||
           failure.fault == Fault::part_of_each_tile || failure.fault == Fault::tile_not_moved ||
           failure.headline.find("never written") != std::string::npos;
}

/// Returns the extra cost of each line that is near the failure. All other lines have the cost
/// kCostOfOtherLine.
std::map<int, double> costs_of_lines(const Program& program, const Failure& failure) {
    std::map<int, double> costs;
    if (failure.place.line == 0) return costs;
    const auto add = [&](const std::set<int>& lines, double cost) {
        std::set<int> added;
        for (const int line : lines) {
            if (costs.try_emplace(line, cost).second) added.insert(line);
        }
        return added;
    };
    std::set<int> lines = add(lines_of_statement(program, failure.place.line), 0);
    for (double cost = kCostOfDefinition; cost < kCostOfOtherLine && !lines.empty();
         cost += kCostOfStep) {
        std::set<int> next = defining_lines(program, lines);
        next.merge(lines_around(program, lines));
        lines = add(next, cost);
    }
    if (!is_unwritten(failure)) return costs;
    for (std::size_t i = 0; i < program.tokens().size(); ++i) {
        if (program.is_in_configure(i)) add({program.token(i).line}, kCostOfDefinition);
    }
    return costs;
}

/// Reports whether a change replaces text in a line that the learner has not written.
bool changes_given_line(const Change& change, const std::set<int>& given_lines,
                        const std::string& text) {
    if (given_lines.empty()) return false;
    return std::ranges::any_of(change.edits, [&](const Edit& edit) {
        const auto line =
            1 + std::count(text.begin(), text.begin() + static_cast<long>(edit.begin), '\n');
        return edit.begin < edit.end && given_lines.contains(static_cast<int>(line));
    });
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

std::set<int> find_given_lines(const std::string& text, const std::vector<std::string>& given) {
    std::vector<std::string> lines = lines_of(text);
    std::vector<std::string> others = given;
    for (std::vector<std::string>* list : {&lines, &others}) {
        for (std::string& line : *list) line = in_one_line(line);
    }
    // common[i][j] is the number of lines that the rest of both texts, from lines i and j on, have
    // in common in the same order.
    std::vector<std::vector<int>> common(lines.size() + 1, std::vector<int>(others.size() + 1));
    for (std::size_t i = lines.size(); i-- > 0;) {
        for (std::size_t j = others.size(); j-- > 0;) {
            common[i][j] = lines[i] == others[j] ? 1 + common[i + 1][j + 1]
                                                 : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::set<int> found;
    for (std::size_t i = 0, j = 0; i < lines.size() && j < others.size();) {
        if (lines[i] == others[j]) {
            found.insert(static_cast<int>(++i));
            ++j;
        } else if (common[i + 1][j] >= common[i][j + 1]) {
            ++i;
        } else {
            ++j;
        }
    }
    return found;
}

std::vector<Change> list_changes(const Program& program, const Failure& failure,
                                 const std::set<int>& given_lines) {
    ChangeList list(program);
    for (const auto generate :
         {list_name_changes, list_swaps, list_operator_changes, list_function_changes,
          list_term_changes, list_loop_changes, list_guard_changes, list_moves, list_barriers,
          list_store_changes, list_expression_changes, list_launch_changes}) {
        generate(list);
    }
    std::vector<Change> changes = list.take();
    const std::map<int, double> costs = costs_of_lines(program, failure);
    for (Change& one : changes) {
        const auto known = costs.find(one.line);
        one.cost += known == costs.end() ? kCostOfOtherLine : known->second;
        if (changes_given_line(one, given_lines, program.text())) one.cost += kCostOfGivenLine;
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
