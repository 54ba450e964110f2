#include "examiner/line_rules.h"

#include <algorithm>

#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

std::string quote_comparison(const ComparisonTerm& term) {
    return add_backticks(term.left_side + " " + term.op + " " + term.right_side);
}

/// Reports whether both sides of a comparison vary between the threads of a block or between the
/// iterations of a loop.
bool varies_in_block(const ComparisonTerm& term, const std::string& text,
                     const std::vector<Loop>& loops, int line) {
    const auto varies = [&](const std::string& expression) {
        const std::string expanded_index = expand(text, expression, line);
        return expanded_index.find("threadIdx") != expanded_index.npos ||
               std::ranges::any_of(loops, [&](const Loop& loop) {
                   return !loop.counter.empty() && contains_word(expanded_index, loop.counter);
               });
    };
    return varies(term.left_side) && varies(term.right_side);
}

/// Looks for a return, before a barrier, whose condition depends on thread indices although it
/// should depend only on block indices.
LineMistake find_return_by_thread(const std::string& text, int barrier_line) {
    const std::vector<Loop> loops = find_loops(text);
    int candidates = 0;
    for (const Condition& condition : find_conditions(text, barrier_line)) {
        if (!condition.returns) continue;
        for (const ComparisonTerm& term : condition.comparisons) {
            if (++candidates > kMaxCandidates ||
                !varies_in_block(term, text, loops, condition.line))
                continue;
            return {condition.line,
                    quote_comparison(term) +
                        " compares the threads of a block with each other, so that only some of "
                        "them return. A pair of tiles belongs to a whole block.",
                    "Decide by the block alone: compare blockIdx.y with blockIdx.x."};
        }
    }
    return {};
}

/// Looks for an access under a condition that compares a block's index with a thread's index.
LineMistake find_block_compared_with_thread(const std::string& text) {
    static const TextPattern access(R"(\bdata\s*\[)");
    const std::string code = code_for_search(text);
    const auto names_only = [](const std::string& expression, const char* word,
                               const char* excluded_word) {
        return expression.find(word) != expression.npos &&
               expression.find(excluded_word) == expression.npos;
    };
    for (const TextMatch& match : find_matches(code, access)) {
        for (const Condition& condition : find_conditions(text, line_of_match(code, match))) {
            for (const ComparisonTerm& term : condition.comparisons) {
                const bool is_mixed = (names_only(term.left_side, "blockIdx", "threadIdx") &&
                                       names_only(term.right_side, "threadIdx", "blockIdx")) ||
                                      (names_only(term.left_side, "threadIdx", "blockIdx") &&
                                       names_only(term.right_side, "blockIdx", "threadIdx"));
                if (!is_mixed) continue;
                return {condition.line,
                        quote_comparison(term) +
                            " compares the index of a block with that of a thread.",
                        "Where row and col are equal, both tiles of a pair are the same tile: "
                        "compare row with col."};
            }
        }
    }
    return {};
}

/// Looks for a condition that checks the row and the column of the other tile of a pair.
LineMistake find_exchanged_guard(const std::string& text, int line) {
    const MatrixIndex index = find_matrix_index(text, line, "data");
    const auto row = IndexSum::parse(text, index.outer_term, line),
               col = IndexSum::parse(text, index.inner_term, line);
    if (index.pitch.empty() || !row || !col) return {};
    std::vector<ComparisonTerm> checks;
    int at = 0;
    for (const Condition& condition : find_conditions(text, line)) {
        for (const ComparisonTerm& term : condition.comparisons) {
            if (condition.is_exit || term.op != "<" || term.right_side != index.pitch) continue;
            checks.push_back(term);
            at = condition.line;
        }
    }
    if (checks.size() != 2) return {};
    const auto first_sum = IndexSum::parse(text, checks[0].left_side, line),
               second_sum = IndexSum::parse(text, checks[1].left_side, line);
    if (!first_sum || !second_sum) return {};
    const bool is_right =
        (*first_sum == *row && *second_sum == *col) || (*first_sum == *col && *second_sum == *row);
    if (is_right || !(*first_sum + *second_sum == *row + *col)) return {};
    return {at,
            "the condition checks " + add_backticks(checks[0].left_side) + " and " +
                add_backticks(checks[1].left_side) + ", but the access uses row " +
                add_backticks(index.outer_term) + " and column " + add_backticks(index.inner_term) +
                ".",
            "Check the row and the column of this access: the other tile of the pair may end at a "
            "different row or column."};
}

}  // namespace

LineMistake find_compared_elements(const std::string& text) {
    static const TextPattern store(R"(\bdata\s*\[[^;]*\]\s*=[^=])");
    const std::string code = code_for_search(text);
    const std::vector<Loop> loops = find_loops(text);
    int candidates = 0;
    for (const TextMatch& match : find_matches(code, store)) {
        for (const Condition& condition : find_conditions(text, line_of_match(code, match))) {
            for (const ComparisonTerm& term : condition.comparisons) {
                if (condition.is_exit || term.op != "!=" || ++candidates > kMaxCandidates ||
                    !varies_in_block(term, text, loops, condition.line))
                    continue;
                return {condition.line,
                        quote_comparison(term) +
                            " compares single elements. A tile on the diagonal is both tiles of "
                            "its pair, and nearly all of its elements are stored twice.",
                        "Compare the tiles, not the elements: skip the second store where "
                        "both tiles begin at the same row and column."};
            }
        }
    }
    return {};
}

LineMistake find_pair_mistake(const Failure& failure, const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    if (!evidence.exercise.task().in_place) return {};
    if (failure.kind == FailureKind::divergent_barrier)
        return find_return_by_thread(text, failure.place.line);
    if (failure.kind == FailureKind::uninitialised_shared)
        return find_exchanged_guard(text, failure.place.line);
    return failure.kind == FailureKind::wrong_result ? find_block_compared_with_thread(text)
                                                     : LineMistake{};
}

}  // namespace coalesce
