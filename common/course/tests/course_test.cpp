// course.toml: what is read from a right one, and the place and the advice for each wrong one.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "course/course.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

using namespace coalesce::course;

namespace {

// A file that is gone again at the end of a test.
struct TemporaryFile {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("course-" + std::to_string(getpid()) + ".toml");
    explicit TemporaryFile(const std::string& text) { std::ofstream(path) << text; }
    ~TemporaryFile() { std::filesystem::remove(path); }
};

Course read_text(const std::string& text) {
    TemporaryFile file(text);
    return read_course(file.path);
}

// What reading `text` complains of, without the file's name: "3: ...". Empty: nothing.
std::string complaint(const std::string& text) {
    TemporaryFile file(text);
    try {
        read_course(file.path);
        return "";
    } catch (const CourseError& error) {
        std::string message = error.what();
        std::string prefix = file.path.string() + ":";
        REQUIRE(message.starts_with(prefix));
        return message.substr(prefix.size());
    }
}

bool complains(const std::string& text, const std::string& line, const std::string& words) {
    std::string message = complaint(text);
    CAPTURE(message);
    CHECK(message.starts_with(line + ": "));
    CHECK(message.find(words) != std::string::npos);
    return true;
}

const std::string FIRST = R"([[step]]
name = "01_copy"
title = "Copy"
builds_on = ""
[[step.variant]]
name = "tile copy"
kernel = "copy_tile"
expect = { load = 4, store = 4 }
)";  // 8 lines

const std::string SECOND = R"([[step]]
name = "02_naive"
title = "Naive"
builds_on = "01_copy"
[[step.variant]]
name = "naive"
kernel = "transpose_naive"
expect = { load = 4, store = 32.5, shared_load = 1, shared_store = 32 }
multiples = [32, 4]
[[step.variant]]
name = "host"
)";

// `text` with its first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
    size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    return text.replace(place, from.size(), to);
}

}  // namespace

TEST_CASE("a right course is read whole") {
    Course course = read_text(FIRST + SECOND);
    REQUIRE(course.steps.size() == 2);
    const Step& naive = course.steps[1];
    CHECK(naive.name == "02_naive");
    CHECK(naive.number() == "02");
    CHECK(naive.title == "Naive");
    CHECK(naive.builds_on == "01_copy");
    CHECK(naive.line == 9);
    REQUIRE(naive.variants.size() == 2);
    CHECK(naive.variants[0].kernel == "transpose_naive");
    CHECK(naive.variants[0].expect.at("store") == 32.5);
    CHECK(naive.variants[0].expect.at("shared_store") == 32);
    CHECK(naive.variants[0].rows_multiple == 32);
    CHECK(naive.variants[0].cols_multiple == 4);
    CHECK(naive.variants[1].kernel == "");
    CHECK(naive.variants[1].cols_multiple == 1);
}

TEST_CASE("steps are found by name and by number, variants by name") {
    Course course = read_text(FIRST + SECOND);
    for (const char* word : {"2", "02", "02_naive"}) CHECK(course.find(word) == &course.steps[1]);
    for (const char* word : {"", "3", "002", "naive", "02_"}) CHECK(course.find(word) == nullptr);
    CHECK(course.steps[1].find("host") == &course.steps[1].variants[1]);
    CHECK(course.steps[1].find("tile copy") == nullptr);
}

TEST_CASE("a file that cannot be read") {
    try {
        read_course("/nonexistent/course.toml");
        FAIL("it was read");
    } catch (const CourseError& error) {
        CHECK(std::string(error.what()) ==
              "/nonexistent/course.toml: cannot be read; is the path right?");
    }
}

TEST_CASE("wrong files name the line and what to do") {
    complains(with(FIRST, "\"Copy\"", "\"Copy"), "3", "mend this line");
    complains("", "1", "no [[step]] here");
    complains("step = 3\n", "1", "no [[step]] here");
    complains("[[steps]]\n" + FIRST, "1", "no key `steps`");
    complains(with(FIRST, "title", "titel"), "3", "no key `titel`; mend its name");
    complains(with(FIRST, "title = \"Copy\"", ""), "1", "01_copy has no `title`; add title");
    complains(with(FIRST, "\"Copy\"", "7"), "3", "must be text in quotes");
    complains(with(FIRST, "01_copy", "copy"), "1", "named like 02_naive");
    complains(with(FIRST, "builds_on = \"\"", "builds_on = \"01_copy\""), "1", "builds on");
    complains(with(FIRST, "[[step.variant]]", "[[step.variants]]"), "5", "no key `variants`");
    complains("[[step]]\nname = \"01_copy\"\ntitle = \"\"\nbuilds_on = \"\"\n", "1",
              "no [[step.variant]] of 01_copy");
    complains(with(FIRST, "\"tile copy\"", "\"\""), "5", "an empty name");
}

TEST_CASE("wrong expectations") {
    std::string expect = "expect = { load = 4, store = 4 }";
    complains(with(FIRST, expect, ""), "5", "has a kernel but no `expect`");
    complains(with(FIRST, "kernel = \"copy_tile\"", ""), "8", "counters of no kernel");
    complains(with(FIRST, expect, "expect = {}"), "8", "must be a table");
    complains(with(FIRST, expect, "expect = 4"), "8", "must be a table");
    complains(with(FIRST, "load = 4", "loads = 4"), "8", "no key `loads`");
    complains(with(FIRST, "load = 4", "load = 0"), "8", "a number above 0");
    complains(with(FIRST, "load = 4", "load = nan"), "8", "a number above 0");
    complains(with(FIRST, "load = 4", "load = \"4\""), "8", "a number above 0");
}

TEST_CASE("wrong multiples") {
    for (const char* pair :
         {"32", "[32]", "[32, 0]", "[-1, 32]", "[1, 2, 3]", "[1.5, 1]", "[]", "[1, 99999999999]"}) {
        complains(FIRST + "multiples = " + pair + "\n", "9", "two whole numbers");
    }
}

TEST_CASE("wrong relations between steps") {
    complains(SECOND, "1", "builds on \"01_copy\"");
    complains(FIRST + with(SECOND, "\"01_copy\"", "\"02_naive\""), "9", "name an earlier step");
    complains(FIRST + with(SECOND, "\"01_copy\"", "\"\""), "9", "name an earlier step");
    complains(FIRST + FIRST, "9", "put the steps in the order of their numbers");
    complains(FIRST + with(SECOND, "\"host\"", "\"naive\""), "18", "two variants \"naive\"");
}
