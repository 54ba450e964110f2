#include "grader/judge/jail_runner.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "examiner/compiled_from.h"
#include "examiner/launch_limits.h"
#include "examiner/ptx_rules/ptx_rules.h"
#include "grader/sandbox/memory_file.h"

namespace coalesce::grader {
namespace {

/// Throws an error that is caused by this computer or by the grader, and not by the submission.
[[noreturn]] void fail(const std::string& message) {
    throw std::runtime_error(message);
}

/// Reports whether the failure may have been caused by a busy computer, or by another program that
/// killed the worker. In both cases a retry with more time may succeed.
bool may_succeed_on_retry(const JobResult& result) {
    return result.end.end_kind == JobEnd::EndKind::out_of_time ||
           result.end.end_kind == JobEnd::EndKind::jail_failed;
}

bool has_answer(const JobResult& result) {
    return result.end.end_kind == JobEnd::EndKind::exited && result.end.code == 0;
}

/// Returns the positions of the two matrices and their guards in `images`.
std::array<GuardedSpan, 2> locate_matrices(std::string& images, const ImageLayout& layout) {
    char* const first_matrix = images.data() + layout.guard_bytes;
    const auto guarded_span_at = [&](char* data) -> GuardedSpan {
        return {data, layout.matrix_bytes, layout.guard_bytes, Memory::host};
    };
    return {guarded_span_at(first_matrix),
            guarded_span_at(first_matrix + layout.guarded_matrix_bytes())};
}

/// Returns the initial bytes of both matrices and their guards for a launch.
std::string initial_images(const Problem& problem, const ImageLayout& layout) {
    std::string images(layout.image_bytes(), '\0');
    const auto [first, second] = locate_matrices(images, layout);
    // An in-place kernel has a single matrix, which is passed as the output.
    const bool is_in_place = problem.is_in_place();
    prepare_in(problem, is_in_place ? second : first);
    prepare_out(is_in_place ? first : second);
    return images;
}

/// Compares the output with the expected elements, which are computed one at a time to save memory.
Comparison compare(const Problem& problem, const ImageLayout& layout, std::string& images) {
    const auto [in, out] = locate_matrices(images, layout);
    return check(problem, in, out);
}

/// The number of launches of a kernel with additional orders of blocks and warps.
constexpr int kReorderedLaunches = 2;
/// The maximum number of elements of a shape on which launches in other orders run with all checks.
/// On larger shapes only the results are compared, which takes a fraction of the time.
constexpr std::uint64_t kMaxElementsForChecks = 1 << 14;

/// The limit for all launches of a submission together, as a multiple of the limit for one launch.
/// Without this limit, a submission could use the full limit of a launch for every shape.
constexpr int kTotalLaunchMultiple = 2;
/// The number of warp instructions that a launch may execute per second of its time limit. The time
/// limit is converted to instructions, because their number is the same in every run. Even a launch
/// that runs with all checks, and whose instructions mostly access memory, executes more than this
/// number per second.
constexpr std::uint64_t kInstructionsPerSecond = 4'000'000;
/// The processor time after which the sandbox ends a launch, as a multiple of the launch's time
/// limit. Only kernels with unusually slow instructions reach it.
constexpr int kProcessorTimeMultiple = 4;

Failure explain_idle_prediction(const std::string& file, Shape shape, bool is_idle) {
    return {
        .kind = FailureKind::wrong_result,
        .fault = Fault::never_written,
        .headline = "at " + shape.name() + ", where only a sample of the blocks runs, " +
                    (is_idle ? "the blocks do not store all elements."
                             : "the sampled blocks store wrong values."),
        .place = {file, 0, 0},
        .shape = shape,
        .advice = "The kernel must work the same way for every shape as for the published shapes."};
}

Failure explain_too_many_instructions(const std::string& file) {
    return {.kind = FailureKind::launch_out_of_time,
            .headline =
                "the kernel's launches together execute more instructions than the grader allows.",
            .place = {file, 0, 0}};
}

Failure explain_order_dependence(const std::string& file, Shape shape) {
    return {.kind = FailureKind::race_between_blocks,
            .headline =
                "the result depends on the order in which blocks and warps run, or on a clock: the "
                "result is right in one launch and wrong in another.",
            .place = {file, 0, 0},
            .shape = shape,
            .advice = "Separate two threads by a barrier wherever one relies on the other's work."};
}

/// Converts the sandbox's answer to a Compiled. Throws if the grader caused the failure.
Compiled interpret_compile_result(const JobResult& result, const std::string& file,
                                  const Resources& limits) {
    Compiled compiled;
    if (has_answer(result)) {
        compiled = parse_compile_answer(result.answer.text());
        if (compiled.is_ok() && compiled.ptx.empty()) fail("the compiler returned nothing");
        const bool is_out_of_memory =
            compiled.failure.headline.find("out of memory") != std::string::npos;
        if (compiled.failure.kind == FailureKind::does_not_compile && is_out_of_memory) {
            compiled.failure.kind = FailureKind::compiler_out_of_memory;
        }
        return compiled;
    }
    const auto make_failure = [&](FailureKind kind, const std::string& headline) {
        compiled.failure = {
            .kind = kind,
            .headline = headline,
            .place = {file, 0, 0},
            .advice = "Look for templates, macros or constexpr functions that expand endlessly."};
        return compiled;
    };
    const std::string code = std::to_string(result.end.code);
    switch (result.end.end_kind) {
        case JobEnd::EndKind::out_of_processor:
            return make_failure(FailureKind::compile_time_out,
                                "the compiler was still running after " +
                                    std::to_string(limits.compile_seconds) + " seconds.");
        case JobEnd::EndKind::out_of_memory:
            return make_failure(FailureKind::compiler_out_of_memory,
                                "the compiler needs more than " +
                                    std::to_string(limits.compile_mb) + " MB for the file.");
        case JobEnd::EndKind::signalled:
            // A compiler does not send itself SIGKILL or SIGTERM, so another program killed it.
            if (result.end.code == SIGKILL || result.end.code == SIGTERM) {
                fail("the compiler was killed by signal " + code);
            }
            return make_failure(FailureKind::compiler_crashed, "the compiler crashes on the file.");
        case JobEnd::EndKind::exited:
            if (result.end.code != 3) fail("the compiler's jail ended with status " + code);
            return make_failure(
                FailureKind::ptx_too_large,
                "the compiled kernel is larger than " + std::to_string(limits.ptx_kb) + " KB.");
        case JobEnd::EndKind::out_of_time:
            fail("the compiler did not end in time: is this computer busy?");
        case JobEnd::EndKind::jail_failed: break;
    }
    fail(result.end.problem);
}

/// Returns the failure of a launch. Throws if the grader caused the failure.
Failure interpret_launch_result(const JobResult& result, const std::string& file,
                                bool has_time_left) {
    Failure failure{.place = {file, 0, 0}};
    const std::string code = std::to_string(result.end.code);
    switch (result.end.end_kind) {
        case JobEnd::EndKind::out_of_processor:
            failure.kind = FailureKind::launch_out_of_time;
            failure.headline =
                has_time_left
                    ? "a launch takes more time than the grader allows."
                    : "the kernel's launches together take more time than the grader allows.";
            return failure;
        case JobEnd::EndKind::out_of_memory:
            failure.kind = FailureKind::launch_out_of_memory;
            failure.headline = "a launch uses more memory than the grader allows.";
            return failure;
        case JobEnd::EndKind::exited:
            if (result.end.code != 0) fail("the simulated GPU ended with status " + code);
            return failure;
        case JobEnd::EndKind::out_of_time:
            fail("a launch did not end in time: is this computer busy?");
        case JobEnd::EndKind::signalled: fail("the simulated GPU ended with signal " + code);
        case JobEnd::EndKind::jail_failed: break;
    }
    fail(result.end.problem);
}

bool is_stopped_by_budget(const Trial& trial) {
    return std::ranges::any_of(trial.reports, [](const simulated::Report& report) {
        return report.matches("execution", "instruction budget");
    });
}

bool is_hidden(const AssignedExercise& exercise, Shape shape) {
    return shape == exercise.hidden_counted_shape ||
           std::ranges::count(exercise.hidden_shapes, shape) > 0;
}

}  // namespace

JailRunner::JailRunner(Jail& compiler, Jail& launcher, SolutionCosts& solution_costs,
                       const AssignedExercise& exercise, const Secret& secret)
    : compiler_(compiler),
      launcher_(launcher),
      solution_costs_(solution_costs),
      exercise_(exercise),
      secret_(secret) {}

// ---- compiling ----

Compiled JailRunner::compile(const Source& source, const Signature& kernel) {
    const std::array key{source.name, mangle_kernel_name(kernel), source.text};
    if (const auto cached = compiled_.find(key); cached != compiled_.end()) return cached->second;
    return compiled_[key] = compile_in_jail(source, kernel);
}

Compiled JailRunner::compile_in_jail(const Source& source, const Signature& kernel) {
    const Resources& limits = exercise_.resources;
    const std::string request = codec::write(CompileJob{source.name, source.text, kernel});
    // Allow for PTX that doubles in size when it is written as JSON, and for the compiler's
    // messages.
    const JobResult result = run_with_retry(
        compiler_,
        {.request = request,
         .answer_bytes = (2 * limits.ptx_kb + 1024) << 10,
         .limits = {.processor_seconds = limits.compile_seconds, .memory_mb = limits.compile_mb}});
    Compiled compiled = interpret_compile_result(result, source.name, limits);
    compiled.file = source.name;
    compiled.kernel = kernel.kernel;
    compiled.sizes = kernel.sizes;
    compiled.entry = mangle_kernel_name(kernel);
    if (compiled.compiler.empty()) compiled.compiler = compiler_.ready_message();
    if (!compiled.is_ok()) return compiled;
    compiled.failure = inspect_ptx(compiled.ptx, compiled.entry, ptx_rules(exercise_), kernel);
    if (!compiled.is_ok()) compiled.failure.place.file = source.name;
    return compiled;
}

/// Runs a job. Repeats it with more time if this computer may have caused the failure.
JobResult JailRunner::run_with_retry(Jail& jail, Job job) {
    const double wall_seconds = 2.0 * job.limits.processor_seconds - 0.5;
    JobResult result;
    for (const double time_factor : {1.0, 4.0}) {
        job.limits.wall_seconds = time_factor * wall_seconds;
        result = jail.run(job);
        processor_milliseconds_ += result.end.processor_milliseconds;
        if (!may_succeed_on_retry(result)) break;
    }
    return result;
}

// ---- launching ----

std::uint64_t JailRunner::input_seed(Shape shape) const {
    return derive_number(secret_, "input of " + exercise_.name + " at " + shape.name());
}

double JailRunner::seconds_left() const {
    return kTotalLaunchMultiple * launch_seconds() - launch_milliseconds_ / 1000;
}

int JailRunner::launch_seconds() const {
    return kProcessorTimeMultiple * exercise_.resources.launch_seconds;
}

/// Returns the number of instructions that the next launch may execute: the limit for one launch,
/// or the remainder of the limit for all launches if that is lower.
std::uint64_t JailRunner::instructions_left() const {
    const std::uint64_t instructions_per_launch =
        kInstructionsPerSecond * static_cast<std::uint64_t>(exercise_.resources.launch_seconds);
    const std::uint64_t total_instructions = kTotalLaunchMultiple * instructions_per_launch;
    return std::clamp<std::uint64_t>(
        total_instructions - std::min(total_instructions, used_instructions_), 1,
        instructions_per_launch);
}

JobResult JailRunner::launch(const LaunchJob& job, const std::string& images) {
    if (seconds_left() <= 0) {
        JobResult no_time_result;
        no_time_result.end = {.end_kind = JobEnd::EndKind::out_of_processor};
        return no_time_result;
    }
    // Send the input only when the worker requests it. The worker does so after it has loaded the
    // kernel.
    const auto on_note = [&](std::string_view) { return create_sealed_memfd(images); };
    const std::string request = codec::write(job);
    const double earlier_milliseconds = processor_milliseconds_;
    JobResult result = run_with_retry(
        launcher_, {.request = request,
                    .answer_bytes = text_offset(layout_for_job(job)) + kMaxAnswerTextBytes,
                    .limits = {.processor_seconds = launch_seconds(),
                               .memory_mb = exercise_.resources.launch_mb},
                    .on_note = on_note});
    launch_milliseconds_ += processor_milliseconds_ - earlier_milliseconds;
    return result;
}

/// Stores `launch_problem` if it is the first failure. Returns whether `launch_problem` is a
/// failure, that is, whether its kind is not `none`.
bool JailRunner::record_failure(const Failure& launch_problem) {
    if (launch_problem_.kind == FailureKind::none) launch_problem_ = launch_problem;
    return launch_problem.kind != FailureKind::none;
}

Trial JailRunner::run(const Compiled& kernel, const Produces& task, const TrialRequest& order) {
    Trial usual_trial = run_once(kernel, task, order);
    if (order.watch != Watch::everything || order.traced.limit > 0 || !usual_trial.is_good())
        return usual_trial;
    TrialRequest reordered = order;
    reordered.needs_counters = false;
    if (usual_trial.elements() > kMaxElementsForChecks) reordered.watch = Watch::result_alone;
    return run_reordered(kernel, task, reordered, std::move(usual_trial));
}

bool JailRunner::is_right(const Compiled& kernel, const Produces& task, Shape shape) {
    const TrialRequest order{.shape = shape, .watch = Watch::result_alone};
    Trial usual_trial = run_once(kernel, task, order);
    if (!usual_trial.is_good()) return false;
    return run_reordered(kernel, task, order, std::move(usual_trial)).is_good();
}

/// Repeats a launch with the blocks and warps in other orders. Returns the first trial that fails,
/// or `usual_trial` if none does. CUDA does not specify the order, and the checks do not detect
/// every result that depends on it. For example, atomics are not races, but their order is not
/// specified.
Trial JailRunner::run_reordered(const Compiled& kernel, const Produces& task, TrialRequest order,
                                Trial usual_trial) {
    // With a single warp, there is only one order.
    if (usual_trial.launch.blocks() * usual_trial.launch.threads() <= 32) return usual_trial;
    for (int order_number = 1; order_number <= kReorderedLaunches; ++order_number) {
        order.seed = order_seed(order_number, order.shape);
        Trial reordered_trial = run_once(kernel, task, order);
        if (reordered_trial.is_good()) continue;
        if (reordered_trial.has_ended() && reordered_trial.reports.empty()) {
            reordered_trial.launch_failure = explain_order_dependence(kernel.file, order.shape);
        }
        return reordered_trial;
    }
    return usual_trial;
}

Trial JailRunner::run_once(const Compiled& kernel, const Produces& task,
                           const TrialRequest& order) {
    LaunchJob job{.kernel = kernel, .order = order, .is_in_place = task.in_place};
    job.order.max_instructions = instructions_left();
    // Choose random addresses, so that a kernel cannot tell from its pointers which launch it is
    // in.
    job.address_seed = derive_number(secret_, "addresses at " + order.shape.name()) | 1;
    // Mark `out` as unwritten only on hidden shapes. Public shapes run earlier, and without this
    // mark they report swapped arguments more clearly.
    job.is_out_unwritten = order.watch == Watch::everything && is_hidden(exercise_, order.shape);
    // Add guards only if the launch checks nothing but the result. In other launches, guards would
    // prevent the simulator from detecting accesses outside the matrices.
    if (order.watch == Watch::result_alone) job.guard_bytes = VerifiedBuffers::kDefaultGuardBytes;
    const ImageLayout layout = layout_for_job(job);
    const Problem problem{.rows = order.shape.rows,
                          .cols = order.shape.cols,
                          .produces = task,
                          .seed = input_seed(order.shape)};
    JobResult result;
    Trial trial = launch_and_read(job, initial_images(problem, layout), result);
    if (trial.has_ended()) {
        std::string images = result.answer.bytes(0, layout.image_bytes());
        trial.comparison = compare(problem, layout, images);
    }
    return trial;
}

Trial JailRunner::launch_and_read(const LaunchJob& job, const std::string& images,
                                  JobResult& result) {
    result = launch(job, images);
    Trial trial;
    const Failure launch_problem =
        interpret_launch_result(result, job.kernel.file, seconds_left() > 0);
    if (record_failure(launch_problem)) {
        trial.launch_failure = launch_problem;
    } else {
        trial = parse_trial_answer(result.answer.text(text_offset(layout_for_job(job))));
    }
    trial.shape = job.order.shape;
    if (is_stopped_by_budget(trial)) {
        // A launch that was stopped does not report how many instructions it executed. Assume that
        // it used its whole budget.
        used_instructions_ += job.order.max_instructions;
        const double warps = thread_count(trial.launch) / 32;
        const std::uint64_t usual_budget = instruction_budget(job.order.shape, warps, false);
        if (job.order.max_instructions < usual_budget + job.order.more_instructions) {
            trial.launch_failure = explain_too_many_instructions(job.kernel.file);
            record_failure(trial.launch_failure);
        }
    }
    used_instructions_ += trial.instructions;
    return trial;
}

Trial JailRunner::run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                           const TrialRequest& order) {
    LaunchJob job{.kernel = kernel, .order = order};
    job.order.max_instructions = instructions_left();
    job.address_seed = derive_number(secret_, "addresses at " + order.shape.name()) | 1;
    if (order.watch == Watch::result_alone) job.guard_bytes = VerifiedBuffers::kDefaultGuardBytes;
    std::string images;
    for (const CallArgument& argument : arguments) {
        job.arguments.push_back(
            {argument.is_array, argument.value, argument.bytes.size(), argument.is_unwritten});
        images += argument.bytes;
    }
    JobResult result;
    Trial trial = launch_and_read(job, images, result);
    const auto array_count = std::ranges::count_if(arguments, &CallArgument::is_array);
    if (!trial.has_ended()) return trial;
    if (trial.arrays.size() != static_cast<std::size_t>(array_count)) {
        fail("the simulated GPU returned a different number of arrays");
    }
    const std::string output_bytes = result.answer.bytes(0, images.size());
    std::size_t array_offset = 0, array_index = 0;
    for (const CallArgument& argument : arguments) {
        if (!argument.is_array) continue;
        trial.arrays[array_index++].bytes =
            output_bytes.substr(array_offset, argument.bytes.size());
        array_offset += argument.bytes.size();
    }
    return trial;
}

std::vector<std::uint64_t> JailRunner::other_orders(Shape shape) const {
    std::vector<std::uint64_t> seeds;
    for (int order_number = 1; order_number <= kReorderedLaunches; ++order_number) {
        seeds.push_back(order_seed(order_number, shape));
    }
    return seeds;
}

/// Returns the seed for an additional order of blocks and warps. The seed is odd: with an odd seed,
/// the second of two blocks runs first.
std::uint64_t JailRunner::order_seed(int order_number, Shape shape) const {
    return derive_number(secret_, "order " + std::to_string(order_number) + " at " + shape.name()) |
           1;
}

std::optional<Predicted> JailRunner::predict(const Compiled& kernel, const Produces& task,
                                             Shape shape) {
    if (exercise_.limits.predicted_fraction_of_copy <= 0) return std::nullopt;
    const auto prediction = predict_with(predicted_job(kernel, task, shape));
    if (!prediction) return std::nullopt;
    if (!prediction->is_moved)
        record_failure(explain_idle_prediction(kernel.file, shape, prediction->is_idle));
    return prediction->predicted;
}

Runner::LargeTrial JailRunner::run_large(const Compiled& kernel, const Produces& task,
                                         Shape shape) {
    LaunchJob job = predicted_job(kernel, task, shape);
    job.must_launch = true;
    // Remove the instruction limit, because a block that loops over a large matrix executes many
    // instructions.
    job.order.max_instructions = 0;
    job.order.seed = derive_number(secret_, "blocks at " + shape.name()) | 1;
    const auto prediction = predict_with(job);
    if (!prediction) return {.failure = launch_problem_};
    if (!prediction->is_moved)
        return {.failure = explain_idle_prediction(kernel.file, shape, prediction->is_idle),
                .may_be_cost = prediction->is_idle};
    const bool is_endless = prediction->launch_failure.kind == FailureKind::endless_loop;
    return {prediction->launch_failure, is_endless, prediction->predicted,
            prediction->costs.counters};
}

LaunchJob JailRunner::predicted_job(const Compiled& kernel, const Produces& task,
                                    Shape shape) const {
    LaunchJob job{.kernel = kernel,
                  .order = {.shape = shape, .max_instructions = instructions_left()},
                  .is_in_place = task.in_place,
                  .is_predicted = true};
    if (task.kind == Produces::transpose) job.value_seed = input_seed(shape);
    return job;
}

/// Runs a job that predicts a time. If the launch itself fails, records the failure and returns
/// nothing.
std::optional<PredictedTime> JailRunner::predict_with(const LaunchJob& job) {
    const JobResult result = launch(job, "");
    if (record_failure(interpret_launch_result(result, job.kernel.file, seconds_left() > 0)))
        return std::nullopt;
    return parse_prediction_answer(result.answer.text(), job.order.shape);
}

// ---- what solutions cost ----

std::optional<std::string> JailRunner::load_cached(const std::string& kind, const std::string& of) {
    const auto cached = solution_costs_.find({kind, of});
    return cached == solution_costs_.end() ? std::nullopt : std::optional(cached->second);
}

void JailRunner::save_cached(const std::string& kind, const std::string& of,
                             const std::string& text) {
    solution_costs_[{kind, of}] = text;
}

}  // namespace coalesce::grader
