#include "harness/rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/text.h"

namespace coalesce {
namespace {

std::int64_t find_expected_source(const Problem& problem, std::int64_t index) {
    return source_index(problem.axes(), index);
}

/// Returns how well the sample fits a kernel that divides the rows into matrices of `rows` rows
/// each, although the matrices do not have that many rows.
Explanation test_other_size(const Problem& problem, const Sample& sample, int rows) {
    const Permutation expected_axes = problem.axes();
    const Permutation tested_axes = batch_of_transposes(static_cast<int>(problem.rows / rows), rows,
                                                        static_cast<int>(problem.cols));
    auto explanation = count_explained(sample, [&](const SampledCell& sampled_cell) {
        return source_index(tested_axes, sampled_cell.index) == sampled_cell.source;
    });
    explanation.fault = Fault::matrix_size_wrong;
    explanation.meaning = "the kernel seems to use matrices of " + format_count(rows, "row") +
                          " each, but the matrices have " +
                          std::to_string(expected_axes.extents[1]);
    return explanation;
}

Explanation find_best_size(const Problem& problem, const Sample& sample) {
    Explanation best_explanation;
    for (int rows = 2; rows < problem.rows; ++rows) {
        if (rows == problem.axes().extents[1] || problem.rows % rows != 0) continue;
        if (auto explanation = test_other_size(problem, sample, rows);
            is_better(explanation, best_explanation)) {
            best_explanation = std::move(explanation);
        }
    }
    return best_explanation;
}

/// Returns how well the sample fits a kernel that transposes each matrix correctly, but stores it
/// in the position of a different matrix.
Explanation test_other_order(const Sample& sample, const Problem& problem,
                             std::int64_t matrix_elements) {
    std::set<std::pair<std::int64_t, std::int64_t>> matrix_moves;
    auto explanation = count_explained(sample, [&](const SampledCell& sampled_cell) {
        const bool is_whole_matrix =
            sampled_cell.source % matrix_elements ==
            find_expected_source(problem, sampled_cell.index) % matrix_elements;
        if (is_whole_matrix)
            matrix_moves.insert(
                {sampled_cell.index / matrix_elements, sampled_cell.source / matrix_elements});
        return is_whole_matrix;
    });
    const std::int64_t last_matrix = problem.batches() - 1;
    const bool is_reverse =
        std::all_of(matrix_moves.begin(), matrix_moves.end(),
                    [&](const auto& move) { return move.first + move.second == last_matrix; });
    explanation.fault = Fault::batches_exchanged;
    explanation.meaning = std::string("each matrix is correct by itself, but the matrices are ") +
                          (is_reverse ? "in reverse order" : "stored in the wrong order");
    return explanation;
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
Explanation test_other_distance(const Sample& sample, const Problem& problem,
                                std::int64_t matrix_elements) {
    const auto measure_distance = [&](const SampledCell& sampled_cell) -> std::int64_t {
        const std::int64_t matrix_number = sampled_cell.index / matrix_elements;
        const std::int64_t source_displacement =
            sampled_cell.source - find_expected_source(problem, sampled_cell.index);
        return matrix_number > 0 && source_displacement % matrix_number == 0
                   ? matrix_elements + source_displacement / matrix_number
                   : matrix_elements;
    };
    std::vector<std::int64_t> distances;
    for (const SampledCell& sampled_cell : sample.cells)
        distances.push_back(measure_distance(sampled_cell));
    const std::int64_t matrix_distance =
        find_most_frequent<std::int64_t>(std::move(distances), matrix_elements);
    if (matrix_distance == matrix_elements || matrix_distance < 0) return {};
    auto explanation = count_explained(sample, [&](const SampledCell& sampled_cell) {
        return measure_distance(sampled_cell) == matrix_distance;
    });
    explanation.fault = Fault::wrong_origin;
    explanation.meaning =
        "the kernel seems to read matrices that are " + distance_text(problem, matrix_distance) +
        " apart, but the matrices are " + std::to_string(matrix_elements) + " elements apart";
    return explanation;
}

}  // namespace

Explanation explain_by_batches(const Problem& problem, const Sample& sample) {
    if (problem.batches() == 0 || sample.cells.empty()) return {};
    const std::int64_t matrix_elements = problem.elements() / problem.batches();
    Explanation best_explanation = test_other_order(sample, problem, matrix_elements);
    for (Explanation candidate :
         {test_other_distance(sample, problem, matrix_elements), find_best_size(problem, sample)}) {
        if (is_better(candidate, best_explanation)) best_explanation = std::move(candidate);
    }
    return best_explanation;
}

}  // namespace coalesce
