#include "examiner/line_rules.h"

#include <algorithm>

#include "examiner/expressions.h"
#include "examiner/index_sums.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

std::string comparison_in_backticks(const ComparisonTerm& term) {
    return in_backticks(term.left + " " + term.op + " " + term.right);
}

/// Reports whether both sides of a comparison vary between the threads of a block or between the
/// iterations of a loop.
bool varies_in_block(const ComparisonTerm& term, const std::string& text,
                     const std::vector<Loop>& loops, int line) {
    const auto varies = [&](const std::string& side) {
        const std::string expanded = expand(text, side, line);
        return expanded.find("threadIdx") != expanded.npos ||
               std::ranges::any_of(loops, [&](const Loop& loop) {
                   return !loop.counter.empty() && contains_word(expanded, loop.counter);
               });
    };
    return varies(term.left) && varies(term.right);
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
                    comparison_in_backticks(term) +
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
    const auto is_of = [](const std::string& side, const char* word, const char* other) {
        return side.find(word) != side.npos && side.find(other) == side.npos;
    };
    for (const TextMatch& one : find_matches(code, access)) {
        for (const Condition& condition : find_conditions(text, line_of(code, one))) {
            for (const ComparisonTerm& term : condition.comparisons) {
                const bool is_mixed = (is_of(term.left, "blockIdx", "threadIdx") &&
                                       is_of(term.right, "threadIdx", "blockIdx")) ||
                                      (is_of(term.left, "threadIdx", "blockIdx") &&
                                       is_of(term.right, "blockIdx", "threadIdx"));
                if (!is_mixed) continue;
                return {condition.line,
                        comparison_in_backticks(term) +
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
    const auto row = IndexSum::parse(text, index.outer, line),
               col = IndexSum::parse(text, index.inner, line);
    if (index.pitch.empty() || !row || !col) return {};
    std::vector<ComparisonTerm> checks;
    int at = 0;
    for (const Condition& condition : find_conditions(text, line)) {
        for (const ComparisonTerm& term : condition.comparisons) {
            if (condition.is_exit || term.op != "<" || term.right != index.pitch) continue;
            checks.push_back(term);
            at = condition.line;
        }
    }
    if (checks.size() != 2) return {};
    const auto first = IndexSum::parse(text, checks[0].left, line),
               second = IndexSum::parse(text, checks[1].left, line);
    if (!first || !second) return {};
    const bool is_right =
        (*first == *row && *second == *col) || (*first == *col && *second == *row);
    if (is_right || !(*first + *second == *row + *col)) return {};
    return {at,
            "the condition checks " + in_backticks(checks[0].left) + " and " +
                in_backticks(checks[1].left) + ", but the access uses row " +
                in_backticks(index.outer) + " and column " + in_backticks(index.inner) + ".",
            "Check the row and the column of this access: the other tile of the pair may end at a "
            "different row or column."};
}

}  // namespace

LineMistake find_compared_elements(const std::string& text) {
    static const TextPattern store(R"(\bdata\s*\[[^;]*\]\s*=[^=])");
    const std::string code = code_for_search(text);
    const std::vector<Loop> loops = find_loops(text);
    int candidates = 0;
    for (const TextMatch& one : find_matches(code, store)) {
        for (const Condition& condition : find_conditions(text, line_of(code, one))) {
            for (const ComparisonTerm& term : condition.comparisons) {
                if (condition.is_exit || term.op != "!=" || ++candidates > kMaxCandidates ||
                    !varies_in_block(term, text, loops, condition.line))
                    continue;
                return {condition.line,
                        comparison_in_backticks(term) +
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
