#include "harness/rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/text.h"

namespace coalesce {
namespace {

std::int64_t expected_source(const Problem& problem, std::int64_t index) {
    return source_index(problem.axes(), index);
}

/// Returns how well the sample fits a kernel that divides the rows into matrices of `rows` rows
/// each, although the matrices do not have that many rows.
Explanation test_other_size(const Problem& problem, const Sample& sample, int rows) {
    const Permutation right = problem.axes();
    const Permutation other = batch_of_transposes(static_cast<int>(problem.rows / rows), rows,
                                                  static_cast<int>(problem.cols));
    auto found = count_explained(sample, [&](const SampledCell& seen) {
        return source_index(other, seen.index) == seen.source;
    });
    found.fault = Fault::matrix_size_wrong;
    found.meaning = "the kernel seems to use matrices of " + format_count(rows, "row") +
                    " each, but the matrices have " + std::to_string(right.extents[1]);
    return found;
}

Explanation find_best_size(const Problem& problem, const Sample& sample) {
    Explanation best;
    for (int rows = 2; rows < problem.rows; ++rows) {
        if (rows == problem.axes().extents[1] || problem.rows % rows != 0) continue;
        if (auto found = test_other_size(problem, sample, rows); is_better(found, best)) {
            best = std::move(found);
        }
    }
    return best;
}

/// Returns how well the sample fits a kernel that transposes each matrix correctly, but stores it
/// in the position of a different matrix.
Explanation test_other_order(const Sample& sample, const Problem& problem, std::int64_t size) {
    std::set<std::pair<std::int64_t, std::int64_t>> moves;
    auto found = count_explained(sample, [&](const SampledCell& seen) {
        const bool is_whole = seen.source % size == expected_source(problem, seen.index) % size;
        if (is_whole) moves.insert({seen.index / size, seen.source / size});
        return is_whole;
    });
    const std::int64_t last = problem.batches() - 1;
    const bool is_reverse = std::all_of(moves.begin(), moves.end(), [&](const auto& move) {
        return move.first + move.second == last;
    });
    found.fault = Fault::batches_exchanged;
    found.meaning = std::string("each matrix is correct by itself, but the matrices are ") +
                    (is_reverse ? "in reverse order" : "stored in the wrong order");
    return found;
}

/// Describes a distance between matrices and its likely origin, such as "64 elements (the rows of
/// one)".
std::string distance_text(const Problem& problem, std::int64_t distance) {
    const Permutation axes = problem.axes();
    const bool is_rows = distance == axes.extents[1], is_cols = distance == axes.extents[2];
    std::string text = format_count(distance, "element");
    if (is_rows != is_cols)
        text += is_rows ? " (the number of rows in one matrix)" : " (the number of columns)";
    return text;
}

/// Returns how well the sample fits a kernel that reads matrix n at n times a wrong distance.
Explanation test_other_distance(const Sample& sample, const Problem& problem, std::int64_t size) {
    const auto distance_of = [&](const SampledCell& seen) -> std::int64_t {
        const std::int64_t number = seen.index / size;
        const std::int64_t away = seen.source - expected_source(problem, seen.index);
        return number > 0 && away % number == 0 ? size + away / number : size;
    };
    std::vector<std::int64_t> all;
    for (const SampledCell& seen : sample.cells) all.push_back(distance_of(seen));
    const std::int64_t distance = most_frequent<std::int64_t>(std::move(all), size);
    if (distance == size || distance < 0) return {};
    auto found = count_explained(
        sample, [&](const SampledCell& seen) { return distance_of(seen) == distance; });
    found.fault = Fault::wrong_origin;
    found.meaning = "the kernel seems to read matrices that are " +
                    distance_text(problem, distance) + " apart, but the matrices are " +
                    std::to_string(size) + " elements apart";
    return found;
}

}  // namespace

Explanation explain_by_batches(const Problem& problem, const Sample& sample) {
    if (problem.batches() == 0 || sample.cells.empty()) return {};
    const std::int64_t size = problem.elements() / problem.batches();
    Explanation best = test_other_order(sample, problem, size);
    for (Explanation other :
         {test_other_distance(sample, problem, size), find_best_size(problem, sample)}) {
        if (is_better(other, best)) best = std::move(other);
    }
    return best;
}

}  // namespace coalesce
