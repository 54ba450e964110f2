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

void prepare(const SharedMatrix& shared, Method& method) {
    const std::size_t first = count_floats(shared.rows.begin(shared.rank), shared.cols.count);
    pattern().fill(method.in(), first, shared.in_size());
    std::memset(method.out(), kPoisonByte, shared.out_size() * sizeof(float));
}

WrongCells check(const SharedMatrix& shared, const float* out) {
    const Problem problem{.rows = shared.rows.count, .cols = shared.cols.count};
    WrongCells wrong;
    std::size_t offset_to = 0;
    const int first_col = shared.cols.begin(shared.rank);
    for (int col = first_col; col < first_col + shared.own_cols(); ++col) {
        for (int row = 0; row < shared.rows.count; ++row, ++offset_to) {
            const Bits held = pattern().load(out, offset_to);
            const Bits expected =
                pattern().value_at(static_cast<std::uint64_t>(problem.index({row, col})));
            if (held == expected || wrong.cell_count++ > 0) continue;
            const bool is_untouched = held == pattern().poison();
            wrong.first =
                ObservedCell(problem, pattern(), col * problem.rows + row, held, is_untouched)
                    .text();
        }
    }
    return wrong;
}

}  // namespace coalesce::processes
