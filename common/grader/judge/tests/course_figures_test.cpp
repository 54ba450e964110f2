// What the grader asks of each exercise is what its own checks ask: both say it in figures of their
// own, and here they are held against each other.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "exercises/checks.h"
#include "grader/judge/block_orders.h"
#include "grader/judge/judge.h"

// The exercises' files are read for their `lesson`; their checks are other programs' business.
#undef TEST_CASE
#define TEST_CASE(...) [[maybe_unused]] static void DOCTEST_ANONYMOUS(not_run_)()
namespace lesson_01 {
#include "../../../../exercises/01_copy/checks.cpp"
}
namespace lesson_02 {
#include "../../../../exercises/02_naive/checks.cpp"
}
namespace lesson_03 {
#include "../../../../exercises/03_tiled/checks.cpp"
}
namespace lesson_04 {
#include "../../../../exercises/04_padded/checks.cpp"
}
namespace lesson_05 {
#include "../../../../exercises/05_coarsened/checks.cpp"
}
namespace lesson_06 {
#include "../../../../exercises/06_diagonal/checks.cpp"
}
namespace lesson_07 {
#include "../../../../exercises/07_vec2/checks.cpp"
}
namespace lesson_08 {
#include "../../../../exercises/08_vec4/checks.cpp"
}
namespace lesson_09 {
#include "../../../../exercises/09_vec4_t64/checks.cpp"
}
namespace lesson_10 {
#include "../../../../exercises/10_any_shape/checks.cpp"
}
namespace lesson_11 {
#include "../../../../exercises/11_async/checks.cpp"
}
namespace lesson_12 {
#include "../../../../exercises/12_in_place/checks.cpp"
}
namespace lesson_13 {
#include "../../../../exercises/13_permute/checks.cpp"
}
namespace lesson_14 {
#include "../../../../exercises/14_many_gpus/checks.cpp"
}
#undef TEST_CASE
#define TEST_CASE(name) DOCTEST_TEST_CASE(name)

using namespace coalesce;
using namespace coalesce::grader;
using coalesce::exercises::Lesson;

namespace {

const std::vector<Lesson>& lessons() {
    static const std::vector<Lesson> all = {lesson_01::lesson, lesson_02::lesson, lesson_03::lesson,
                                            lesson_04::lesson, lesson_05::lesson, lesson_06::lesson,
                                            lesson_07::lesson, lesson_08::lesson, lesson_09::lesson,
                                            lesson_10::lesson, lesson_11::lesson, lesson_12::lesson,
                                            lesson_13::lesson, lesson_14::lesson};
    return all;
}

bool are_same_costs(const coalesce::Limits& one, const coalesce::Limits& other) {
    return one.load == other.load && one.store == other.store &&
           one.shared_load == other.shared_load && one.shared_store == other.shared_store &&
           one.elements_per_thread == other.elements_per_thread &&
           one.elements_per_block == other.elements_per_block;
}

// The same tile for every block of grids of all proportions.
bool are_same_orders(const std::optional<BlockOrder>& one, const std::optional<BlockOrder>& other) {
    if (!one || !other) return !one && !other;
    if (one->tile != other->tile || !(one->shape == other->shape)) return false;
    for (int wide = 1; wide < 7; ++wide) {
        for (int tall = 1; tall < 7; ++tall) {
            for (int block = 0; block < wide * tall; ++block) {
                const int x = block % wide, y = block / wide;
                if (!(one->tile_of(x, y, wide, tall) == other->tile_of(x, y, wide, tall))) {
                    return false;
                }
            }
        }
    }
    return true;
}

std::string name_of_kind(const Produces& produces) {
    if (produces.in_place) return "transpose-in-place";
    if (produces.kind == Produces::transpose) return "transpose";
    if (produces.kind == Produces::copy) return "copy";
    const Permutation& axes = produces.permutation;
    return axes.extents == stack_of(64).permutation.extents ? "stack-of-64" : "another";
}

// In what the two differ; "" when in nothing.
std::string difference(const Lesson& lesson, const Exercise& exercise) {
    if (lesson.name != exercise.name) return "name";
    if (lesson.kernel != exercise.kernel) return "kernel";
    if (name_of_kind(lesson.produces) != exercise.produces) return "produces";
    if (lesson.rows_multiple != exercise.rows_multiple) return "rows_multiple";
    if (lesson.cols_multiple != exercise.cols_multiple) return "cols_multiple";
    if (lesson.shapes != exercise.public_shapes) return "shapes";
    if (!(lesson.counted == exercise.counted)) return "counted";
    if (!are_same_costs(lesson.limits, exercise.costs)) return "costs";
    const auto order = block_order_called(exercise.block_order);
    return are_same_orders(lesson.block_order, order) ? "" : "block order";
}

}  // namespace

TEST_CASE("the grader asks what the exercises' own checks ask") {
    const std::vector<Exercise> asked = course_exercises(COALESCE_REPOSITORY);
    REQUIRE(asked.size() == lessons().size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        CAPTURE(asked[i].name);
        CHECK(difference(lessons()[i], asked[i]) == "");
    }
}

TEST_CASE("no exercise is missing from the comparison") {
    std::set<std::string> compared, there;
    for (const Lesson& lesson : lessons()) compared.insert(lesson.name);
    const std::filesystem::path folder = std::filesystem::path(COALESCE_REPOSITORY) / "exercises";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (std::filesystem::exists(entry.path() / "checks.cpp")) {
            there.insert(entry.path().filename());
        }
    }
    CHECK(compared == there);
}

TEST_CASE("a figure that is another is found") {
    const Lesson& lesson = lesson_06::lesson;
    const Exercise asked = course_exercises(COALESCE_REPOSITORY).at(5);
    REQUIRE(difference(lesson, asked) == "");
    Exercise other = asked;
    other.costs.shared_load = 2;
    CHECK(difference(lesson, other) == "costs");
    other = asked;
    other.public_shapes.pop_back();
    CHECK(difference(lesson, other) == "shapes");
    other = asked;
    other.block_order = "";
    CHECK(difference(lesson, other) == "block order");
    Lesson reversed = lesson;
    reversed.block_order->tile_of = [](int x, int y, int, int) { return Cell{y, x}; };
    CHECK(difference(reversed, asked) == "block order");
}
