// Whole examinations: what passes, what is reported besides the failure, and how it is written
// down.
#include "kernel/examine.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/errors.h"
#include "kernel/simulated.h"
#include "scratch_folder.h"

using namespace coalesce;
using namespace coalesce::tests;
namespace fs = std::filesystem;

namespace {

const fs::path solution = fs::path(KERNEL_TESTS) / "solution.cu";
const fs::path failures = fs::path(KERNEL_TESTS) / "failures";

const std::string configure_text =
    "constexpr Launch configure(int rows, int cols) {\n"
    "    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};\n"
    "}\n";
const std::string head =
    "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
    "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n";

Source kernel_with(const std::string& body) {
    return source_of_text(head + body + "}\n" + configure_text, "kernel.cu");
}

const std::string move =
    "    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];\n";

}  // namespace

TEST_CASE("a right kernel passes, with its counters, lines and parts of the time") {
    const ScratchFolder cache;
    const Examination found = examine(solution, {.limits = {.load = 4,
                                                            .store = 4,
                                                            .shared_load = 1,
                                                            .shared_store = 1,
                                                            .elements_per_thread = 4,
                                                            .solution = solution},
                                                 .cache = cache.path()});
    INFO(found.text());
    REQUIRE(found.passed());
    CHECK(found.failures.empty());
    CHECK(found.failure_id() == "");
    CHECK(found.is_simulated);
    REQUIRE(found.shapes.size() == usual_shapes(1, 1).size() + 1);
    for (const ShapeTried& tried : found.shapes) CHECK(tried.passed);
    REQUIRE(found.counters);
    // 256 x 256 elements, 32 a request, in 4 sectors.
    CHECK(found.counters->load_requests == 2048);
    CHECK(found.counters->load_sectors == 8192);
    CHECK(found.counters->store_sectors == 8192);
    CHECK(found.counters->bank_conflicts() == 0);
    REQUIRE(found.solution_counters);
    CHECK(found.solution_counters->store_sectors == found.counters->store_sectors);
    // One line loads, another stores.
    REQUIRE(found.lines.size() == 2);
    CHECK(found.lines[0].counters.load_requests == 2048);
    CHECK(found.lines[1].counters.store_requests == 2048);
    CHECK(found.milliseconds.total >=
          found.milliseconds.compile + found.milliseconds.load + found.milliseconds.shapes);
}

TEST_CASE("one after the other in the same process, after any failure") {
    const ScratchFolder cache;
    const Request request{.limits = {.solution = solution}, .cache = cache.path()};
    const Examination before = examine(solution, request);
    for (const char* file : {"no-bounds-check.cu", "deadlock.cu", "endless-loop.cu",
                             "missing-barrier.cu", "does-not-load.cu", "assertion-failed.cu"}) {
        CAPTURE(file);
        CHECK_FALSE(examine(failures / file, request).passed());
        const Examination after = examine(solution, request);
        INFO(after.text());
        REQUIRE(after.passed());
        CHECK(after.counters->warp_instructions == before.counters->warp_instructions);
    }
}

TEST_CASE("a copy is right where a copy is asked for, under its own name") {
    const Source copy = source_of_text(
        "__global__ void copy(float* out, const float* in, int rows, int cols) {\n"
        "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];\n"
        "}\n" +
            configure_text,
        "kernel.cu");
    const Request request{.kernel = "copy", .produces = {Produces::copy}};
    CHECK(examine(copy, request).passed());
    Source transpose = source_of_text(kernel_with(move).text, "kernel.cu");
    transpose.text.replace(transpose.text.find("transpose"), 9, "copy");
    CHECK(examine(transpose, request).failure_id() == "indices-swapped");
}

TEST_CASE("a kernel that needs multiples is tried on multiples alone") {
    const std::string body =
        "    if (row < rows && 4 * col < cols) {\n"
        "        float4 v = reinterpret_cast<const float4&>(in[row * cols + 4 * col]);\n"
        "        out[(4 * col + 0) * rows + row] = v.x;\n"
        "        out[(4 * col + 1) * rows + row] = v.y;\n"
        "        out[(4 * col + 2) * rows + row] = v.z;\n"
        "        out[(4 * col + 3) * rows + row] = v.w;\n"
        "    }\n";
    CHECK(examine(kernel_with(body), {.rows_multiple = 1, .cols_multiple = 4}).passed());
    CHECK_FALSE(examine(kernel_with(body), {}).passed());
    for (const Shape shape : usual_shapes(2, 4)) {
        CHECK(shape.rows % 2 == 0);
        CHECK(shape.cols % 4 == 0);
    }
}

TEST_CASE("another seed is another input, and the kernel is as right") {
    CHECK(examine(kernel_with(move), {.seed = 12345}).passed());
}

TEST_CASE("what a kernel prints is shown, its beginning, and a flood is cut") {
    const Examination little =
        examine(kernel_with("    if (row + col == 0) printf(\"rows %d\\n\", rows);\n" + move), {});
    CHECK(little.passed());
    CHECK(little.output.starts_with("rows 64\nrows 64\n"));
    CHECK_FALSE(little.output_is_cut);
    // A million lines, all in all.
    const Examination flood = examine(
        kernel_with("    for (int i = 0; i < 40; ++i) printf(\"line %d\\n\", i);\n" + move), {});
    CHECK(flood.output.size() <= 4096);
    CHECK(flood.output.ends_with("\n"));
    CHECK(flood.output_is_cut);
    CHECK(flood.text().find("cut here") != std::string::npos);
}

TEST_CASE("control characters that a kernel prints reach nobody's terminal") {
    const Examination found =
        examine(kernel_with("    if (row + col == 0) printf(\"\\033[2Jx\\a\\n\");\n" + move), {});
    CHECK(found.output.find('\033') == std::string::npos);
    CHECK(found.output.find('\a') == std::string::npos);
    CHECK(found.output.find("[2Jx") != std::string::npos);
}

TEST_CASE("blocks have to take the tiles that the lesson's order gives them") {
    const auto ordered = [](const std::string& tile_row, const std::string& tile_col) {
        return source_of_text(
            "__global__ void transpose(float* out, const float* in, int rows, int cols) {\n"
            "    int col = (" +
                tile_col +
                ") * 32 + threadIdx.x;\n"
                "    int row = (" +
                tile_row +
                ") * 32 + threadIdx.y;\n"
                "    if (row < rows && col < cols) {\n"
                "        out[col * rows + row] = in[row * cols + col];\n"
                "    }\n"
                "}\n"
                "constexpr Launch configure(int rows, int cols) {\n"
                "    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, "
                "32}};\n"
                "}\n",
            "kernel.cu");
    };
    const Source by_rows = ordered("blockIdx.y", "blockIdx.x");
    const Source diagonal =
        ordered("(blockIdx.y * gridDim.x + blockIdx.x) % gridDim.y",
                "((blockIdx.y * gridDim.x + blockIdx.x) / gridDim.y + "
                "(blockIdx.y * gridDim.x + blockIdx.x) % gridDim.y) % gridDim.x");
    const Request request{.block_order =
                              BlockOrder{.tile_of = [](int x, int y, int wide, int tall) {
                                  const int block = y * wide + x, row = block % tall;
                                  return Cell{row, (block / tall + row) % wide};
                              }}};
    CHECK(examine(diagonal, request).passed());
    const Examination found = examine(by_rows, request);
    INFO(found.text());
    CHECK(found.failure_id() == "wrong-block-order");
    CHECK(found.failures.front().place.line == 5);
    CHECK(examine(by_rows, {}).passed());
}

TEST_CASE("a solution that is not there is no fault of the learner") {
    const Examination found =
        examine(kernel_with(move), {.limits = {.solution = "/nowhere/kernel.cu"}});
    CHECK(found.outcome == Examination::Outcome::not_examined);
    CHECK(found.failure_id() == "environment-problem");
    CHECK_FALSE(found.passed());
}

TEST_CASE("a solution that is wrong itself is no fault of the learner") {
    const Examination found =
        examine(kernel_with(move), {.limits = {.solution = failures / "indices-not-swapped.cu"}});
    CHECK(found.outcome == Examination::Outcome::not_examined);
}

TEST_CASE("the solution's counters are kept, and a damaged entry is not trusted") {
    const ScratchFolder cache;
    const Request request{.limits = {.solution = solution}, .cache = cache.path()};
    const Examination first = examine(solution, request);
    for (const auto& entry : fs::directory_iterator(cache.path())) {
        std::ofstream(entry.path(), std::ios::binary) << "damaged";
    }
    const Examination second = examine(solution, request);
    const Examination third = examine(solution, request);
    REQUIRE(second.passed());
    REQUIRE(third.passed());
    CHECK(first.solution_counters->load_sectors == second.solution_counters->load_sectors);
    CHECK(third.solution_counters->load_sectors == second.solution_counters->load_sectors);
}

TEST_CASE("the verdict as JSON says the same") {
    const ScratchFolder folder;
    const Examination found = examine(failures / "uncoalesced-stores.cu",
                                      {.limits = {.solution = solution}, .shown_as = "kernel.cu"});
    const fs::path file = folder.path() / "verdict.json";
    write_verdict(file, found);
    std::ifstream stream(file);
    const auto json = nlohmann::json::parse(stream);
    CHECK(json.at("format") == 1);
    CHECK(json.at("file") == "kernel.cu");
    CHECK(json.at("kernel") == "transpose");
    CHECK(json.at("source_hash").get<std::string>().size() == 16);
    CHECK(json.at("outcome") == "failed");
    CHECK(json.at("passed") == false);
    CHECK(json.at("device").at("kind") == "sim");
    CHECK(json.at("failures").at(0).at("id") == "uncoalesced-stores");
    CHECK(json.at("failures").at(0).at("line") == 7);
    CHECK(json.at("counters").at("store_sectors") == found.counters->store_sectors);
    CHECK(json.at("solution_counters").at("store_sectors") == 8192);
    CHECK(json.at("counted").at("rows") == 256);
    CHECK(json.at("shapes").at(0).at("block") == nlohmann::json::array({32, 8, 1}));
    CHECK(json.at("lines").size() == 1);
    CHECK(json.at("milliseconds").at("total").get<double>() > 0);
    // Nothing else stays behind.
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
    CHECK_THROWS_AS(write_verdict("/nowhere/verdict.json", found), UsageError);
}

TEST_CASE("the same file gives the same verdict, but for the time") {
    const auto verdict = [] {
        Examination found =
            examine(failures / "bank-conflicts.cu", {.limits = {.solution = solution}});
        found.milliseconds = {};
        return to_json(found);
    };
    CHECK(verdict() == verdict());
}
