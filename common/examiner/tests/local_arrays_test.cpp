// Tests the search in a kernel's source for accesses outside a local array.
#include "examiner/source_lines.h"

#include <doctest/doctest.h>

#include <string>

using namespace coalesce;

namespace {

const std::string constants = "constexpr int TILE_DIM = 32, BLOCK_ROWS = TILE_DIM / 4;\n";

/// Returns a kernel that contains the declaration and the loop.
std::string kernel(const std::string& declaration, const std::string& loop) {
    return constants + "__global__ void f(float* out, const float* in, int n) {\n" + declaration +
           "\n" + loop + "\n}\n";
}

ArrayOverrun overrun_in(const std::string& declaration, const std::string& loop) {
    return find_array_overrun(kernel(declaration, loop));
}

const std::string four = "float values[TILE_DIM / BLOCK_ROWS];";
const std::string tile_loop = "for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) ";

}  // namespace

TEST_CASE(
    "an index beyond the end of its array is reported, with its value and the array's length") {
    const ArrayOverrun overrun = overrun_in(four, tile_loop + "{\n values[k] = in[k];\n}");
    CHECK(overrun.line == 5);
    CHECK(overrun.array == "values");
    CHECK(overrun.length == 4);
    CHECK(overrun.index == "k");
    CHECK(overrun.last_value == 24);
    CHECK(overrun_in("float v[4];", "for (int i = 0; i <= 4; ++i) v[i] = 0;").last_value == 4);
    CHECK(overrun_in("float v[4];", "for (int i = 0; i < 4; i++) v[i + 1] = 0;").last_value == 4);
    CHECK(overrun_in("float4 v[2];", "for (int i = 0; i < 2; ++i) { out[i] = v[i * 2].x; }")
              .last_value == 2);
    CHECK(overrun_in("float v[3] = {0, 1, 2};", "out[0] = v[4];").last_value == 4);
}

TEST_CASE("the array that a line accesses is returned with its length") {
    const std::string text = kernel(four, tile_loop + "{\n values[n] = in[k];\n}");
    CHECK(find_local_array(text, 5).name == "values");
    CHECK(find_local_array(text, 5).length == 4);
    CHECK(find_local_array(text, 4).name.empty());
    CHECK(find_local_array(text, 99).name.empty());
}

TEST_CASE("an index is not reported if it is within its array, or if its value is unknown") {
    for (const std::string body :
         {"values[k / BLOCK_ROWS] = in[k];", "values[k % 4] = in[k];", "values[k / n] = in[k];",
          "out[k] = in[k];", "values[at(k)] = 0;", "if (k < 4) values[k] = in[k];"}) {
        CAPTURE(body);
        CHECK(overrun_in(four, tile_loop + body).line == 0);
    }
    CHECK(overrun_in("float v[4];", "for (int i = 0; i < n; ++i) v[i] = 0;").line == 0);
    CHECK(overrun_in("float v[n];", "for (int i = 0; i < 8; ++i) v[i] = 0;").line == 0);
    CHECK(overrun_in("float v[4];", "for (int i = 0; i < 9; i += 0) v[i] = 0;").line == 0);
    // Accesses outside shared memory are left to the simulated GPU's checks.
    CHECK(overrun_in("__shared__ float v[4];", "for (int i = 0; i < 8; ++i) v[i] = 0;").line == 0);
    CHECK(overrun_in("float v[4];", "// v[7]\n").line == 0);
}
