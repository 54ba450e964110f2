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

std::string format_line_numbers(int left_line, int right_line) {
    const auto [first_line, last_line] = std::minmax(left_line, right_line);
    return first_line == last_line
               ? "line " + std::to_string(first_line)
               : "lines " + std::to_string(first_line) + " and " + std::to_string(last_line);
}

/// Looks for an index of one matrix that is divided by the row length of the other matrix.
LineMistake find_wrong_divisor(const std::string& text) {
    static const TextPattern index_access(R"(\b(in|out)\s*\[\s*(\w+)\s*\])");
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, index_access)) {
        const std::string matrix = match.str(1), name = match.str(2);
        const std::string correct_size = matrix == "in" ? "cols" : "rows",
                          wrong_size = matrix == "in" ? "rows" : "cols";
        const TextPattern division("\\b" + name + "\\s*[/%]\\s*" + wrong_size + "\\b");
        const TextPattern other_access("\\b" + std::string(matrix == "in" ? "out" : "in") +
                                       "\\s*\\[\\s*" + name + "\\s*\\]");
        TextMatch inner_match;
        if (contains(code, other_access) || !search(code, inner_match, division)) continue;
        return {line_of_match(code, inner_match),
                add_backticks(name) + " is an index of " + add_backticks(matrix) + " (line " +
                    std::to_string(line_of_match(code, match)) + "), whose rows have " +
                    correct_size + " elements, but here it is divided by " + wrong_size + ".",
                "Divide by " + correct_size + ": the quotient is then the row of " +
                    add_backticks(matrix) + ", and the remainder its column."};
    }
    return {};
}

/// A variable that is set before the barrier, and again after it.
struct RepeatedSetting {
    std::string name = {}, value_before = {}, value_after = {};
    int line_before = 0, line_after = 0;
    bool is_good() const { return line_before > 0 && line_after > line_before; }
};

RepeatedSetting find_settings(const std::string& text, const std::string& index, int barrier,
                              int store) {
    static const TextPattern word(R"(^\s*([a-z]\w*))");
    TextMatch match;
    if (!search(index, match, word)) return {};
    RepeatedSetting setting{.name = match.str(1)};
    setting.value_before = assigned_value(text, setting.name, barrier);
    setting.line_before = find_assignment_line(text, setting.name, barrier);
    setting.value_after = assigned_value(text, setting.name, store);
    setting.line_after = find_assignment_line(text, setting.name, store);
    if (setting.line_after <= barrier) setting.line_after = 0;
    return setting;
}

/// Returns the axis of blockIdx and the axis of threadIdx on which a coordinate depends, such as
/// "yx" for `blockIdx.y * TILE_DIM + threadIdx.x`. Returns "" unless the coordinate depends on
/// exactly one axis of each.
std::string list_axes(const std::string& value) {
    static const TextPattern index(R"(\b(blockIdx|threadIdx)\.([xy]))");
    std::string block, thread;
    for (const TextMatch& match : find_matches(value, index))
        (match.str(1) == "blockIdx" ? block : thread) += match.str(2);
    return block.size() == 1 && thread.size() == 1 ? block + thread : "";
}

/// Looks for coordinates that the kernel computes again after the barrier. They either get the same
/// values as before, or are exchanged although the store also exchanges them.
LineMistake find_wrong_coordinates(const Failure& failure, const std::string& text, int store) {
    static const TextPattern barrier(R"(\b__syncthreads\s*\()");
    const int line = find_line_in_kernel(text, barrier);
    const MatrixIndex index = find_matrix_index(text, store, "out");
    if (line == 0 || store <= line || index.pitch.empty()) return {};
    const RepeatedSetting outer_setting = find_settings(text, index.outer_term, line, store),
                          inner_setting = find_settings(text, index.inner_term, line, store);
    if (!outer_setting.is_good() || !inner_setting.is_good() ||
        outer_setting.name == inner_setting.name)
        return {};
    const std::string names_text =
        add_backticks(outer_setting.name) + " and " + add_backticks(inner_setting.name);
    const auto is_same_setting = [&](const RepeatedSetting& setting) {
        const auto value_before = IndexSum::parse(text, setting.value_before, setting.line_before),
                   value_after = IndexSum::parse(text, setting.value_after, setting.line_after);
        return value_before && value_after && *value_before == *value_after;
    };
    if (failure.fault == Fault::tile_not_transposed && is_same_setting(outer_setting) &&
        is_same_setting(inner_setting)) {
        return {std::min(outer_setting.line_after, inner_setting.line_after),
                names_text + " get the same values on " +
                    format_line_numbers(outer_setting.line_after, inner_setting.line_after) +
                    " as before the barrier, but after the barrier this thread takes a different "
                    "element out of the tile.",
                "Swap threadIdx.x and threadIdx.y where " + names_text +
                    " are computed again: they must refer to the element that is taken out of the "
                    "tile."};
    }
    const std::string outer_axes = list_axes(outer_setting.value_after),
                      inner_axes = list_axes(inner_setting.value_after),
                      old_outer_axes = list_axes(outer_setting.value_before),
                      old_inner_axes = list_axes(inner_setting.value_before);
    if (outer_axes.empty() || inner_axes.empty() || old_outer_axes.empty() ||
        old_inner_axes.empty())
        return {};
    const bool is_exchanged =
        outer_axes[0] == old_inner_axes[0] && inner_axes[0] == old_outer_axes[0] &&
        outer_axes[0] != inner_axes[0] && outer_axes[1] == old_outer_axes[1] &&
        inner_axes[1] == old_inner_axes[1];
    if (failure.fault != Fault::indices_not_swapped || !is_exchanged) return {};
    return {store,
            names_text + " (" +
                format_line_numbers(outer_setting.line_after, inner_setting.line_after) +
                ") are already the column and the row of `out`, because blockIdx.x and blockIdx.y "
                "are swapped there: this index swaps them once more.",
            "Swap the two only once: store to row " + add_backticks(inner_setting.name) +
                " and column " + add_backticks(outer_setting.name) +
                " of `out`, or compute the column and the row of `in`."};
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
            return !loop.counter.empty() && contains_word(index.outer_term, loop.counter);
        });
        if (!has_counter || ++candidates > kMaxCandidates) continue;
        const auto outer_term = IndexSum::parse(text, index.outer_term, line),
                   inner_term = IndexSum::parse(text, index.inner_term, line);
        if (index.pitch.empty() || !outer_term || !inner_term) continue;
        for (const Loop& loop : loops) {
            if (line < loop.first_line || line > loop.last_line ||
                outer_term->factor_of(loop.counter) != 1)
                continue;
            const std::set<long long> values = values_of_index(text, loop.counter, line);
            const auto width = static_cast<long long>(values.size());
            if ((width != 2 && width != 4) || *values.begin() != 0 || *values.rbegin() != width - 1)
                continue;
            const auto is_spread = [&](const IndexSum& sum, long long factor) {
                return sum.factor_of("threadIdx.x") == factor ||
                       sum.factor_of("threadIdx.y") == factor;
            };
            if (inner_term->factor_of(loop.counter) != 0 || !is_spread(*outer_term, 1) ||
                !is_spread(*inner_term, width))
                continue;
            return {
                line,
                "the " + std::to_string(width) + " elements of a thread lie along " +
                    add_backticks(index.inner_term) + ", which grows by " + std::to_string(width) +
                    " from thread to thread, but " + add_backticks(loop.counter) + " is added to " +
                    add_backticks(index.outer_term) +
                    ", along which the next element belongs to the next thread.",
                "Add " + add_backticks(loop.counter) + " to " + add_backticks(index.inner_term) +
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
    for (const TextMatch& match : find_matches(code, access)) {
        if (++candidates > kMaxCandidates) break;
        const std::size_t opening_position = match_end(match) - 1;
        const int line = line_of_match(code, match);
        const std::string index =
            code.substr(opening_position + 1,
                        find_closing_bracket(code, opening_position) - opening_position - 1);
        const std::string expanded_index = expand(text, index, line);
        if (expanded_index.find("blockIdx") != expanded_index.npos ||
            expanded_index.find("threadIdx") == expanded_index.npos)
            continue;
        return {line,
                "the index of " + add_backticks(match.str(1)) +
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
    const Loop* loop = find_innermost_loop(loops, line);
    const MatrixIndex index = find_matrix_index(text, line, "out");
    TextMatch inner_match;
    const std::string header = loop ? code_on_line(text, loop->first_line) : "";
    if (!search(header, inner_match, head) || !contains_word(index.text, inner_match.str(1)))
        return {};
    const std::string counter = inner_match.str(1), bound = inner_match.str(2);
    const std::string expanded_index = expand(text, index.text, line);
    const std::string code = code_for_search(text);
    for (const TextMatch& match : find_matches(code, variable)) {
        const bool is_used = contains_word(index.text, match.str(1)) ||
                             expanded_index.find(match.str(2)) != expanded_index.npos;
        if (is_used || expanded_index.find("threadIdx") == expanded_index.npos) continue;
        return {loop->first_line,
                "this loop makes each thread process all " + bound +
                    ", so all threads that differ only in " + match.str(2) +
                    " store the same elements.",
                "Remove the loop, and use " + add_backticks(match.str(1)) + " (line " +
                    std::to_string(line_of_match(code, match)) + ") in place of " +
                    add_backticks(counter) + ": each thread has only one element."};
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
