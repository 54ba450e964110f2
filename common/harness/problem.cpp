#include "harness/problem.h"

namespace coalesce {

std::int64_t source_index(const Permutation& permutation, std::int64_t out_index) {
    std::array<std::int64_t, 4> in_step{};
    std::int64_t step = 1;
    for (int k = permutation.rank - 1; k >= 0; --k) {
        in_step[k] = step;
        step *= permutation.extents[k];
    }
    std::int64_t index = 0;
    for (int k = permutation.rank - 1; k >= 0; --k) {
        const int axis = permutation.order[k];
        index += out_index % permutation.extents[axis] * in_step[axis];
        out_index /= permutation.extents[axis];
    }
    return index;
}

std::string text_of(const Permutation& permutation) {
    std::string extents, order;
    for (int k = 0; k < permutation.rank; ++k) {
        extents += (k == 0 ? "" : " x ") + std::to_string(permutation.extents[k]);
        order += " " + std::to_string(permutation.order[k]);
    }
    return extents + ", axes in the order" + order;
}

Permutation batch_of_transposes(int batches, int rows, int cols) {
    return {.rank = 3, .extents = {batches, rows, cols}, .order = {0, 2, 1}};
}

Problem problem_of(const Permutation& permutation) {
    const std::int64_t cols = permutation.extents[permutation.rank - 1];
    return {.rows = permutation.elements() / cols,
            .cols = cols,
            .produces = {.kind = Produces::permuted, .permutation = permutation}};
}

std::int64_t Problem::batches() const {
    const std::array<int, 4>& order = produces.permutation.order;
    const bool is_batch =
        is_permuted() && produces.permutation.rank == 3 && order[0] == 0 && order[1] == 2;
    return is_batch ? axes().extents[0] : 0;
}

Problem Problem::problem_of_one_matrix() const {
    if (batches() == 0) return *this;
    Problem single_matrix = *this;
    single_matrix.rows = axes().extents[1];
    single_matrix.produces = {Produces::transpose};
    return single_matrix;
}

Cell Problem::find_permuted_source(Cell out) const {
    return in_cell(source_index(axes(), out.row * out_cols() + out.col));
}

bool is_nan(Bits bits, std::size_t element_size) {
    if (element_size == 4) return (bits.low & 0x7fffffff) > 0x7f800000;
    if (element_size == 8) return (bits.low & ~(std::uint64_t{1} << 63)) > 0x7ff0000000000000;
    return false;
}

}  // namespace coalesce
