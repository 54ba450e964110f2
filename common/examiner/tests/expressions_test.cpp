// Tests the parser for expressions. The rules that find the causes of failures use this parser.
#include <doctest/doctest.h>

#include "examiner/expressions.h"

using namespace coalesce;

namespace {

const std::string kSampleKernel = R"(
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (row >= rows) return;
    for (int k = 0; k < 32; k += 8) {
        if (int(row) + k < rows && (col) <= cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }
    row = threadIdx.x;
    if (row < rows || col < cols); {
        out[col * rows + row] = 0;
    }
}
)";

}  // namespace

TEST_CASE("outer parentheses and casts are removed from an expression") {
    CHECK(simplify_expression(" ((row + k)) ") == "row + k");
    CHECK(simplify_expression("int(threadIdx.x)") == "threadIdx.x");
    CHECK(simplify_expression("(a) + (b)") == "(a) + (b)");
    CHECK(simplify_expression("") == "");
}

TEST_CASE("an expression is not split inside brackets") {
    CHECK(split_outside_brackets("(a + b) * c + d", "+") ==
          std::vector<std::string>{"(a + b) * c", "d"});
    CHECK(split_outside_brackets("a", "&&") == std::vector<std::string>{"a"});
}

TEST_CASE("the conditions of a line include enclosing conditions and those of earlier exits") {
    const auto found = find_conditions(kSampleKernel, 8);
    REQUIRE(found.size() == 2);
    CHECK(found[0].is_exit);
    CHECK(found[0].returns);
    CHECK(!found[0].is_in_loop);
    CHECK(!found[1].is_exit);
    REQUIRE(found[1].comparisons.size() == 2);
    CHECK(found[1].comparisons[1].left_side == "col");
    CHECK(found[1].comparisons[1].op == "<=");
    CHECK(found[1].comparisons[1].right_side == "cols");
}

TEST_CASE("a statement that is followed by a comment still belongs to its condition") {
    const auto found = find_conditions("\nif (row < rows) out[row] = 0;  // here\n", 2);
    REQUIRE(found.size() == 1);
    CHECK(found[0].comparisons[0].right_side == "rows");
}

TEST_CASE("a condition that is followed by a semicolon has no effect") {
    const auto found = find_conditions(kSampleKernel, 13);
    REQUIRE(found.size() == 2);
    CHECK(found[1].is_empty);
    CHECK(found[1].joins_with_or());
}

TEST_CASE("the index of a matrix is parsed into an outer index, a pitch and an inner index") {
    const MatrixIndex index = find_matrix_index(kSampleKernel, 8, "in");
    CHECK(index.outer_term == "row + k");
    CHECK(index.pitch == "cols");
    CHECK(index.inner_term == "col");
    CHECK(find_matrix_index(kSampleKernel, 8, "out").text.empty());
    CHECK(find_matrix_index("in[i]", 1, "in").pitch.empty());
}

TEST_CASE("a variable is replaced with the value that was last assigned before a line") {
    CHECK(expand(kSampleKernel, "row", 8) == "(blockIdx.y * 32 + threadIdx.y)");
    CHECK(expand(kSampleKernel, "row", 13) == "(threadIdx.x)");
    CHECK(expand(kSampleKernel, "k", 8) == "k");
    CHECK(find_assignment_line(kSampleKernel, "row", 13) == 11);
    CHECK(find_assignment_line(kSampleKernel, "missing", 13) == 0);
}

TEST_CASE("a line in an else branch has the conditions of that branch") {
    const std::string text = R"(
if (next < count) {
    fetch();
} else if (count > 1) {
    wait();
} else {
    wait(0);
}
store();
)";
    CHECK(find_conditions_of_else(text, 3).empty());
    REQUIRE(find_conditions_of_else(text, 5).size() == 1);
    CHECK(find_conditions_of_else(text, 5)[0].comparisons[0].left_side == "next");
    REQUIRE(find_conditions_of_else(text, 7).size() == 1);
    CHECK(find_conditions_of_else(text, 7)[0].comparisons[0].right_side == "1");
    CHECK(find_conditions_of_else(text, 9).empty());
}
