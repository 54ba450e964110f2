#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "base/files.h"
#include "examiner/failure.h"
#include "grader/corpus/case_text.h"
#include "grader/corpus/leftovers.h"
#include "grader/corpus/self_test.h"

using namespace coalesce;
using namespace coalesce::grader;

namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(COALESCE_REPOSITORY) / "common/grader/corpus";

std::vector<CorpusCase> all_cases() {
    std::ifstream stream(folder / "cases.txt");
    return parse_corpus_cases({std::istreambuf_iterator<char>(stream), {}});
}

}  // namespace

TEST_CASE("the corpus has enough cases, and every verdict occurs in it") {
    int hostile = 0, right = 0;
    std::set<std::string> verdicts;
    for (const CorpusCase& one : all_cases()) {
        ++(one.is_correct() ? right : hostile);
        verdicts.insert(one.verdict);
    }
    CHECK(hostile >= 120);
    CHECK(right >= 60);
    CHECK(hostile + right >= 300);
    // SYS means that the grader itself failed. No submission may cause this verdict.
    CHECK_FALSE(verdicts.contains("SYS"));
    for (const char* verdict :
         {"OK", "CE", "CL", "REJ", "WA", "MEM", "RACE", "INIT", "SYNC", "TLE", "CHEAT"}) {
        CAPTURE(std::string(verdict));
        CHECK(verdicts.contains(verdict));
    }
}

TEST_CASE("every file in the corpus has a case, and every case has its file") {
    std::set<std::string> named, there;
    for (const CorpusCase& one : all_cases()) named.insert(one.file);
    for (const auto& entry : fs::directory_iterator(folder / "cases")) {
        there.insert(entry.path().filename());
    }
    CHECK(named == there);
}

TEST_CASE("every case in cases_by_clang.txt exists in cases.txt, with a different result") {
    const auto cases = all_cases(), by_clang = cases_for_compiler(Compiler::clang);
    REQUIRE(by_clang.size() == cases.size());
    int others = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        CHECK(by_clang[i].file == cases[i].file);
        others += !by_clang[i].has_same_outcome_as(cases[i]);
    }
    CHECK(others ==
          static_cast<int>(
              parse_corpus_cases(coalesce::read_file(folder / "cases_by_clang.txt")).size()));
    // Cases whose result depends on the compiler must stay rare.
    CHECK(others * 10 < static_cast<int>(cases.size()));
    CHECK(cases_for_compiler(Compiler::nvrtc).front().file == cases.front().file);
}

TEST_CASE("an invalid line of cases.txt is rejected") {
    CHECK(parse_corpus_cases("# nothing\n\n").empty());
    CHECK(parse_corpus_cases("a.cu 02_naive WA scattered\n").at(0).failure() == "scattered");
    CHECK(parse_corpus_cases("a.cu 02_naive OK -\n").at(0).failures.empty());
    CHECK(parse_corpus_cases("a.cu 02_naive CL slow|large\n").at(0).failures ==
          std::vector<std::string>{"slow", "large"});
    for (const char* text :
         {"a.cu 02_naive WA\n", "a.cu 02_naive XX -\n", "a.cu 02_naive OK - more\n",
          "a.cu 02_naive OK -\na.cu 02_naive OK -\n"}) {
        CHECK_THROWS_AS(parse_corpus_cases(text), std::runtime_error);
    }
}

TEST_CASE("a @repeat marker in a corpus file expands to a large submission") {
    CHECK(expand_repeats("int a;\n") == "int a;\n");
    CHECK(expand_repeats("// @repeat 3 \"\\\\\\n\"@!") == "// \\\n\\\n\\\n!");
    CHECK(expand_repeats("@repeat 2 \"(\"@1@repeat 2 \")\"@") == "((1))");
    CHECK(expand_repeats("\"@repeat 2 \"\\\"\"@\"") == "\"\"\"\"");
    for (const char* text :
         {"@repeat \"a\"@", "@repeat 0 \"a\"@", "@repeat 2 a@", "@repeat 2 \"a\"", "@repeat 2 \"a",
          "@repeat 2 \"\\x\"@", "@repeat 900000000 \"a\"@"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(expand_repeats(text), std::runtime_error);
    }
}

TEST_CASE("submissions are large enough for their expected verdicts") {
    const std::pair<const char*, std::size_t> kilobytes[] = {{"too_large.cu", 270},
                                                             {"right_comments_of_240_kb.cu", 240},
                                                             {"right_ends_of_comments.cu", 120},
                                                             {"right_backslashes.cu", 100},
                                                             {"right_braces.cu", 90},
                                                             {"line_of_escapes.cu", 69},
                                                             {"line_of_60_kb.cu", 65},
                                                             {"long_identifier.cu", 60},
                                                             {"line_of_quotes.cu", 53},
                                                             {"deep_nesting.cu", 40}};
    for (const auto& [file, size] : kilobytes) {
        CAPTURE(file);
        CHECK(read_case_file(folder / "cases" / file).size() / 1000 == size);
    }
}

TEST_CASE("leftover files are found") {
    const fs::path place = fs::temp_directory_path() / "coalesce-leftovers";
    fs::create_directories(place);
    const Leftovers before = find_leftovers(place);
    CHECK(find_new_leftovers(find_leftovers(place), before).empty());
    std::ofstream(place / "something") << "left";
    const auto left = find_new_leftovers(find_leftovers(place), before);
    REQUIRE(left.size() == 1);
    CHECK(left[0] == "file " + (place / "something").string());
    fs::remove_all(place);
}
