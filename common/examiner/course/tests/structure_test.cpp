// Tests that the steps in this repository match their records, and that every kind of mismatch is
// reported.

#include "structure.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>

using namespace coalesce::course;
namespace fs = std::filesystem;

namespace {

const fs::path REPOSITORY = COALESCE_REPOSITORY;

// A course of two valid steps in a temporary folder.
struct SmallCourse {
    fs::path steps = fs::temp_directory_path() / ("structure-" + std::to_string(getpid()));
    Course course;

    SmallCourse() {
        add("01_copy", "", "nothing: the start", "02_naive stores elsewhere", "copy_tile");
        add("02_naive", "01_copy", "01_copy: the same", "Your own", "transpose_naive");
    }
    ~SmallCourse() { fs::remove_all(steps); }

    void add(const std::string& name, const std::string& builds_on, const std::string& builds_text,
             const std::string& next, const std::string& kernel) {
        fs::create_directories(steps / name);
        write(name + "/README.md", "# The lesson\n");
        write(name + "/main.cu", "// " + name + " -- a claim.\n//\n// Builds on  " + builds_text +
                                     "\n// Idea       An idea.\n// Watch      Something.\n" +
                                     "// Next       " + next + ".\n\n//! [kernel]\n" +
                                     "template <int SIDE>\n__global__ void " + kernel +
                                     "(float* out) {}\n//! [kernel]\n");
        Variant variant{.name = "headline", .kernel = kernel, .expected_costs = {}};
        course.steps.push_back(
            {.name = name,
             .title = "",
             .builds_on = builds_on,
             .variants = {variant, {.name = "host", .kernel = "", .expected_costs = {}}}});
    }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream(steps / file) << text;
    }
    // Replaces one passage in main.cu of step 02.
    void edit(const std::string& from, const std::string& to) const {
        std::ifstream stream(steps / "02_naive/main.cu");
        std::string text((std::istreambuf_iterator<char>(stream)), {});
        size_t place = text.find(from);
        REQUIRE(place != std::string::npos);
        write("02_naive/main.cu", text.replace(place, from.size(), to));
    }
    void has_fault(const std::string& words) const {
        auto faults = structural_faults(course, steps);
        REQUIRE(faults.size() == 1);
        CHECK_MESSAGE(faults[0].find(words) != std::string::npos, faults[0]);
    }
};

}  // namespace

TEST_CASE("the repository's steps match their records") {
    Course course = read_course(REPOSITORY);
    auto faults = structural_faults(course, REPOSITORY / "steps");
    for (auto& fault : faults) MESSAGE(fault);
    CHECK(faults.empty());
}

TEST_CASE("the names of steps and variants fit into the columns of tables") {
    const Course course = read_course(REPOSITORY);
    CHECK(course.program->name.size() < 14);
    for (auto& step : course.steps) {
        CHECK(step.name.size() < 14);
        for (auto& variant : step.variants) CHECK_MESSAGE(variant.name.size() < 20, variant.name);
    }
}

TEST_CASE("the course contains every kernel that its design requires") {
    const std::map<std::string, std::vector<std::string>> DESIGN = {
        {"01_copy",
         {"element", "copy", "shared", "float4", "memcpy", "host_to_device", "device_to_host",
          "cpu_serial", "cpu_parallel"}},
        {"02_naive",
         {"naive", "thread_a_row", "stores_coalesced", "32x32", "16x16", "8x32", "8x64"}},
        {"03_tiled", {"tiled", "tiled_16", "tiled_dynamic", "fine", "coarse"}},
        {"04_padded", {"padded", "padded_16", "padded_dynamic", "swizzled"}},
        {"05_coarsened", {"coarsened", "32x16", "32x4", "tile64_16x16", "tile32_16x16"}},
        {"06_diagonal", {"diagonal", "diagonal_square", "row_major", "column_major", "supertile"}},
        {"07_vec2", {"vec2", "vec2_x1", "vec2_x4", "vec2_x8"}},
        {"08_vec4", {"vec4", "vec4_x1", "vec4_x4", "vec4_x8", "no_shared"}},
        {"09_vec4_t64",
         {"vec4_t64", "vec4_t64_x1", "vec4_t64_x2", "vec2_t64_x1", "vec2_t64_x2", "vec2_t64_x4"}},
        {"10_registers",
         {"raw_stay_apart", "registers_128", "registers", "registers_64", "registers_256", "raw",
          "stay", "apart"}},
        {"11_any_shape",
         {"any", "shifted", "any_int8", "any_int16", "any_int64", "any_16_bytes", "packed_int8",
          "strip"}},
        {"12_async", {"one_tile", "pipeline", "pipeline_3", "pipeline_4"}},
        {"13_tma", {"tma", "rows", "tma_plain", "tma_store", "tma_pipeline"}},
        {"16_many_gpus", {"in_turn", "peers", "wide", "copies"}},
        {"17_reduction",
         {"warps", "threads", "tree", "tree_strided", "blocks", "one_load", "in_flight", "vec4",
          "vec4_x4", "read"}},
        {"18_product",
         {"registers", "naive", "naive_rows", "tiled", "column", "registers_8x8", "vec4",
          "vec4_unpadded", "in_flight"}},
    };
    Course course = read_course(REPOSITORY);
    for (auto& [name, variants] : DESIGN) {
        const Step* step = course.find(name);
        REQUIRE_MESSAGE(step != nullptr, name);
        CHECK(step->variants[0].name == variants[0]);
        for (auto& variant : variants) {
            CHECK_MESSAGE(step->find(variant) != nullptr, name << " lacks " << variant);
        }
    }
}

TEST_CASE("a valid course has no faults") {
    SmallCourse small;
    CHECK(structural_faults(small.course, small.steps).empty());
}

TEST_CASE("missing or unknown files and folders are reported") {
    SmallCourse small;
    SUBCASE("a lesson without a text is reported") {
        fs::remove(small.steps / "02_naive/README.md");
        small.has_fault("steps/02_naive/README.md is missing");
    }
    SUBCASE("the lesson's text is empty") {
        small.write("02_naive/README.md", "");
        small.has_fault("steps/02_naive/README.md is missing or empty");
    }
    SUBCASE("the program is missing") {
        fs::remove(small.steps / "02_naive/main.cu");
        small.has_fault("steps/02_naive/main.cu is missing");
    }
    SUBCASE("a folder that belongs to no step is reported") {
        fs::create_directory(small.steps / "03_stray");
        small.has_fault("steps/03_stray is no lesson");
    }
}

TEST_CASE("the file of a whole program is called program.cu") {
    SmallCourse small;
    const std::string text =
        "// 00_program -- a claim.\n//\n// Builds on  nothing.\n// Idea       An idea.\n"
        "// Watch      Something.\n// Next       01_copy.\n//! [kernel]\n"
        "__global__ void twice() {}\n//! [kernel]\n";
    fs::create_directories(small.steps / "00_program");
    small.has_fault("steps/00_program is no lesson");
    small.course.program = Step{.name = "00_program", .title = "", .builds_on = "", .variants = {}};
    small.write("00_program/README.md", "# The lesson\n");
    small.write("00_program/program.cu", text);
    CHECK(structural_faults(small.course, small.steps).empty());
    SUBCASE("the file is missing") {
        fs::remove(small.steps / "00_program/program.cu");
        small.has_fault("steps/00_program/program.cu is missing or empty");
    }
    SUBCASE("the header is missing") {
        small.write("00_program/program.cu", text.substr(text.find("//! [")));
        CHECK(structural_faults(small.course, small.steps).size() > 3);
    }
    SUBCASE("a marker is missing") {
        small.write("00_program/program.cu", text.substr(0, text.rfind("//! [kernel]")));
        small.has_fault("must stand between two lines");
    }
}

TEST_CASE("mistakes in the headers of lessons are reported") {
    SmallCourse small;
    SUBCASE("a header that names a different step is reported") {
        small.edit("// 02_naive --", "// 02_native --");
        small.has_fault("steps/02_naive/main.cu:1: must begin with \"// 02_naive -- \"");
    }
    SUBCASE("a header that builds on a different step is reported") {
        small.edit("Builds on  01_copy", "Builds on  03_tiled");
        small.has_fault("must say that it builds on 01_copy");
    }
    SUBCASE("a header that states no idea is reported") {
        small.edit("// Idea ", "// Thought ");
        small.has_fault("no line \"// Idea ...\"");
    }
    SUBCASE("a header that announces a different next step is reported") {
        std::swap(small.course.steps[0].name, small.course.steps[1].name);
        CHECK(structural_faults(small.course, small.steps).size() > 1);
        std::swap(small.course.steps[0].name, small.course.steps[1].name);
        small.write("01_copy/main.cu",
                    "// 01_copy -- a.\n// Builds on  nothing\n// Idea  a\n// Watch  a\n"
                    "// Next  03_tiled\n//! [kernel]\n__global__ void copy_tile() {}\n//! "
                    "[kernel]\n");
        small.has_fault("must say that 02_naive is next");
    }
}

TEST_CASE("kernels that do not match the record are reported") {
    SmallCourse small;
    SUBCASE("a kernel that was renamed only in the program is reported") {
        small.edit("transpose_naive", "transpose_other");
        CHECK(structural_faults(small.course, small.steps).size() == 2);
    }
    SUBCASE("a kernel that belongs to no variant is reported") {
        small.edit("//! [kernel]\ntemplate", "__global__ void more() {}\n//! [kernel]\ntemplate");
        small.has_fault("no variant in lesson.toml has its kernel more");
    }
    SUBCASE("a kernel that occurs only in a comment is ignored") {
        small.edit("//! [kernel]\ntemplate", "// __global__ void more()\n//! [kernel]\ntemplate");
        CHECK(structural_faults(small.course, small.steps).empty());
    }
    SUBCASE("a kernel in a header beside the program must belong to a variant too") {
        small.write("02_naive/more.h", "__global__ void more() {}\n");
        small.has_fault("no variant in lesson.toml has its kernel more");
    }
    SUBCASE("a missing marker around the kernel is reported") {
        small.edit("//! [kernel]\n", "");
        small.has_fault("must stand between two lines");
    }
    SUBCASE("a first kernel that starts too late is reported") {
        small.edit("//! [kernel]", std::string(6, '\n') + "//! [kernel]");
        small.has_fault("the first kernel begins after line 15");
    }
    SUBCASE("a first kernel on the last allowed line is accepted") {
        small.edit("//! [kernel]", std::string(5, '\n') + "//! [kernel]");
        CHECK(structural_faults(small.course, small.steps).empty());
    }
    SUBCASE("a file that is too long is reported") {
        small.edit("(float* out) {}", "(float* out) {" + std::string(240, '\n') + "}");
        small.has_fault("has 251 lines; 250 are the most");
    }
}
