// Tests whole examinations: which kernels pass, what is reported besides the failure, and the JSON
// output.
#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/files.h"
#include "examined.h"
#include "examiner/simulated.h"
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
    return make_source(head + body + "}\n" + configure_text, "kernel.cu");
}

const std::string move =
    "    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];\n";

}  // namespace

TEST_CASE("the verdict on a correct kernel contains its counters, lines and time components") {
    const ScratchFolder cache;
    const Verdict found = examined(
        read_source(solution),
        transpose_within(
            {.load = 4, .store = 4, .shared_load = 1, .shared_store = 1, .elements_per_thread = 4}),
        solution, {.cache = cache.path()});
    INFO(terminal_text(found));
    REQUIRE(found.passed());
    CHECK(found.failures.empty());
    CHECK(found.failure_id() == "");
    CHECK(found.is_simulated);
    REQUIRE(found.shapes.size() == transpose_within({}).shapes.size() + 1);
    for (const TriedShape& tried : found.shapes) CHECK(tried.passed);
    REQUIRE(found.counters);
    // 256 x 256 elements need 2048 requests of 32 elements, each with 4 sectors.
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
    CHECK(found.milliseconds.total >= found.milliseconds.compile + found.milliseconds.shapes);
}

TEST_CASE("a process can examine more kernels after any kind of failure") {
    const ScratchFolder cache;
    const auto examine_file = [&](const fs::path& file) {
        return examined(read_source(file), transpose_within({}), solution, {.cache = cache.path()});
    };
    const Verdict before = examine_file(solution);
    for (const char* file : {"no-bounds-check.cu", "deadlock.cu", "endless-loop.cu",
                             "missing-barrier.cu", "does-not-load.cu", "assertion-failed.cu"}) {
        CAPTURE(file);
        CHECK_FALSE(examine_file(failures / file).passed());
        const Verdict after = examine_file(solution);
        INFO(terminal_text(after));
        REQUIRE(after.passed());
        CHECK(after.counters->warp_instructions == before.counters->warp_instructions);
    }
}

TEST_CASE("an exercise may require a copy, and a different kernel name") {
    const Source copy = make_source(
        "__global__ void copy(float* out, const float* in, int rows, int cols) {\n"
        "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];\n"
        "}\n" +
            configure_text,
        "kernel.cu");
    Exercise exercise = transpose_within({});
    exercise.kernel = exercise.produces = "copy";
    CHECK(examined(copy, exercise).passed());
    Source transpose = make_source(kernel_with(move).text, "kernel.cu");
    transpose.text.replace(transpose.text.find("transpose"), 9, "copy");
    CHECK(examined(transpose, exercise).failure_id() == "indices-swapped");
}

TEST_CASE("a kernel that requires multiples of a size passes only on such shapes") {
    const std::string body =
        "    if (row < rows && 4 * col < cols) {\n"
        "        float4 v = reinterpret_cast<const float4&>(in[row * cols + 4 * col]);\n"
        "        out[(4 * col + 0) * rows + row] = v.x;\n"
        "        out[(4 * col + 1) * rows + row] = v.y;\n"
        "        out[(4 * col + 2) * rows + row] = v.z;\n"
        "        out[(4 * col + 3) * rows + row] = v.w;\n"
        "    }\n";
    Exercise exercise = transpose_within({});
    exercise.shapes = {{64, 64}, {3, 132}, {130, 40}};
    CHECK(examined(kernel_with(body), exercise).passed());
    exercise.shapes.push_back({130, 37});
    CHECK_FALSE(examined(kernel_with(body), exercise).passed());
}

TEST_CASE("only the beginning of a kernel's output is shown") {
    const Verdict little =
        examined(kernel_with("    if (row + col == 0) printf(\"rows %d\\n\", rows);\n" + move));
    CHECK(little.passed());
    CHECK(little.output.starts_with("rows 64\nrows 64\n"));
    CHECK_FALSE(little.output_is_truncated);
    // Together, the launches print about a million lines.
    const Verdict flood = examined(
        kernel_with("    for (int i = 0; i < 40; ++i) printf(\"line %d\\n\", i);\n" + move));
    CHECK(flood.output.size() <= 4096);
    CHECK(flood.output.ends_with("\n"));
    CHECK(flood.output_is_truncated);
    CHECK(terminal_text(flood).find("the rest is not shown") != std::string::npos);
}

TEST_CASE("control characters that a kernel prints do not reach a terminal") {
    const Verdict found =
        examined(kernel_with("    if (row + col == 0) printf(\"\\033[2Jx\\a\\n\");\n" + move));
    CHECK(found.output.find('\033') == std::string::npos);
    CHECK(found.output.find('\a') == std::string::npos);
    CHECK(found.output.find("[2Jx") != std::string::npos);
}

TEST_CASE("blocks must process tiles in the order of the lesson") {
    const auto ordered = [](const std::string& tile_row, const std::string& tile_col) {
        return make_source(
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
    Exercise exercise = transpose_within({});
    exercise.block_order = "diagonal";
    CHECK(examined(diagonal, exercise).passed());
    const Verdict found = examined(by_rows, exercise);
    INFO(terminal_text(found));
    CHECK(found.failure_id() == "wrong-block-order");
    CHECK(found.failures.front().place.line == 5);
    CHECK(examined(by_rows).passed());

    exercise.block_order = "any-diagonal";
    const Source shifted = ordered("(blockIdx.x + blockIdx.y) % gridDim.y", "blockIdx.x");
    CHECK(examined(diagonal, exercise).passed());
    CHECK(examined(shifted, exercise).passed());
    for (const Source& straight :
         {by_rows, ordered("(blockIdx.y * gridDim.x + blockIdx.x) % gridDim.y",
                           "(blockIdx.y * gridDim.x + blockIdx.x) / gridDim.y")}) {
        const Verdict told = examined(straight, exercise);
        INFO(terminal_text(told));
        CHECK(told.failure_id() == "wrong-block-order");
        CHECK(told.failures.front().headline.find("process tiles in the same tile") !=
              std::string::npos);
        CHECK(told.failures.front().place.line > 0);
    }
}

TEST_CASE("a missing solution is reported as a problem with the computer, not the kernel") {
    const Verdict found = examined(kernel_with(move), transpose_within({}), "/nowhere/kernel.cu");
    CHECK(found.outcome == Verdict::Outcome::not_examined);
    CHECK(found.failure_id() == "environment-problem");
    CHECK_FALSE(found.passed());
}

TEST_CASE("an incorrect solution is reported as a problem with the computer, not the kernel") {
    const Verdict found =
        examined(kernel_with(move), transpose_within({}), failures / "indices-not-swapped.cu");
    CHECK(found.outcome == Verdict::Outcome::not_examined);
}

TEST_CASE("the solution's counters are cached, and a damaged entry is not used") {
    const ScratchFolder cache;
    const auto examine_file = [&](const fs::path& file) {
        return examined(read_source(file), transpose_within({}), solution, {.cache = cache.path()});
    };
    const Verdict first = examine_file(solution);
    for (const auto& entry : fs::directory_iterator(cache.path())) {
        std::ofstream(entry.path(), std::ios::binary) << "damaged";
    }
    const Verdict second = examine_file(solution);
    const Verdict third = examine_file(solution);
    REQUIRE(second.passed());
    REQUIRE(third.passed());
    CHECK(first.solution_counters->load_sectors == second.solution_counters->load_sectors);
    CHECK(third.solution_counters->load_sectors == second.solution_counters->load_sectors);
}

TEST_CASE("the JSON of a verdict contains all values of the verdict") {
    const ScratchFolder folder;
    const Verdict found = examined(read_source(failures / "uncoalesced-stores.cu", "kernel.cu"),
                                   transpose_within({}), solution);
    const fs::path file = folder.path() / "verdict.json";
    write_file(file, to_json(found));
    std::ifstream stream(file);
    const auto json = nlohmann::json::parse(stream);
    CHECK(json.at("format") == 3);
    CHECK(json.at("file") == "kernel.cu");
    CHECK(json.at("kernel") == "transpose");
    CHECK(json.at("source_hash").get<std::string>().size() == 16);
    CHECK(json.at("outcome") == "failed");
    CHECK(json.at("is_simulated") == true);
    CHECK(json.at("failures").at(0).at("id") == "uncoalesced-stores");
    CHECK(json.at("failures").at(0).at("place").at("line") == 7);
    CHECK(json.at("counters").at("store_sectors") == found.counters->store_sectors);
    CHECK(json.at("solution_counters").at("store_sectors") == 8192);
    CHECK(json.at("counted").at("rows") == 256);
    CHECK(json.at("shapes").at(0).at("launch").at("block") == nlohmann::json::array({32, 8, 1}));
    CHECK(json.at("lines").size() == 1);
    CHECK(json.at("milliseconds").at("total").get<double>() > 0);
    // The JSON file must be the only file in the folder afterwards.
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("examining a file twice gives the same verdict, except for the time") {
    const auto verdict = [] {
        Verdict found =
            examined(read_source(failures / "bank-conflicts.cu"), transpose_within({}), solution);
        found.milliseconds = {};
        return to_json(found);
    };
    CHECK(verdict() == verdict());
}

TEST_CASE("a verdict is read back as it was written, and malformed text is rejected") {
    const Verdict wrong = examined(read_source(failures / "wrong-pitch.cu"), transpose_within({}));
    REQUIRE(wrong.failures.at(0).map);
    const std::string json = to_json(wrong);
    const Verdict read = verdict_from_json(json);
    CHECK(to_json(read) == json);
    CHECK(read.failure_id() == "wrong-pitch");
    CHECK(read.failures[0].map->text() == wrong.failures[0].map->text());
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = json;
        REQUIRE(changed.find(from) != changed.npos);
        return changed.replace(changed.find(from), from.size(), to);
    };
    for (const std::string& broken :
         {with("\"headline\"", "\"headlin\""), with("\"file\"", "\"fil\""),
          with("\"format\": 3", "\"format\": 2"), with("\"wrong-pitch\"", "\"wrong-pich\""),
          with("\"failed\"", "\"fayled\""), with("\"rows\": 64", "\"rows\": \"64\""),
          with("\"rows\": 64", "\"rows\": 64.5"), with("\"rows\": 64", "\"rows\": 9999999999"),
          with("\"output\"", "\"more\": 1, \"output\""), with("{", "["), std::string()}) {
        CHECK_THROWS_AS(verdict_from_json(broken), std::runtime_error);
    }
}

TEST_CASE("the terminal text, Markdown and HTML of a verdict have the same content") {
    const Verdict found = examined(read_source(failures / "no-bounds-check.cu", "kernel.cu"));
    REQUIRE(found.failure_id() == "no-bounds-check");
    const Failure& first = found.failures.front();
    const std::string line = std::to_string(first.place.line);
    for (const std::string& text : {terminal_text(found), markdown_text(found), html_text(found)}) {
        CAPTURE(text);
        CHECK(text.find("bounds") != text.npos);
        CHECK(text.find(line + " | ") != text.npos);
        CHECK(text.find("Next: ") != text.npos);
        CHECK(text.find(" 130, cols") != text.npos);
    }
}

TEST_CASE("text in a kernel is never interpreted as markup") {
    Verdict hostile;
    hostile.outcome = Verdict::Outcome::failed;
    hostile.file = "<b>.cu";
    hostile.source = "``` <script>alert(1)</script>\n\x1b[2J\n";
    hostile.output = "```\n<img src=x>\n";
    hostile.failures = {{.kind = FailureKind::does_not_load,
                         .headline = "<i>`x`</i>",
                         .place = {"<b>.cu", 1, 0},
                         .details = "```\n</pre>",
                         .advice = "[link](http://x)"}};
    const std::string html = html_text(hostile), markdown = markdown_text(hostile);
    for (const char* tag : {"<script", "<img", "<i>", "<b>", "</pre><"}) {
        CHECK(html.find(tag) == html.npos);
    }
    CHECK(markdown.find("````") != markdown.npos);
    CHECK(markdown.find("[link](http") == markdown.npos);
    CHECK(terminal_text(hostile).find('\x1b') == std::string::npos);
}
