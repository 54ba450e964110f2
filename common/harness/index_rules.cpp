#include "harness/rules.h"

#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// An index expression: row * pitch + col, or col * pitch + row.
struct IndexExpression {
    bool is_row_major;
    std::int64_t pitch;

    std::int64_t evaluate(std::int64_t row, std::int64_t col) const {
        return is_row_major ? row * pitch + col : col * pitch + row;
    }
    bool operator==(const IndexExpression&) const = default;
};

/// The index expressions that a kernel uses to load and store element (row, col).
struct IndexPair {
    IndexExpression in, out;

    bool operator==(const IndexPair&) const = default;
    /// Returns the number of components in which this pair differs from the correct expressions.
    int distance(const IndexPair& right_pair) const {
        return (in.is_row_major != right_pair.in.is_row_major) + (in.pitch != right_pair.in.pitch) +
               (out.is_row_major != right_pair.out.is_row_major) +
               (out.pitch != right_pair.out.pitch);
    }
};

IndexPair right_indices(const Problem& problem) {
    const bool swaps_rows_and_cols = problem.produces.kind == Produces::transpose;
    return {{true, problem.cols}, {!swaps_rows_and_cols, problem.out_cols()}};
}

/// Reports whether, with the given index expressions, some thread (row, col) would store the
/// sampled value at its index. With a pitch that is too small, several threads store to the same
/// index, and each could be the last.
bool explains(const IndexPair& indices, const Problem& problem, const SampledCell& sampled_cell) {
    constexpr int max_tries = 64;
    const auto [is_row_major, pitch] = indices.out;
    const std::int64_t major_end = is_row_major ? problem.rows : problem.cols;
    const std::int64_t minor_end = is_row_major ? problem.cols : problem.rows;
    std::int64_t major_index = std::min(sampled_cell.index / pitch, major_end - 1);
    for (int tried_count = 0; major_index >= 0 && tried_count < max_tries;
         --major_index, ++tried_count) {
        const std::int64_t minor_index = sampled_cell.index - major_index * pitch;
        if (minor_index >= minor_end) return false;
        const std::int64_t row = is_row_major ? major_index : minor_index,
                           col = is_row_major ? minor_index : major_index;
        if (indices.in.evaluate(row, col) == sampled_cell.source) return true;
    }
    return false;
}

/// Finds the pitch that fits the most cells. Each cell votes for the pitch with which its
/// `element_index` equals major_index * pitch + minor_index.
class PitchVote {
public:
    void add(std::int64_t element_index, std::int64_t major_index, std::int64_t minor_index) {
        if (major_index == 0 || element_index <= minor_index ||
            (element_index - minor_index) % major_index != 0)
            return;
        pitches_.push_back((element_index - minor_index) / major_index);
    }
    std::int64_t most_voted_pitch() const { return find_most_frequent<std::int64_t>(pitches_, 1); }

private:
    std::vector<std::int64_t> pitches_;
};

/// The index expressions to try. Each has either a pitch of the matrix, or the pitch that would
/// explain the cells if the other index expression were correct.
struct Candidates {
    std::vector<IndexExpression> in, out;
};

Candidates find_candidates(const Problem& problem, const Sample& sample) {
    const IndexPair right_pair = right_indices(problem);
    Candidates candidates;
    for (const bool is_row_major : {true, false}) {
        PitchVote load_pitch_votes, store_pitch_votes;
        for (const SampledCell& sampled_cell : sample.cells) {
            const Cell source_cell = problem.in_cell(sampled_cell.source);
            const Cell out = problem.out_cell(sampled_cell.index);
            const Cell thread_cell = right_pair.out.is_row_major ? out : Cell{out.col, out.row};
            load_pitch_votes.add(sampled_cell.source,
                                 is_row_major ? thread_cell.row : thread_cell.col,
                                 is_row_major ? thread_cell.col : thread_cell.row);
            store_pitch_votes.add(sampled_cell.index,
                                  is_row_major ? source_cell.row : source_cell.col,
                                  is_row_major ? source_cell.col : source_cell.row);
        }
        const auto add_expression = [&](std::vector<IndexExpression>& expressions,
                                        std::int64_t pitch) {
            const IndexExpression index{is_row_major, pitch};
            if (std::find(expressions.begin(), expressions.end(), index) == expressions.end())
                expressions.push_back(index);
        };
        for (const std::int64_t pitch : {problem.cols, problem.rows}) {
            add_expression(candidates.in, pitch);
            add_expression(candidates.out, pitch);
        }
        add_expression(candidates.in, load_pitch_votes.most_voted_pitch());
        add_expression(candidates.out, store_pitch_votes.most_voted_pitch());
    }
    return candidates;
}

/// Returns all pairs of candidates, starting with those that differ least from the correct indices.
std::vector<IndexPair> list_index_pairs(const Candidates& candidates, const IndexPair& right_pair) {
    std::vector<IndexPair> index_pairs;
    for (const IndexExpression& in : candidates.in) {
        for (const IndexExpression& out : candidates.out) {
            if (const IndexPair pair{in, out}; pair != right_pair) index_pairs.push_back(pair);
        }
    }
    std::stable_sort(index_pairs.begin(), index_pairs.end(),
                     [&](const IndexPair& a, const IndexPair& b) {
                         return a.distance(right_pair) < b.distance(right_pair);
                     });
    return index_pairs;
}

/// Describes a pitch: "rows", "cols", or a number.
std::string pitch_text(const Problem& problem, std::int64_t pitch, bool is_of_out) {
    const std::int64_t right_pitch = is_of_out ? problem.out_cols() : problem.cols;
    const bool swaps_rows_and_cols = is_of_out && problem.produces.kind == Produces::transpose;
    if (pitch == right_pitch) return swaps_rows_and_cols ? "rows" : "cols";
    if (pitch == problem.rows) return "rows";
    if (pitch == problem.cols) return "cols";
    return std::to_string(pitch);
}

std::string index_text(const Problem& problem, const IndexExpression& index, bool is_of_out) {
    const char* const matrix = problem.is_in_place() ? "data" : is_of_out ? "out" : "in";
    if (index.pitch == 1) return std::string(matrix) + "[row + col]";
    return std::string(matrix) + (index.is_row_major ? "[row * " : "[col * ") +
           pitch_text(problem, index.pitch, is_of_out) +
           (index.is_row_major ? " + col]" : " + row]");
}

/// Describes a wrong index, such as "the kernel seems to use in[row * rows + col] instead of
/// in[row * cols + col]".
std::string describe_wrong_index(const Problem& problem, const IndexPair& used_indices,
                                 const IndexPair& right_pair) {
    std::string actual_text, expected_text;
    const auto add_description = [&](const IndexExpression& index,
                                     const IndexExpression& right_index, bool is_of_out) {
        if (index == right_index) return;
        actual_text += (actual_text.empty() ? "" : " and ") + index_text(problem, index, is_of_out);
        expected_text +=
            (expected_text.empty() ? "" : " and ") + index_text(problem, right_index, is_of_out);
    };
    add_description(used_indices.in, right_pair.in, false);
    add_description(used_indices.out, right_pair.out, true);
    return kSeemsToUse + actual_text + " instead of " + expected_text;
}

Fault fault_for_shift(const IndexPair& used_indices, const IndexPair& right_pair) {
    const bool is_turned_once = (used_indices.in.is_row_major != right_pair.in.is_row_major) !=
                                (used_indices.out.is_row_major != right_pair.out.is_row_major);
    if (!is_turned_once) return Fault::wrong_pitch;
    return right_pair.out.is_row_major ? Fault::indices_swapped : Fault::indices_not_swapped;
}

// ---- constant distances ----

/// Describes a distance in memory, such as "4 elements after the right one".
std::string describe_distance(std::int64_t distance, const std::string& reference) {
    return format_count(std::abs(distance), "element") + (distance > 0 ? " after " : " before ") +
           reference + " in memory";
}

std::string describe_shift(Cell step, bool wraps) {
    return "that is " + distances_text(step, "row", "column") +
           (wraps ? ", with wrap-around at the edges" : "");
}

Fault fault_for_shift(Cell step) {
    if (step.col == 0 && std::abs(step.row) == 1) return Fault::off_by_one_row;
    if (step.row == 0 && std::abs(step.col) == 1) return Fault::off_by_one_col;
    return Fault::shifted;
}

/// Looks for a constant shift by some rows and columns of the input. If `wraps` is set, a shift
/// beyond an edge continues at the opposite edge.
Explanation find_constant_shift(const Problem& problem, const Sample& sample, bool wraps) {
    const auto measure_step = [&](const SampledCell& sampled_cell) -> Cell {
        const Cell actual_cell = problem.in_cell(sampled_cell.source);
        const auto expected_cell = problem.source_of(problem.out_cell(sampled_cell.index));
        if (!expected_cell) return {};
        const Cell step{actual_cell.row - expected_cell->row, actual_cell.col - expected_cell->col};
        if (!wraps) return step;
        return {wrap_to_shortest(step.row, problem.rows), wrap_to_shortest(step.col, problem.cols)};
    };
    std::vector<Cell> observed_steps;
    for (const SampledCell& sampled_cell : sample.cells)
        observed_steps.push_back(measure_step(sampled_cell));
    const Cell step = find_most_frequent<Cell>(std::move(observed_steps), {});
    if (step == Cell{}) return {};
    auto explanation = count_explained(sample, [&](const SampledCell& sampled_cell) {
        return measure_step(sampled_cell) == step;
    });
    // Cells near the edges cannot be shifted by this distance, so they neither support nor refute
    // the rule.
    const auto is_at_edge = [&](const SampledCell& sampled_cell) {
        const auto expected_cell = problem.source_of(problem.out_cell(sampled_cell.index));
        return !expected_cell ||
               !problem.contains({expected_cell->row + step.row, expected_cell->col + step.col});
    };
    if (!wraps) explanation.applicable_count -= count_explained(sample, is_at_edge).explained_count;
    if (2 * explanation.applicable_count < sample.count) return {};
    explanation.fault = fault_for_shift(step);
    explanation.meaning = describe_shift(step, wraps);
    return explanation;
}

/// Looks for a constant shift in memory, measured in elements, either of the input or of the
/// output.
Explanation find_element_shift(const Problem& problem, const Sample& sample, bool is_shift_of_out) {
    const auto measure_distance = [&](const SampledCell& sampled_cell) -> std::int64_t {
        if (!is_shift_of_out) {
            const auto expected_cell = problem.source_of(problem.out_cell(sampled_cell.index));
            return expected_cell ? sampled_cell.source - problem.index(*expected_cell) : 0;
        }
        const Cell source_cell = problem.in_cell(sampled_cell.source);
        return sampled_cell.index -
               right_indices(problem).out.evaluate(source_cell.row, source_cell.col);
    };
    std::vector<std::int64_t> distances;
    for (const SampledCell& sampled_cell : sample.cells)
        distances.push_back(measure_distance(sampled_cell));
    const std::int64_t distance = find_most_frequent<std::int64_t>(std::move(distances), 0);
    if (distance == 0) return {};
    auto explanation = count_explained(sample, [&](const SampledCell& sampled_cell) {
        return measure_distance(sampled_cell) == distance;
    });
    explanation.fault = Fault::shifted;
    explanation.meaning =
        is_shift_of_out ? "the value lies " + describe_distance(distance, "its correct position")
                        : "that is " + describe_distance(distance, "the right element");
    if (!is_shift_of_out && distance % problem.cols == 0) {
        explanation.fault = fault_for_shift(Cell{distance / problem.cols, 0});
        explanation.meaning = describe_shift({distance / problem.cols, 0}, false);
    } else if (std::abs(distance) == 1) {
        const bool is_row = is_shift_of_out && problem.swaps_rows_and_cols();
        explanation.fault = is_row ? Fault::off_by_one_row : Fault::off_by_one_col;
    }
    return explanation;
}

// ---- components of vectors ----

constexpr std::int64_t kVectorWidth = 4;
/// For each row (or column) of a group, the row (or column) of the same group from which its values
/// come.
using Components = std::array<std::int64_t, kVectorWidth>;

/// Returns the actual and the expected source of a value, as positions within a group along one
/// axis. Returns nothing if the groups differ, or if the coordinates on the other axis differ.
std::optional<std::pair<std::int64_t, std::int64_t>> find_component(const Problem& problem,
                                                                    const SampledCell& sampled_cell,
                                                                    bool is_along_rows) {
    const Cell actual_cell = problem.in_cell(sampled_cell.source);
    const auto expected_cell = problem.source_of(problem.out_cell(sampled_cell.index));
    if (!expected_cell || (is_along_rows ? actual_cell.col != expected_cell->col
                                         : actual_cell.row != expected_cell->row))
        return std::nullopt;
    const std::int64_t actual_position = is_along_rows ? actual_cell.row : actual_cell.col;
    const std::int64_t expected_position = is_along_rows ? expected_cell->row : expected_cell->col;
    if (actual_position / kVectorWidth != expected_position / kVectorWidth) return std::nullopt;
    return std::pair{actual_position % kVectorWidth, expected_position % kVectorWidth};
}

Components vote_for_components(const Problem& problem, const Sample& sample, bool is_along_rows) {
    std::array<std::vector<std::int64_t>, kVectorWidth> source_votes;
    for (const SampledCell& sampled_cell : sample.cells) {
        const auto component = find_component(problem, sampled_cell, is_along_rows);
        if (component)
            source_votes[static_cast<std::size_t>(component->second)].push_back(component->first);
    }
    Components components{};
    for (std::size_t i = 0; i < components.size(); ++i) {
        components[i] = find_most_frequent(source_votes[i], static_cast<std::int64_t>(i));
    }
    return components;
}

/// Lists ordinals, such as "1st" for 0, and "2nd, 3rd" for 1 and 2.
std::string list_ordinals(const std::vector<std::int64_t>& positions) {
    return joined(positions, ", ", [](std::int64_t number) { return ordinal(number + 1); });
}

void describe_components(const Components& components, bool is_along_rows,
                         Explanation& explanation) {
    const bool repeats_in_pairs = components[0] < 2 && components[1] < 2 &&
                                  components[2] == components[0] + 2 &&
                                  components[3] == components[1] + 2;
    std::vector<std::int64_t> actual_numbers, expected_numbers;
    for (std::int64_t i = 0; i < (repeats_in_pairs ? 2 : kVectorWidth); ++i) {
        if (components[static_cast<std::size_t>(i)] == i) continue;
        actual_numbers.push_back(components[static_cast<std::size_t>(i)]);
        expected_numbers.push_back(i);
    }
    std::vector<std::int64_t> sorted_numbers = actual_numbers;
    std::sort(sorted_numbers.begin(), sorted_numbers.end());
    explanation.fault = sorted_numbers == expected_numbers ? Fault::neighbours_exchanged
                                                           : Fault::neighbour_repeated;
    if (sorted_numbers.front() == sorted_numbers.back()) actual_numbers.resize(1);
    explanation.meaning = std::string("in each group of ") + (repeats_in_pairs ? "2" : "4") +
                          " neighbouring " + (is_along_rows ? "rows" : "columns") +
                          " of the input, the " + list_ordinals(actual_numbers) +
                          (actual_numbers.size() == 1 ? " is" : " are") + " where the " +
                          list_ordinals(expected_numbers) +
                          (expected_numbers.size() == 1 ? " belongs" : " belong") +
                          (explanation.fault == Fault::neighbours_exchanged
                               ? ". Are components of a vector swapped, such as .x and .y?"
                               : ". Is one scalar stored more than once?");
}

bool has_indices(const Problem& problem) {
    return problem.produces.kind == Produces::transpose || problem.produces.kind == Produces::copy;
}

}  // namespace

std::int64_t wrap_to_shortest(std::int64_t step, std::int64_t length) {
    const std::int64_t forward_step = (step % length + length) % length;
    return 2 * forward_step > length ? forward_step - length : forward_step;
}

std::string distances_text(Cell step, const char* row, const char* col) {
    const auto format_distance = [](std::int64_t distance, const char* unit,
                                    const char* positive_direction,
                                    const char* negative_direction) {
        return format_count(std::abs(distance), unit) + " too far " +
               (distance > 0 ? positive_direction : negative_direction);
    };
    std::string text;
    if (step.row != 0) text = format_distance(step.row, row, "down", "up");
    if (step.row != 0 && step.col != 0) text += " and ";
    if (step.col != 0) text += format_distance(step.col, col, "to the right", "to the left");
    return text;
}

Explanation explain_by_pitch(const Problem& problem, const Sample& sample) {
    if (!has_indices(problem) || sample.cells.empty()) return {};
    const IndexPair right_pair = right_indices(problem);
    Explanation best_explanation;
    int distance = 0;
    for (const IndexPair& pair : list_index_pairs(find_candidates(problem, sample), right_pair)) {
        auto explanation = count_explained(sample, [&](const SampledCell& sampled_cell) {
            return explains(pair, problem, sampled_cell);
        });
        if (explanation.explained_count == 0 ||
            explanation.explained_count < best_explanation.explained_count)
            continue;
        if (explanation.explained_count == best_explanation.explained_count) {
            const bool is_equally_close = pair.distance(right_pair) == distance;
            if (is_equally_close)
                best_explanation.meaning +=
                    "; or " + describe_wrong_index(problem, pair, right_pair);
            continue;
        }
        best_explanation = std::move(explanation);
        best_explanation.fault = fault_for_shift(pair, right_pair);
        best_explanation.meaning = describe_wrong_index(problem, pair, right_pair);
        distance = pair.distance(right_pair);
    }
    return best_explanation;
}

Explanation explain_by_shift(const Problem& problem, const Sample& sample) {
    if (sample.cells.empty()) return {};
    Explanation best_explanation = find_constant_shift(problem, sample, false);
    const auto keep_if_better = [&](Explanation candidate) {
        if (is_better(candidate, best_explanation)) best_explanation = std::move(candidate);
    };
    keep_if_better(find_element_shift(problem, sample, false));
    if (has_indices(problem)) keep_if_better(find_element_shift(problem, sample, true));
    keep_if_better(find_constant_shift(problem, sample, true));
    return best_explanation;
}

Explanation explain_by_components(const Problem& problem, const Sample& sample) {
    Explanation best_explanation;
    for (const bool is_along_rows : {true, false}) {
        const Components components = vote_for_components(problem, sample, is_along_rows);
        auto explanation = count_explained(sample, [&](const SampledCell& sampled_cell) {
            const auto component = find_component(problem, sampled_cell, is_along_rows);
            return component &&
                   components[static_cast<std::size_t>(component->second)] == component->first;
        });
        if (explanation.explained_count == 0 || !is_better(explanation, best_explanation)) continue;
        describe_components(components, is_along_rows, explanation);
        best_explanation = std::move(explanation);
    }
    return best_explanation;
}

}  // namespace coalesce
