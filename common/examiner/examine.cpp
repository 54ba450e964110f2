#include "examiner/examine.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "examiner/cache.h"
#include "examiner/causes.h"
#include "examiner/costs.h"
#include "examiner/load_lines.h"
#include "examiner/predicted_launch.h"
#include "examiner/stretch.h"
#include "examiner/verdict_codec.h"

namespace coalesce {
namespace {

/// Returns one very wide shape and one very tall shape. The long side exceeds both the threads of
/// the largest block and the elements that this grid covers. For an exercise that takes only square
/// matrices, returns one large square.
std::vector<Shape> long_shapes(const std::array<long long, 3>& grid, const Exercise& exercise) {
    constexpr long long most_threads = 1024, large_tile = 64, most_elements = 1 << 22;
    const auto shape = [&](long long rows, long long cols) {
        return exercise.at_least(static_cast<int>(rows), static_cast<int>(cols));
    };
    const auto length = [&](long long blocks, long long other) {
        const long long covered = large_tile * std::max(blocks, most_threads / large_tile);
        return std::min(covered + large_tile, most_elements / other);
    };
    const auto [across, down, deep] = grid;
    if (exercise.takes_squares()) {
        const long long side = length(std::max(across, down), 2 * most_threads);
        return {shape(side, side)};
    }
    return {shape(large_tile, length(across, large_tile)),
            shape(length(down, large_tile), large_tile)};
}

/// Thrown if the solution cannot be used for comparison.
struct NoSolution : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Runs the steps of an examination in order. Each step returns whether the examination should
/// continue.
class Examiner {
public:
    Examiner(const Source& source, const Exercise& exercise, Runner& runner,
             const ExamineOptions& options, Verdict& verdict)
        : source_(source),
          exercise_(exercise),
          task_(exercise.task()),
          runner_(runner),
          options_(options),
          verdict_(verdict) {}

    void run() {
        verdict_.device = runner_.device();
        verdict_.is_simulated = runner_.is_simulated();
        if (look_at_source() && compile_it() && try_shapes() &&
            count(exercise_.counted, verdict_)) {
            predict();
            hold_against_limits();
            if (verdict_.passed()) hold_another_shape_against_limits();
        }
    }

private:
    void fail(Failure failure) { verdict_.fail(std::move(failure)); }
    void fail_if(std::optional<Failure> failure) {
        if (failure) fail(std::move(*failure));
    }
    Trial try_on(const TrialOrder& order) {
        Trial trial = runner_.run(compiled_, task_, order);
        correct_lines_of_loads(source_.text, trial);
        return trial;
    }

    bool look_at_source() {
        if (!source_.is_good()) fail(source_.problem);
        return source_.is_good();
    }

    bool compile_it() {
        const Stretch stretch(verdict_.milliseconds.compile);
        compiled_ = runner_.compile(source_, exercise_.kernel);
        verdict_.compiler = compiled_.compiler;
        verdict_.messages = compiled_.messages;
        if (!compiled_.ok()) fail(compiled_.failure);
        return compiled_.ok();
    }

    /// Records the outcome of a launch. The first bad launch becomes the reported failure.
    bool is_good(const Trial& trial) {
        verdict_.shapes.push_back({trial.shape, trial.is_good(), trial.launch});
        if (trial.is_good()) return true;
        const Evidence evidence{.source = source_,
                                .exercise = exercise_,
                                .was_right_on_whole_tiles = was_right_on_whole_tiles_,
                                .try_again = try_again_};
        fail(cause_of(trial, evidence));
        return false;
    }

    bool try_shapes() {
        const Stretch stretch(verdict_.milliseconds.shapes);
        bool is_grid_fixed = true, is_block_fixed = true;
        for (const Shape shape : exercise_.shapes) {
            if (!is_good(try_on({.shape = shape}))) return false;
            was_right_on_whole_tiles_ |= has_whole_tiles(shape);
            const LaunchShape& launch = verdict_.shapes.back().launch;
            is_grid_fixed &= launch.grid == verdict_.shapes.front().launch.grid;
            is_block_fixed &= launch.block == verdict_.shapes.front().launch.block;
        }
        // Larger shapes can reveal two mistakes: a grid of constant size may be too small for
        // larger matrices, and a block that grows with the matrix may become too large. With a
        // fixed block and a growing grid, neither applies.
        if (is_block_fixed && !is_grid_fixed) return true;
        const LaunchShape grown;
        const LaunchShape& launch = is_grid_fixed ? verdict_.shapes.front().launch : grown;
        for (const Shape shape : long_shapes(launch.grid, exercise_)) {
            if (!is_good(try_on({.shape = shape}))) return false;
        }
        return true;
    }

    /// Counts all costs on a shape. Returns false if the kernel fails on this shape.
    bool count(Shape shape, Verdict& found) {
        const Stretch stretch(verdict_.milliseconds.counters);
        const Trial trial = try_on({.shape = shape, .wants_counters = true});
        if (!is_good(trial)) return false;
        found.counted = shape;
        if (!verdict_.is_simulated) return true;
        found.counters = trial.counters;
        found.lines = trial.lines;
        return compare_with_solution(found);
    }

    bool compare_with_solution(Verdict& found) {
        if (!options_.solution) return true;
        try {
            found.solution_counters = cost_of_solution(found.counted);
        } catch (const NoSolution& problem) {
            const std::string& file = options_.solution->name;
            fail(
                {.kind = FailureKind::environment_problem,
                 .headline = "the solution " + file + " cannot be compared with: " + problem.what(),
                 .next = "Restore it from the course: git checkout -- " + file});
            return false;
        }
        return true;
    }

    /// Returns the result of `make` for the compiled solution, or the cached result of an earlier
    /// call.
    template <class Make>
    auto of_solution(const std::string& kind, Shape shape, Make make) {
        using Found = typename std::invoke_result_t<Make, const Compiled&>::value_type;
        const Source& solution = *options_.solution;
        if (!solution.is_good()) throw NoSolution(solution.problem.headline);
        const std::string key =
            text_of(exercise_) + shape.name() + "\n" + compiled_.compiler + "\n" + solution.text;
        if (auto known = read_kept<Found>(runner_.kept(kind, key))) return known;
        const Compiled compiled = runner_.compile(solution, exercise_.kernel);
        if (!compiled.ok()) throw NoSolution(compiled.failure.headline);
        std::optional<Found> found = make(compiled);
        if (found) runner_.keep(kind, key, codec::write(*found));
        return found;
    }

    /// Counts the solution's costs in the same way as the learner's.
    std::optional<Counters> cost_of_solution(Shape counted) {
        return of_solution("counters", counted, [&](const Compiled& compiled) {
            const Trial trial =
                runner_.run(compiled, task_, {.shape = counted, .wants_counters = true});
            if (!trial.is_good()) throw NoSolution("it is not right itself.");
            return std::optional(trial.counters);
        });
    }

    void predict() {
        const Stretch stretch(verdict_.milliseconds.predicted);
        verdict_.predicted = runner_.predict(compiled_, task_, predicted_shape(exercise_));
        if (verdict_.predicted) verdict_.solution_predicted = time_of_solution();
    }

    /// Predicts the time of the solution. Drops the time line before the result is stored.
    std::optional<Predicted> time_of_solution() {
        if (!options_.solution || !verdict_.is_simulated) return std::nullopt;
        const Shape shape = predicted_shape(exercise_);
        return of_solution("time", shape, [&](const Compiled& compiled) {
            auto predicted = runner_.predict(compiled, task_, shape);
            if (!predicted) return predicted;
            for (timing::Prediction& launch : predicted->launches) launch.time_line = {};
            return predicted;
        });
    }

    /// Reports whether the learner's kernel is the reason why there is no predicted time. A kernel
    /// that prints has no predicted time either, but that is allowed.
    bool is_time_missing() {
        if (verdict_.predicted || exercise_.limits.of_copy_predicted <= 0) return false;
        if (compiled_.ptx.find("vprintf") != std::string::npos) return false;
        return time_of_solution().has_value();
    }

    /// Compares the costs of the most recently counted shape with their limits.
    void hold_costs_against_limits(const Verdict& found) {
        const LaunchShape& launch = verdict_.shapes.back().launch;
        for (Failure& failure : too_dear(found, launch, exercise_.limits, try_again_)) {
            fail(std::move(failure));
        }
    }

    void hold_against_limits() {
        hold_costs_against_limits(verdict_);
        if (const BlockOrder* order = block_order_called(exercise_.block_order);
            order && verdict_.is_simulated) {
            fail_if(wrong_block_order(*order, source_.name, try_again_));
        }
        fail_if(too_slow_predicted(verdict_, exercise_.limits));
        if (is_time_missing()) fail(not_predicted(source_.name, predicted_shape(exercise_)));
        if (verdict_.failures.empty()) verdict_.outcome = Verdict::Outcome::passed;
    }

    void hold_another_shape_against_limits() {
        const Shape shape = options_.counted_too;
        if (shape == Shape{0, 0} || !verdict_.is_simulated) return;
        Verdict found;
        found.file = verdict_.file;
        found.source = verdict_.source;
        if (!count(shape, found)) return;
        hold_costs_against_limits(found);
        if (!verdict_.failures.empty() || !block_order_called(exercise_.block_order)) return;
        // Check the order on a shape for which costs are counted. There, loads whose only purpose
        // is to deceive this check would raise the costs.
        BlockOrder order = *block_order_called(exercise_.block_order);
        order.shape = shape;
        order.most_blocks = 8;
        fail_if(wrong_block_order(order, source_.name, try_again_));
    }

    const Source& source_;
    const Exercise& exercise_;
    Produces task_;
    Runner& runner_;
    const ExamineOptions& options_;
    Verdict& verdict_;
    const TryAgain try_again_ = [this](const TrialOrder& order) {
        return verdict_.is_simulated ? try_on(order) : Trial{};
    };
    Compiled compiled_;
    bool was_right_on_whole_tiles_ = false;
};

}  // namespace

Verdict examine(const Source& source, const Exercise& exercise, Runner& runner,
                const ExamineOptions& options) {
    Verdict verdict;
    verdict.file = source.name;
    verdict.kernel = exercise.kernel;
    verdict.source = source.text;
    verdict.source_hash = hash_text(source.text);
    {
        const Stretch stretch(verdict.milliseconds.total);
        try {
            Examiner(source, exercise, runner, options, verdict).run();
        } catch (const std::exception& problem) {
            // This computer caused the problem, not the kernel. For example, there may not be
            // enough memory.
            verdict.outcome = Verdict::Outcome::not_examined;
            verdict.failures = {
                {.kind = FailureKind::environment_problem,
                 .headline = std::string("the kernel could not be examined: ") + problem.what(),
                 .next = "Try again; ./learn doctor shows what is missing."}};
        }
    }
    verdict.output = runner.take_output(verdict.output_is_cut);
    return verdict;
}

}  // namespace coalesce
