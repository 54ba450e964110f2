// Tests `learn exercise new` and `learn exercise verify`. A new exercise must be usable by
// learners, and mistakes in it must be reported.

#include <filesystem>

#include "expect.h"

using namespace coalesce;
using namespace coalesce::learn;
namespace fs = std::filesystem;

namespace {

/// Replaces the link to the solutions with a folder of links, so that a test can add an exercise to
/// it.
void own_solutions(const ScratchCourse& course) {
    const fs::path solutions = course.path("solutions");
    fs::remove(solutions);
    fs::create_directories(solutions);
    for (const auto& entry : fs::directory_iterator(fs::path(COALESCE_REPOSITORY) / "solutions")) {
        fs::create_directory_symlink(entry.path(), solutions / entry.path().filename());
    }
}

const std::vector<std::string> kNewScale = {"exercise",
                                            "new",
                                            "scale",
                                            "--title",
                                            "Scaled vector",
                                            "--sizes",
                                            "n",
                                            "--argument",
                                            "float* out[n]",
                                            "--argument",
                                            "const float* in[n]",
                                            "--argument",
                                            "float factor = 3",
                                            "--argument",
                                            "int n",
                                            "--element",
                                            "factor * in[index]"};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

const std::string kRecord = "solutions/x_scale/exercise.toml";
const std::string kReference = "solutions/x_scale/reference.cu";

}  // namespace

TEST_CASE("a new exercise can be created, solved and checked") {
    const ScratchCourse course;
    own_solutions(course);
    expect(course, kNewScale, 0, {kRecord, kReference, "./learn exercise verify x_scale"});
    expect(course, kNewScale, 2, {"solutions/x_scale already exists"});
    expect(course, {"exercise", "verify", "scale"}, 0,
           {"passes on", "the skeleton", "fails: nothing-written", "planted in the solution",
            "limits = { load = 4, store = 4, of_solution = 1.05 }", "x_scale is sound"});
    expect(course, {"list", "x"}, 0, {"x_scale       not begun  -          Scaled vector"});
    expect(course, {"list", "x_scale"}, 0, {"Scaled vector", "float factor", "bits"});
    expect(course, {"check", "x_scale"}, 1, {"`out` was never written", "n = 1"});
    const std::string marked = course.read("solutions/x_scale/kernel.cu");
    course.write("exercises/x_scale/kernel.cu",
                 exercises::parse_skeleton(marked, "kernel.cu").solved_text());
    expect(course, {"check", "scale"}, 0, {"passed", "correct on"});
    expect(course, {"picture", "x_scale"}, 2, {"has no matrix tile"});
}

TEST_CASE("a mistake in a new exercise is reported with its position") {
    const ScratchCourse course;
    own_solutions(course);
    REQUIRE(course.learn(kNewScale).exit_code == 0);
    const std::string record = course.read(kRecord), reference = course.read(kReference);
    const std::vector<std::string> verify = {"exercise", "verify", "scale", "--no-mutants"};

    course.write(kRecord, replaced(record, "float* out[n]", "float* out[m]"));
    expect(course, verify, 2, {"exercise.toml:5: ", "`m` is not one of the sizes `n`"});
    course.write(kRecord, record);

    course.write(kReference, replaced(reference, "return factor", "return faktor"));
    expect(course, verify, 1,
           {"The reference of the exercise", "solutions/x_scale/reference.cu:3", "faktor"});
    course.write(kReference, replaced(reference, "scale_reference", "scale"));
    expect(course, verify, 1, {"__device__ float scale_reference(const float* in, float factor"});
    course.write(kReference, replaced(reference, "in[index]", "in[index + n]"));
    expect(course, verify, 1, {"solutions/x_scale/reference.cu:3"});
    // The reference and the solution now compute different values.
    course.write(kReference, replaced(reference, "factor *", "factor +"));
    expect(course, verify, 1, {"does not pass"});
    course.write(kReference, reference);
    expect(course, verify, 0, {"x_scale is sound"});

    // At first, the kernel in wrong/ is wrong. Later it is correct.
    const std::string solution = course.read("solutions/x_scale/kernel.cu");
    course.write("solutions/x_scale/wrong/fine.cu", course.read("exercises/x_scale/kernel.cu"));
    expect(course, verify, 0, {"1 of 1 kernel as expected"});
    course.write("solutions/x_scale/wrong/fine.cu",
                 replaced(course.read("exercises/x_scale/kernel.cu"), "// TODO",
                          "if (i < n) out[i] = element(in, factor, n, i);  // TODO"));
    expect(course, verify, 1, {"wrong/fine.cu", "!  passes", "1 thing to correct"});
    course.write("solutions/x_scale/wrong/fine.cu",
                 "// expect: never-written\nint answer = nothing;\n");
    expect(course, verify, 1, {"wrong/fine.cu", "!  is does-not-compile", "line 2: "});
    fs::remove(course.path("solutions/x_scale/wrong/fine.cu"));

    // A bug hunt needs both the file hunt.cu and a [hunt] table in the exercise's record.
    course.write("solutions/x_scale/hunt.cu", solution);
    expect(course, verify, 1, {"hunt.cu", "needs [hunt]"});
    fs::remove(course.path("solutions/x_scale/hunt.cu"));
    course.write(kRecord, course.read(kRecord) +
                              "\n[hunt]\npoints = 1\nquestion = \"a\"\npicture = \"b\"\n"
                              "api = \"c\"\nline = \"d\"\n");
    expect(course, verify, 1, {"the bug hunt", "has no hunt.cu"});
}

TEST_CASE(
    "a new exercise with a two-dimensional output gets guards and indices for rows and columns") {
    const ScratchCourse course;
    own_solutions(course);
    expect(course,
           {"exercise", "new", "shift", "--title", "Shift", "--sizes", "rows cols", "--argument",
            "int* out[rows][cols + 1]", "--argument", "const int* in[rows]", "--argument",
            "int rows", "--argument", "int cols", "--element", "in[row] + col"},
           0, {"Next:"});
    const std::string kernel = course.read("solutions/x_shift/kernel.cu");
    CHECK(kernel.find("if (row >= rows || col >= (cols + 1)) return;") != kernel.npos);
    CHECK(kernel.find("out[row * (cols + 1) + col] =") != kernel.npos);
    CHECK(course.read("solutions/x_shift/reference.cu").starts_with("// out[row][col]\n"));
    expect(course, {"exercise", "verify", "shift"}, 0, {"x_shift is sound"});
}

TEST_CASE("exercise new refuses invalid arguments") {
    const ScratchCourse course;
    own_solutions(course);
    expect(course, {"exercise", "new", "Scale"}, 2, {"cannot be the name of a kernel"});
    expect(course, {"exercise", "new", "scale"}, 2, {"--title is missing"});
    expect(course, {"exercise", "old", "scale"}, 2, {"the actions are new and verify"});
    expect(course, {"exercise", "verify", "scale"}, 2, {"there is no exercise x_scale"});
    auto words = kNewScale;
    words[8] = "const float* out[n]";
    expect(course, words, 2, {"one argument must be the output"});
    CHECK_FALSE(fs::exists(course.path("solutions/x_scale")));
}
