// course.toml: what is read from a right one, and the place and the advice for each wrong one.

#include "examiner/course/course.h"

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

namespace {

const std::string PROGRAM = R"([program]
name = "00_program"
title = "Whole"
points = 10
shapes = [[1, 1024], [1, 1]]
[[program.hint]]
question = "Which?"
picture = "x"
api = "An api."
line = "A line."
)";

}  // namespace

TEST_CASE("the whole program is a lesson, and no step") {
    const Course course = read_text(PROGRAM + FIRST + SECOND);
    REQUIRE(course.program);
    CHECK(course.program->title == "Whole");
    const coalesce::Exercise& exercise = *course.program->exercise;
    CHECK(exercise.is_program);
    CHECK(exercise.name == "00_program");
    CHECK(exercise.file() == "program.cu");
    CHECK(exercise.points == 10);
    CHECK(exercise.shapes.size() == 2);
    CHECK(exercise.hints.at(0).levels[0] == "Which?");
    CHECK(course.steps.size() == 2);
    for (const char* word : {"0", "00", "00_program"}) {
        CHECK(course.lesson(word) == &*course.program);
        CHECK(course.find(word) == nullptr);
    }
    CHECK(course.lesson("2") == &course.steps[1]);
    CHECK(course.lesson("3") == nullptr);
    CHECK(read_text(FIRST).lesson("0") == nullptr);
}

TEST_CASE("wrong programs") {
    const std::string all = PROGRAM + FIRST;
    complains(with(all, "points = 10", "point = 10"), "4", "no key `point`");
    complains(with(all, "points = 10", ""), "1", "has no `points`");
    complains(with(all, "[1, 1024]", "[2, 1024]"), "1", "takes so many elements");
    complains(with(all, "name = \"00_program\"", "name = \"program\""), "1",
              "is named like 02_naive");
    complains(with(all, "name = \"00_program\"", "name = \"07_program\""), "1", "before the steps");
    complains(with(all, "api = \"An api.\"", ""), "6", "has no `api`");
    complains(PROGRAM.substr(0, PROGRAM.find("[[program.hint")) + FIRST, "1",
              "no [[program.hint]] of 00_program");
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
    complains(with(FIRST, "\"Copy\"", "\"Copy"), "3", "fix this line");
    complains("", "1", "no [[step]] here");
    complains("step = 3\n", "1", "no [[step]] here");
    complains("[[steps]]\n" + FIRST, "1", "no key `steps`");
    complains(with(FIRST, "title", "titel"), "3", "no key `titel`; fix its name");
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

// ---- exercises ----

namespace {

// Behind a step's variants: its exercise.
const std::string EXERCISE = R"(
[[step.hint]]
question = "Which?"
picture = """
  a b
  c d
"""
api = "An api."
line = "a line;"
[[step.hint]]
failures = ["no-bounds-check", "wrong-pitch"]
question = "How long?"
[[step.prediction]]
counter = "store"
question = "How many?"
[step.hunt]
points = 7
question = "1"
picture = "2"
api = "3"
line = "4"
)";
// Its second line gives it an exercise.
const std::string WITH_POINTS =
    "[[step]]\nexercise = { points = 5, shapes = [[64, 64]] }\n" + FIRST.substr(FIRST.find("name"));
const std::string OF_ALL = "[[hint]]\nfailures = [\"deadlock\"]\napi = \"Wait.\"\n";

}  // namespace

TEST_CASE("an exercise is read whole") {
    Course course = read_text(OF_ALL + WITH_POINTS + EXERCISE);
    const Step& step = course.steps[0];
    REQUIRE(step.exercise);
    const coalesce::Exercise& exercise = *step.exercise;
    CHECK(exercise.points == 5);
    REQUIRE(exercise.hints.size() == 2);
    CHECK(exercise.hints[0].levels[1] == "  a b\n  c d");
    REQUIRE(exercise.predictions.size() == 1);
    CHECK(exercise.predictions[0].counter == "store");
    CHECK(exercise.predictions[0].question == "How many?");
    CHECK(exercise.predictions[0].within == coalesce::kRounding);
    Course about = read_text(
        with(WITH_POINTS + EXERCISE, "counter = \"store\"", "counter = \"store\"\nwithin = 0.1"));
    CHECK(about.steps[0].exercise->predictions[0].within == 0.1);
    const std::string time = with(WITH_POINTS + EXERCISE, "counter = \"store\"",
                                  "counter = \"of_copy_predicted\"\nwithin = 0.25");
    CHECK(read_text(time).steps[0].exercise->predictions[0].counter == coalesce::kOfCopy);
    REQUIRE(step.hunt);
    CHECK(step.hunt->points == 7);
    CHECK(step.hunt->hints.at(0).levels[3] == "4");
    CHECK(!read_text(FIRST).steps[0].hunt);
    CHECK(!read_text(FIRST).steps[0].exercise);
}

TEST_CASE("a hint for a failure: the step's own, else the course's, else the one for all") {
    Course course = read_text(OF_ALL + WITH_POINTS + EXERCISE);
    const coalesce::Exercise& step = *course.steps[0].exercise;
    CHECK(course.hint_for(step, "").levels[0] == "Which?");
    CHECK(course.hint_for(step, "").failures.empty());
    CHECK(course.hint_for(step, "something-else").levels[0] == "Which?");
    coalesce::Hint own = course.hint_for(step, "wrong-pitch");
    CHECK(own.levels[0] == "How long?");
    CHECK(own.levels[2] == "An api.");
    CHECK(own.failures.front() == "no-bounds-check");
    coalesce::Hint common = course.hint_for(step, "deadlock");
    CHECK(common.levels[0] == "Which?");
    CHECK(common.levels[2] == "Wait.");
}

TEST_CASE("wrong exercises") {
    const std::string all = WITH_POINTS + EXERCISE;
    complains(FIRST + EXERCISE, "10", "has no exercise to go with this");
    complains(with(all, "points = 5", "points = 0"), "2", "from 1 to 1000");
    complains(with(all, "points = 5", "points = 1.5"), "2", "from 1 to 1000");
    complains(WITH_POINTS, "1", "no [[step.hint]] of 01_copy");
    complains(with(all, "api = \"An api.\"", ""), "11", "has no `api`");
    complains(with(all, "\"Which?\"", "\"\""), "12", "`question` is empty");
    complains(with(all, "question = \"Which?\"", "failures = [\"deadlock\"]"), "11", "is for all");
    complains(with(all, "failures = [\"no-bounds-check\", \"wrong-pitch\"]", ""), "19",
              "needs failures");
    complains(with(all, "[\"no-bounds-check\", \"wrong-pitch\"]", "[1]"), "20", "needs failures");
    complains(with(all, "\"no-bounds-check\"", "\"wrong-pitch\""), "19",
              "two hints for wrong-pitch");
    complains(with(all, "question = \"How long?\"", ""), "19", "says nothing");
    complains(with(all, "question = \"How long?\"", "advice = \"no\""), "21", "no key `advice`");
    complains(with(all, "counter = \"store\"", "counter = \"of_copy_predicted\""), "23",
              "no time is predicted");
    for (std::string within : {"0.5", "0.01", "0", "-1", "\"a little\""}) {
        complains(with(all, "counter = \"store\"", "counter = \"store\"\nwithin = " + within), "24",
                  "above 0.02 and up to 0.25");
    }
    complains(with(all, "\"store\"", "\"stores\""), "23", "is load, store, shared_load");
    complains(with(all, "points = 7", ""), "25", "the bug hunt of 01_copy has no `points`");
    complains(with(all, "[step.hunt]", "[[step.hunt]]"), "25", "must be a table");
    complains(with(all, "line = \"4\"", ""), "25", "has no `line`");
    complains(with(OF_ALL, "failures = [\"deadlock\"]", "") + all, "1", "needs failures");
}

TEST_CASE("what an exercise asks is read, and slips in it are told") {
    const std::string all = WITH_POINTS + EXERCISE;
    const std::string asked = "shapes = [[64, 64]]";
    Course course = read_text(
        with(all, asked,
             "shapes = [[64, 64], [32, 96]], kernel = \"copy\", produces = \"copy\", multiples = "
             "[2, 4], counted = [128, 64], limits = { load = 4, elements_per_thread = 2.5 }, "
             "block_order = \"diagonal\", hidden = [{ rows = 1, cols = [5, 9] }]"));
    const coalesce::Exercise& exercise = *course.steps[0].exercise;
    CHECK(exercise.name == "01_copy");
    CHECK(exercise.kernel == "copy");
    CHECK(exercise.task().kind == coalesce::Produces::copy);
    CHECK(exercise.shapes.at(1).cols == 96);
    CHECK(exercise.cols_multiple == 4);
    CHECK(exercise.counted.rows == 128);
    CHECK(exercise.limits.load == 4);
    CHECK(exercise.limits.store == 0);
    CHECK(exercise.limits.elements_per_thread == 2.5);
    CHECK(exercise.block_order == "diagonal");
    CHECK(exercise.hidden.at(0).cols[1] == 9);
    // The hunt asks for the same, at no cost of its own.
    const coalesce::Exercise& hunt = *course.steps[0].hunt;
    CHECK(hunt.is_hunt);
    CHECK(hunt.kernel == "copy");
    CHECK(hunt.shapes == exercise.shapes);
    CHECK(hunt.limits.load == 0);
    CHECK(hunt.predictions.empty());
    // Unless it says which order of blocks will do.
    CHECK(hunt.block_order == "diagonal");
    const std::string other = "points = 7\nblock_order = ";
    course = read_text(with(all, "points = 7", other + "\"any-diagonal\""));
    CHECK(course.steps[0].hunt->block_order == "any-diagonal");
    CHECK(course.steps[0].exercise->block_order.empty());
    complains(with(all, "points = 7", other + "\"any\""), "27", "must be one of");

    complains(with(all, ", " + asked, ""), "2", "has no `shapes`");
    complains(with(all, asked, "shapes = []"), "2", "a list of shapes");
    complains(with(all, asked, "shapes = [[0, 64]]"), "2", "two whole numbers");
    complains(with(all, asked, asked + ", kernels = \"x\""), "2", "no key `kernels`");
    complains(with(all, asked, asked + ", produces = \"gold\""), "2", "one of \"transpose\"");
    complains(with(all, asked, asked + ", block_order = \"any\""), "2", "must be one of");
    complains(with(all, asked, asked + ", multiples = [64, 3]"), "2", "takes multiples of 64 x 3");
    complains(with(all, asked, asked + ", limits = { loads = 4 }"), "2", "no key `loads`");
    complains(with(all, asked, asked + ", limits = { load = -4 }"), "2", "from 0 to a million");
    complains(with(all, asked, asked + ", hidden = []"), "2", "must be a list");
    complains(with(all, asked, asked + ", hidden = [{ rows = 4 }]"), "2", "has no `cols`");
    complains(with(all, asked, asked + ", hidden = [{ side = [9, 4] }]"), "2", "exchange the two");
    complains(with(all, asked, "shapes = [[64, 32]], produces = \"transpose-in-place\""), "2",
              "takes squares");
}
