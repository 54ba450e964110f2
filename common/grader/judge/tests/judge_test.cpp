#include "grader/judge/judge.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "examiner/render.h"
#include "grader/judge/telling.h"

using namespace coalesce;
using namespace coalesce::grader;

namespace {

const Secret secret = {1, 2, 3, 4, 5};

/// Returns the judge that all tests share, because it takes long to start a judge.
Judge& judge() {
    static Judge one({});
    return one;
}

/// Reports whether submissions can be judged here. Prints a message if they cannot.
bool can_judge() {
    if (judge().tier() != Tier::none) return true;
    MESSAGE("skipped: no sandbox works here");
    return false;
}

AssignedExercise exercise_called(const std::string& name) {
    for (AssignedExercise& exercise : course_exercises(COALESCE_REPOSITORY)) {
        if (exercise.name == name) return exercise;
    }
    FAIL("no such exercise");
    return {};
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    REQUIRE(text.find(what) != text.npos);
    return text.replace(text.find(what), what.size(), with);
}

/// Returns a correct kernel that executes `loops` needless instructions for each element.
std::string slow_kernel(int loops) {
    return "// " + std::to_string(loops) + R"(
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    unsigned number = row;
    for (int i = 0; i < )" +
           std::to_string(loops) + R"(; ++i) number = number * 1664525u + (number >> 3);
    if (row < rows && col < cols && (number != 12345u || rows > 0)) out[col * rows + row] = in[row * cols + col];
}
constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
)";
}

}  // namespace

TEST_CASE("every solution of the course gets all points, also on the hidden shapes") {
    if (!can_judge()) return;
    for (AssignedExercise& exercise : course_exercises(COALESCE_REPOSITORY)) {
        exercise.hidden_shapes = {exercise.shape_from_multiples(13, 51),
                                  exercise.shape_from_multiples(40, 7)};
        if (exercise.elements) exercise.hidden_shapes = {{13, 51, 20}, {40, 7, 33}};
        const Result result = judge().judge(exercise.solution, exercise, secret);
        CAPTURE(exercise.name);
        CAPTURE(format_result(result, exercise));
        CAPTURE(result.problem);
        CHECK(std::string(mark_code(result.mark)) == "OK");
        CHECK(result.failure_id() == "");
        CHECK(result.points == exercise.possible_points);
        CHECK(result.hidden_passed == result.hidden_tried);
        // The grader draws additional shapes only for exercises on matrices.
        CHECK((result.hidden_tried > 2 || exercise.elements));
        CHECK(result.sandbox == name_of(judge().tier()));
    }
}

TEST_CASE("judging a submission twice gives byte-identical results in every tier") {
    if (!can_judge()) return;
    const AssignedExercise exercise = exercise_called("03_tiled");
    const std::string wrong = replaced(exercise.solution, "__syncthreads();", "");
    const Result first = judge().judge(wrong, exercise, secret);
    CHECK(first.mark == Mark::race);
    CHECK(first.failure_id() == "missing-barrier");
    const Result again = judge().judge(wrong, exercise, secret);
    CHECK(to_json(first) == to_json(again));
    CHECK(to_json(result_from_json(to_json(first))) == to_json(first));
    Judge other({.tier = Tier::landlock});
    if (other.tier() != Tier::landlock) {
        MESSAGE("skipped: no Landlock here");
        return;
    }
    Result elsewhere = other.judge(wrong, exercise, secret);
    CHECK(elsewhere.sandbox == "B");
    elsewhere.sandbox = first.sandbox;
    CHECK(to_json(elsewhere) == to_json(first));
}

TEST_CASE("a result does not depend on earlier submissions") {
    if (!can_judge()) return;
    AssignedExercise exercise = exercise_called("02_naive");
    exercise.hidden_counted_shape = {384, 128};
    // Their instruction counts range from a small fraction of the instruction limit to all of it.
    std::vector<std::string> class_of_all = {
        exercise.solution, replaced(exercise.solution, "row < rows && ", ""), "not a kernel"};
    for (const int loops : {40, 400, 900, 1400, 1900}) class_of_all.push_back(slow_kernel(loops));
    std::vector<std::string> alone;
    for (const std::string& text : class_of_all) {
        Judge fresh({});
        alone.push_back(to_json(fresh.judge(text, exercise, secret)));
    }
    std::set<std::string> marks;
    for (const int first : {0, 3, 5}) {
        Judge one({});
        for (std::size_t i = 0; i < class_of_all.size(); ++i) {
            // Judge the kernels in order, beginning with `first`. In the last round, judge them in
            // reverse order.
            std::size_t number = (i + static_cast<std::size_t>(first)) % class_of_all.size();
            if (first == 3) number = class_of_all.size() - 1 - number;
            const Result result = one.judge(class_of_all[number], exercise, secret);
            marks.insert(mark_code(result.mark));
            CAPTURE(number);
            CHECK(to_json(result) == alone[number]);
        }
    }
    CHECK(marks.contains("OK"));
    CHECK(marks.contains("TLE"));
}

TEST_CASE("a failure names the line of a wrong kernel, but nothing about hidden shapes") {
    if (!can_judge()) return;
    AssignedExercise exercise = exercise_called("02_naive");
    const std::string wrong = replaced(exercise.solution, "row < rows && col < cols",
                                       "row < rows && col < cols && !(rows == 61 && cols == 59)");
    const Result fooled = judge().judge(wrong, exercise, secret);
    CHECK(fooled.mark == Mark::ok);
    exercise.hidden_shapes = {{61, 59}};
    const Result caught = judge().judge(wrong, exercise, secret);
    CHECK(caught.mark == Mark::wrong_answer);
    CHECK(caught.failure_id() == "nothing-written");
    CHECK(caught.is_hidden);
    CHECK(caught.hidden_tried == 1);
    CHECK(caught.points.total() == 0);
    for (const std::string& text :
         {format_result(caught, exercise), markdown_text(caught.verdict)}) {
        CHECK(text.find("61 x 59") == text.npos);
        CHECK(text.find("rows = ") == text.npos);
        CHECK(text.find("taller") == text.npos);
    }
    for (const TriedShape& tried : caught.verdict.shapes) CHECK(tried.shape.rows != 61);
    CHECK(caught.verdict.failures.at(0).shape.rows == 0);
    CHECK(!caught.verdict.failures.at(0).map);
    CHECK(caught.verdict.failures.at(0).place.line == 0);
}

TEST_CASE("a correct but expensive kernel is OK, with fewer points and a picture") {
    if (!can_judge()) return;
    const AssignedExercise exercise = exercise_called("03_tiled");
    const Result result = judge().judge(exercise_called("02_naive").solution, exercise, secret);
    CHECK(result.mark == Mark::ok);
    CHECK(result.failure_id() == "uncoalesced-stores");
    CHECK(result.points.correct == exercise.possible_points.correct);
    CHECK(result.points.clean == exercise.possible_points.clean);
    CHECK(result.points.counters == 0);
    CHECK(result.verdict.failures.at(0).place.line > 0);
    CHECK(result.picture.find("out") != std::string::npos);
    CHECK(result.verdict.counters.has_value());
    CHECK(result.verdict.solution_counters.has_value());
}

TEST_CASE("a correct kernel whose predicted time is too long gets no points for costs") {
    if (!can_judge()) return;
    AssignedExercise exercise = exercise_called("05_coarsened");
    const std::string slow =
        read_file(COALESCE_REPOSITORY "/solutions/05_coarsened/wrong/shared_memory_for_nothing.cu");
    const Result result = judge().judge(slow, exercise, secret);
    CHECK(result.mark == Mark::ok);
    CHECK(result.failure_id() == "too-slow-predicted");
    CHECK(result.points.correct == exercise.possible_points.correct);
    CHECK(result.points.clean == exercise.possible_points.clean);
    CHECK(result.points.counters == 0);
    const std::string text = format_result(result, exercise);
    CHECK(text.find("(predicted, NVIDIA H200, within") != text.npos);
    CHECK(text.find("the solution takes about") != text.npos);
    const std::string json = to_json(result);
    CHECK(format_result(result_from_json(json), exercise) == text);
    CHECK(to_json(judge().judge(slow, exercise, secret)) == json);

    // The time of a kernel that prints is predicted as if it did not print.
    exercise.allow = {"printf"};
    const auto printing = [](const std::string& text) {
        return replaced(text, "__syncthreads();",
                        "if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y == 0) "
                        "printf(\"%d\", rows);\n    __syncthreads();");
    };
    CHECK(judge().judge(printing(slow), exercise, secret).failure_id() == "too-slow-predicted");
    CHECK(judge().judge(printing(exercise.solution), exercise, secret).failure_id() == "");
    // No time is predicted if the exercise does not ask for one.
    exercise.allow = {};
    exercise.limits.predicted_fraction_of_copy = 0;
    CHECK(judge().judge(slow, exercise, secret).failure_id() == "");
}

TEST_CASE("a correct kernel that reads out of bounds gets only the points for its result") {
    if (!can_judge()) return;
    const AssignedExercise exercise = exercise_called("02_naive");
    // The kernel reads one element past the end, but does not use its value.
    const std::string unclean =
        replaced(exercise.solution, "if (row < rows && col < cols) {",
                 "if (row == rows - 1 && col == cols - 1 && in[rows * cols] == 1e30f) return;\n"
                 "    if (row < rows && col < cols) {");
    const Result result = judge().judge(unclean, exercise, secret);
    CHECK(result.mark == Mark::memory);
    CHECK(result.points.correct == exercise.possible_points.correct);
    CHECK(result.points.clean == 0);
    CHECK(result.points.counters == 0);
}

TEST_CASE("different secrets give different inputs, and equal secrets give equal inputs") {
    if (!can_judge()) return;
    AssignedExercise exercise = exercise_called("02_naive");
    // The report contains the value of a wrong element, so it shows whether the input differs.
    const std::string wrong = replaced(exercise.solution, "= in[", "= 2.0f * in[");
    Secret other = secret;
    other[31] = 1;
    const Result one = judge().judge(wrong, exercise, secret);
    const Result same = judge().judge(wrong, exercise, secret);
    const Result different = judge().judge(wrong, exercise, other);
    CHECK(one.mark == Mark::wrong_answer);
    CHECK(different.mark == Mark::wrong_answer);
    CHECK(format_result(one, exercise) == format_result(same, exercise));
    CHECK(format_result(one, exercise) != format_result(different, exercise));
}

TEST_CASE("exercises other than transposes are judged like transposes") {
    if (!can_judge()) return;
    AssignedExercise exercise = exercise_called("x_row_sums");
    exercise.hidden_shapes = {{19, 83}};
    exercise.hidden_counted_shape = {256, 384};
    const auto judged = [&](const std::string& what, const std::string& with) {
        return judge().judge(replaced(exercise.solution, what, with), exercise, secret);
    };
    const Result wrong = judged("offset > 0", "offset > 1");
    CHECK(wrong.mark == Mark::wrong_answer);
    CHECK(wrong.failure_id() == "inputs-left-out");
    CHECK(wrong.points.total() == 0);
    CHECK(to_json(wrong) == to_json(judged("offset > 0", "offset > 1")));

    // This kernel is correct only on the published shapes.
    const std::string test = "if (row >= rows) return;";
    const Result fooled = judged(test, test + " if (rows == 19) return;");
    CHECK(fooled.mark == Mark::wrong_answer);
    CHECK(fooled.is_hidden);
    CHECK(fooled.verdict.failures[0].shape == Shape{0, 0});
    CHECK(fooled.points.total() == 0);

    // The expected values must never be in memory that a kernel can read: neither after its arrays,
    // nor in a variable that keeps its value from an earlier launch.
    const Result reader = judged("out[row] = sum", "out[row] = in[rows * cols + row]");
    CHECK(reader.mark == Mark::memory);
    CHECK(reader.points.total() == 0);
    const Result keeper = judge().judge(
        "__device__ float kept[1024];\n" +
            replaced(exercise.solution, "out[row] = sum", "out[row] = kept[row] = sum"),
        exercise, secret);
    CHECK(keeper.mark == Mark::rejected);
    CHECK(keeper.failure_id() == "ptx-refused");
    CHECK(keeper.points.total() == 0);

    // Each lane reads the whole row, so the result is correct, but there are 32 times as many
    // loads.
    const Result costly = judged("int col = lane; col < cols; col += 32",
                                 "int col = 0; col < cols * (lane == 0); ++col");
    CHECK(costly.mark == Mark::ok);
    CHECK(costly.points.correct == exercise.possible_points.correct);
    CHECK(costly.points.clean == exercise.possible_points.clean);
    CHECK(costly.points.counters == 0);
}

TEST_CASE("a problem with the grader is never reported as a verdict on the kernel") {
    if (!can_judge()) return;
    AssignedExercise exercise = exercise_called("02_naive");
    const std::string right = exercise.solution;
    exercise.solution = "no solution";
    const Result broken = judge().judge(right, exercise, secret);
    CHECK(broken.mark == Mark::system);
    CHECK(broken.problem != "");
    exercise = exercise_called("02_naive");
    exercise.produces = "something";
    CHECK(judge().judge(right, exercise, secret).mark == Mark::system);
    Judge none({.tier = Tier::none});
    const Result refused = none.judge(right, exercise_called("02_naive"), secret);
    CHECK(refused.mark == Mark::system);
    CHECK(refused.sandbox == "C");
}

TEST_CASE("every failure has a verdict, and the code of every verdict can be parsed") {
    for (int i = 0; i <= static_cast<int>(Mark::system); ++i) {
        const auto kind = static_cast<Mark>(i);
        CHECK(parse_mark(mark_code(kind)) == kind);
    }
    CHECK_FALSE(parse_mark("").has_value());
    CHECK(mark_for_failure(FailureKind::none) == Mark::ok);
    CHECK(mark_for_failure(FailureKind::environment_problem) == Mark::system);
    CHECK_THROWS_AS(result_from_json("{}"), std::runtime_error);
    CHECK_THROWS_AS(result_from_json("garbage"), std::runtime_error);
}
