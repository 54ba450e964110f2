// What a text alone says of where a mistake is; and that it says nothing where there is none.
#include "kernel/source_lines.h"

#include <doctest/doctest.h>

using namespace coalesce;

TEST_CASE("blocks on the diagonal leave where both numbers may be equal") {
    CHECK(line_of_leaving_diagonal("\nif (blockIdx.y >= blockIdx.x) return;") == 2);
    CHECK(line_of_leaving_diagonal("if (blockIdx.x == blockIdx.y) {\n    return;\n}") == 1);
    CHECK(line_of_leaving_diagonal("if (blockIdx.y > blockIdx.x) return;") == 0);
    CHECK(line_of_leaving_diagonal("if (row >= side) return;") == 0);
    CHECK(line_of_leaving_diagonal("// if (blockIdx.y >= blockIdx.x) return;") == 0);
}

TEST_CASE("of several lines one may take a row to be longer than the others") {
    const std::string usual = "a = data[row * side + col];\nb = data[(col + 1) * side + row];\n";
    const OddPitch odd = odd_pitch(usual + "data[row * TILE + col] = b;", "data");
    CHECK(odd.line == 3);
    CHECK(odd.pitch == "TILE");
    CHECK(odd.usual == "side");
    CHECK(odd_pitch(usual, "data").line == 0);
    // One against one: nobody knows which is odd.
    CHECK(odd_pitch("a = data[row * side + col];\ndata[row * TILE + col] = a;", "data").line == 0);
    CHECK(odd_pitch(usual + "other[row * TILE + col] = b;", "data").line == 0);
}

TEST_CASE("a pointer is moved, or added to") {
    CHECK(line_of_move("float a = in[3];\nin += blockIdx.z;", "in") == 2);
    CHECK(line_of_move("const float* one = in + 64;", "in") == 1);
    CHECK(line_of_move("int main_ = min + 1;", "in") == 0);
}
