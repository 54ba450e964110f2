#include "examiner/line_rules.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/index_rules.h"
#include "examiner/index_sums.h"
#include "examiner/matches.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

std::string on_lines(int one, int other) {
    const auto [first, last] = std::minmax(one, other);
    return first == last ? "line " + std::to_string(first)
                         : "lines " + std::to_string(first) + " and " + std::to_string(last);
}

/// Looks for an index of one matrix that is divided by the row length of the other matrix.
LineMistake find_wrong_divisor(const std::string& text) {
    static const TextPattern whole(R"(\b(in|out)\s*\[\s*(\w+)\s*\])");
    const std::string code = code_for_search(text);
    for (const TextMatch& one : find_matches(code, whole)) {
        const std::string matrix = one.str(1), name = one.str(2);
        const std::string right = matrix == "in" ? "cols" : "rows",
                          wrong = matrix == "in" ? "rows" : "cols";
        const TextPattern division("\\b" + name + "\\s*[/%]\\s*" + wrong + "\\b");
        const TextPattern other("\\b" + std::string(matrix == "in" ? "out" : "in") + "\\s*\\[\\s*" +
                                name + "\\s*\\]");
        TextMatch found;
        if (contains(code, other) || !search(code, found, division)) continue;
        return {line_of(code, found),
                in_backticks(name) + " is an index of " + in_backticks(matrix) + " (line " +
                    std::to_string(line_of(code, one)) + "), whose rows have " + right +
                    " elements, but here it is divided by " + wrong + ".",
                "Divide by " + right + ": the quotient is then the row of " + in_backticks(matrix) +
                    ", and the remainder its column."};
    }
    return {};
}

/// A variable that is set before the barrier, and again after it.
struct RepeatedSetting {
    std::string name = {}, before = {}, after = {};
    int line_before = 0, line_after = 0;
    bool is_good() const { return line_before > 0 && line_after > line_before; }
};

RepeatedSetting find_settings(const std::string& text, const std::string& index, int barrier,
                              int store) {
    static const TextPattern word(R"(^\s*([a-z]\w*))");
    TextMatch found;
    if (!search(index, found, word)) return {};
    RepeatedSetting setting{.name = found.str(1)};
    setting.before = assigned_value(text, setting.name, barrier);
    setting.line_before = find_assignment_line(text, setting.name, barrier);
    setting.after = assigned_value(text, setting.name, store);
    setting.line_after = find_assignment_line(text, setting.name, store);
    if (setting.line_after <= barrier) setting.line_after = 0;
    return setting;
}

/// Returns the axis of blockIdx and the axis of threadIdx on which a coordinate depends, such as
/// "yx" for `blockIdx.y * TILE_DIM + threadIdx.x`. Returns "" unless the coordinate depends on
/// exactly one axis of each.
std::string axes_of(const std::string& value) {
    static const TextPattern index(R"(\b(blockIdx|threadIdx)\.([xy]))");
    std::string block, thread;
    for (const TextMatch& one : find_matches(value, index))
        (one.str(1) == "blockIdx" ? block : thread) += one.str(2);
    return block.size() == 1 && thread.size() == 1 ? block + thread : "";
}

/// Looks for coordinates that the kernel computes again after the barrier. They either get the same
/// values as before, or are exchanged although the store also exchanges them.
LineMistake find_wrong_coordinates(const Failure& failure, const std::string& text, int store) {
    static const TextPattern barrier(R"(\b__syncthreads\s*\()");
    const int line = find_line_in_kernel(text, barrier);
    const MatrixIndex index = find_matrix_index(text, store, "out");
    if (line == 0 || store <= line || index.pitch.empty()) return {};
    const RepeatedSetting one = find_settings(text, index.outer, line, store),
                          two = find_settings(text, index.inner, line, store);
    if (!one.is_good() || !two.is_good() || one.name == two.name) return {};
    const std::string both = in_backticks(one.name) + " and " + in_backticks(two.name);
    const auto is_same = [&](const RepeatedSetting& setting) {
        const auto before = IndexSum::parse(text, setting.before, setting.line_before),
                   after = IndexSum::parse(text, setting.after, setting.line_after);
        return before && after && *before == *after;
    };
    if (failure.fault == Fault::tile_not_transposed && is_same(one) && is_same(two)) {
        return {std::min(one.line_after, two.line_after),
                both + " get the same values on " + on_lines(one.line_after, two.line_after) +
                    " as before the barrier, but after the barrier this thread takes a different "
                    "element out of the tile.",
                "Swap threadIdx.x and threadIdx.y where " + both +
                    " are computed again: they must refer to the element that is taken out of the "
                    "tile."};
    }
    const std::string outer = axes_of(one.after), inner = axes_of(two.after),
                      old_outer = axes_of(one.before), old_inner = axes_of(two.before);
    if (outer.empty() || inner.empty() || old_outer.empty() || old_inner.empty()) return {};
    const bool is_exchanged = outer[0] == old_inner[0] && inner[0] == old_outer[0] &&
                              outer[0] != inner[0] && outer[1] == old_outer[1] &&
                              inner[1] == old_inner[1];
    if (failure.fault != Fault::indices_not_swapped || !is_exchanged) return {};
    return {store,
            both + " (" + on_lines(one.line_after, two.line_after) +
                ") are already the column and the row of `out`, because blockIdx.x and blockIdx.y "
                "are swapped there: this index swaps them once more.",
            "Swap the two only once: store to row " + in_backticks(two.name) + " and column " +
                in_backticks(one.name) + " of `out`, or compute the column and the row of `in`."};
}

/// Looks for a loop counter over a vector's elements that is added to the wrong coordinate: the one
/// along which threads are neighbours, instead of the one along which the vector lies.
LineMistake find_component_on_other_axis(const std::string& text) {
    const std::vector<std::string> lines = lines_of(code_for_search(text));
    const std::vector<Loop> loops = find_loops(text);
    int candidates = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = static_cast<int>(i) + 1;
        if (lines[i].find("out[") == std::string::npos) continue;
        const MatrixIndex index = find_matrix_index(text, line, "out");
        const bool has_counter = std::ranges::any_of(loops, [&](const Loop& loop) {
            return !loop.counter.empty() && contains_word(index.outer, loop.counter);
        });
        if (!has_counter || ++candidates > kMaxCandidates) continue;
        const auto outer = IndexSum::parse(text, index.outer, line),
                   inner = IndexSum::parse(text, index.inner, line);
        if (index.pitch.empty() || !outer || !inner) continue;
        for (const Loop& loop : loops) {
            if (line < loop.first_line || line > loop.last_line ||
                outer->factor_of(loop.counter) != 1)
                continue;
            const std::set<long long> values = values_of_index(text, loop.counter, line);
            const auto width = static_cast<long long>(values.size());
            if ((width != 2 && width != 4) || *values.begin() != 0 || *values.rbegin() != width - 1)
                continue;
            const auto is_spread = [&](const IndexSum& sum, long long factor) {
                return sum.factor_of("threadIdx.x") == factor ||
                       sum.factor_of("threadIdx.y") == factor;
            };
            if (inner->factor_of(loop.counter) != 0 || !is_spread(*outer, 1) ||
                !is_spread(*inner, width))
                continue;
            return {line,
                    "the " + std::to_string(width) + " elements of a thread lie along " +
                        in_backticks(index.inner) + ", which grows by " + std::to_string(width) +
                        " from thread to thread, but " + in_backticks(loop.counter) +
                        " is added to " + in_backticks(index.outer) +
                        ", along which the next element belongs to the next thread.",
                    "Add " + in_backticks(loop.counter) + " to " + in_backticks(index.inner) +
                        ", and likewise in the index of the tile."};
        }
    }
    return {};
}

/// Looks for an access whose index does not depend on the block, so that every block processes the
/// first tile.
LineMistake find_index_without_block(const std::string& text) {
    static const TextPattern access(R"(\b(in|out)\s*\[)");
    const std::string code = code_for_search(text);
    int candidates = 0;
    for (const TextMatch& one : find_matches(code, access)) {
        if (++candidates > kMaxCandidates) break;
        const std::size_t open = match_end(one) - 1;
        const int line = line_of(code, one);
        const std::string index =
            code.substr(open + 1, find_closing_bracket(code, open) - open - 1);
        const std::string expanded = expand(text, index, line);
        if (expanded.find("blockIdx") != expanded.npos ||
            expanded.find("threadIdx") == expanded.npos)
            continue;
        return {line,
                "the index of " + in_backticks(one.str(1)) +
                    " does not depend on blockIdx here: every block accesses the first tile.",
                "Add the position of the block's tile, which depends on blockIdx."};
    }
    return {};
}

}  // namespace

LineMistake find_loop_over_matrix(const std::string& text, int line) {
    static const TextPattern head(R"(\(\s*int\s+(\w+)\s*=\s*0\s*;\s*\w+\s*<\s*(rows|cols)\s*;\s*)"
                                  R"((?:\+\+\s*\w+|\w+\s*\+\+|\w+\s*\+=\s*1)\s*\))");
    static const TextPattern variable(R"(\bint\s+(\w+)\s*=[^;]*(threadIdx\.[xy])[^;]*;)");
    const std::vector<Loop> loops = find_loops(text);
    const Loop* loop = innermost_loop(loops, line);
    const MatrixIndex index = find_matrix_index(text, line, "out");
    TextMatch found;
    const std::string header = loop ? code_on_line(text, loop->first_line) : "";
    if (!search(header, found, head) || !contains_word(index.text, found.str(1))) return {};
    const std::string counter = found.str(1), bound = found.str(2);
    const std::string expanded = expand(text, index.text, line);
    const std::string code = code_for_search(text);
    for (const TextMatch& one : find_matches(code, variable)) {
        const bool is_used =
            contains_word(index.text, one.str(1)) || expanded.find(one.str(2)) != expanded.npos;
        if (is_used || expanded.find("threadIdx") == expanded.npos) continue;
        return {loop->first_line,
                "this loop makes each thread process all " + bound +
                    ", so all threads that differ only in " + one.str(2) +
                    " store the same elements.",
                "Remove the loop, and use " + in_backticks(one.str(1)) + " (line " +
                    std::to_string(line_of(code, one)) + ") in place of " + in_backticks(counter) +
                    ": each thread has only one element."};
    }
    return {};
}

LineMistake find_coordinate_mistake(const Failure& failure, const Trial& trial,
                                    const Evidence& evidence) {
    const std::string& text = evidence.source.text;
    const Produces task = evidence.exercise.task();
    if (task.in_place || (task.kind != Produces::transpose && task.kind != Produces::copy))
        return {};
    const int store =
        find_statement_line(text, trial.store_line > 0 ? trial.store_line : failure.place.line);
    const bool is_transpose = task.kind == Produces::transpose;
    if (failure.kind == FailureKind::race_between_blocks)
        return find_loop_over_matrix(text, failure.place.line);
    const bool is_outside =
        failure.kind == FailureKind::no_bounds_check || failure.kind == FailureKind::out_of_bounds;
    if (failure.kind != FailureKind::wrong_result && !is_outside) return {};
    if (failure.fault == Fault::tile_repeated) return find_index_without_block(text);
    if (!is_transpose) return {};
    return first_mistake([&] { return find_wrong_divisor(text); },
                         [&] { return find_wrong_coordinates(failure, text, store); },
                         [&] { return find_component_on_other_axis(text); });
}

}  // namespace coalesce
