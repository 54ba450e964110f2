// Tests the comparison of index expressions as sums of terms.
#include <doctest/doctest.h>

#include "examiner/index_sums.h"

using namespace coalesce;

namespace {

const std::string kText = R"(
constexpr int TILE_DIM = 32;
int col = blockIdx.x * TILE_DIM + threadIdx.x * 4;
)";

IndexSum sum_of(const std::string& expression) {
    return IndexSum::parse(kText, expression, 9).value();
}

}  // namespace

TEST_CASE("variables in a sum are replaced with their values, and each term has a factor") {
    CHECK(sum_of("col + 1") == sum_of("1 + threadIdx.x * 4 + TILE_DIM * blockIdx.x"));
    CHECK(sum_of("col").factor_of("threadIdx.x") == 4);
    CHECK(sum_of("col").factor_of("threadIdx.y") == 0);
    CHECK(sum_of("col + k").factor_of("k") == 1);
}

TEST_CASE("a sum without subtracted terms is never negative") {
    CHECK(sum_of("col + 2").has_no_negative_term());
    CHECK(sum_of("rows - rows").has_no_negative_term());
    CHECK(!sum_of("col - rows").has_no_negative_term());
}

TEST_CASE("a sum is a multiple of a number if each of its terms is a multiple") {
    CHECK(sum_of("blockIdx.y * TILE_DIM + 16").is_multiple_of(kText, 8));
    CHECK(!sum_of("blockIdx.y * TILE_DIM + 12").is_multiple_of(kText, 8));
    CHECK(!sum_of("col * rows").is_multiple_of(kText, 8));
}
