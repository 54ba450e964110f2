// Tests which changes are listed for a text, in which order, and how they are described.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "examiner/changes/ranking.h"

using namespace coalesce;
using namespace coalesce::changes;

namespace {

std::string kernel_with(const std::string& body) {
    return "constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;\n"
           "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
           "    __shared__ float tile[TILE_DIM][TILE_DIM];\n" +
           body +
           "}\n"
           "constexpr Launch configure(int rows, int cols) {\n"
           "    return {.grid = {cols / TILE_DIM, ceil_div(rows, TILE_DIM)},\n"
           "            .block = {TILE_DIM, BLOCK_ROWS}};\n"
           "}\n";
}

/// Reports whether a change of the text makes it contain `wanted`.
bool is_listed(const std::string& text, const std::string& wanted) {
    const Program program(text);
    return std::ranges::any_of(list_changes(program, {}), [&](const Change& one) {
        return make_change(one, text).find(wanted) != std::string::npos;
    });
}

/// Returns the sentence for the change that makes the text contain `wanted`, or "".
std::string sentence_for(const std::string& text, const std::string& wanted) {
    const Program program(text);
    for (const Change& one : list_changes(program, {})) {
        if (make_change(one, text).find(wanted) != std::string::npos) return describe(one);
    }
    return "";
}

}  // namespace

TEST_CASE("each natural mistake has a change that undoes it") {
    const std::pair<const char*, const char*> mistakes[] = {
        {"int row = blockIdx.x * TILE_DIM + threadIdx.y;",
         "int row = blockIdx.y * TILE_DIM + threadIdx.y;"},
        {"int col = 1, row = 2; out[row * rows + col] = 0;", "out[col * rows + row] = 0;"},
        {"int col = 1, row = 2; out[row * cols + col] = 0;", "out[row * rows + col] = 0;"},
        {"int col = 1, row = 2; if (row <= rows) out[0] = 0;", "if (row < rows) out[0] = 0;"},
        {"int col = 1, row = 2; if (row < rows || col < cols) out[0] = 0;",
         "if (row < rows && col < cols) out[0] = 0;"},
        {"int col = 1, row = 2; if (row < cols && col < rows) out[0] = 0;",
         "if (row < rows && col < cols) out[0] = 0;"},
        {"for (int k = 0; k < TILE_DIM; ++k) out[k] = 0;", "k += BLOCK_ROWS) out[k] = 0;"},
        {"for (int k = 0; k < BLOCK_ROWS; k++) out[k] = 0;", "k < TILE_DIM; k++) out[k] = 0;"},
        {"for (int k = 0; k < TILE_DIM; k += 8) out[k] = 0;",
         "for (int k = threadIdx.y; k < TILE_DIM; k += 8) out[k] = 0;"},
        {"tile[threadIdx.y][threadIdx.x] = 0;", "tile[threadIdx.x][threadIdx.y] = 0;"},
        {"out[0] = in[0];", "in[0] = in[0];"},
        {"float sum; out[0] = sum;", "float sum = 0;"},
        {"out[0] += 1;", "atomicAdd(&out[0], 1);"},
        {"out[0] = 1;", "out[0] += 1;"},
        {"tile[0][0] = 0; out[0] = tile[0][0];",
         "tile[0][0] = 0; __syncthreads();  out[0] = tile[0][0];"},
        {"int row = 1, col = 2; for (int k = 0; k < 8; k++) { out[row * cols + col] = 0; }",
         "out[(row + k) * cols + col] = 0;"},
        {"int row = 1, col = 2; if (row < rows) { out[col] = 0; }",
         "if (row < rows && col < cols) { out[col] = 0; }"},
        {"for (int k = 0; k < 8; k++) { tile[k][0] = 0; __syncthreads(); }",
         "tile[k][0] = 0; ; } __syncthreads();"},
        {"int row = blockIdx.y;", "int row = blockIdx.y * TILE_DIM;"},
        {"int row = 1; out[row + 1 * cols] = 0;", "out[(row + 1) * cols] = 0;"},
        {"float high = 1; out[0] = expf(in[0]); out[1] = expf(in[0] - high);",
         "out[0] = expf(in[0] - high);"},
        {"out[0] = fmaxf(out[0], out[1]);", "out[0] = out[0] + out[1];"},
        {"int size = 8, step = 1; if ((row & (2 * step)) == 0) out[0] = 0;",
         "if ((row & size) == 0)"},
        {"int step = 1; if (threadIdx.x % step == 0) out[0] = 0;", "threadIdx.x % (step * 2) == 0"},
        {"int k = threadIdx.x; tile[k][0] = 0; out[k] = in[k];",
         "out[(threadIdx.y)] = in[(threadIdx.y)];"},
        {"int best = 0, at = 0, other = 1, place = 1; "
         "if (other > best || place < at) best = other;",
         "if (other > best || (other == best && place < at))"},
        {"int best = 0, at = 0, other = 1, place = 1; "
         "if (other >= best) { best = other; at = place; }",
         "if (other > best || (other == best && place < at))"},
        {"float sum = in[0]; for (int k = 0; k < 8; k++) sum += in[k];",
         "sum = 0; for (int k = 0;"}};
    for (const auto& [written, meant] : mistakes) {
        CAPTURE(written);
        CHECK(is_listed(kernel_with(written), meant));
    }
}

TEST_CASE("each mistake in configure has a change that undoes it") {
    const std::string text = kernel_with("");
    CHECK(is_listed(text, ".grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)}"));
    CHECK(is_listed(text, ".grid = {ceil_div(rows, TILE_DIM), cols / TILE_DIM}"));
    CHECK(is_listed(text, ".block = {BLOCK_ROWS, TILE_DIM}"));
    CHECK(is_listed(text, ".block = {TILE_DIM, TILE_DIM}"));
    CHECK(is_listed(text, ".block = {TILE_DIM / 4, BLOCK_ROWS}"));
    CHECK(is_listed("constexpr Launch configure(int n) { return {.shared_bytes = n}; }",
                    ".shared_bytes = (n) * sizeof(float)}"));
}

TEST_CASE("a sentence shows enough of the line to find the place") {
    CHECK(sentence_for(kernel_with("int row = blockIdx.x;"), "int row = blockIdx.y;") ==
          "Line 4 reads `blockIdx.x` where `blockIdx.y` would make the kernel pass every check.");
    CHECK(
        sentence_for(kernel_with("if (rows <= cols) out[0] = 0;"), "rows < cols") ==
        "Line 4 reads `rows <= cols` where `rows < cols` would make the kernel pass every check.");
    CHECK(sentence_for(kernel_with("tile[0][1] = 0;\nout[0] = tile[0][0];\n"),
                       "tile[0][1] = 0; __syncthreads(); ") ==
          "With `__syncthreads();` after line 4, the kernel passes every check.");
}

TEST_CASE("changes near the failure come first") {
    const std::string text =
        kernel_with("int row = blockIdx.x;\nint col = blockIdx.x;\nout[row] = in[col];\n");
    const Program program(text);
    Failure failure;
    failure.place.line = 5;
    const std::vector<Change> listed = list_changes(program, failure);
    REQUIRE(!listed.empty());
    CHECK(listed.front().line == 5);
    CHECK(std::ranges::is_sorted(listed, {}, &Change::cost));
}

TEST_CASE("changes of lines that the learner has not written come last") {
    const std::string text = kernel_with("out[0] = in[1];\nout[1] = in[0];\n");
    const std::vector<std::string> given = {"something else", "  out[0] =   in[1];"};
    const std::set<int> given_lines = find_given_lines(text, given);
    CHECK(given_lines == std::set<int>{4});
    Failure failure;
    failure.place.line = 4;
    CHECK(list_changes(Program(text), failure).front().line == 4);
    CHECK(list_changes(Program(text), failure, given_lines).front().line == 5);
}

TEST_CASE("each changed text is different") {
    const std::string text = kernel_with("int row = 1; out[row * cols + row] = in[row];");
    const Program program(text);
    std::vector<std::string> texts = {text};
    for (const Change& one : list_changes(program, {})) texts.push_back(make_change(one, text));
    std::ranges::sort(texts);
    CHECK(std::ranges::adjacent_find(texts) == texts.end());
}
