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
    bool is_by_row;
    std::int64_t pitch;

    std::int64_t evaluate(std::int64_t row, std::int64_t col) const {
        return is_by_row ? row * pitch + col : col * pitch + row;
    }
    bool operator==(const IndexExpression&) const = default;
};

/// The index expressions that a kernel uses to load and store element (row, col).
struct IndexPair {
    IndexExpression in, out;

    bool operator==(const IndexPair&) const = default;
    /// Returns the number of components in which this pair differs from the correct expressions.
    int distance(const IndexPair& right) const {
        return (in.is_by_row != right.in.is_by_row) + (in.pitch != right.in.pitch) +
               (out.is_by_row != right.out.is_by_row) + (out.pitch != right.out.pitch);
    }
};

IndexPair right_indices(const Problem& problem) {
    const bool is_turned = problem.produces.kind == Produces::transpose;
    return {{true, problem.cols}, {!is_turned, problem.out_cols()}};
}

/// Reports whether, with the given index expressions, some thread (row, col) would store the
/// sampled value at its index. With a pitch that is too small, several threads store to the same
/// index, and each could be the last.
bool explains(const IndexPair& indices, const Problem& problem, const SampledCell& seen) {
    constexpr int most_tries = 64;
    const auto [by_row, pitch] = indices.out;
    const std::int64_t major_end = by_row ? problem.rows : problem.cols;
    const std::int64_t minor_end = by_row ? problem.cols : problem.rows;
    std::int64_t major = std::min(seen.index / pitch, major_end - 1);
    for (int tries = 0; major >= 0 && tries < most_tries; --major, ++tries) {
        const std::int64_t minor = seen.index - major * pitch;
        if (minor >= minor_end) return false;
        const std::int64_t row = by_row ? major : minor, col = by_row ? minor : major;
        if (indices.in.evaluate(row, col) == seen.source) return true;
    }
    return false;
}

/// Finds the pitch that fits the most cells. Each cell votes for the pitch with which its `place`
/// equals major * pitch + minor.
class PitchVote {
public:
    void add(std::int64_t place, std::int64_t major, std::int64_t minor) {
        if (major == 0 || place <= minor || (place - minor) % major != 0) return;
        pitches_.push_back((place - minor) / major);
    }
    std::int64_t most_voted_pitch() const { return most_frequent<std::int64_t>(pitches_, 1); }

private:
    std::vector<std::int64_t> pitches_;
};

/// The index expressions to try. Each has either a pitch of the matrix, or the pitch that would
/// explain the cells if the other index expression were correct.
struct Candidates {
    std::vector<IndexExpression> in, out;
};

Candidates candidates(const Problem& problem, const Sample& sample) {
    const IndexPair right = right_indices(problem);
    Candidates found;
    for (const bool by_row : {true, false}) {
        PitchVote reads, stores;
        for (const SampledCell& seen : sample.cells) {
            const Cell from = problem.in_cell(seen.source);
            const Cell out = problem.out_cell(seen.index);
            const Cell thread = right.out.is_by_row ? out : Cell{out.col, out.row};
            reads.add(seen.source, by_row ? thread.row : thread.col,
                      by_row ? thread.col : thread.row);
            stores.add(seen.index, by_row ? from.row : from.col, by_row ? from.col : from.row);
        }
        const auto add = [&](std::vector<IndexExpression>& list, std::int64_t pitch) {
            const IndexExpression index{by_row, pitch};
            if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
        };
        for (const std::int64_t pitch : {problem.cols, problem.rows}) {
            add(found.in, pitch);
            add(found.out, pitch);
        }
        add(found.in, reads.most_voted_pitch());
        add(found.out, stores.most_voted_pitch());
    }
    return found;
}

/// Returns all pairs of candidates, starting with those that differ least from the correct indices.
std::vector<IndexPair> list_index_pairs(const Candidates& candidates, const IndexPair& right) {
    std::vector<IndexPair> pairs;
    for (const IndexExpression& in : candidates.in) {
        for (const IndexExpression& out : candidates.out) {
            if (const IndexPair pair{in, out}; pair != right) pairs.push_back(pair);
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [&](const IndexPair& one, const IndexPair& other) {
        return one.distance(right) < other.distance(right);
    });
    return pairs;
}

/// Describes a pitch: "rows", "cols", or a number.
std::string pitch_text(const Problem& problem, std::int64_t pitch, bool is_of_out) {
    const std::int64_t right = is_of_out ? problem.out_cols() : problem.cols;
    const bool is_turned = is_of_out && problem.produces.kind == Produces::transpose;
    if (pitch == right) return is_turned ? "rows" : "cols";
    if (pitch == problem.rows) return "rows";
    if (pitch == problem.cols) return "cols";
    return std::to_string(pitch);
}

std::string index_text(const Problem& problem, const IndexExpression& index, bool is_of_out) {
    const char* const matrix = problem.is_in_place() ? "data" : is_of_out ? "out" : "in";
    if (index.pitch == 1) return std::string(matrix) + "[row + col]";
    return std::string(matrix) + (index.is_by_row ? "[row * " : "[col * ") +
           pitch_text(problem, index.pitch, is_of_out) + (index.is_by_row ? " + col]" : " + row]");
}

/// Describes a wrong index, such as "the kernel seems to use in[row * rows + col] instead of
/// in[row * cols + col]".
std::string describe_wrong_index(const Problem& problem, const IndexPair& found,
                                 const IndexPair& right) {
    std::string is, should;
    const auto add = [&](const IndexExpression& index, const IndexExpression& right_index,
                         bool is_of_out) {
        if (index == right_index) return;
        is += (is.empty() ? "" : " and ") + index_text(problem, index, is_of_out);
        should += (should.empty() ? "" : " and ") + index_text(problem, right_index, is_of_out);
    };
    add(found.in, right.in, false);
    add(found.out, right.out, true);
    return kSeemsToUse + is + " instead of " + should;
}

Fault fault_for_shift(const IndexPair& found, const IndexPair& right) {
    const bool is_turned_once =
        (found.in.is_by_row != right.in.is_by_row) != (found.out.is_by_row != right.out.is_by_row);
    if (!is_turned_once) return Fault::wrong_pitch;
    return right.out.is_by_row ? Fault::indices_swapped : Fault::indices_not_swapped;
}

// ---- constant distances ----

/// Describes a distance in memory, such as "4 elements after the right one".
std::string describe_distance(std::int64_t distance, const std::string& of) {
    return format_count(std::abs(distance), "element") + (distance > 0 ? " after " : " before ") +
           of + " in memory";
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
    const auto step_of = [&](const SampledCell& seen) -> Cell {
        const Cell is = problem.in_cell(seen.source);
        const auto should = problem.source_of(problem.out_cell(seen.index));
        if (!should) return {};
        const Cell step{is.row - should->row, is.col - should->col};
        if (!wraps) return step;
        return {wrap_to_shortest(step.row, problem.rows), wrap_to_shortest(step.col, problem.cols)};
    };
    std::vector<Cell> all;
    for (const SampledCell& seen : sample.cells) all.push_back(step_of(seen));
    const Cell step = most_frequent<Cell>(std::move(all), {});
    if (step == Cell{}) return {};
    auto found =
        count_explained(sample, [&](const SampledCell& seen) { return step_of(seen) == step; });
    // Cells near the edges cannot be shifted by this distance, so they neither support nor refute
    // the rule.
    const auto is_at_edge = [&](const SampledCell& seen) {
        const auto should = problem.source_of(problem.out_cell(seen.index));
        return !should || !problem.contains({should->row + step.row, should->col + step.col});
    };
    if (!wraps) found.applicable_count -= count_explained(sample, is_at_edge).explained_count;
    if (2 * found.applicable_count < sample.count) return {};
    found.fault = fault_for_shift(step);
    found.meaning = describe_shift(step, wraps);
    return found;
}

/// Looks for a constant shift in memory, measured in elements, either of the input or of the
/// output.
Explanation elements(const Problem& problem, const Sample& sample, bool is_in_out) {
    const auto distance_of = [&](const SampledCell& seen) -> std::int64_t {
        if (!is_in_out) {
            const auto should = problem.source_of(problem.out_cell(seen.index));
            return should ? seen.source - problem.index(*should) : 0;
        }
        const Cell from = problem.in_cell(seen.source);
        return seen.index - right_indices(problem).out.evaluate(from.row, from.col);
    };
    std::vector<std::int64_t> all;
    for (const SampledCell& seen : sample.cells) all.push_back(distance_of(seen));
    const std::int64_t distance = most_frequent<std::int64_t>(std::move(all), 0);
    if (distance == 0) return {};
    auto found = count_explained(
        sample, [&](const SampledCell& seen) { return distance_of(seen) == distance; });
    found.fault = Fault::shifted;
    found.meaning = is_in_out
                        ? "the value lies " + describe_distance(distance, "its correct position")
                        : "that is " + describe_distance(distance, "the right element");
    if (!is_in_out && distance % problem.cols == 0) {
        found.fault = fault_for_shift(Cell{distance / problem.cols, 0});
        found.meaning = describe_shift({distance / problem.cols, 0}, false);
    } else if (std::abs(distance) == 1) {
        const bool is_row = is_in_out && problem.is_turned();
        found.fault = is_row ? Fault::off_by_one_row : Fault::off_by_one_col;
    }
    return found;
}

// ---- components of vectors ----

constexpr std::int64_t kVectorWidth = 4;
/// For each row (or column) of a group, the row (or column) of the same group from which its values
/// come.
using Components = std::array<std::int64_t, kVectorWidth>;

/// Returns the actual and the expected source of a value, as positions within a group along one
/// axis. Returns nothing if the groups differ, or if the coordinates on the other axis differ.
std::optional<std::pair<std::int64_t, std::int64_t>> find_component(const Problem& problem,
                                                                    const SampledCell& seen,
                                                                    bool by_rows) {
    const Cell is = problem.in_cell(seen.source);
    const auto should = problem.source_of(problem.out_cell(seen.index));
    if (!should || (by_rows ? is.col != should->col : is.row != should->row)) return std::nullopt;
    const std::int64_t from = by_rows ? is.row : is.col;
    const std::int64_t to = by_rows ? should->row : should->col;
    if (from / kVectorWidth != to / kVectorWidth) return std::nullopt;
    return std::pair{from % kVectorWidth, to % kVectorWidth};
}

Components vote_for_components(const Problem& problem, const Sample& sample, bool by_rows) {
    std::array<std::vector<std::int64_t>, kVectorWidth> votes;
    for (const SampledCell& seen : sample.cells) {
        const auto found = find_component(problem, seen, by_rows);
        if (found) votes[static_cast<std::size_t>(found->second)].push_back(found->first);
    }
    Components components{};
    for (std::size_t i = 0; i < components.size(); ++i) {
        components[i] = most_frequent(votes[i], static_cast<std::int64_t>(i));
    }
    return components;
}

/// Lists ordinals, such as "1st" for 0, and "2nd, 3rd" for 1 and 2.
std::string ordinals(const std::vector<std::int64_t>& numbers) {
    return joined(numbers, ", ", [](std::int64_t number) { return ordinal(number + 1); });
}

void describe_components(const Components& components, bool by_rows, Explanation& found) {
    const bool is_pairs = components[0] < 2 && components[1] < 2 &&
                          components[2] == components[0] + 2 && components[3] == components[1] + 2;
    std::vector<std::int64_t> is, should;
    for (std::int64_t i = 0; i < (is_pairs ? 2 : kVectorWidth); ++i) {
        if (components[static_cast<std::size_t>(i)] == i) continue;
        is.push_back(components[static_cast<std::size_t>(i)]);
        should.push_back(i);
    }
    std::vector<std::int64_t> different = is;
    std::sort(different.begin(), different.end());
    found.fault = different == should ? Fault::neighbours_exchanged : Fault::neighbour_repeated;
    if (different.front() == different.back()) is.resize(1);
    found.meaning = std::string("in each group of ") + (is_pairs ? "2" : "4") + " neighbouring " +
                    (by_rows ? "rows" : "columns") + " of the input, the " + ordinals(is) +
                    (is.size() == 1 ? " is" : " are") + " where the " + ordinals(should) +
                    (should.size() == 1 ? " belongs" : " belong") +
                    (found.fault == Fault::neighbours_exchanged
                         ? ". Are components of a vector swapped, such as .x and .y?"
                         : ". Is one scalar stored more than once?");
}

bool has_indices(const Problem& problem) {
    return problem.produces.kind == Produces::transpose || problem.produces.kind == Produces::copy;
}

}  // namespace

std::int64_t wrap_to_shortest(std::int64_t step, std::int64_t length) {
    const std::int64_t forward = (step % length + length) % length;
    return 2 * forward > length ? forward - length : forward;
}

std::string distances_text(Cell step, const char* row, const char* col) {
    const auto text_of = [](std::int64_t distance, const char* one, const char* forward,
                            const char* back) {
        return format_count(std::abs(distance), one) + " too far " +
               (distance > 0 ? forward : back);
    };
    std::string text;
    if (step.row != 0) text = text_of(step.row, row, "down", "up");
    if (step.row != 0 && step.col != 0) text += " and ";
    if (step.col != 0) text += text_of(step.col, col, "to the right", "to the left");
    return text;
}

Explanation explain_by_pitch(const Problem& problem, const Sample& sample) {
    if (!has_indices(problem) || sample.cells.empty()) return {};
    const IndexPair right = right_indices(problem);
    Explanation best;
    int distance = 0;
    for (const IndexPair& pair : list_index_pairs(candidates(problem, sample), right)) {
        auto found = count_explained(
            sample, [&](const SampledCell& seen) { return explains(pair, problem, seen); });
        if (found.explained_count == 0 || found.explained_count < best.explained_count) continue;
        if (found.explained_count == best.explained_count) {
            const bool says_as_much = pair.distance(right) == distance;
            if (says_as_much) best.meaning += "; or " + describe_wrong_index(problem, pair, right);
            continue;
        }
        best = std::move(found);
        best.fault = fault_for_shift(pair, right);
        best.meaning = describe_wrong_index(problem, pair, right);
        distance = pair.distance(right);
    }
    return best;
}

Explanation explain_by_shift(const Problem& problem, const Sample& sample) {
    if (sample.cells.empty()) return {};
    Explanation best = find_constant_shift(problem, sample, false);
    const auto try_other = [&](Explanation other) {
        if (is_better(other, best)) best = std::move(other);
    };
    try_other(elements(problem, sample, false));
    if (has_indices(problem)) try_other(elements(problem, sample, true));
    try_other(find_constant_shift(problem, sample, true));
    return best;
}

Explanation explain_by_components(const Problem& problem, const Sample& sample) {
    Explanation best;
    for (const bool by_rows : {true, false}) {
        const Components components = vote_for_components(problem, sample, by_rows);
        auto found = count_explained(sample, [&](const SampledCell& seen) {
            const auto here = find_component(problem, seen, by_rows);
            return here && components[static_cast<std::size_t>(here->second)] == here->first;
        });
        if (found.explained_count == 0 || !is_better(found, best)) continue;
        describe_components(components, by_rows, found);
        best = std::move(found);
    }
    return best;
}

}  // namespace coalesce
