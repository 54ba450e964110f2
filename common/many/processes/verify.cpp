#include "many/processes/verify.h"

#include <cstring>

#include "harness/look.h"

namespace coalesce::processes {
namespace {

const Pattern& pattern() {
    static const Pattern pattern(sizeof(float));
    return pattern;
}

}  // namespace

void prepare_buffers(const SharedMatrix& shared, Method& method) {
    const std::size_t first_value = count_floats(shared.rows.begin(shared.rank), shared.cols.count);
    pattern().fill(method.in(), first_value, shared.in_size());
    std::memset(method.out(), kPoisonByte, shared.out_size() * sizeof(float));
}

WrongCells find_wrong_cells(const SharedMatrix& shared, const float* out) {
    const Problem problem{.rows = shared.rows.count, .cols = shared.cols.count};
    WrongCells wrong_cells;
    std::size_t offset = 0;
    const int first_col = shared.cols.begin(shared.rank);
    for (int col = first_col; col < first_col + shared.own_cols(); ++col) {
        for (int row = 0; row < shared.rows.count; ++row, ++offset) {
            const Bits stored_bits = pattern().load(out, offset);
            const Bits expected_bits =
                pattern().value_at(static_cast<std::uint64_t>(problem.index({row, col})));
            if (stored_bits == expected_bits || wrong_cells.cell_count++ > 0) continue;
            const bool is_untouched = stored_bits == pattern().poison();
            wrong_cells.first = ObservedCell(problem, pattern(), col * problem.rows + row,
                                             stored_bits, is_untouched)
                                    .text();
        }
    }
    return wrong_cells;
}

}  // namespace coalesce::processes
