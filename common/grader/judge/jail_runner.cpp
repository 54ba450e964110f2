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
[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what);
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
    char* const first = images.data() + layout.guard_bytes;
    const auto at = [&](char* data) -> GuardedSpan {
        return {data, layout.matrix_bytes, layout.guard_bytes, Memory::host};
    };
    return {at(first), at(first + layout.bytes_of_one_matrix())};
}

/// Returns the initial bytes of both matrices and their guards for a launch.
std::string initial_images(const Problem& problem, const ImageLayout& layout) {
    std::string images(layout.bytes_of_both(), '\0');
    const auto [first, second] = locate_matrices(images, layout);
    // An in-place kernel has a single matrix, which is passed as the output.
    const bool is_in_place = problem.is_in_place();
    prepare_in(problem, is_in_place ? second : first);
    prepare_out(is_in_place ? first : second);
    return images;
}

/// Compares the output with the expected elements, which are computed one at a time to save memory.
Comparison compare(const Problem& problem, const ImageLayout& layout, std::string& both) {
    const auto [in, out] = locate_matrices(both, layout);
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
        .next = "The kernel must work the same way for every shape as for the published shapes."};
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
            .next = "Separate two threads by a barrier wherever one relies on the other's work."};
}

/// Converts the sandbox's answer to a Compiled. Throws if the grader caused the failure.
Compiled to_compiled(const JobResult& result, const std::string& file, const Resources& most) {
    Compiled compiled;
    if (has_answer(result)) {
        compiled = parse_compile_answer(result.answer.text());
        if (compiled.ok() && compiled.ptx.empty()) fail("the compiler returned nothing");
        const bool has_no_memory =
            compiled.failure.headline.find("out of memory") != std::string::npos;
        if (compiled.failure.kind == FailureKind::does_not_compile && has_no_memory) {
            compiled.failure.kind = FailureKind::compiler_out_of_memory;
        }
        return compiled;
    }
    const auto failed = [&](FailureKind kind, const std::string& headline) {
        compiled.failure = {
            .kind = kind,
            .headline = headline,
            .place = {file, 0, 0},
            .next = "Look for templates, macros or constexpr functions that expand endlessly."};
        return compiled;
    };
    const std::string code = std::to_string(result.end.code);
    switch (result.end.end_kind) {
        case JobEnd::EndKind::out_of_processor:
            return failed(FailureKind::compile_time_out, "the compiler was still running after " +
                                                             std::to_string(most.compile_seconds) +
                                                             " seconds.");
        case JobEnd::EndKind::out_of_memory:
            return failed(FailureKind::compiler_out_of_memory, "the compiler needs more than " +
                                                                   std::to_string(most.compile_mb) +
                                                                   " MB for the file.");
        case JobEnd::EndKind::signalled:
            // A compiler does not send itself SIGKILL or SIGTERM, so another program killed it.
            if (result.end.code == SIGKILL || result.end.code == SIGTERM) {
                fail("the compiler was killed by signal " + code);
            }
            return failed(FailureKind::compiler_crashed, "the compiler crashes on the file.");
        case JobEnd::EndKind::exited:
            if (result.end.code != 3) fail("the compiler's jail ended with status " + code);
            return failed(FailureKind::ptx_too_large, "the compiled kernel is larger than " +
                                                          std::to_string(most.ptx_kb) + " KB.");
        case JobEnd::EndKind::out_of_time:
            fail("the compiler did not end in time: is this computer busy?");
        case JobEnd::EndKind::jail_failed: break;
    }
    fail(result.end.problem);
}

/// Returns the failure of a launch. Throws if the grader caused the failure.
Failure launch_failure_from(const JobResult& result, const std::string& file, bool has_time_left) {
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

bool is_hidden(const Assigned& exercise, Shape shape) {
    return shape == exercise.hidden_counted ||
           std::ranges::count(exercise.hidden_shapes, shape) > 0;
}

}  // namespace

JailRunner::JailRunner(Jail& compiler, Jail& launcher, SolutionCosts& solution_costs,
                       const Assigned& exercise, const Secret& secret)
    : compiler_(compiler),
      launcher_(launcher),
      solution_costs_(solution_costs),
      exercise_(exercise),
      secret_(secret) {}

// ---- compiling ----

Compiled JailRunner::compile(const Source& source, const Signature& kernel) {
    const std::array key{source.name, mangle_kernel_name(kernel), source.text};
    if (const auto known = compiled_.find(key); known != compiled_.end()) return known->second;
    return compiled_[key] = compile_in_jail(source, kernel);
}

Compiled JailRunner::compile_in_jail(const Source& source, const Signature& kernel) {
    const Resources& most = exercise_.resources;
    const std::string request = codec::write(CompileJob{source.name, source.text, kernel});
    // Allow for PTX that doubles in size when it is written as JSON, and for the compiler's
    // messages.
    const JobResult result = run_with_retry(
        compiler_,
        {.request = request,
         .answer_bytes = (2 * most.ptx_kb + 1024) << 10,
         .limits = {.processor_seconds = most.compile_seconds, .memory_mb = most.compile_mb}});
    Compiled compiled = to_compiled(result, source.name, most);
    compiled.file = source.name;
    compiled.kernel = kernel.kernel;
    compiled.sizes = kernel.sizes;
    compiled.entry = mangle_kernel_name(kernel);
    if (compiled.compiler.empty()) compiled.compiler = compiler_.about();
    if (!compiled.ok()) return compiled;
    compiled.failure = inspect_ptx(compiled.ptx, compiled.entry, ptx_rules(exercise_), kernel);
    if (!compiled.ok()) compiled.failure.place.file = source.name;
    return compiled;
}

/// Runs a job. Repeats it with more time if this computer may have caused the failure.
JobResult JailRunner::run_with_retry(Jail& jail, Job job) {
    const double wall_seconds = 2.0 * job.limits.processor_seconds - 0.5;
    JobResult result;
    for (const double times : {1.0, 4.0}) {
        job.limits.wall_seconds = times * wall_seconds;
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
    const std::uint64_t one =
        kInstructionsPerSecond * static_cast<std::uint64_t>(exercise_.resources.launch_seconds);
    const std::uint64_t all = kTotalLaunchMultiple * one;
    return std::clamp<std::uint64_t>(all - std::min(all, instructions_), 1, one);
}

JobResult JailRunner::launch(const LaunchJob& job, const std::string& images) {
    if (seconds_left() <= 0) {
        JobResult none;
        none.end = {.end_kind = JobEnd::EndKind::out_of_processor};
        return none;
    }
    // Send the input only when the worker requests it. The worker does so after it has loaded the
    // kernel.
    const auto on_note = [&](std::string_view) { return create_sealed_memfd(images); };
    const std::string request = codec::write(job);
    const double before = processor_milliseconds_;
    JobResult result = run_with_retry(
        launcher_, {.request = request,
                    .answer_bytes = text_offset(layout_for_job(job)) + kMaxAnswerTextBytes,
                    .limits = {.processor_seconds = launch_seconds(),
                               .memory_mb = exercise_.resources.launch_mb},
                    .on_note = on_note});
    launch_milliseconds_ += processor_milliseconds_ - before;
    return result;
}

/// Stores `trouble` if it is the first failure. Returns whether `trouble` is a failure, that is,
/// whether its kind is not `none`.
bool JailRunner::note(const Failure& trouble) {
    if (trouble_.kind == FailureKind::none) trouble_ = trouble;
    return trouble.kind != FailureKind::none;
}

Trial JailRunner::run(const Compiled& kernel, const Produces& task, const TrialRequest& order) {
    Trial usual = run_once(kernel, task, order);
    if (order.watch != Watch::everything || order.traced.limit > 0 || !usual.is_good())
        return usual;
    TrialRequest reordered = order;
    reordered.wants_counters = false;
    if (usual.elements() > kMaxElementsForChecks) reordered.watch = Watch::result_alone;
    return run_reordered(kernel, task, reordered, std::move(usual));
}

bool JailRunner::is_right(const Compiled& kernel, const Produces& task, Shape shape) {
    const TrialRequest order{.shape = shape, .watch = Watch::result_alone};
    Trial usual = run_once(kernel, task, order);
    if (!usual.is_good()) return false;
    return run_reordered(kernel, task, order, std::move(usual)).is_good();
}

/// Repeats a launch with the blocks and warps in other orders. Returns the first trial that fails,
/// or `usual` if none does. CUDA does not specify the order, and the checks do not detect every
/// result that depends on it. For example, atomics are not races, but their order is not specified.
Trial JailRunner::run_reordered(const Compiled& kernel, const Produces& task, TrialRequest order,
                                Trial usual) {
    // With a single warp, there is only one order.
    if (usual.launch.blocks() * usual.launch.threads() <= 32) return usual;
    for (int number = 1; number <= kReorderedLaunches; ++number) {
        order.seed = order_seed(number, order.shape);
        Trial other = run_once(kernel, task, order);
        if (other.is_good()) continue;
        if (other.has_ended() && other.reports.empty()) {
            other.launch_failure = explain_order_dependence(kernel.file, order.shape);
        }
        return other;
    }
    return usual;
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
        std::string images = result.answer.bytes(0, layout.bytes_of_both());
        trial.comparison = compare(problem, layout, images);
    }
    return trial;
}

Trial JailRunner::launch_and_read(const LaunchJob& job, const std::string& images,
                                  JobResult& result) {
    result = launch(job, images);
    Trial trial;
    const Failure trouble = launch_failure_from(result, job.kernel.file, seconds_left() > 0);
    if (note(trouble)) {
        trial.launch_failure = trouble;
    } else {
        trial = parse_trial_answer(result.answer.text(text_offset(layout_for_job(job))));
    }
    trial.shape = job.order.shape;
    if (is_stopped_by_budget(trial)) {
        // A launch that was stopped does not report how many instructions it executed. Assume that
        // it used its whole budget.
        instructions_ += job.order.max_instructions;
        const double warps = thread_count(trial.launch) / 32;
        const std::uint64_t usual = instruction_budget(job.order.shape, warps, false);
        if (job.order.max_instructions < usual + job.order.more_instructions) {
            trial.launch_failure = explain_too_many_instructions(job.kernel.file);
            note(trial.launch_failure);
        }
    }
    instructions_ += trial.instructions;
    return trial;
}

Trial JailRunner::run_with(const Compiled& kernel, const std::vector<CallArgument>& arguments,
                           const TrialRequest& order) {
    LaunchJob job{.kernel = kernel, .order = order};
    job.order.max_instructions = instructions_left();
    job.address_seed = derive_number(secret_, "addresses at " + order.shape.name()) | 1;
    if (order.watch == Watch::result_alone) job.guard_bytes = VerifiedBuffers::kDefaultGuardBytes;
    std::string images;
    for (const CallArgument& one : arguments) {
        job.arguments.push_back({one.is_array, one.value, one.bytes.size(), one.is_unwritten});
        images += one.bytes;
    }
    JobResult result;
    Trial trial = launch_and_read(job, images, result);
    const auto array_count = std::ranges::count_if(arguments, &CallArgument::is_array);
    if (!trial.has_ended()) return trial;
    if (trial.arrays.size() != static_cast<std::size_t>(array_count)) {
        fail("the simulated GPU returned a different number of arrays");
    }
    const std::string left = result.answer.bytes(0, images.size());
    std::size_t from = 0, number = 0;
    for (const CallArgument& one : arguments) {
        if (!one.is_array) continue;
        trial.arrays[number++].bytes = left.substr(from, one.bytes.size());
        from += one.bytes.size();
    }
    return trial;
}

std::vector<std::uint64_t> JailRunner::other_orders(Shape shape) const {
    std::vector<std::uint64_t> seeds;
    for (int number = 1; number <= kReorderedLaunches; ++number) {
        seeds.push_back(order_seed(number, shape));
    }
    return seeds;
}

/// Returns the seed for an additional order of blocks and warps. The seed is odd: with an odd seed,
/// the second of two blocks runs first.
std::uint64_t JailRunner::order_seed(int number, Shape shape) const {
    return derive_number(secret_, "order " + std::to_string(number) + " at " + shape.name()) | 1;
}

std::optional<Predicted> JailRunner::predict(const Compiled& kernel, const Produces& task,
                                             Shape shape) {
    if (exercise_.limits.predicted_fraction_of_copy <= 0) return std::nullopt;
    const auto told = predict_with(predicted_job(kernel, task, shape));
    if (!told) return std::nullopt;
    if (!told->is_moved) note(explain_idle_prediction(kernel.file, shape, told->is_idle));
    return told->predicted;
}

Runner::LargeTrial JailRunner::run_large(const Compiled& kernel, const Produces& task,
                                         Shape shape) {
    LaunchJob job = predicted_job(kernel, task, shape);
    job.must_launch = true;
    // Remove the instruction limit, because a block that loops over a large matrix executes many
    // instructions.
    job.order.max_instructions = 0;
    job.order.seed = derive_number(secret_, "blocks at " + shape.name()) | 1;
    const auto told = predict_with(job);
    if (!told) return {.failure = trouble_};
    if (!told->is_moved)
        return {.failure = explain_idle_prediction(kernel.file, shape, told->is_idle),
                .may_be_cost = told->is_idle};
    const bool is_endless = told->launch_failure.kind == FailureKind::endless_loop;
    return {told->launch_failure, is_endless, told->predicted, told->costs.counters};
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
    if (note(launch_failure_from(result, job.kernel.file, seconds_left() > 0))) return std::nullopt;
    return parse_prediction_answer(result.answer.text(), job.order.shape);
}

// ---- what solutions cost ----

std::optional<std::string> JailRunner::load_cached(const std::string& kind, const std::string& of) {
    const auto known = solution_costs_.find({kind, of});
    return known == solution_costs_.end() ? std::nullopt : std::optional(known->second);
}

void JailRunner::save_cached(const std::string& kind, const std::string& of,
                             const std::string& text) {
    solution_costs_[{kind, of}] = text;
}

}  // namespace coalesce::grader
