#include <doctest/doctest.h>

#include "examiner/exercises/tree.h"

using namespace coalesce::exercises;

namespace {

const std::string HEAD_OF_SKELETON =
    "// Exercise 02_naive -- transpose.\n"
    "//\n"
    "// Given   a grid.\n"
    "// Write   the body (1 line).\n"
    "// Check   ./learn check 02          Stuck?   ./learn hint 02\n";
const std::string BODY = "//! [blank]\n//! // TODO\nx;\n//! [blank]\n";

std::vector<std::string> faults_of_head(const std::string& from, const std::string& to) {
    std::string head = HEAD_OF_SKELETON;
    if (!from.empty()) head.replace(head.find(from), from.size(), to);
    return find_header_faults("02_naive", parse_skeleton(head + BODY, "kernel.cu"), false);
}

}  // namespace

TEST_CASE("mistakes in the header comment of an exercise are reported") {
    CHECK(faults_of_head("", "").empty());
    CHECK(faults_of_head("02_naive", "03_tiled").size() == 1);
    CHECK(faults_of_head("// Given ", "// Taken ").size() == 1);
    CHECK(faults_of_head("(1 line)", "(2 lines)").size() == 1);
    CHECK(faults_of_head("learn hint 02", "learn hint 03").size() == 1);
}

TEST_CASE("mistakes in the header comment of a bug hunt are reported") {
    std::string head =
        "// Bug hunt 02_naive -- a colleague's.\n"
        "// Seen    right.\n"
        "// Fix     it.\n"
        "// Check   ./learn check 02 --hunt\n";
    CHECK(find_header_faults("02_naive", parse_skeleton(head + BODY, "hunt.cu"), true).empty());
    CHECK(find_header_faults("03_tiled", parse_skeleton(head + BODY, "hunt.cu"), true).size() == 2);
    CHECK(find_header_faults("02_naive", parse_skeleton(BODY, "hunt.cu"), true).size() == 4);
}

TEST_CASE("comments, templates and names are ignored when kernels are compared") {
    std::string of_step =
        "template <int N>\n"
        "__global__ void transpose_tiled(int n) {\n"
        "    // a comment\n"
        "\n"
        "    x = n;  // another\n"
        "}\n"
        "__global__ void other() {\n"
        "}\n";
    std::vector<std::string> expected = {"__global__ void kernel(int n) {", "    x = n;", "}"};
    CHECK(extract_kernel_lines(of_step) == expected);
    CHECK(extract_kernel_lines(
              "constexpr int N = 3;\n__global__ void transpose(int n) {\n    x = n;\n}\n") ==
          expected);
    CHECK(extract_kernel_lines("__global__ void transpose(int n) {\n    x = n + 1;\n}\n") !=
          expected);
    CHECK(extract_kernel_lines("no kernel\n").empty());
}
