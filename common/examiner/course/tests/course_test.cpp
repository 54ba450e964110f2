// Tests how the records of a course are read. Valid records must be read completely. Each invalid
// record must cause an error message that states the location and gives advice.

#include "examiner/course/course.h"

#include <doctest/doctest.h>

#include <map>

#include "examiner/course/questions.h"

using namespace coalesce::course;
using coalesce::kCopyPercentQuestion;

namespace {

/// The records of a small course, keyed by lesson name.
struct Small {
    std::map<std::string, std::string> lessons, exercises;
    std::string common = "";

    std::vector<CourseText> texts() const {
        std::vector<CourseText> texts = {{"course.toml", common}};
        for (const auto& [name, text] : lessons)
            texts.push_back({"steps/" + name + "/lesson.toml", text});
        for (const auto& [name, text] : exercises)
            texts.push_back({"solutions/" + name + "/exercise.toml", text});
        return texts;
    }
    Course read() const { return parse_course(texts()); }
};

/// Reads the course. Returns the error message, such as "course.toml:3: ...", or "" if there was no
/// error.
std::string complaint(const Small& course) {
    try {
        course.read();
        return "";
    } catch (const CourseError& error) {
        return error.what();
    }
}

void complains(const Small& course, const std::string& place, const std::string& words) {
    const std::string message = complaint(course);
    CAPTURE(message);
    CHECK(message.find(place + ": ") != std::string::npos);
    CHECK(message.find(words) != std::string::npos);
}

const std::string FIRST = R"(title = "Copy"
builds_on = ""
[[variant]]
name = "tile copy"
kernel = "copy_tile"
expect = { load = 4, store = 4 }
)";  // 6 lines

const std::string SECOND = R"(title = "Naive"
builds_on = "01_copy"
[[variant]]
name = "naive"
kernel = "transpose_naive"
expect = { load = 4, store = 32.5, shared_load = 1, shared_store = 32 }
multiples = [32, 4]
[[variant]]
name = "host"
)";

const Small ONE = {.lessons = {{"01_copy", FIRST}}, .exercises = {}};
const Small BOTH = {.lessons = {{"01_copy", FIRST}, {"02_naive", SECOND}}, .exercises = {}};

// Returns `text` with the first occurrence of `from` replaced with `to`.
std::string with(std::string text, const std::string& from, const std::string& to) {
    size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    return text.replace(place, from.size(), to);
}

/// Returns a course with one lesson. In the lesson's record, the first `from` is replaced with
/// `to`.
Small lesson_with(const std::string& from, const std::string& to) {
    return {.lessons = {{"01_copy", with(FIRST, from, to)}}, .exercises = {}};
}

}  // namespace

TEST_CASE("a valid course is read completely") {
    Course course = BOTH.read();
    REQUIRE(course.steps.size() == 2);
    const Step& naive = course.steps[1];
    CHECK(naive.name == "02_naive");
    CHECK(naive.number() == "02");
    CHECK(naive.title == "Naive");
    CHECK(naive.builds_on == "01_copy");
    REQUIRE(naive.variants.size() == 2);
    CHECK(naive.variants[0].kernel == "transpose_naive");
    CHECK(naive.variants[0].expected_costs.at("store") == 32.5);
    CHECK(naive.variants[0].expected_costs.at("shared_store") == 32);
    CHECK(naive.variants[0].rows_multiple == 32);
    CHECK(naive.variants[0].cols_multiple == 4);
    CHECK(naive.variants[1].kernel == "");
    CHECK(naive.variants[1].cols_multiple == 1);
}

TEST_CASE("steps are found by name and by number, and variants by name") {
    Course course = BOTH.read();
    for (const char* word : {"2", "02", "02_naive"}) CHECK(course.find(word) == &course.steps[1]);
    for (const char* word : {"", "3", "002", "naive", "02_"}) CHECK(course.find(word) == nullptr);
    CHECK(course.steps[1].find("host") == &course.steps[1].variants[1]);
    CHECK(course.steps[1].find("tile copy") == nullptr);
}

namespace {

const Small WITH_PROGRAM = {.lessons = {{"00_program", "title = \"Whole\"\nwhole_program = true\n"},
                                        {"01_copy", FIRST},
                                        {"02_naive", SECOND}},
                            .exercises = {{"00_program", R"(points = 10
shapes = [[1, 1024], [1, 1]]
[[hint]]
question = "Which?"
picture = "x"
api = "An api."
line = "A line."
)"}}};

/// Returns a copy of WITH_PROGRAM. In the record of its program's exercise, the first `from` is
/// replaced with `to`.
Small program_with(const std::string& from, const std::string& to) {
    Small course = WITH_PROGRAM;
    course.exercises["00_program"] = with(course.exercises["00_program"], from, to);
    return course;
}

}  // namespace

TEST_CASE("a whole program is a lesson, but not a step") {
    const Course course = WITH_PROGRAM.read();
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
    CHECK(ONE.read().lesson("0") == nullptr);
}

TEST_CASE("invalid programs are rejected") {
    const std::string record = "solutions/00_program/exercise.toml:";
    complains(program_with("points = 10", "point = 10"), record + "1", "unknown key `point`");
    complains(program_with("points = 10", ""), record + "1", "has no `points`");
    complains(program_with("[1, 1024]", "[2, 1024]"), record + "2", "must have one row");
    complains(program_with("api = \"An api.\"", ""), record + "3", "has no `api`");
    complains(program_with("[[hint]]", "[hints]"), record + "3", "unknown key `hints`");
    Small late = WITH_PROGRAM;
    late.lessons["03_program"] = late.lessons["00_program"];
    complains(late, "steps/03_program/lesson.toml:1", "come before the steps");
    Small odd = WITH_PROGRAM;
    odd.lessons["00_program"] += "variant = 1\n";
    complains(odd, "steps/00_program/lesson.toml:3", "unknown key `variant`");
}

TEST_CASE("a folder without a course is rejected") {
    try {
        read_course("/nonexistent");
        FAIL("it was read");
    } catch (const CourseError& error) {
        CHECK(std::string(error.what()) ==
              "/nonexistent/course.toml cannot be read; check the path");
    }
}

TEST_CASE("an error message about a lesson names the line and gives advice") {
    const std::string record = "steps/01_copy/lesson.toml:";
    complains(lesson_with("\"Copy\"", "\"Copy"), record + "1", "fix this line");
    complains({.lessons = {}, .exercises = {}}, "course.toml:1", "there is no lesson");
    complains({.lessons = ONE.lessons, .exercises = {}, .common = "hints = 3\n"}, "course.toml:1",
              "unknown key `hints`");
    complains(lesson_with("title", "titel"), record + "1", "unknown key `titel`; correct");
    complains(lesson_with("title = \"Copy\"", ""), record + "1",
              "01_copy has no `title`; add title");
    complains(lesson_with("\"Copy\"", "7"), record + "1", "must be a string in quotes");
    complains({.lessons = {{"copy", FIRST}}, .exercises = {}}, "steps/copy/lesson.toml:1",
              "must begin with two digits");
    complains(lesson_with("builds_on = \"\"", "builds_on = \"01_copy\""), record + "2",
              "builds on");
    complains(lesson_with("[[variant]]", "[[variants]]"), record + "3", "unknown key `variants`");
    complains({.lessons = {{"01_copy", "title = \"\"\nbuilds_on = \"\"\n"}}, .exercises = {}},
              record + "1", "no [[variant]] of 01_copy");
    complains(lesson_with("\"tile copy\"", "\"\""), record + "3", "an empty name");
}

TEST_CASE("invalid expectations are rejected") {
    const std::string expect = "expect = { load = 4, store = 4 }", place = "lesson.toml:6";
    complains(lesson_with(expect, ""), "lesson.toml:3", "has a kernel but no `expect`");
    complains(lesson_with("kernel = \"copy_tile\"", ""), place, "has `expect`, but no kernel");
    complains(lesson_with(expect, "expect = {}"), place, "must be a table");
    complains(lesson_with(expect, "expect = 4"), place, "must be a table");
    complains(lesson_with("load = 4", "loads = 4"), place, "unknown key `loads`");
    complains(lesson_with("load = 4", "load = 0"), place, "a number above 0");
    complains(lesson_with("load = 4", "load = nan"), place, "a number above 0");
    complains(lesson_with("load = 4", "load = \"4\""), place, "a number above 0");
}

TEST_CASE("invalid multiples are rejected") {
    for (const char* pair :
         {"32", "[32]", "[32, 0]", "[-1, 32]", "[1, 2, 3]", "[1.5, 1]", "[]", "[1, 99999999999]"}) {
        const std::string text = FIRST + "multiples = " + pair + "\n";
        complains({.lessons = {{"01_copy", text}}, .exercises = {}}, "lesson.toml:7",
                  "two whole numbers");
    }
}

TEST_CASE("contradictions between steps are rejected") {
    const auto both_with = [](const std::string& from, const std::string& to) {
        Small course = BOTH;
        course.lessons["02_naive"] = with(SECOND, from, to);
        return course;
    };
    const std::string record = "steps/02_naive/lesson.toml:";
    complains({.lessons = {{"02_naive", SECOND}}, .exercises = {}}, record + "2",
              "builds on \"01_copy\"");
    complains(both_with("\"01_copy\"", "\"02_naive\""), record + "2", "name an earlier step");
    complains(both_with("\"01_copy\"", "\"\""), record + "2", "name an earlier step");
    complains(both_with("\"host\"", "\"naive\""), record + "8", "two variants \"naive\"");
    Small same = BOTH;
    same.lessons["02_other"] = SECOND;
    complains(same, "steps/02_other/lesson.toml:1", "02_naive has the same number");
}

// ---- exercises ----

namespace {

const std::string EXERCISE = R"(points = 5
shapes = [[64, 64]]
[[hint]]
question = "Which?"
picture = """
  a b
  c d
"""
api = "An api."
line = "a line;"
[[hint]]
failures = ["no-bounds-check", "wrong-pitch"]
question = "How long?"
[[prediction]]
counter = "store"
question = "How many?"
[hunt]
points = 7
question = "1"
picture = "2"
api = "3"
line = "4"
)";
const std::string OF_ALL = "[[hint]]\nfailures = [\"deadlock\"]\napi = \"Wait.\"\n";

Small asked(const std::string& exercise, const std::string& common = OF_ALL) {
    return {.lessons = ONE.lessons, .exercises = {{"01_copy", exercise}}, .common = common};
}
/// Returns a course with the exercise EXERCISE. In the exercise's record, the first `from` is
/// replaced with `to`.
Small asked_with(const std::string& from, const std::string& to) {
    return asked(with(EXERCISE, from, to));
}

}  // namespace

TEST_CASE("an exercise is read completely") {
    Course course = asked(EXERCISE).read();
    const Step& step = course.steps[0];
    REQUIRE(step.exercise);
    const coalesce::Exercise& exercise = *step.exercise;
    CHECK(exercise.points == 5);
    REQUIRE(exercise.hints.size() == 2);
    CHECK(exercise.hints[0].levels[1] == "  a b\n  c d");
    REQUIRE(exercise.predictions.size() == 1);
    CHECK(exercise.predictions[0].counter == "store");
    CHECK(exercise.predictions[0].question == "How many?");
    CHECK(exercise.predictions[0].tolerance == coalesce::kRoundingTolerance);
    Course about = asked_with("counter = \"store\"", "counter = \"store\"\nwithin = 0.1").read();
    CHECK(about.steps[0].exercise->predictions[0].tolerance == 0.1);
    Course time =
        asked_with("counter = \"store\"", "counter = \"of_copy_predicted\"\nwithin = 0.25").read();
    CHECK(time.steps[0].exercise->predictions[0].counter == coalesce::kCopyPercentQuestion);
    REQUIRE(step.hunt);
    CHECK(step.hunt->points == 7);
    CHECK(step.hunt->hints.at(0).levels[3] == "4");
    CHECK(!ONE.read().steps[0].hunt);
    CHECK(!ONE.read().steps[0].exercise);
}

TEST_CASE(
    "a step's own hint takes precedence over the course's hint, and that over the general hint") {
    Course course = asked(EXERCISE).read();
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

TEST_CASE("invalid exercises are rejected") {
    const auto fails = [](const std::string& from, const std::string& to, int line,
                          const std::string& words) {
        complains(asked_with(from, to), "solutions/01_copy/exercise.toml:" + std::to_string(line),
                  words);
    };
    fails("points = 5", "points = 0", 1, "from 1 to 1000");
    fails("points = 5", "points = 1.5", 1, "from 1 to 1000");
    complains(asked("points = 5\nshapes = [[64, 64]]\n"), "exercise.toml:1",
              "no [[hint]] of 01_copy");
    fails("api = \"An api.\"", "", 3, "has no `api`");
    fails("\"Which?\"", "\"\"", 4, "`question` is empty");
    fails("question = \"Which?\"", "failures = [\"deadlock\"]", 3, "must apply to all");
    fails("failures = [\"no-bounds-check\", \"wrong-pitch\"]", "", 11, "must list its failures");
    fails("[\"no-bounds-check\", \"wrong-pitch\"]", "[1]", 12, "must list its failures");
    fails("\"no-bounds-check\"", "\"wrong-pitch\"", 11, "two hints for wrong-pitch");
    fails("question = \"How long?\"", "", 11, "has no text");
    fails("question = \"How long?\"", "advice = \"no\"", 13, "unknown key `advice`");
    fails("counter = \"store\"", "counter = \"of_copy_predicted\"", 15, "off by several percent");
    for (std::string within : {"0.5", "0.01", "0", "-1", "\"a little\""}) {
        fails("counter = \"store\"", "counter = \"store\"\nwithin = " + within, 16,
              "above 0.02 and at most 0.25");
    }
    fails("\"store\"", "\"stores\"", 15, "must be load, store, shared_load");
    fails("points = 7", "", 17, "the bug hunt of 01_copy has no `points`");
    fails("[hunt]", "[[hunt]]", 17, "must be a table");
    fails("line = \"4\"", "", 17, "has no `line`");
    complains(asked(EXERCISE, with(OF_ALL, "failures = [\"deadlock\"]", "")), "course.toml:1",
              "must list its failures");
}

TEST_CASE("the questions of an exercise are read, and mistakes in them are reported") {
    const std::string shapes = "shapes = [[64, 64]]";
    Course course =
        asked_with(shapes,
                   "shapes = [[64, 64], [32, 96]]\nkernel = \"copy\"\nproduces = \"copy\"\n"
                   "multiples = [2, 4]\ncounted = [128, 64]\n"
                   "limits = { load = 4, elements_per_thread = 2.5 }\n"
                   "block_order = \"diagonal\"\nhidden = [{ rows = 1, cols = [5, 9] }]")
            .read();
    const coalesce::Exercise& exercise = *course.steps[0].exercise;
    CHECK(exercise.name == "01_copy");
    CHECK(exercise.kernel == "copy");
    CHECK(exercise.task().kind == coalesce::Produces::copy);
    CHECK(exercise.shapes.at(1).cols == 96);
    CHECK(exercise.cols_multiple == 4);
    CHECK(exercise.counted_shape.rows == 128);
    CHECK(exercise.limits.load == 4);
    CHECK(exercise.limits.store == 0);
    CHECK(exercise.limits.elements_per_thread == 2.5);
    CHECK(exercise.block_order == "diagonal");
    CHECK(exercise.hidden_shape_rules.at(0).cols[1] == 9);
    // The bug hunt has the same requirements as the exercise.
    const coalesce::Exercise& hunt = *course.steps[0].hunt;
    CHECK(hunt.is_hunt);
    CHECK(hunt.kernel == "copy");
    CHECK(hunt.shapes == exercise.shapes);
    CHECK(hunt.limits.load == 0);
    CHECK(hunt.predictions.empty());
    // A bug hunt may define its own block order.
    CHECK(hunt.block_order == "diagonal");
    const std::string other = "points = 7\nblock_order = ";
    course = asked_with("points = 7", other + "\"any-diagonal\"").read();
    CHECK(course.steps[0].hunt->block_order == "any-diagonal");
    CHECK(course.steps[0].exercise->block_order.empty());
    complains(asked_with("points = 7", other + "\"any\""), "exercise.toml:19", "must be one of");

    const auto slips = [&](const std::string& to, int line, const std::string& words) {
        complains(asked_with(shapes, to), "exercise.toml:" + std::to_string(line), words);
    };
    slips("", 1, "has no `shapes`");
    slips("shapes = []", 2, "a list of shapes");
    slips("shapes = [[0, 64]]", 2, "two whole numbers");
    slips(shapes + "\nkernels = \"x\"", 3, "unknown key `kernels`");
    slips(shapes + "\nproduces = \"gold\"", 3, "one of \"transpose\"");
    slips(shapes + "\nblock_order = \"any\"", 3, "must be one of");
    slips(shapes + "\nmultiples = [64, 3]", 1, "takes multiples of 64 x 3");
    slips(shapes + "\nlimits = { loads = 4 }", 3, "unknown key `loads`");
    slips(shapes + "\nlimits = { load = -4 }", 3, "from 0 to a million");
    slips(shapes + "\nhidden = []", 3, "must be a list");
    slips(shapes + "\nhidden = [{ rows = 4 }]", 3, "has no `cols`");
    slips(shapes + "\nhidden = [{ side = [9, 4] }]", 3, "swap the two");
    slips("shapes = [[64, 32]]\nproduces = \"transpose-in-place\"", 1, "takes squares");
}

TEST_CASE("the answer to a numeric question is the expected value of the lesson's first variant") {
    Step step{.name = "02_naive"};
    CHECK(number_questions(step).empty());
    step.variants.push_back({.name = "naive", .kernel = "naive", .expected_costs = {{"load", 4}}});
    step.exercise.emplace().predictions = {
        {.counter = "load", .question = "How many?"},
        {.counter = kCopyPercentQuestion, .question = "How fast?"}};
    const auto questions = number_questions(step);
    REQUIRE(questions.size() == 1);
    CHECK(questions[0].prediction.question == "How many?");
    CHECK(questions[0].answer == 4);
    step.exercise->predictions.push_back({.counter = "store", .question = ""});
    CHECK_THROWS_WITH_AS(
        number_questions(step),
        "solutions/02_naive/exercise.toml asks for store, but no variant in "
        "steps/02_naive/lesson.toml expects a value for it within the exercise's limits",
        CourseError);
}

TEST_CASE(
    "a variant that exceeds the exercise's limit does not supply the answers to its questions") {
    Step step{.name = "13_tma"};
    step.variants.push_back({.name = "tma", .kernel = "tma", .expected_costs = {{"load", 256}}});
    step.variants.push_back({.name = "rows", .kernel = "rows", .expected_costs = {{"load", 8}}});
    step.exercise.emplace().predictions = {{.counter = "load", .question = "How many?"}};
    CHECK(number_questions(step).front().answer == 256);
    step.exercise->limits.load = 8;
    CHECK(number_questions(step).front().answer == 8);
    step.exercise->limits.load = 4;
    CHECK_THROWS_AS(number_questions(step), CourseError);
}
