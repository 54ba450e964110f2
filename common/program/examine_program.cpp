#include "program/examine_program.h"

#include <chrono>

#include "base/files.h"
#include "kernel/cache.h"
#include "program/build_program.h"
#include "program/launch_mistakes.h"
#include "program/program_causes.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A number of elements that nobody who writes the program knows, and the same whenever it is examined.
int drawn_number(const std::string& hash) {
    constexpr unsigned long least = 1001, range = 4000, digits = 8;
    return static_cast<int>(least + std::stoul(hash.substr(0, digits), nullptr, 16) % range);
}

void fail(Verdict& verdict, Failure failure) {
    const bool is_ours = failure.kind == FailureKind::no_compiler ||
                         failure.kind == FailureKind::environment_problem;
    verdict.outcome = is_ours ? Verdict::Outcome::not_examined : Verdict::Outcome::failed;
    verdict.failures.push_back(std::move(failure));
}

bool is_right_with(int elements, const BuiltProgram& built, const Source& source,
                   Verdict& verdict) {
    const WitnessedRun run = run_witnessed({.program = built.file, .elements = elements});
    Failure failure = wrong_with(run, elements, source);
    const bool is_right = failure.kind == FailureKind::none;
    const LaunchShape launch = run.launches.empty() ? LaunchShape{} : run.launches.back().shape;
    verdict.shapes.push_back({{1, elements}, is_right, launch});
    if (!is_right) fail(verdict, std::move(failure));
    return is_right;
}

// With each number of elements, until it is wrong.
bool is_right_with_all(const BuiltProgram& built, const Source& source, const Exercise& exercise,
                       Verdict& verdict) {
    std::vector<Shape> shapes = exercise.shapes;
    shapes.push_back({1, drawn_number(verdict.source_hash)});
    bool is_grid_fixed = true;
    for (const Shape shape : shapes) {
        if (!is_right_with(shape.cols, built, source, verdict)) return false;
        is_grid_fixed &= verdict.shapes.back().launch.grid == verdict.shapes.front().launch.grid;
    }
    // As many blocks whatever there is to do: with enough elements those are too few, unless threads
    // take several; or their threads are too many, where the two numbers have changed places.
    const auto more = elements_beyond(verdict.shapes.front().launch.blocks());
    return !is_grid_fixed || !more || is_right_with(*more, built, source, verdict);
}

void examine_in(const fs::path& folder, const Source& source, const Exercise& exercise,
                Verdict& verdict) {
    const auto begin = Clock::now();
    const BuiltProgram built = build_program(source, folder);
    verdict.milliseconds.compile = milliseconds_since(begin);
    verdict.compiler = built.compiler;
    verdict.messages = built.messages;
    if (!built.ok()) return fail(verdict, built.failure);
    const auto built_at = Clock::now();
    if (is_right_with_all(built, source, exercise, verdict)) {
        const int elements = exercise.shapes.front().cols;
        Failure failure = launch_unnoticed(
            run_witnessed({.program = built.file, .elements = elements, .launches_fail = true}),
            source);
        if (failure.kind != FailureKind::none) fail(verdict, std::move(failure));
    }
    verdict.milliseconds.shapes = milliseconds_since(built_at);
    if (verdict.failures.empty()) verdict.outcome = Verdict::Outcome::passed;
}

}  // namespace

Verdict examine_program(const Source& source, const Exercise& exercise) {
    const auto begin = Clock::now();
    Verdict verdict;
    verdict.file = source.name;
    verdict.source = source.text;
    verdict.source_hash = hash_text(source.text);
    verdict.device = "the simulated GPU";
    verdict.is_simulated = true;
    if (!source.is_good()) {
        fail(verdict, source.problem);
        return verdict;
    }
    try {
        const TemporaryFolder folder;
        examine_in(folder.path, source, exercise, verdict);
    } catch (const std::exception& problem) {
        fail(verdict,
             {.kind = FailureKind::environment_problem,
              .headline = std::string("the program could not be examined: ") + problem.what(),
              .next = "./learn doctor looks for the reason."});
    }
    verdict.milliseconds.total = milliseconds_since(begin);
    return verdict;
}

}  // namespace coalesce
