// Tests how a learner's file is split into tokens, functions, statements and names.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "examiner/changes/program.h"

using namespace coalesce::changes;

namespace {

const std::string kKernel = R"(#include "exercise.h"  // Launch
constexpr int TILE = 32, STEP = 8;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y;  // "not a string
    for (int k = 0; k < TILE; k += STEP) {
        if (row + k < rows && col < cols) tile[k][0] = in[(row + k) * cols + col];
        else tile[k][0] = 0;
    }
    float4 v = {1.0f, 2, 3, 4};
}
constexpr Launch configure(int rows, int cols) { return {.grid = {1, 2}, .block = {TILE}}; }
)";

std::vector<std::string> texts(const std::string& code) {
    std::vector<std::string> found;
    for (const Token& one : tokenize(code)) found.push_back(one.text);
    return found;
}

std::size_t find(const Program& program, const std::string& text, int line) {
    for (std::size_t i = 0; i < program.tokens().size(); ++i) {
        if (program.token(i).text == text && program.token(i).line == line) return i;
    }
    FAIL("no token " << text);
    return 0;
}

}  // namespace

TEST_CASE("a member belongs to its name, and operators are as long as possible") {
    CHECK(texts("threadIdx.x<<=a->b.c;") ==
          std::vector<std::string>{"threadIdx.x", "<<=", "a", "->", "b.c", ";"});
    CHECK(texts("1.5f+x/*no*/+\"no\"") == std::vector<std::string>{"1.5f", "+", "x", "+"});
    CHECK(texts("#define A \\\n  1\nx") == std::vector<std::string>{"x"});
    CHECK(tokenize("#define A \\\n  1\nx").front().line == 3);
}

TEST_CASE("functions, statements and names have their places") {
    const Program program(kKernel);
    REQUIRE(program.functions().size() == 2);
    CHECK(program.functions()[0].name == "transpose");
    CHECK(program.functions()[1].name == "configure");
    const Statement& loop =
        program.statement(program.statement(program.statement_at(find(program, "if", 7))).parent);
    CHECK(loop.kind == Statement::Kind::block);
    const Statement& branch = program.statement(loop.children.at(0));
    CHECK(branch.kind == Statement::Kind::branch);
    CHECK(branch.has_else);
    CHECK(branch.children.size() == 2);

    const std::size_t use = find(program, "tile", 7);
    REQUIRE(program.find_name("TILE", use));
    CHECK(program.find_name("TILE", use)->kind == Name::Kind::constant);
    CHECK(program.find_name("STEP", use)->kind == Name::Kind::constant);
    CHECK(program.find_name("k", use)->kind == Name::Kind::integer);
    CHECK(program.find_name("row", use)->kind == Name::Kind::integer);
    CHECK(program.find_name("tile", use)->kind == Name::Kind::array);
    CHECK(program.find_name("in", use)->kind == Name::Kind::pointer);
    CHECK(program.find_name("v", use) == nullptr);
    const std::size_t after = find(program, "float4", 10);
    CHECK(program.find_name("k", after) == nullptr);
    CHECK(program.find_name("v", after + 2)->type == "float4");
    CHECK(program.is_in_configure(find(program, "return", 12)));
}

TEST_CASE("operands include their indices and arguments") {
    const Program program(kKernel);
    const std::size_t in = find(program, "in", 7);
    const std::size_t last = program.end_of_operand(in);
    CHECK(program.text_between(in, last) == "in[(row + k) * cols + col]");
    CHECK(program.begin_of_operand(last) == in);
}

TEST_CASE("unfinished text is read without an error") {
    for (const char* text : {"", "{", "}", "void f(", "void f() {", "void f() { if (", "for (;;",
                             "void f() { for (int i = 0; i < 3", "int a[", "void f() { else }",
                             "void f() { if (a) else", "= {", "void f() { x", "int"}) {
        CAPTURE(text);
        const Program program(text);
        CHECK(program.tokens().size() <= 20);
    }
}
