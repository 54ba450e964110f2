#include "processes/verify.h"

#include <cmath>
#include <cstring>

#include "harness/pattern.h"

namespace coalesce::processes {
namespace {

const Pattern& pattern() {
    static const Pattern pattern(sizeof(float));
    return pattern;
}

std::string cell(const char* matrix, long long row, long long col) {
    return std::string(matrix) + "(" + std::to_string(row) + ", " + std::to_string(col) + ")";
}

std::string meaning(const Shared& shared, Bits bits) {
    if (bits == pattern().poison()) return "was never written";
    const auto count = static_cast<std::uint64_t>(shared.rows.count) *
                       static_cast<std::uint64_t>(shared.cols.count);
    const auto index = pattern().index_of(bits, count);
    if (!index) return "holds what is nowhere in the input";
    const auto cols = static_cast<std::uint64_t>(shared.cols.count);
    return "holds " +
           cell("in", static_cast<long long>(*index / cols), static_cast<long long>(*index % cols));
}

bool are_both_nan(Bits found, Bits expected) {
    const auto as_float = [](Bits bits) {
        const auto word = static_cast<std::uint32_t>(bits.low);
        float value;
        std::memcpy(&value, &word, sizeof value);
        return value;
    };
    return std::isnan(as_float(found)) && std::isnan(as_float(expected));
}

}  // namespace

void prepare(const Shared& shared, Way& way) {
    const auto first = static_cast<std::uint64_t>(shared.rows.begin(shared.rank)) *
                       static_cast<std::uint64_t>(shared.cols.count);
    pattern().fill(way.in(), first, shared.in_size());
    std::memset(way.out(), kPoisonByte, shared.out_size() * sizeof(float));
}

Wrong check(const Shared& shared, const float* out, bool keeps_nan_payloads) {
    Wrong wrong;
    std::size_t at = 0;
    const int first_col = shared.cols.begin(shared.rank);
    for (int col = first_col; col < first_col + shared.my_cols(); ++col) {
        for (int row = 0; row < shared.rows.count; ++row, ++at) {
            const Bits found = pattern().load(out, at);
            const Bits expected = pattern().at(static_cast<std::uint64_t>(row) *
                                                   static_cast<std::uint64_t>(shared.cols.count) +
                                               static_cast<std::uint64_t>(col));
            if (found == expected) continue;
            if (!keeps_nan_payloads && are_both_nan(found, expected)) continue;
            if (wrong.cells++ > 0) continue;
            wrong.first = cell("out", col, row) + " " + meaning(shared, found) + ", expected " +
                          cell("in", row, col);
        }
    }
    return wrong;
}

}  // namespace coalesce::processes
