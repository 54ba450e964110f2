// Compares patterns with std::regex on random text, and checks that patterns are fast on text that
// would make std::regex backtrack.
#include "examiner/text_pattern.h"

#include <doctest/doctest.h>

#include <chrono>
#include <iterator>
#include <random>
#include <regex>
#include <stdexcept>
#include <string>

#include "examiner/source_lines.h"

using namespace coalesce;

namespace {

constexpr const char* kExpressions[] = {
    R"(\b\w+\s+(\w+)\s*(?:\[[^\]=;]*\])+\s*;)",
    R"(__device__[^;{}()]*?(\w+)\s*\([^;{}]*\)\s*\{)",
    R"(\bfloat([24])\s+(\w+(?:\s*,\s*\w+)*)\s*;)",
    R"(^[^=]*[\])]\s*=\s*([A-Za-z_]\w*)\s*;\s*$)",
    R"(\b[A-Z][A-Z_0-9]*\s*=\s*(\d{1,4})\b)",
    R"([;{}]\s*([\w\s]*?)\b(\w+)\s*\[([^\]=;]*)\]\s*(?:;|=|\{))",
    R"(a*?b|a+|(x|y)*z?)",
};
constexpr const char* kTokens[] = {"__device__", "float4", "float2", " ",   "  ", "a", "b", "x",
                                   "y",          "z",      "(",      ")",   "[",  "]", "{", "}",
                                   ";",          ",",      "=",      "A_B", "12", "4", "\n"};

std::string random_text(std::mt19937& random) {
    std::string text;
    for (auto count = random() % 30; count > 0; --count)
        text += kTokens[random() % std::size(kTokens)];
    return text;
}

bool is_same(const TextMatch& one, const std::smatch& other) {
    for (std::size_t part = 0; part < other.size(); ++part) {
        if (one[part].matched != other[part].matched) return false;
        if (one.str(part) != other.str(part)) return false;
    }
    return one.position() == static_cast<std::size_t>(other.position());
}

double seconds_for(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("a pattern has the same matches as std::regex") {
    std::mt19937 random(1);
    for (const char* expression : kExpressions) {
        CAPTURE(expression);
        const TextPattern pattern(expression);
        const std::regex regex(expression);
        for (int i = 0; i < 400; ++i) {
            const std::string text = random_text(random);
            CAPTURE(text);
            const std::vector<TextMatch> found = find_matches(text, pattern);
            std::size_t number = 0;
            for (std::sregex_iterator one(text.begin(), text.end(), regex), end; one != end;
                 ++one) {
                REQUIRE(number < found.size());
                CHECK(is_same(found[number++], *one));
            }
            CHECK(number == found.size());
            TextMatch match;
            std::smatch whole;
            CHECK(match_whole(text, match, pattern) == std::regex_match(text, whole, regex));
        }
    }
}

TEST_CASE("a pattern with unsupported syntax is rejected") {
    for (const char* expression : {"(a", "a)", "(?=a)", "(a)\\1", "a{2", "*"}) {
        CAPTURE(expression);
        CHECK_THROWS_AS(TextPattern{expression}, std::invalid_argument);
    }
}

TEST_CASE("the search for a word matches only whole words") {
    CHECK(contains_word("a + step;", "step"));
    CHECK_FALSE(contains_word("a + steps, my_step", "step"));
    CHECK(find_word("steps step", "step") == 6);
}

TEST_CASE("a search is fast for any text") {
    for (const char* unit : {"__device__", "__device__ f(", "for(;;){", "float4 a,", "A=1 ", "v[",
                             "{", "const int a=(", "/*", "\"", "asm(", "a[b][", "if (k <", "x."}) {
        std::string text = "__global__ void f() { __syncthreads(); ";
        while (text.size() < 8000) text += unit;
        CAPTURE(unit);
        const double seconds = seconds_for([&] {
            for (const char* expression : kExpressions)
                static_cast<void>(find_matches(text, TextPattern(expression)));
            static_cast<void>(find_loops(text));
            static_cast<void>(find_array_overrun(text));
            static_cast<void>(find_component_never_set(text));
            static_cast<void>(find_missing_parentheses(text));
            static_cast<void>(find_unshared_array(text));
            static_cast<void>(find_copy_start_line(text));
            static_cast<void>(find_caller_of_asm(text, 1));
        });
        // This takes 0.1 seconds without optimization. An earlier version, which used std::regex,
        // took minutes.
        CHECK(seconds < 10);
    }
}

TEST_CASE("large numbers in a source do not cause an overflow") {
    const std::string head = "float v[4];\nconst int a = 134217728 * 134217728 * 512;\n";
    for (const char* text : {"const int b = a / (0 - 1);", "const int b = a % (0 - 1);",
                             "float w[0 - 2147483647 - 1]; v[a * a] = 0;"}) {
        CHECK(find_array_overrun(head + text).line == 0);
    }
    CHECK(find_array_overrun("float v[4]; const int a = " + std::string(7000, '(')).line == 0);
}
