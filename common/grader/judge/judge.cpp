#include "grader/judge/judge.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "examiner/course/course.h"
#include "examiner/elements/element_trials.h"
#include "examiner/examine.h"
#include "examiner/exercises/skeleton.h"
#include "examiner/picture.h"
#include "grader/judge/drawn_shapes.h"
#include "grader/judge/jail_runner.h"
#include "grader/judge/telling.h"
#include "grader/sandbox/doctor.h"
#include "grader/sandbox/places.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

Source make_submission_source(const std::string& text, const AssignedExercise& exercise) {
    const std::string name = exercise.name + "/kernel.cu";
    if (text.size() <= exercise.resources.source_kb << 10) return make_source(text, name);
    // Do not examine a file that is too large.
    return {name,
            "",
            {.kind = FailureKind::file_too_large,
             .headline =
                 "the file is larger than " + std::to_string(exercise.resources.source_kb) + " KB.",
             .place = {name, 0, 0},
             .advice = "Hand in only the kernel and its configure function."}};
}

/// Returns the exercise for the examiner, in which the hidden shapes follow the public ones. The
/// shape for counting costs remains the last one.
coalesce::Exercise exercise_with_hidden_shapes(const AssignedExercise& exercise) {
    coalesce::Exercise full_exercise = exercise;
    full_exercise.shapes.insert(full_exercise.shapes.end(), exercise.hidden_shapes.begin(),
                                exercise.hidden_shapes.end());
    return full_exercise;
}

/// Counts how many public and hidden shapes were tried, and how many of them passed.
void count_shapes(const AssignedExercise& exercise, Result& result) {
    const auto& tried_shapes = result.verdict.shapes;
    for (std::size_t i = 0; i < tried_shapes.size(); ++i) {
        const bool is_hidden = is_shape_hidden(exercise, tried_shapes, i);
        ++(is_hidden ? result.hidden_tried : result.public_tried);
        (is_hidden ? result.hidden_passed : result.public_passed) += tried_shapes[i].passed;
        result.is_hidden = is_hidden && !tried_shapes[i].passed;
    }
}

/// Reports whether a kernel that failed a check still computes correct results on all shapes. Such
/// a kernel gets the points for correct results.
bool is_right_despite_failed_check(const Compiled& kernel, const coalesce::Exercise& full_exercise,
                                   Shape hidden_counted_shape, JailRunner& runner) {
    std::vector<Shape> shapes = full_exercise.shapes;
    shapes.push_back(full_exercise.counted_shape);
    if (hidden_counted_shape != Shape{0, 0}) shapes.push_back(hidden_counted_shape);
    if (full_exercise.elements) {
        ElementTrials trials(full_exercise, runner, runner);
        return std::ranges::all_of(shapes, [&](Shape shape) {
            return trials.run(kernel, {.shape = shape, .watch = Watch::result_alone}).is_good();
        });
    }
    return std::all_of(shapes.begin(), shapes.end(), [&](Shape shape) {
        return runner.is_right(kernel, full_exercise.task(), shape);
    });
}

/// Sets the mark and the points according to the verdict.
void assign_mark(const Source& source, const AssignedExercise& exercise,
                 const coalesce::Exercise& full_exercise, JailRunner& runner, Result& result) {
    const Verdict& verdict = result.verdict;
    result.mark =
        verdict.failures.empty() ? Mark::ok : mark_for_failure(verdict.failures.front().kind);
    if (result.mark == Mark::system) return;
    count_shapes(exercise, result);
    if (result.mark == Mark::ok) {
        result.points = exercise.possible_points;
        if (verdict.passed()) return;
        result.points.counters = 0;
        // The last shape may be the hidden shape for which costs are counted. If the kernel is too
        // expensive only on that shape, draw no picture: a picture of a public shape would not show
        // the problem.
        result.is_hidden = is_shape_hidden(exercise, verdict.shapes, verdict.shapes.size() - 1);
        if (result.is_hidden || full_exercise.elements) return;
        const Picture picture =
            draw_warp_picture(source, full_exercise, runner,
                              {.shape = exercise.counted_shape, .block = 0, .warp = 0});
        if (picture.is_ok()) result.picture = picture.text();
    } else if (may_be_correct(result.mark) && !verdict.shapes.empty()) {
        const Compiled kernel = runner.compile(source, Signature(full_exercise));
        if (is_right_despite_failed_check(kernel, full_exercise, exercise.hidden_counted_shape,
                                          runner)) {
            result.points.correct = exercise.possible_points.correct;
        }
    }
}

/// If any launch failed, uses the mark for that failure, even if the launch was made only to draw a
/// picture.
void apply_launch_problem(const JailRunner& runner, Result& result) {
    const Failure& launch_problem = runner.launch_problem();
    if (launch_problem.kind == FailureKind::none || result.mark == Mark::system) return;
    // If the kernel has already failed in another way, ignore the failure of a prediction. A
    // prediction records only a few blocks, and these may do nothing if the kernel is incorrect.
    const auto is_other_failure = [](const Failure& failure) {
        return failure.kind != FailureKind::too_slow_predicted;
    };
    if (launch_problem.kind == FailureKind::wrong_result &&
        std::ranges::any_of(result.verdict.failures, is_other_failure))
        return;
    result.mark = mark_for_failure(launch_problem.kind);
    result.verdict.outcome = Verdict::Outcome::failed;
    result.verdict.failures = {launch_problem};
    result.points = {};
}

/// Examines the kernel. `solution_runner` has its own limits, so that the verdict does not depend
/// on whether the solution's costs must be measured or are already cached.
void judge_source(JailRunner& runner, JailRunner& solution_runner, const Source& source,
                  const AssignedExercise& exercise, Result& result) {
    const coalesce::Exercise full_exercise = exercise_with_hidden_shapes(exercise);
    ExamineOptions examine_options{.second_counted_shape = exercise.hidden_counted_shape,
                                   .ragged_counted_shape = exercise.drawn_counted_shape,
                                   .large_shapes = exercise.drawn_large_shapes,
                                   .solution_runner = &solution_runner};
    if (!exercise.solution.empty()) {
        examine_options.solution = make_source(exercise.solution, "solution");
    }
    result.verdict = examine(source, full_exercise, runner, examine_options);
    if (const Failure& failure = solution_runner.launch_problem();
        failure.kind != FailureKind::none)
        throw std::runtime_error("the solution cannot be measured: " + failure.headline);
    assign_mark(source, exercise, full_exercise, runner, result);
    apply_launch_problem(runner, result);
    if (result.mark == Mark::system) throw std::runtime_error(result.verdict.failures[0].headline);
    hide_secrets(exercise, result);
    // Remove the predicted times, because a failure about time already states them.
    result.verdict.predicted = result.verdict.solution_predicted = std::nullopt;
}

Result result_for_environment_problem(const std::string& problem) {
    Result result;
    result.verdict.failures = {
        {.kind = FailureKind::environment_problem,
         .headline = "the grader itself has a problem, so this submission has no mark yet.",
         .advice = "Your submission will be graded again. You do not need to do anything."}};
    result.problem = problem;
    return result;
}

std::string compute_identity() {
    try {
        // Hash the contents of files, not their times and paths, so that the same build in another
        // clone has the same identity.
        return sha256_of_parts({"judge 1", describe_compiler(grading_compiler()),
                                read_file("/proc/self/exe"), read_file(jail_program()),
                                read_file(simulator_folder() / "libcudart.so.13")});
    } catch (const std::exception& error) {
        return std::string("nothing can be judged here: ") + error.what();
    }
}

}  // namespace

PtxRules ptx_rules(const AssignedExercise& exercise) {
    const Resources& limits = exercise.resources;
    return {.allow = exercise.allow,
            .ptx_kb = limits.ptx_kb,
            .shared_bytes = limits.shared_bytes,
            .local_bytes = limits.local_bytes};
}

std::uint64_t derive_number(const Secret& secret, const std::string& label) {
    const std::string_view key(reinterpret_cast<const char*>(secret.data()), secret.size());
    const Digest digest = hmac_sha256(key, label);
    std::uint64_t number = 0;
    std::memcpy(&number, digest.data(), sizeof number);
    return number;
}

std::string judge_identity() {
    static const std::string identity = compute_identity();
    return identity;
}

std::vector<AssignedExercise> course_exercises(const std::filesystem::path& repository) {
    std::vector<AssignedExercise> assigned_exercises;
    const course::Course course = course::read_course(repository);
    for (const auto* steps : {&course.steps, &course.beyond_exercises}) {
        for (const course::Step& step : *steps) {
            if (!step.exercise) continue;
            AssignedExercise exercise{*step.exercise};
            const std::filesystem::path file = repository / "solutions" / step.name / "kernel.cu";
            exercise.solution =
                exercises::parse_skeleton(read_file(file), file.string()).solved_text();
            assigned_exercises.push_back(std::move(exercise));
        }
    }
    return assigned_exercises;
}

Result result_of_failure(Mark mark, const Failure& failure, const std::string& sandbox) {
    Result result;
    result.mark = mark;
    result.verdict.outcome = Verdict::Outcome::failed;
    result.verdict.failures = {failure};
    result.sandbox = sandbox;
    return result;
}

Judge::Judge(const JudgeOptions& options) {
    try {
        if (options.work_folder.empty()) temporary_folder_.emplace();
        tier_ = find_secure_tier(temporary_folder_ ? temporary_folder_->path : options.work_folder,
                                 options.tier);
        compiler_.emplace(Role::compile, tier_);
        launcher_.emplace(Role::launch, tier_);
    } catch (const std::exception& error) {
        problem_ = error.what();
    }
}

std::optional<Compiled> Judge::compile(const std::string& text, const AssignedExercise& exercise) {
    if (!problem_.empty()) throw std::runtime_error(problem_);
    JailRunner runner(*compiler_, *launcher_, solution_costs_, exercise, {});
    const Source source = make_submission_source(text, exercise);
    if (!source.is_good()) return std::nullopt;
    Compiled compiled = runner.compile(source, Signature(exercise));
    return compiled.is_ok() ? std::optional(std::move(compiled)) : std::nullopt;
}

Result Judge::judge(const std::string& text, const AssignedExercise& exercise,
                    const Secret& secret) {
    const auto begin = Clock::now();
    Result result;
    try {
        if (!problem_.empty()) throw std::runtime_error(problem_);
        const AssignedExercise drawn_exercise = with_drawn_shapes(exercise, secret);
        JailRunner runner(*compiler_, *launcher_, solution_costs_, drawn_exercise, secret);
        JailRunner solution_runner(*compiler_, *launcher_, solution_costs_, drawn_exercise, secret);
        judge_source(runner, solution_runner, make_submission_source(text, drawn_exercise),
                     drawn_exercise, result);
        result.processor_milliseconds = runner.processor_milliseconds();
    } catch (const std::exception& error) {
        result = result_for_environment_problem(error.what());
    }
    result.sandbox = name_of(tier_);
    result.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return result;
}

}  // namespace coalesce::grader
