// Tests the predicted time of a learner's kernel: when it is computed, when it is too long, and how
// it is reported.
#include <doctest/doctest.h>

#include <algorithm>

#include "examined.h"
#include "examiner/costs.h"
#include "examiner/loaded_kernel.h"
#include "examiner/predicted_launch.h"
#include "scratch_folder.h"

using namespace coalesce;
using namespace coalesce::tests;
namespace fs = std::filesystem;

namespace {

const fs::path solution = fs::path(KERNEL_TESTS) / "solution.cu";
const fs::path failures = fs::path(KERNEL_TESTS) / "failures";

Verdict passed(const LocalRunner::Options& options = {}) {
    Verdict found = examined(read_source(solution), transpose_within({}), solution, options);
    INFO(terminal_text(found));
    REQUIRE(found.passed());
    return found;
}

/// Returns a verdict that predicts the fraction `of_copy` of a copy's speed, with an error band of
/// 10 %.
Verdict predicted_at(double of_copy) {
    timing::Prediction launch;
    launch.ms = 0.13 / of_copy;
    Verdict verdict;
    verdict.predicted = Predicted{.shape = {8192, 8192},
                                  .gpu = timing::known_gpus().front().name,
                                  .copy_gbps = 4000,
                                  .ms = launch.ms,
                                  .gbps = 4000 * of_copy,
                                  .error_band = 0.1,
                                  .launches = {launch}};
    return verdict;
}

bool is_too_slow(double of_copy, double asked) {
    return find_slow_prediction(predicted_at(of_copy), {.predicted_fraction_of_copy = asked})
        .has_value();
}

/// A runner that launches kernels but cannot predict their times.
class TimelessRunner : public LocalRunner {
public:
    using LocalRunner::LocalRunner;
    std::optional<Predicted> predict(const Compiled&, const Produces&, Shape) override {
        return std::nullopt;
    }
};

bool says(const std::string& text, const std::string& words) {
    return text.find(words) != text.npos;
}

}  // namespace

TEST_CASE("a correct kernel has a predicted time, which is shown with the solution's time") {
    const Verdict found = passed();
    REQUIRE(found.predicted);
    CHECK(found.predicted->shape.name() == "8192 x 8192");
    CHECK(found.predicted->gpu == timing::known_gpus().front().name);
    // The two matrices together take 512 MiB, and no transpose can be faster than the GPU's memory.
    CHECK(found.predicted->fraction_of_copy() > 0.5);
    CHECK(found.predicted->fraction_of_copy() < 1.1);
    CHECK(!found.predicted->longest().time_line.moments.empty());
    REQUIRE(found.solution_predicted);
    CHECK(found.solution_predicted->ms == found.predicted->ms);
    CHECK(found.solution_predicted->longest().time_line.moments.empty());
    CHECK(found.milliseconds.predicted > 0);
    CHECK(to_json(verdict_from_json(to_json(found))) == to_json(found));
}

TEST_CASE("a cached prediction equals the original") {
    const ScratchFolder cache;
    const Verdict first = passed({.cache = cache.path()}), second = passed({.cache = cache.path()});
    CHECK(second.predicted->ms == first.predicted->ms);
    CHECK(second.predicted->longest().time_line.moments.size() ==
          first.predicted->longest().time_line.moments.size());
    int kept = 0;
    for (const auto& entry : fs::directory_iterator(cache.path())) {
        kept += entry.path().filename().string().starts_with("predicted-");
    }
    // The kernel and the solution are identical, so only one time is cached.
    CHECK(kept == 1);
}

TEST_CASE("a wrong kernel has no predicted time, and a prediction does not print kernel output") {
    CHECK(!examined(read_source(failures / "wrong-pitch.cu")).predicted);
    Source printing = read_source(solution);
    const std::string body = "__shared__ float tile[32][33];\n";
    const std::size_t place = printing.text.find(body);
    REQUIRE(place != printing.text.npos);
    printing.text.insert(place + body.size(),
                         "    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0) "
                         "printf(\"here\\n\");\n");
    const Verdict found = examined(printing);
    INFO(terminal_text(found));
    CHECK(found.passed());
    REQUIRE(found.predicted);
    CHECK(found.predicted->fraction_of_copy() ==
          doctest::Approx(passed().predicted->fraction_of_copy()).epsilon(0.02));
    CHECK(std::count(found.output.begin(), found.output.end(), '\n') ==
          static_cast<long>(found.shapes.size()));
}

TEST_CASE("if the time model is missing, the verdict does not mention a predicted time") {
    TimelessRunner runner(LocalRunner::Options{});
    const Verdict found =
        examine(read_source(solution), transpose_within({.predicted_fraction_of_copy = 2}), runner,
                {.solution = read_source(solution)});
    CHECK(found.passed());
    CHECK(!found.predicted);
    for (const std::string& text : {terminal_text(found), markdown_text(found), html_text(found)}) {
        CAPTURE(text);
        CHECK(says(text, "sectors per load"));
        CHECK(!says(text, "redicted"));
    }
    CHECK(to_json(verdict_from_json(to_json(found))) == to_json(found));
}

TEST_CASE("a kernel is too slow only if it misses the limit by more than the error band") {
    CHECK(!is_too_slow(0.7, 0));
    CHECK(!is_too_slow(0.76, 0.75));
    CHECK(!is_too_slow(0.69, 0.75));
    CHECK(is_too_slow(0.68, 0.75));
    Verdict unknown = predicted_at(0.1);
    CHECK(find_slow_prediction(unknown, {.predicted_fraction_of_copy = 0.75}));
    unknown.predicted->launches[0].unknown = {timing::Unknown::parts};
    CHECK(!find_slow_prediction(unknown, {.predicted_fraction_of_copy = 0.75}));
    CHECK(!find_slow_prediction(Verdict{}, {.predicted_fraction_of_copy = 0.75}));
    // Effects that the model does not cover can only make the kernel slower.
    for (const auto one :
         {timing::Unknown::local_memory, timing::Unknown::waits, timing::Unknown::unlike_blocks}) {
        unknown.predicted->launches[0].unknown = {one};
        CHECK(find_slow_prediction(unknown, {.predicted_fraction_of_copy = 0.75}));
    }
}

TEST_CASE("all formats show the predicted time and its percentage of a copy") {
    const Verdict found = passed();
    for (const std::string& text : {terminal_text(found), markdown_text(found), html_text(found)}) {
        CAPTURE(text);
        CHECK(says(text, "Time at 8192 x 8192: about 0."));
        CHECK(says(text, "of a copy"));
        CHECK(says(text, "predicted"));
        CHECK(says(text, "NVIDIA"));
        CHECK(says(text, "Faster: Access longer runs"));
    }
    const auto lines = [&](TimeShown time) {
        const std::string text = terminal_text(found, {.time = time});
        return std::count(text.begin(), text.end(), '\n');
    };
    CHECK(lines(TimeShown::in_words) > lines(TimeShown::in_table));
    CHECK(lines(TimeShown::in_table) == lines(TimeShown::nowhere) + 1);
    CHECK(says(terminal_text(found, {.time = TimeShown::in_table}), "% of a copy, predicted"));
    CHECK(!says(terminal_text(found, {.has_costs = false}), "predicted"));
    CHECK(!says(terminal_text(found, {.time = TimeShown::nowhere}), "predicted"));
}

TEST_CASE("if a correct kernel costs too much, its time is compared with the solution's") {
    const Verdict found = examined(read_source(failures / "bank-conflicts.cu", "kernel.cu"),
                                   transpose_within({}), solution);
    REQUIRE(found.failure_id() == "bank-conflicts");
    REQUIRE(found.predicted);
    for (const std::string& text : {terminal_text(found), markdown_text(found), html_text(found)}) {
        CAPTURE(text);
        CHECK(says(text, "At 8192 x 8192 the solution takes about"));
    }
    // If there is not enough space, the map is omitted, but the failure is still shown.
    CHECK(!says(terminal_text(found, {.lines = 12}), "8192"));
}

TEST_CASE("if a time limit is set, the blocks of the prediction must compute correct output") {
    const Shape shape{8192, 8192};
    const std::string right = read_source(solution).text;
    const auto is_moved = [&](const std::string& instead_of, const std::string& text) {
        Source source = read_source(solution);
        const std::size_t place = right.find(instead_of);
        REQUIRE(place != right.npos);
        source.text.replace(place, instead_of.size(), text);
        LocalRunner runner(LocalRunner::Options{});
        LoadedKernel kernel(runner.compile(source, "transpose"));
        REQUIRE(kernel.problem().kind == FailureKind::none);
        const SampledMatrix sampled({.rows = shape.rows, .cols = shape.cols, .seed = 7});
        try {
            return predict_launch(kernel, false, shape, {.sampled = &sampled}).has_value();
        } catch (const WrongSampledValues&) {
            return false;
        }
    };
    CHECK(is_moved("", ""));
    const std::string stored = "= tile[threadIdx.x][threadIdx.y + k];";
    CHECK_FALSE(is_moved(stored, "= tile[threadIdx.y + k][threadIdx.x];"));
    CHECK_FALSE(is_moved(stored, "= rows > 4096 ? 0 : tile[threadIdx.x][threadIdx.y + k];"));
    CHECK_FALSE(is_moved(stored, "= 1 + tile[threadIdx.x][threadIdx.y + k];"));
}

TEST_CASE("a prediction uses a shape that the exercise supports") {
    Exercise exercise = transpose_within({});
    CHECK(predicted_shape(exercise).name() == "8192 x 8192");
    exercise.rows_multiple = 3;
    exercise.cols_multiple = 64;
    CHECK(predicted_shape(exercise).name() == "8193 x 8192");
    exercise.produces = "transpose-in-place";
    exercise.cols_multiple = 3;
    CHECK(predicted_shape(exercise).name() == "8193 x 8193");
}
