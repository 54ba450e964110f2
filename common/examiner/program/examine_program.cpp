#include "examiner/program/examine_program.h"

#include <optional>

#include "base/files.h"
#include "examiner/cache.h"
#include "examiner/program/examination.h"
#include "examiner/stretch.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;

// Returns a number of elements that the program's author cannot predict. It is the same in every
// examination of the same program.
int draw_element_count(const std::string& hash) {
    constexpr unsigned long min_count = 1001, range = 4000, digits = 8;
    return static_cast<int>(min_count + std::stoul(hash.substr(0, digits), nullptr, 16) % range);
}

// Returns the smallest number of elements for which `blocks` blocks would need more threads per
// block than a device allows. Returns nothing if this number is too large for a test.
std::optional<int> smallest_failing_element_count(long long blocks) {
    constexpr long long max_blocks = 1024;
    if (blocks < 1 || blocks > max_blocks) return std::nullopt;
    return static_cast<int>(blocks * kMaxThreadsPerBlock + 1);
}

bool passes_with(int elements, const fs::path& program, const Source& source, Verdict& verdict) {
    const RecordedRun run = run_recorded({.program = program, .elements = elements});
    Failure failure = find_failure_of_run(run, elements, source);
    const bool is_right = failure.kind == FailureKind::none;
    const LaunchShape launch = run.launches.empty() ? LaunchShape{} : run.launches.back().shape;
    verdict.shapes.push_back({{1, elements}, is_right, launch});
    if (!is_right) verdict.fail(std::move(failure));
    return is_right;
}

// Runs the program with each number of elements, and stops at the first run that fails. Reports
// whether all runs were correct.
bool passes_with_all_counts(const fs::path& program, const Source& source, const Exercise& exercise,
                            Verdict& verdict) {
    std::vector<Shape> shapes = exercise.shapes;
    shapes.push_back({1, draw_element_count(verdict.source_hash)});
    bool is_grid_fixed = true;
    for (const Shape shape : shapes) {
        if (!passes_with(shape.cols, program, source, verdict)) return false;
        is_grid_fixed &= verdict.shapes.back().launch.grid == verdict.shapes.front().launch.grid;
    }
    // If every run had the same number of blocks, run the program with more elements. The
    // additional run shows whether there are too few blocks, or whether the numbers of blocks and
    // threads are swapped.
    const auto failing_count =
        smallest_failing_element_count(verdict.shapes.front().launch.blocks());
    return !is_grid_fixed || !failing_count ||
           passes_with(*failing_count, program, source, verdict);
}

void examine_in_folder(const fs::path& folder, const Source& source, const Exercise& exercise,
                       Verdict& verdict) {
    if (!build_program(source, folder, verdict)) return;
    const fs::path program = folder / "program";
    const ScopedTimer timer(verdict.milliseconds.shapes);
    if (passes_with_all_counts(program, source, exercise, verdict)) {
        const int elements = exercise.shapes.front().cols;
        Failure failure = find_unnoticed_launch_failure(
            run_recorded({.program = program, .elements = elements, .should_fail_launches = true}),
            source);
        if (failure.kind != FailureKind::none) verdict.fail(std::move(failure));
    }
    if (verdict.failures.empty()) verdict.outcome = Verdict::Outcome::passed;
}

}  // namespace

Verdict examine_program(const Source& source, const Exercise& exercise) {
    Verdict verdict;
    verdict.file = source.name;
    verdict.source = source.text;
    verdict.source_hash = hash_text(source.text);
    verdict.device = "the simulated GPU";
    verdict.is_simulated = true;
    if (!source.is_good()) {
        verdict.fail(source.problem);
        return verdict;
    }
    try {
        const ScopedTimer timer(verdict.milliseconds.total);
        const TemporaryFolder folder;
        examine_in_folder(folder.path, source, exercise, verdict);
    } catch (const std::exception& caught) {
        verdict.fail(
            {.kind = FailureKind::environment_problem,
             .headline = std::string("the program could not be examined: ") + caught.what(),
             .advice = "./learn doctor looks for the reason."});
    }
    return verdict;
}

}  // namespace coalesce
