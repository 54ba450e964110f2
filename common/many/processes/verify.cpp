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

void prepare(const Shared& shared, Way& way) {
    const std::size_t first = count_floats(shared.rows.begin(shared.rank), shared.cols.count);
    pattern().fill(way.in(), first, shared.in_size());
    std::memset(way.out(), kPoisonByte, shared.out_size() * sizeof(float));
}

WrongCells check(const Shared& shared, const float* out) {
    const Problem problem{.rows = shared.rows.count, .cols = shared.cols.count};
    WrongCells wrong;
    std::size_t at = 0;
    const int first_col = shared.cols.begin(shared.rank);
    for (int col = first_col; col < first_col + shared.my_cols(); ++col) {
        for (int row = 0; row < shared.rows.count; ++row, ++at) {
            const Bits held = pattern().load(out, at);
            const Bits expected =
                pattern().at(static_cast<std::uint64_t>(problem.index({row, col})));
            if (held == expected || wrong.cells++ > 0) continue;
            const bool is_untouched = held == pattern().poison();
            wrong.first =
                Look(problem, pattern(), col * problem.rows + row, held, is_untouched).text();
        }
    }
    return wrong;
}

}  // namespace coalesce::processes
