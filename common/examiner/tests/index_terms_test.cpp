// Tests the search in a kernel's source for indices that lack parentheses.
#include "examiner/source_lines.h"

#include <doctest/doctest.h>

#include <string>

using namespace coalesce;

namespace {

/// Searches for missing parentheses in a kernel that stores at `index`.
MissingParentheses missing_in(const std::string& index, const std::string& before = "") {
    return find_missing_parentheses(
        "__global__ void f(float* out, const float* in, int rows, int cols) {\n"
        "    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;\n"
        "    int first = (blockIdx.y * 32 + threadIdx.y) * cols;\n" +
        before + "    for (int k = 0; k < 32; k += 8) {\n        out[" + index +
        "] = in[(row + k) * cols + col];\n    }\n}\n");
}

}  // namespace

TEST_CASE("an index that lacks necessary parentheses is reported, with its line") {
    const MissingParentheses missing = missing_in("row + k * cols + col");
    CHECK(missing.line == 5);
    CHECK(missing.factor == "k");
    CHECK(missing.pitch == "cols");
    CHECK(missing.text == "row + k * cols + col");
    CHECK(missing_in("col + k * rows + row").pitch == "rows");
    CHECK(missing_in("blockIdx.y * 32 + threadIdx.y * cols + col").factor == "threadIdx.y");
    CHECK(missing_in("blockIdx.y * 32 + threadIdx.y + k * cols + col").factor == "k");
}

TEST_CASE("correct indices of any form are not reported") {
    for (const std::string index :
         {"(row + k) * cols + col", "col + (row + k) * cols", "row * cols + k * cols + col",
          "first + k * cols + col", "blockIdx.x * 32 + threadIdx.x + (row + k) * cols",
          "blockIdx.x * 32 + threadIdx.x + k * cols", "k * cols + threadIdx.x",
          "(col + k) * rows + row", "row * cols + col"}) {
        CAPTURE(index);
        CHECK(missing_in(index).line == 0);
    }
    CHECK(missing_in("0", "    // out[row + k * cols + col]\n").line == 0);
}
