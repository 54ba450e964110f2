// Tests that the search names the right change for kernels with one mistake, and names nothing for
// kernels with two.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "examiner/changes/search.h"
#include "examiner/exercises/examined.h"

using namespace coalesce;
using namespace coalesce::exercises;

namespace {

using Replacement = std::pair<std::string, std::string>;

/// Returns the solution of an exercise with some of its text replaced.
std::string solution_with(const std::string& exercise, const std::vector<Replacement>& mistakes) {
    std::string text =
        read_file(repository() / "solutions" / exercise / require_exercise(exercise).file());
    for (const auto& [right, wrong] : mistakes) {
        const std::size_t at = text.find(right);
        REQUIRE(at != text.npos);
        text.replace(at, right.size(), wrong);
    }
    return text;
}

/// Searches for the change that repairs a text, whether or not the rules find the cause.
std::optional<PassingChange> search_in(const std::string& name, const std::string& text) {
    const Exercise& exercise = require_exercise(name);
    const Source source = make_source(text, "kernel.cu");
    const TemporaryFolder cache;
    const Verdict verdict = examine_source(exercise, source, cache.path);
    REQUIRE(verdict.outcome == Verdict::Outcome::failed);
    return changes::find_passing_change(
        source, exercise, verdict,
        {.time = std::chrono::seconds(60), .passes = [&](const Source& changed) {
             return examine_source(exercise, changed, cache.path).passed();
         }});
}

}  // namespace

TEST_CASE("one mistake in a transpose is found") {
    const auto found = search_in(
        "05_coarsened", solution_with("05_coarsened", {{"tile[threadIdx.x][threadIdx.y + k];",
                                                        "tile[threadIdx.x][threadIdx.x + k];"}}));
    REQUIRE(found);
    CHECK(found->sentence.find("`threadIdx.x + k` where `threadIdx.y + k` would make the kernel") !=
          std::string::npos);
    CHECK(found->before == "threadIdx.x + k");
    CHECK(found->after == "threadIdx.y + k");
    CHECK(found->place.line > 0);
    CHECK(found->place.column > 0);
}

TEST_CASE("one mistake in an exercise beyond the transpose is found") {
    const auto found =
        search_in("x_column_sums",
                  solution_with("x_column_sums", {{"row * cols + col", "row * rows + col"}}));
    REQUIRE(found);
    CHECK(found->before.find("rows") != std::string::npos);
    CHECK(found->after.find("cols") != std::string::npos);
}

TEST_CASE("two mistakes in different places are not named") {
    CHECK(!search_in(
        "05_coarsened",
        solution_with("05_coarsened",
                      {{"in[(row + k) * cols + col]", "in[(row + k) * rows + col]"},
                       {"out[(col + k) * rows + row]", "out[(col + k) * cols + row]"}})));
}

TEST_CASE("an empty kernel has no change that repairs it") {
    CHECK(
        !search_in("02_naive",
                   "__global__ void transpose(float* out, const float* in, int rows, int cols) {}\n"
                   "constexpr Launch configure(int rows, int cols) {\n"
                   "    return {.grid = {1}, .block = {32}};\n}\n"));
}
