#include "examiner/exercises/mutants.h"

#include <doctest/doctest.h>

#include "examiner/course/course_error.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace coalesce;
using namespace coalesce::exercises;

namespace {

const std::string HEAD_OF_MUTANTS =
    "[blank]\nfailure = \"nothing-written\"\n"
    "[hunt]\nfailure = \"grid-too-small\"\nfirst_shape = \"wrong\"\n";

std::string mutant(const std::string& name) {
    return "[[mutant]]\nname = \"" + name +
           "\"\nreplace = \"a\"\nwith = \"b\"\nfailure = \"no-bounds-check\"\n";
}

// Writes the text to a file, and returns the mutants that are read from it.
Mutants read(const std::string& text) {
    auto file = std::filesystem::temp_directory_path() /
                ("coalesce_mutants_" + std::to_string(getpid()) + ".toml");
    std::ofstream(file) << text;
    struct Remove {
        std::filesystem::path file;
        ~Remove() { std::filesystem::remove(file); }
    } remove{file};
    return read_mutants(file);
}

const std::string FOUR = mutant("1") + mutant("2") + mutant("3") + mutant("4");

}  // namespace

TEST_CASE("the skeleton may fail in a different way when clang compiles it") {
    std::string head = HEAD_OF_MUTANTS;
    const std::string blank = "failure = \"nothing-written\"\n";
    head.insert(head.find(blank) + blank.size(), "failure_by_clang = \"never-written\"\n");
    CHECK(read(head + FOUR).blank_failure_by_clang == "never-written");
    CHECK(read(head + FOUR).blank_failure == "nothing-written");
}

TEST_CASE("mutants.toml is read completely") {
    Mutants all = read(HEAD_OF_MUTANTS + FOUR);
    CHECK(all.blank_failure == "nothing-written");
    CHECK(all.blank_failure_by_clang == "nothing-written");
    CHECK(all.hunt_failure == "grid-too-small");
    CHECK_FALSE(all.passes_unmodified_hunt);
    REQUIRE(all.mutants.size() == 4);
    CHECK(all.mutants[3].name == "4");
    CHECK(all.mutants[3].failure == "no-bounds-check");
}

TEST_CASE("mistakes in mutants.toml are reported as errors") {
    CHECK_THROWS_WITH_AS(read(HEAD_OF_MUTANTS + mutant("1")),
                         doctest::Contains("fewer than 4 mutants"), coalesce::course::CourseError);
    CHECK_THROWS_WITH_AS(read(HEAD_OF_MUTANTS), doctest::Contains("fewer than 4 mutants"),
                         coalesce::course::CourseError);
    CHECK_THROWS_WITH_AS(read(FOUR), doctest::Contains("no `blank`"),
                         coalesce::course::CourseError);
    CHECK_THROWS_WITH_AS(read(HEAD_OF_MUTANTS + FOUR + mutant("2")),
                         doctest::Contains("two mutants are called"),
                         coalesce::course::CourseError);
    CHECK_THROWS_WITH_AS(read(HEAD_OF_MUTANTS + FOUR + "wth = \"x\"\n"),
                         doctest::Contains("unknown key `wth`"), coalesce::course::CourseError);
    CHECK_THROWS_WITH_AS(read(HEAD_OF_MUTANTS + FOUR + "[[mutant]]\n"),
                         doctest::Contains("no `name`"), coalesce::course::CourseError);
    CHECK_THROWS_WITH_AS(read("[blank\n"), doctest::Contains("fix this line"),
                         coalesce::course::CourseError);
}

TEST_CASE("a mutant is applied only if its text occurs exactly once") {
    Mutant wrong{.name = "m", .replace = "x < y", .replacement = "x > y", .failure = "f"};
    CHECK(apply_mutant(wrong, "if (x < y) {}") == "if (x > y) {}");
    CHECK_THROWS_WITH_AS(apply_mutant(wrong, "nothing"), doctest::Contains("does not occur"),
                         UsageError);
    CHECK_THROWS_WITH_AS(apply_mutant(wrong, "x < y, x < y"), doctest::Contains("occurs twice"),
                         UsageError);
    wrong.replacement = wrong.replace;
    CHECK_THROWS_WITH_AS(apply_mutant(wrong, "x < y"), doctest::Contains("changes nothing"),
                         UsageError);
}
