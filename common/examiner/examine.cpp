#include "examiner/examine.h"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "examiner/cache.h"
#include "examiner/causes.h"
#include "examiner/costs.h"
#include "examiner/elements/element_costs.h"
#include "examiner/elements/element_trials.h"
#include "examiner/launch_limits.h"
#include "examiner/line_rules.h"
#include "examiner/load_lines.h"
#include "examiner/predicted_launch.h"
#include "examiner/rules.h"
#include "examiner/stretch.h"
#include "examiner/verdict_codec.h"
#include "harness/text.h"

namespace coalesce {

void describe(auto& codec, Runner::LargeTrial& trial) {
    fields(codec, "failure", trial.failure, "may_be_cost", trial.may_be_cost, "predicted",
           trial.predicted, "counters", trial.counters);
}

namespace {

/// Returns one very wide shape and one very tall shape. The long side exceeds both the number of
/// threads in the largest block and the number of elements that the grid covers. If the exercise
/// takes only square matrices, returns one large square instead.
std::vector<Shape> elongated_shapes(const std::array<long long, 3>& grid,
                                    const Exercise& exercise) {
    constexpr long long max_threads = 1024, large_tile = 64, max_elements = 1 << 22;
    const auto shape = [&](long long rows, long long cols) {
        return exercise.round_up_shape(static_cast<int>(rows), static_cast<int>(cols));
    };
    const auto length = [&](long long blocks, long long other_blocks) {
        const long long covered_elements = large_tile * std::max(blocks, max_threads / large_tile);
        return std::min(covered_elements + large_tile, max_elements / other_blocks);
    };
    const auto [across, down, deep] = grid;
    if (exercise.requires_square()) {
        const long long side = length(std::max(across, down), 2 * max_threads);
        return {shape(side, side)};
    }
    return {shape(large_tile, length(across, large_tile)),
            shape(length(down, large_tile), large_tile)};
}

/// Thrown if the solution cannot be used for comparison.
struct SolutionUnusable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Runs the steps of an examination in order. Each step returns true if the examination should
/// continue.
class Examiner {
public:
    Examiner(const Source& source, const Exercise& exercise, Runner& runner,
             const ExamineOptions& options, Verdict& verdict)
        : source_(source),
          exercise_(exercise),
          task_(exercise.task()),
          runner_(runner),
          solution_runner_(options.solution_runner ? *options.solution_runner : runner),
          options_(options),
          verdict_(verdict) {
        if (!exercise.elements) return;
        elements_ = std::make_unique<ElementTrials>(exercise, runner, solution_runner_);
        verdict_.sizes = exercise.elements->sizes;
    }

    void run() {
        verdict_.device = runner_.device();
        verdict_.is_simulated = runner_.is_simulated();
        if (check_source() && compile_source() && try_shapes() &&
            count(exercise_.counted_shape, verdict_) && try_large_shapes()) {
            if (!elements_) predict();
            check_limits();
            if (verdict_.passed()) check_limits_on_second_shape();
            if (verdict_.passed()) check_limits_on_ragged_shape();
            if (verdict_.passed()) check_large_trials();
        }
    }

private:
    void fail(Failure failure) { verdict_.fail(std::move(failure)); }
    void fail_if(std::optional<Failure> failure) {
        if (failure) fail(std::move(*failure));
    }
    Trial run_trial(const TrialRequest& request) {
        Trial trial = run_kernel(compiled_, request);
        correct_load_lines(source_.text, trial);
        return trial;
    }

    Trial run_kernel(const Compiled& kernel, const TrialRequest& request) {
        return elements_ ? elements_->run(kernel, request) : runner_.run(kernel, task_, request);
    }

    bool check_source() {
        if (!source_.is_good()) fail(source_.problem);
        return source_.is_good();
    }

    bool compile_source() {
        const ScopedTimer timer(verdict_.milliseconds.compile);
        compiled_ = runner_.compile(source_, Signature(exercise_));
        verdict_.compiler = compiled_.compiler;
        verdict_.messages = compiled_.messages;
        verdict_.ptx = compiled_.ptx;
        if (!compiled_.is_ok()) fail(compiled_.failure);
        return compiled_.is_ok();
    }

    /// Records the outcome of a launch, and reports whether it is good. The first bad launch
    /// becomes the reported failure.
    bool is_good(const Trial& trial) {
        verdict_.shapes.push_back({trial.shape, trial.is_good(), trial.launch});
        if (trial.is_good()) return true;
        const Evidence evidence{
            .source = source_,
            .exercise = exercise_,
            .was_correct_on_whole_tiles = was_correct_on_whole_tiles_,
            .was_correct_before = std::ranges::any_of(verdict_.shapes, &TriedShape::passed),
            .relaunch = relaunch_,
            .elements = elements_.get()};
        fail(find_cause(trial, evidence));
        return false;
    }

    bool try_shapes() {
        const ScopedTimer timer(verdict_.milliseconds.shapes);
        bool is_grid_fixed = true, is_block_fixed = true;
        for (const Shape shape : exercise_.shapes) {
            if (!is_good(run_trial({.shape = shape}))) return false;
            was_correct_on_whole_tiles_ |= has_whole_tiles(shape);
            const LaunchShape& launch = verdict_.shapes.back().launch;
            is_grid_fixed &= launch.grid == verdict_.shapes.front().launch.grid;
            is_block_fixed &= launch.block == verdict_.shapes.front().launch.block;
        }
        // Larger shapes can reveal two mistakes: a grid of constant size may be too small, and a
        // block that grows with the matrix may become too large. If the block is fixed and the grid
        // grows, neither mistake is possible.
        if (is_block_fixed && !is_grid_fixed) return true;
        if (elements_) return try_larger_sizes();
        const LaunchShape default_launch;
        const LaunchShape& launch = is_grid_fixed ? verdict_.shapes.front().launch : default_launch;
        for (const Shape shape : elongated_shapes(launch.grid, exercise_)) {
            if (!is_good(run_trial({.shape = shape}))) return false;
        }
        return true;
    }

    /// Tries a shape with more than twice the largest sizes, to find a grid that is too small or a
    /// block that grows too large. Returns false if the kernel fails.
    bool try_larger_sizes() {
        const ElementTask& task = *exercise_.elements;
        std::vector<int> larger_sizes;
        for (std::size_t i = 0; i < task.sizes.size(); ++i) {
            int largest_size = 0;
            for (const Shape shape : exercise_.shapes)
                largest_size = std::max(largest_size, size_at(shape, i));
            const int max_size = task.max_sizes.empty() ? 2 * largest_size + 1 : task.max_sizes[i];
            larger_sizes.push_back(std::min(2 * largest_size + 1, max_size));
        }
        const Shape shape = make_shape(larger_sizes);
        constexpr double max_elements = 1 << 18;
        if (element_count(shape) > max_elements) return true;
        return is_good(run_trial({.shape = shape}));
    }

    /// Counts all costs on a shape, and returns false if the kernel fails on this shape.
    bool count(Shape shape, Verdict& counted_verdict) {
        const ScopedTimer timer(verdict_.milliseconds.counters);
        const Trial trial = run_trial({.shape = shape, .needs_counters = true});
        if (!is_good(trial)) return false;
        counted_verdict.counted_shape = shape;
        if (!verdict_.is_simulated) return true;
        counted_verdict.counters = trial.counters;
        counted_verdict.lines = trial.lines;
        counted_verdict.bulk_copies = trial.bulk_copies;
        counted_verdict.print_call_count = trial.print_call_count;
        return compare_with_solution(counted_verdict);
    }

    bool compare_with_solution(Verdict& counted_verdict) {
        if (!options_.solution) return true;
        try {
            counted_verdict.solution_counters = solution_counters_at(counted_verdict.counted_shape);
        } catch (const SolutionUnusable& exception) {
            const std::string& file = options_.solution->name;
            fail({.kind = FailureKind::environment_problem,
                  .headline = "the solution " + file +
                              " cannot be used for comparison: " + exception.what(),
                  .advice = "Restore the file from the course: git checkout -- " + file});
            return false;
        }
        return true;
    }

    /// Returns the result of `compute` for the compiled solution, or the cached result of an
    /// earlier call.
    template <class Make>
    auto load_or_compute(const std::string& kind, Shape shape, Make compute) {
        using Found = typename std::invoke_result_t<Make, const Compiled&>::value_type;
        const Source& solution = *options_.solution;
        if (!solution.is_good()) throw SolutionUnusable(solution.problem.headline);
        const std::string key = serialize_exercise(exercise_) + shape.name() + "\n" +
                                compiled_.compiler + "\n" + solution.text;
        if (auto cached = read_cached<Found>(solution_runner_.load_cached(kind, key)))
            return cached;
        const Compiled compiled = solution_runner_.compile(solution, Signature(exercise_));
        if (!compiled.is_ok()) throw SolutionUnusable(compiled.failure.headline);
        std::optional<Found> computed = compute(compiled);
        if (computed) solution_runner_.save_cached(kind, key, codec::write(*computed));
        return computed;
    }

    /// Counts the costs of the solution in the same way as the costs of the learner's kernel.
    std::optional<Counters> solution_counters_at(Shape counted_shape) {
        return load_or_compute("counters", counted_shape, [&](const Compiled& compiled) {
            const TrialRequest request{.shape = counted_shape, .needs_counters = true};
            const Trial trial = elements_ ? elements_->run_on(solution_runner_, compiled, request)
                                          : solution_runner_.run(compiled, task_, request);
            if (!trial.is_good()) throw SolutionUnusable("the result of the solution is wrong.");
            return std::optional(trial.counters);
        });
    }

    void predict() {
        const ScopedTimer timer(verdict_.milliseconds.predicted);
        verdict_.predicted = runner_.predict(compiled_, task_, predicted_shape(exercise_));
        if (verdict_.predicted) verdict_.solution_predicted = predict_solution_time();
    }

    /// Predicts the time of the solution. Drops the timeline before the result is stored.
    std::optional<Predicted> predict_solution_time() {
        if (!options_.solution || !verdict_.is_simulated) return std::nullopt;
        const Shape shape = predicted_shape(exercise_);
        return load_or_compute("time", shape, [&](const Compiled& compiled) {
            auto predicted = solution_runner_.predict(compiled, task_, shape);
            if (!predicted) return predicted;
            for (timing::Prediction& launch : predicted->launches) launch.time_line = {};
            return predicted;
        });
    }

    /// Reports whether the predicted time is missing because of the learner's kernel.
    bool is_prediction_missing() {
        if (verdict_.predicted || exercise_.limits.predicted_fraction_of_copy <= 0) return false;
        return predict_solution_time().has_value();
    }

    /// Compares the costs of the most recently counted shape with their limits.
    void check_costs(const Verdict& counted_verdict) {
        if (elements_) {
            for (Failure& failure :
                 find_exceeded_element_limits(counted_verdict, exercise_.limits)) {
                fail(std::move(failure));
            }
            return;
        }
        const LaunchShape& launch = verdict_.shapes.back().launch;
        for (Failure& failure :
             find_exceeded_limits(counted_verdict, launch, exercise_.limits, relaunch_)) {
            fail(std::move(failure));
        }
    }

    /// Returns a failure if blocks process tiles in an order other than the lesson's. The failure
    /// names the line that chooses a block's tile.
    std::optional<Failure> find_wrong_order(const BlockOrder& required_order) {
        auto failure = find_wrong_block_order(required_order, source_.name, relaunch_);
        if (!failure) return failure;
        if (const int line = find_tile_choice_line(source_.text); line > 0)
            failure->place.line = line;
        explain_wrong_order(*failure, source_.text);
        const Trial unchecked_trial =
            run_trial({.shape = failure->shape, .watch = Watch::result_alone});
        const LineMistake grid_mistake =
            find_wrong_grid_width(unchecked_trial.launch, failure->shape, source_.text);
        if (grid_mistake.line > 0) {
            failure->details += wrap(failure->headline);
            blame(*failure, grid_mistake);
        }
        return failure;
    }

    void check_limits() {
        check_costs(verdict_);
        if (const BlockOrder* required_order = find_block_order(exercise_.block_order);
            required_order && verdict_.is_simulated) {
            fail_if(find_wrong_order(*required_order));
        }
        fail_if(find_slow_prediction(verdict_, exercise_.limits));
        if (is_prediction_missing())
            fail(explain_missing_prediction(source_.name, predicted_shape(exercise_)));
        if (verdict_.failures.empty()) verdict_.outcome = Verdict::Outcome::passed;
    }

    /// Returns a new verdict for the same kernel, which can hold the costs on a different shape.
    Verdict verdict_for_other_shape() const {
        Verdict verdict;
        verdict.file = verdict_.file;
        verdict.source = verdict_.source;
        verdict.ptx = verdict_.ptx;
        return verdict;
    }

    void check_limits_on_second_shape() {
        const Shape shape = options_.second_counted_shape;
        if (shape == Shape{0, 0} || !verdict_.is_simulated) return;
        Verdict counted_verdict = verdict_for_other_shape();
        if (!count(shape, counted_verdict)) return;
        check_costs(counted_verdict);
        if (!verdict_.failures.empty() || !find_block_order(exercise_.block_order)) return;
        // Check the order on a shape for which costs are counted. On that shape, a kernel pays for
        // any loads that it makes only to deceive this check.
        BlockOrder required_order = *find_block_order(exercise_.block_order);
        required_order.shape = shape;
        required_order.max_blocks = 8;
        fail_if(find_wrong_order(required_order));
    }

    /// Compares the costs with the solution's on a shape with partial tiles. The limits per request
    /// do not apply to such a shape.
    void check_limits_on_ragged_shape() {
        const Shape shape = options_.ragged_counted_shape;
        if (shape == Shape{0, 0} || !verdict_.is_simulated || !options_.solution) return;
        Verdict counted_verdict = verdict_for_other_shape();
        if (!count(shape, counted_verdict)) return;
        fail_if(find_excess_over_solution(
            counted_verdict,
            "If both sides are multiples of the tile size, the kernel costs less."));
    }

    /// Checks the values that sampled blocks store on large shapes. Returns false if the kernel
    /// fails.
    bool try_large_shapes() {
        for (const Shape shape : options_.large_shapes) {
            Runner::LargeTrial trial = runner_.run_large(compiled_, task_, shape);
            const FailureKind kind = trial.failure.kind;
            if (kind == FailureKind::none) {
                large_trials_.push_back({shape, std::move(trial)});
                continue;
            }
            // The shape may need a larger grid than GPUs allow. Exercises do not require such
            // grids.
            if (kind == FailureKind::bad_launch) continue;
            // Judge the costs first. Report this failure only if they are within the limits.
            if (trial.may_be_cost) {
                deferred_failure_ = std::pair(shape, std::move(trial.failure));
                return true;
            }
            verdict_.shapes.push_back({shape, false, {}});
            fail(std::move(trial.failure));
            return false;
        }
        return true;
    }

    /// Compares the costs of the trials on large shapes with the solution's, and then reports the
    /// failure that was deferred until all other costs had been judged.
    void check_large_trials() {
        if (deferred_failure_) {
            verdict_.shapes.push_back({deferred_failure_->first, false, {}});
            return fail(deferred_failure_->second);
        }
        if (!options_.solution) return;
        for (const auto& [shape, trial] : large_trials_) {
            const auto solution =
                load_or_compute("large", shape, [&, shape = shape](const Compiled& compiled) {
                    return std::optional(solution_runner_.run_large(compiled, task_, shape));
                });
            Verdict counted_verdict = verdict_for_other_shape();
            counted_verdict.counted_shape = shape;
            counted_verdict.counters = trial.counters;
            counted_verdict.solution_counters = solution->counters;
            auto failure = find_excess_over_solution(counted_verdict,
                                                     "On smaller matrices the kernel costs less.");
            if (!failure) failure = find_slow_large_trial(trial, *solution);
            if (!failure) continue;
            verdict_.shapes.push_back({shape, true, {}});
            return fail(std::move(*failure));
        }
    }

    /// Returns a failure if the predicted time on a large shape is much longer than the solution's.
    /// Returns nothing if the exercise does not limit the time.
    std::optional<Failure> find_slow_large_trial(const Runner::LargeTrial& trial,
                                                 const Runner::LargeTrial& solution) const {
        const double limit = exercise_.limits.predicted_fraction_of_copy;
        if (limit <= 0 || !trial.predicted || !solution.predicted) return std::nullopt;
        // Allow a wide margin, because predictions for large shapes have not been compared with a
        // GPU.
        constexpr double min_speed_ratio = 0.85;
        Verdict counted_verdict = verdict_for_other_shape();
        counted_verdict.predicted = trial.predicted;
        counted_verdict.solution_predicted = solution.predicted;
        Limits limits;
        limits.predicted_fraction_of_copy =
            min_speed_ratio * std::min(limit, solution.predicted->fraction_of_copy());
        return find_slow_prediction(counted_verdict, limits);
    }

    const Source& source_;
    const Exercise& exercise_;
    Produces task_;
    Runner& runner_;
    Runner& solution_runner_;
    const ExamineOptions& options_;
    Verdict& verdict_;
    const RelaunchFunction relaunch_ = [this](const TrialRequest& request) {
        return verdict_.is_simulated ? run_trial(request) : Trial{};
    };
    std::unique_ptr<ElementTrials> elements_;  ///< null for matrices
    Compiled compiled_;
    std::vector<std::pair<Shape, Runner::LargeTrial>> large_trials_;
    /// A failure on a large shape, which is reported only if the costs are within their limits.
    std::optional<std::pair<Shape, Failure>> deferred_failure_;
    bool was_correct_on_whole_tiles_ = false;
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
        const ScopedTimer timer(verdict.milliseconds.total);
        try {
            Examiner(source, exercise, runner, options, verdict).run();
        } catch (const ReferenceUnusable& caught) {
            verdict.fail({.kind = FailureKind::environment_problem,
                          .headline = "the reference of the exercise cannot be used: " +
                                      std::string(caught.what()),
                          .advice = "This is not a mistake in your kernel: the author of the "
                                    "exercise must correct its reference."});
        } catch (const std::exception& caught) {
            // This computer caused the problem, not the kernel. For example, there may not be
            // enough memory.
            verdict.outcome = Verdict::Outcome::not_examined;
            verdict.failures = {
                {.kind = FailureKind::environment_problem,
                 .headline = std::string("the kernel could not be examined: ") + caught.what(),
                 .advice = "Try again; ./learn doctor shows what is missing."}};
        }
    }
    verdict.output = runner.take_output(verdict.output_is_truncated);
    return verdict;
}

}  // namespace coalesce
