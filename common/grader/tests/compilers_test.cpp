// Tests that a class gets byte-identical grades.csv files with NVRTC and with clang.

#include <doctest/doctest.h>

#include "base/files.h"
#include "examiner/compile.h"
#include "grader/corpus/case_text.h"
#include "grader/tests/programs.h"
#include "grader/tests/small_class.h"

using namespace coalesce;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

std::string grade;  // path of the grader's program
const fs::path CASES = fs::path(COALESCE_REPOSITORY) / "common/grader/corpus/cases";

// Submissions of each kind: correct, wrong, out of bounds, racy, uninitialized, endless, rejected,
// not compiling, too large.
const std::vector<std::pair<const char*, const char*>> HANDED_IN = {
    {"right_wide_block.cu", "right_tile_padded.cu"},
    {"right_windows_lines.cu", "right_tile_swizzled.cu"},
    {"copy_instead.cu", "tile_not_moved.cu"},
    {"nan_changed.cu", "missing_barrier.cu"},
    {"no_bounds_check.cu", "uninitialised_tile.cu"},
    {"misaligned_vector.cu", "shared_race.cu"},
    {"trap.cu", "outside_the_tile.cu"},
    {"syntax_error.cu", "warp_barrier_only.cu"},
    {"too_large.cu", "right_tile_rotated.cu"},
    {"wrong_signature.cu", "half_of_each_tile.cu"}};

std::string csv_by(Classroom& room, const char* compiler) {
    setenv("COALESCE_COMPILER", compiler, 1);
    const Ended ended = room.graded();
    unsetenv("COALESCE_COMPILER");
    REQUIRE_MESSAGE(ended.code == 0, ended.output);
    return room.csv();
}

}  // namespace

TEST_CASE("a class gets the same grades with either compiler") {
    Classroom room(grade);
    int number = 0;
    for (const auto& [first, second] : HANDED_IN) {
        const std::string student = "student " + std::to_string(number++);
        room.hand_in(student, "02_naive", read_case_file(CASES / first));
        room.hand_in(student, "03_tiled", read_case_file(CASES / second));
    }
    const std::string by_clang = csv_by(room, "clang");
    CHECK(by_clang.find("\r\nada,30,30,") != by_clang.npos);
    for (const char* verdict : {"OK", "CE", "CL", "REJ", "WA", "MEM", "RACE", "INIT"}) {
        CAPTURE(verdict);
        CHECK(by_clang.find(std::string(",") + verdict + ",") != by_clang.npos);
    }
    if (describe_compiler(Compiler::nvrtc).empty()) {
        MESSAGE("there is no NVRTC to compare with");
        return;
    }
    CHECK(csv_by(room, "nvcc") == by_clang);
    // The submission was judged twice, once with each compiler, because results depend on the
    // compiler.
    const Ended shown = room.call({"show", "ada", "--folder", room.assignments});
    CHECK(shown.output.find("run 1, 02_naive: judged") != shown.output.npos);
    CHECK(shown.output.find("run 2, 02_naive: judged") != shown.output.npos);
}

TEST_CASE("an unknown compiler is refused") {
    Classroom room(grade);
    setenv("COALESCE_COMPILER", "gcc", 1);
    const Ended ended = room.graded();
    unsetenv("COALESCE_COMPILER");
    CHECK(ended.code == 3);
    CHECK(ended.output.find("grading supports only nvcc and clang") != ended.output.npos);
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    grade = argv[1];
    doctest::Context context(argc - 1, argv + 1);
    return context.run();
}
