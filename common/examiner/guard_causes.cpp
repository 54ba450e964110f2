#include "examiner/rules.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/line_rules.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// An index that a condition must compare with a bound.
struct NeededCheck {
    std::string index, bound;  ///< an index and its bound, for example "row + k" and "rows"
};

/// Returns the bound of the row or column that an access multiplies by `pitch`: the number of rows
/// or of columns.
std::string other_bound(const std::string& pitch, const Evidence& evidence) {
    if (pitch == "side") return "side";
    const bool is_stack = contains_word(evidence.source.text, "MATRIX_ROWS");
    if (pitch == "cols") return is_stack ? "MATRIX_ROWS" : "rows";
    return pitch == "rows" || pitch == "MATRIX_ROWS" ? "cols" : "";
}

/// Removes a trailing "+ 0" from an index. The first of several similar lines often has one.
std::string remove_zero(const std::string& index) {
    static const TextPattern zero_sum(R"(^(.*)\+\s*0$)");
    TextMatch match;
    return search(index, match, zero_sum) ? trimmed(match.str(1)) : index;
}

/// Returns the checks that an access needs, or nothing if its index has an unusual form.
std::vector<NeededCheck> list_needed_checks(const MatrixIndex& index, const Evidence& evidence) {
    const std::string bound = other_bound(index.pitch, evidence);
    const bool is_copy = evidence.exercise.task().kind == Produces::copy;
    const bool has_choice = index.text.find('?') != index.text.npos;
    if (index.pitch.empty() || bound.empty() || has_choice || (is_copy && index.pitch == "rows"))
        return {};
    return {{remove_zero(index.outer_term), bound}, {remove_zero(index.inner_term), index.pitch}};
}

/// Returns the first variable of an index, such as "row" of "row + k".
std::string first_word(const std::string& index) {
    const std::size_t begin = index.find_first_not_of(" (");
    std::size_t end = begin;
    while (end < index.size() &&
           (std::isalnum(static_cast<unsigned char>(index[end])) || index[end] == '_'))
        ++end;
    return begin == index.npos ? "" : index.substr(begin, end - begin);
}

bool is_strict(const ComparisonTerm& term, const Condition& condition) {
    return condition.is_exit ? term.op == ">=" : term.op == "<";
}

bool lets_bound_through(const ComparisonTerm& term, const Condition& condition) {
    return condition.is_exit ? term.op == ">" : term.op == "<=";
}

/// Looks for a condition that compares an index different from the one in the access.
LineMistake find_other_index(const std::vector<Condition>& conditions,
                             const NeededCheck& needed_checks) {
    LineMistake mistake;
    for (const Condition& condition : conditions) {
        for (const ComparisonTerm& term : condition.comparisons) {
            if (term.right_side != needed_checks.bound) continue;
            if (term.left_side == needed_checks.index) return {};
            const bool is_related = contains_word(term.left_side, first_word(needed_checks.index));
            if (!is_related || mistake.line > 0) continue;
            mistake = {.line = condition.line,
                       .sentence = "the condition compares " + add_backticks(term.left_side) +
                                   " with " + needed_checks.bound + ", but the access uses " +
                                   add_backticks(needed_checks.index) + ".",
                       .advice = "Before each access, compare the index of that access, " +
                                 add_backticks(needed_checks.index) + ", with " +
                                 needed_checks.bound + "."};
        }
    }
    return mistake;
}

/// Explains a return for threads whose old row and column are outside, although they get new ones
/// later. `names` are the row and the column.
LineMistake explain_early_return(const std::vector<Condition>& conditions,
                                 const Condition& condition, const std::string& names,
                                 int assignment_line) {
    const auto checks_new_values = [&](const Condition& other) {
        return other.line > assignment_line && other.comparisons.size() >= 2;
    };
    const auto check = std::ranges::find_if(conditions, checks_new_values);
    const std::string line = std::to_string(assignment_line);
    return {
        .line = condition.line,
        .sentence = "this return also stops threads that have an element to store: " + names +
                    " get new values on line " + line +
                    ", with which they may be inside of the matrix.",
        .advice = check == conditions.end()
                      ? "Check the new values instead: move the condition behind line " + line + "."
                      : "Remove this return: line " + std::to_string(check->line) +
                            " checks the new values."};
}

/// Looks for a condition whose two comparisons both refer to an element other than the accessed one.
LineMistake find_other_element(const std::vector<Condition>& conditions,
                               const std::vector<NeededCheck>& needed_checks,
                               const std::string& text, int line) {
    if (needed_checks[0].bound == needed_checks[1].bound) return {};
    for (const Condition& condition : conditions) {
        std::vector<const ComparisonTerm*> terms(2);
        for (const ComparisonTerm& term : condition.comparisons) {
            for (const std::size_t i : {0U, 1U}) {
                const bool has_bound = term.right_side == needed_checks[i].bound;
                if (has_bound && is_strict(term, condition)) terms[i] = &term;
            }
        }
        if (!terms[0] || !terms[1]) continue;
        const auto differs = [&](std::size_t i) {
            const auto compared =
                           IndexSum::parse(text, terms[i]->left_side, condition.comparison_line),
                       used = IndexSum::parse(text, needed_checks[i].index, line);
            return compared && used && !(*compared - *used).is_zero_with_constants(text);
        };
        if (!differs(0) || !differs(1)) continue;
        const auto list = [&](const auto& name) {
            return add_backticks(name(0)) + " and " + add_backticks(name(1));
        };
        const auto compared = [&](std::size_t i) { return terms[i]->left_side; };
        const auto used = [&](std::size_t i) { return needed_checks[i].index; };
        if (compared(0) == used(0) && compared(1) == used(1)) {
            const int assignment_line = find_assignment_line(text, first_word(used(0)), line);
            if (condition.returns && assignment_line > condition.line)
                return explain_early_return(conditions, condition, list(used), assignment_line);
            return {.line = condition.line,
                    .sentence = list(used) + " have got new values since this condition was " +
                                "computed on line " + std::to_string(condition.comparison_line) +
                                ".",
                    .advice = "Compute the condition again, from the new values."};
        }
        return {.line = condition.line,
                .sentence = "the condition compares " + list(compared) + ", but the access uses " +
                            list(used) + ".",
                .advice = "Check the element that is accessed: compare " + add_backticks(used(0)) +
                          " with " + needed_checks[0].bound + ", and " + add_backticks(used(1)) +
                          " with " + needed_checks[1].bound + "."};
    }
    return {};
}

/// Looks for a condition that compares an index with the bound of the other axis.
LineMistake find_exchanged_bound(const std::vector<Condition>& conditions,
                                 const std::vector<NeededCheck>& needed_checks) {
    if (needed_checks[0].bound == needed_checks[1].bound) return {};
    for (const Condition& condition : conditions) {
        for (const ComparisonTerm& term : condition.comparisons) {
            for (const bool uses_second : {false, true}) {
                const NeededCheck& own_check = needed_checks[uses_second ? 1 : 0];
                const NeededCheck& other_check = needed_checks[uses_second ? 0 : 1];
                const bool is_own_index = term.left_side == own_check.index ||
                                          term.left_side == first_word(own_check.index);
                if (!is_own_index || term.right_side != other_check.bound ||
                    term.left_side == other_check.index)
                    continue;
                return {.line = condition.line,
                        .sentence = "the condition compares " + add_backticks(term.left_side) +
                                    " with " + other_check.bound +
                                    ", but in this access the index counts up to " +
                                    own_check.bound + ".",
                        .advice = "Compare " + add_backticks(own_check.index) + " with " +
                                  own_check.bound + ", and " + add_backticks(other_check.index) +
                                  " with " + other_check.bound + "."};
            }
        }
    }
    return {};
}

LineMistake find_condition_without_effect(const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions) {
        if (!condition.is_empty) continue;
        return {.line = condition.line,
                .sentence = "a semicolon follows the condition, so the condition has no effect.",
                .advice = "Remove the semicolon between the condition and its body."};
    }
    return {};
}

/// Looks for || instead of && in a condition for an access, or for && instead of || in a condition
/// for a return.
LineMistake find_wrong_connective(const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions) {
        if (condition.comparisons.size() < 2) continue;
        const bool uses_or = condition.joins_with_or();
        const auto all_operators_begin_with = [&](char op) {
            return std::ranges::all_of(condition.comparisons, [&](const ComparisonTerm& term) {
                return term.op.starts_with(op);
            });
        };
        if (!condition.is_exit && uses_or && all_operators_begin_with('<')) {
            return {.line = condition.line,
                    .sentence = "|| lets a thread through if only one of the comparisons holds.",
                    .advice = "Both comparisons must hold: join them with &&."};
        }
        if (condition.is_exit && !uses_or && all_operators_begin_with('>')) {
            return {.line = condition.line,
                    .sentence =
                        "a thread returns here only if both comparisons hold, but it must return "
                        "if one of its indices is outside the matrix.",
                    .advice =
                        "Join the comparisons with ||, or put the access into a condition "
                        "with < and &&."};
        }
    }
    return {};
}

LineMistake find_bound_let_through(const std::vector<Condition>& conditions,
                                   const std::vector<NeededCheck>& needed_checks) {
    for (const Condition& condition : conditions) {
        for (const ComparisonTerm& term : condition.comparisons) {
            const bool has_size_bound = std::ranges::any_of(
                needed_checks,
                [&](const NeededCheck& check) { return term.right_side == check.bound; });
            if (!has_size_bound || !lets_bound_through(term, condition)) continue;
            return {
                .line = condition.line,
                .sentence = add_backticks(term.left_side + " " + term.op + " " + term.right_side) +
                            (condition.is_exit ? " keeps " : " lets ") + term.left_side + " = " +
                            term.right_side + (condition.is_exit ? "." : " through.") +
                            " The last index is " + term.right_side + " - 1.",
                .advice = std::string("Use ") + (condition.is_exit ? ">=" : "<") + "."};
        }
    }
    return {};
}

/// Looks for a row that is counted from the start of the stack, but compared with the number of rows
/// of one matrix.
LineMistake find_row_of_stack(const std::vector<Condition>& conditions, const std::string& text) {
    for (const Condition& condition : conditions) {
        for (const ComparisonTerm& term : condition.comparisons) {
            if (term.right_side != "MATRIX_ROWS" || !contains_word(text, "MATRIX_ROWS")) continue;
            const std::string value = expand(text, term.left_side, condition.line);
            if (value.find("blockIdx.z") == value.npos) continue;
            return {.line = condition.line,
                    .sentence = add_backticks(term.left_side) +
                                " counts the rows of the whole stack, but it is compared with "
                                "MATRIX_ROWS, the number of rows of one matrix: only the blocks of "
                                "the first matrix pass.",
                    .advice = "Compare the row within the block's own matrix with MATRIX_ROWS."};
        }
    }
    return {};
}

/// Looks for a bound that an index needs but that no condition mentions.
LineMistake find_missing_check(const std::vector<Condition>& conditions,
                               const std::vector<NeededCheck>& needed_checks, int line,
                               const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = find_innermost_loop(loops, line);
    const std::string around =
        code_on_line(text, line) + (loop ? code_on_line(text, loop->first_line) : "");
    if (around.find('?') != around.npos || around.find("min(") != around.npos) return {};
    const auto is_mentioned = [&](const NeededCheck& check) {
        return (loop && contains_word(code_on_line(text, loop->first_line), check.bound)) ||
               std::ranges::any_of(conditions, [&](const Condition& condition) {
                   return contains_word(condition.text, check.bound);
               });
    };
    // A condition without comparisons may use a variable that contains the result of a comparison.
    const bool is_known = std::ranges::none_of(
        conditions, [](const Condition& condition) { return condition.comparisons.empty(); });
    if (!is_known || needed_checks[0].bound == needed_checks[1].bound) return {};
    std::string missing_checks;
    for (const NeededCheck& check : needed_checks) {
        if (is_mentioned(check)) continue;
        missing_checks += (missing_checks.empty() ? "" : ", and ") + add_backticks(check.index) +
                          " with " + check.bound;
    }
    if (missing_checks.empty()) return {};
    return {.line = conditions.empty() ? line : conditions.back().line,
            .sentence = "nothing compares " + missing_checks + ".",
            .advice =
                "Where a tile extends beyond the matrix, some threads have no element and "
                "must do nothing. Compare " +
                missing_checks + " before this access."};
}

/// Looks for a condition that checks only the first element of a vector.
LineMistake find_check_of_first_element(const std::vector<Condition>& conditions, int line,
                                        const Evidence& evidence) {
    const std::string code = code_on_line(evidence.source.text, line);
    const int width = vector_width(code);
    if (width == 1) return {};
    for (const Condition& condition : conditions) {
        for (const ComparisonTerm& term : condition.comparisons) {
            const bool is_pointer = contains_word(code, term.left_side) &&
                                    code.find("+ " + term.left_side + ")") != code.npos;
            if (!is_strict(term, condition) || !is_pointer) continue;
            const std::string last_element = term.left_side + " + " + std::to_string(width - 1);
            return {
                .line = condition.line,
                .sentence = "the condition checks only the first element of this access, " +
                            add_backticks(term.left_side) + "; the last element is " +
                            add_backticks(last_element) + ".",
                .advice = "Compare the index of the last element, " + add_backticks(last_element) +
                          ", with " +
                          simplify_expression(expand(evidence.source.text, term.right_side, line)) +
                          ", and move the remaining elements one by one."};
        }
    }
    return {};
}

/// Returns the mistake in the conditions around an access that goes outside the matrix.
LineMistake find_passed_check(const std::string& matrix, int line, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const std::vector<Condition> conditions = find_conditions(text, line);
    if (auto mistake =
            first_mistake([&] { return find_condition_without_effect(conditions); },
                          [&] { return find_check_of_first_element(conditions, line, evidence); });
        mistake.line > 0)
        return mistake;
    const auto check_list = list_needed_checks(find_matrix_index(text, line, matrix), evidence);
    if (check_list.empty()) return {};
    return first_mistake(
        [&] { return find_wrong_connective(conditions); },
        [&] { return find_bound_let_through(conditions, check_list); },
        [&] { return find_exchanged_bound(conditions, check_list); },
        [&] { return find_other_element(conditions, check_list, text, line); },
        [&] { return find_other_index(conditions, check_list[0]); },
        [&] { return find_other_index(conditions, check_list[1]); },
        [&] { return find_missing_check(conditions, check_list, line, evidence); });
}

/// Parses a whole number. Returns -1 if the text is not a number.
int parse_number(const std::string& text) {
    const bool is_number =
        !text.empty() && text.size() < 5 &&
        std::ranges::all_of(text, [](unsigned char letter) { return std::isdigit(letter); });
    return is_number ? std::stoi(text) : -1;
}

/// Looks for a condition that also excludes threads whose elements are inside the matrix, such as
/// `row + 4 < rows` or `row < rows - 1`.
LineMistake find_margin(const std::vector<Condition>& conditions,
                        const std::vector<NeededCheck>& needed_checks, int width,
                        const std::string& text) {
    for (const Condition& condition : conditions) {
        for (const ComparisonTerm& term : condition.comparisons) {
            for (const NeededCheck& check : needed_checks) {
                // If an access uses `row + k`, the condition `row + TILE_DIM <= rows` excludes more
                // elements than `row + k < rows`.
                const bool uses_first_word =
                    !term.left_side.starts_with(check.index) &&
                    term.left_side.starts_with(first_word(check.index) + " + ");
                const std::string index_prefix =
                                      (uses_first_word ? first_word(check.index) : check.index) +
                                      " + ",
                                  bound_prefix = check.bound + " - ";
                int margin = -1;
                const bool is_inclusive = !condition.is_exit && term.op == "<=";
                if (term.right_side == check.bound && term.left_side.starts_with(index_prefix)) {
                    const auto added_constant =
                        constant_value(text, term.left_side.substr(index_prefix.size()));
                    margin = added_constant && *added_constant < 1000
                                 ? static_cast<int>(*added_constant) - is_inclusive
                                 : -1;
                }
                if (term.left_side == check.index && term.right_side.starts_with(bound_prefix))
                    margin = parse_number(term.right_side.substr(bound_prefix.size()));
                if (margin < width || !(is_strict(term, condition) || is_inclusive)) continue;
                return {
                    .line = condition.line,
                    .sentence =
                        add_backticks(term.left_side + " " + term.op + " " + term.right_side) +
                        " excludes threads whose elements are inside the matrix.",
                    .advice = "The last element that a thread takes must be below " + check.bound +
                              ": compare " +
                              add_backticks(check.index +
                                            (width > 1 ? " + " + std::to_string(width - 1) : "")) +
                              " with this bound."};
            }
        }
    }
    return {};
}

/// Looks for a condition that no thread meets, such as `row < rows` after `row = rows`.
LineMistake find_impossible_check(const std::vector<Condition>& conditions, const std::string& text,
                                  int line) {
    int candidates = 0;
    for (const Condition& condition : conditions) {
        for (const ComparisonTerm& term : condition.comparisons) {
            const bool is_size_bound = term.right_side == "rows" || term.right_side == "cols";
            if (condition.is_exit || condition.joins_with_or() || term.op != "<" ||
                !is_size_bound || ++candidates > kMaxCandidates)
                continue;
            const auto left_side = IndexSum::parse(text, term.left_side, line),
                       right_side = IndexSum::parse(text, term.right_side, line);
            const int assignment_line =
                find_assignment_line(text, first_word(term.left_side), line);
            if (!left_side || !right_side || assignment_line == 0 ||
                !(*left_side - *right_side).has_no_negative_term())
                continue;
            return {
                .line = assignment_line,
                .sentence = add_backticks(term.left_side) + " is never below " + term.right_side +
                            " with this value, so no thread passes the condition on line " +
                            std::to_string(condition.line) + ".",
                .advice =
                    "Compute the row or the column of this thread from blockIdx and threadIdx."};
        }
    }
    return {};
}

LineMistake find_inverted_return(const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions) {
        const bool is_inside =
            !condition.comparisons.empty() &&
            std::ranges::all_of(condition.comparisons, [](const ComparisonTerm& term) {
                return term.op == "<" && (term.right_side == "rows" || term.right_side == "cols" ||
                                          term.right_side == "side");
            });
        if (!condition.is_exit || !is_inside || condition.joins_with_or()) continue;
        return {.line = condition.line,
                .sentence = "threads whose element is inside the matrix return here.",
                .advice =
                    "Invert the condition: it must hold for threads outside of the "
                    "matrix."};
    }
    return {};
}

/// Looks for a return inside a loop, which also skips the thread's elements in later loops.
LineMistake find_return_in_loop(const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions) {
        if (!condition.returns || !condition.is_in_loop) continue;
        return {
            .line = condition.line,
            .sentence =
                "a thread returns here as soon as one of its elements is outside the matrix, "
                "and does not store its other elements.",
            .advice = "Skip only this element: put the access into a condition, without return."};
    }
    return {};
}

/// Looks for a return of threads that have nothing to load, although each thread stores a part of
/// the tile later in the kernel.
LineMistake find_return_of_helpers(const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions) {
        if (!condition.returns || condition.text.find("threadIdx") == std::string::npos) continue;
        return {.line = condition.line,
                .sentence =
                    "threads that have nothing to load return here, but they still have elements "
                    "to store further down.",
                .advice = "Put the condition around the loads alone, without return."};
    }
    return {};
}

/// Returns the line of the last access to `matrix` with an index of the form row * pitch + col, or
/// 0 if there is none.
int find_access_line(const std::string& text, const std::string& matrix) {
    int found_line = 0, number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        const bool has_access = line.find(matrix + "[") != line.npos;
        if (has_access && !find_matrix_index(text, number, matrix).pitch.empty())
            found_line = number;
    }
    return found_line;
}

/// Returns the mistake in the conditions around an access that some threads skip.
LineMistake find_strict_check(const std::string& matrix, int line, Fault fault,
                              const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const std::vector<Condition> conditions = find_conditions(text, line);
    if (auto mistake = first_mistake([&] { return find_inverted_return(conditions); },
                                     [&] { return find_impossible_check(conditions, text, line); });
        mistake.line > 0)
        return mistake;
    const auto check_list = list_needed_checks(find_matrix_index(text, line, matrix), evidence);
    if (!check_list.empty()) {
        const int width = vector_width(code_on_line(text, line));
        if (auto mistake = first_mistake(
                [&] { return find_margin(conditions, check_list, width, text); },
                [&] { return find_exchanged_bound(conditions, check_list); },
                [&] {
                    return fault == Fault::part_of_each_tile
                               ? LineMistake{}
                               : find_other_element(conditions, check_list, text, line);
                });
            mistake.line > 0)
            return mistake;
        // If each thread repeatedly stores to the same element, the mistake is in the index, not in
        // the condition.
        for (const NeededCheck& check : check_list) {
            if (fault == Fault::part_of_each_tile) break;
            if (auto mistake = find_other_index(conditions, check); mistake.line > 0)
                return mistake;
        }
    }
    return first_mistake([&] { return find_return_in_loop(conditions); },
                         [&] { return find_return_of_helpers(conditions); });
}

bool is_unwritten(Fault fault) {
    return fault == Fault::never_written || fault == Fault::ragged_edge_missed ||
           fault == Fault::grid_too_small || fault == Fault::bounds_exchanged ||
           fault == Fault::nothing_written || fault == Fault::part_of_each_tile;
}

/// Blames a condition for unwritten cells, or for a tile that was not filled.
void blame_strict_check(Failure& failure, const LineMistake& mistake) {
    failure.details = wrap(first_sentence(failure.headline + " ")) + failure.details;
    blame(failure, mistake);
}

}  // namespace

LineMistake find_check_of_other_element(const std::string& array, int line,
                                        const std::string& text) {
    const MatrixIndex index = find_matrix_index(text, line, array);
    if (index.pitch != "cols") return {};
    return find_other_element(
        find_conditions(text, line),
        {{remove_zero(index.outer_term), "rows"}, {remove_zero(index.inner_term), "cols"}}, text,
        line);
}

bool explain_by_conditions(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (failure.kind == FailureKind::no_bounds_check ||
        failure.kind == FailureKind::out_of_bounds) {
        const bool is_out = failure.details.find("of `in`") == std::string::npos;
        const LineMistake mistake =
            find_passed_check(matrix_name(is_out, evidence), failure.place.line, evidence);
        if (mistake.line == 0) return false;
        failure.kind = FailureKind::no_bounds_check;
        blame(failure, {mistake.line, "threads access memory out of bounds: " + mistake.sentence,
                        mistake.advice});
        return true;
    }
    if (failure.kind == FailureKind::wrong_result && is_unwritten(failure.fault)) {
        const int line = find_statement_line(text, trial.store_line);
        const std::string output_name = matrix_name(true, evidence);
        const auto mistake =
            find_strict_check(output_name, line > 0 ? line : find_access_line(text, output_name),
                              failure.fault, evidence);
        if (mistake.line > 0) blame_strict_check(failure, mistake);
        return mistake.line > 0;
    }
    if (failure.kind != FailureKind::uninitialised_shared) return false;
    const std::string input_name = matrix_name(false, evidence);
    const int access = find_access_line(text, input_name);
    LineMistake mistake = find_row_of_stack(find_conditions(text, access), text);
    if (mistake.line > 0) {
    } else if (evidence.was_correct_on_whole_tiles) {
        mistake = find_strict_check(input_name, access, Fault::none, evidence);
    } else {
        const auto check_list =
            list_needed_checks(find_matrix_index(text, access, input_name), evidence);
        mistake = find_margin(find_conditions(text, access), check_list,
                              vector_width(code_on_line(text, access)), text);
    }
    if (mistake.line > 0) blame_strict_check(failure, mistake);
    return mistake.line > 0;
}

}  // namespace coalesce
