#include "learn/commands.h"

#include <algorithm>
#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "examiner/predicted_launch.h"
#include "examiner/render.h"
#include "harness/text.h"
#include "learn/attempts.h"
#include "learn/checker.h"
#include "learn/measure.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// The lesson whose solution the learner is trying to beat.
const std::string kLessonToBeat = "10_registers";
const fs::path kLearnerFilePath = fs::path("exercises") / "beat" / "kernel.cu";
const std::string kRepeatCommand = "Again: ./learn beat";

Attempts open_attempts() {
    return Attempts(print_message);
}

// Writes `text` to the learner's file, and prints a message in which `description` describes the
// new content.
int write_learner_file(const std::string& text, const std::string& description,
                       const std::string& next_step) {
    const bool is_new = replace_file(kLearnerFilePath, "beat", text);
    std::cout << kLearnerFilePath.string() << (is_new ? " now contains " : " already contains ")
              << description << ".\n"
              << next_step << "\n";
    return 0;
}

int restore_attempt(const std::vector<Attempt>& attempts, int number) {
    const auto attempt = std::ranges::find(attempts, number, &Attempt::number);
    if (attempt == attempts.end()) {
        throw UsageError("there is no attempt " + std::to_string(number) +
                         "; ./learn beat --list shows your attempts");
    }
    const auto text = read_if_exists(Attempts::copy_path(*attempt));
    if (!text || hash_source(*text) != attempt->hash) {
        throw UsageError("the source of attempt " + std::to_string(number) + " is lost: " +
                         Attempts::copy_path(*attempt).string() + " is missing or has changed");
    }
    return write_learner_file(*text, "attempt " + std::to_string(number), kRepeatCommand);
}

void show_table(const std::vector<Attempt>& attempts, const Attempt* solution_attempt) {
    if (attempts.empty()) {
        std::cout << "You have not made any attempts yet. ./learn beat makes the first one.\n";
        return;
    }
    const std::string& predicted_gpu = attempts.back().gpu;
    std::cout << "Your attempts at 8192 x 8192, fastest first"
              << (predicted_gpu.empty() ? ":\n\n" : "; " + predicted_gpu + ":\n\n")
              << format_attempts(attempts, solution_attempt, kLessonToBeat);
}

std::string format_relative_speed(const Predicted& prediction, const Predicted& reference,
                                  const Style& style) {
    const bool is_known = prediction.unknown().empty();
    const double error_band = std::max(prediction.error_band, reference.error_band);
    const std::string times_text =
        format("%.4f ms against %.4f ms (predicted, %s, within %.0f %%).", prediction.ms,
               reference.ms, prediction.gpu.c_str(), 100 * error_band);
    switch (compare_speed(prediction, reference)) {
        case RelativeSpeed::slower:
            return style.paint_bad("Slower") + " than " + kLessonToBeat + ": " + times_text + "\n" +
                   format_comparison(prediction, reference);
        case RelativeSpeed::level:
            return "Your kernel is as fast as " + kLessonToBeat +
                   ", within the error of the model: " + times_text;
        case RelativeSpeed::faster: break;
    }
    if (is_known) return style.paint_good("Faster") + " than " + kLessonToBeat + ": " + times_text;
    return "Your kernel may be faster than " + kLessonToBeat + ": " + times_text +
           " However, the model does not cover everything in this kernel:";
}

// Prints the predicted time of the learner's kernel, and compares it with the time of the solution.
void show_prediction(const Verdict& verdict, const Style& style) {
    if (!verdict.predicted) {
        std::cout << wrap(
            "The model cannot predict a time for this kernel. Kernels that print are not "
            "supported, nor are kernels whose blocks wait for each other.");
        return;
    }
    std::cout << wrap(format_prediction(*verdict.predicted));
    if (verdict.solution_predicted) {
        std::cout << "\n"
                  << wrap(format_relative_speed(*verdict.predicted, *verdict.solution_predicted,
                                                style));
    }
    for (auto& sentence : describe_prediction(*verdict.predicted).unknown)
        std::cout << wrap(sentence);
}

// Measures the learner's kernel and the solution on the GPU, if this computer has one.
void measure_both(const LearnerExercise& exercise, const std::string& file,
                  Attempt& learner_attempt, Attempt& solution_attempt) {
    std::string failure_reason;
    const auto measure_ms = [&](const std::string& kernel_file) -> std::optional<double> {
        const Json measurement = measure_in_child(exercise, kernel_file, false, failure_reason);
        if (measurement.is_null()) return std::nullopt;
        return measurement.value("ms", 0.0);
    };
    learner_attempt.measured_ms = measure_ms(file);
    if (learner_attempt.measured_ms) {
        solution_attempt.measured_ms =
            measure_ms((repository() / "solutions" / exercise.step->name / "kernel.cu").string());
    }
    if (learner_attempt.measured_ms && solution_attempt.measured_ms) {
        std::cout << "\n"
                  << wrap(format("Measured on this computer's GPU: your kernel takes %.4f ms, and "
                                 "%s takes %.4f ms.",
                                 *learner_attempt.measured_ms, exercise.step->name.c_str(),
                                 *solution_attempt.measured_ms));
    } else if (!failure_reason.empty()) {
        std::cout << "\n" << wrap("Your kernel was not measured: " + failure_reason);
    }
}

// Prints why an attempt is not accepted. Every correct kernel is accepted, whatever its cost, so
// this kernel is incorrect or could not be examined.
int print_rejected_attempt(const CheckResult& result, const Style& style) {
    const bool is_examined = result.outcome != CheckResult::not_examined;
    std::cout << style.paint_strong("beat") << ": "
              << style.paint_bad(is_examined ? "not right yet" : "could not be examined") << "\n\n";
    if (!result.verdict) {
        std::cout << wrap(result.problem);
    } else {
        std::cout << terminal_text(*result.verdict, {.is_bold = style.colour});
    }
    std::cout << kRepeatCommand << "\n";
    return is_examined ? 1 : 2;
}

int score_attempt(Session& session, const BeatArguments& arguments, const CheckResult& result,
                  const LearnerExercise& exercise, const std::string& file) {
    const Verdict& verdict = *result.verdict;
    const Style& style = session.style;
    std::cout << style.paint_strong("beat") << ": " << style.paint_good("right") << " on all shapes"
              << format("  (simulated, %.0f ms)\n\n", result.milliseconds);
    show_prediction(verdict, style);
    Attempt learner_attempt = make_attempt(verdict, verdict.predicted, verdict.counters);
    Attempt solution_attempt =
        make_attempt(verdict, verdict.solution_predicted, verdict.solution_counters);
    measure_both(exercise, file, learner_attempt, solution_attempt);
    if (!arguments.file.empty()) return 0;
    if (verdict.source.empty()) {
        throw UsageError(
            kLearnerFilePath.string() +
            " changed while it was examined, so this attempt was not stored; try again");
    }
    std::cout << "\n";
    show_table(open_attempts().store_attempt(learner_attempt, verdict.source), &solution_attempt);
    std::cout << "\n" << kRepeatCommand << "      Restore an attempt: ./learn beat --restore N\n";
    return 0;
}

}  // namespace

std::string beat_starting_text() {
    return R"(// Beat 10_registers -- the open exercise: a transpose as fast as you can make it.
//
// Given   a kernel that is correct but slow: each thread moves one element.
// Write   any other kernel. The sides of the matrix are multiples of 4.
// Check   ./learn beat          Earlier attempts   ./learn beat --list
#include "exercise.h"  // Launch, ceil_div

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}
)";
}

int beat(Session& session, const BeatArguments& arguments) {
    if (arguments.is_list + arguments.is_reset + (arguments.attempt_to_restore > 0) +
            !arguments.file.empty() >
        1) {
        throw UsageError(
            "--list, --reset, --restore and --file cannot be combined; use only one of them");
    }
    if (arguments.is_reset)
        return write_learner_file(beat_starting_text(), "its original text", "Next: ./learn beat");
    if (arguments.attempt_to_restore > 0)
        return restore_attempt(open_attempts().read(), arguments.attempt_to_restore);
    if (arguments.is_list) {
        show_table(open_attempts().read(), nullptr);
        return 0;
    }
    const fs::path learner_file = repository() / kLearnerFilePath;
    if (arguments.file.empty() && !fs::exists(fs::symlink_status(learner_file))) {
        fs::create_directories(learner_file.parent_path());
        write_file(learner_file, beat_starting_text());
        std::cout << wrap(kLearnerFilePath.string() +
                          " is your file for this exercise. It starts with a kernel that is "
                          "correct but slow.")
                  << "\n";
    }
    require_file(arguments.file);
    const LearnerExercise exercise = find_exercise(session.course, kLessonToBeat, false);
    const std::string file = arguments.file.empty() ? learner_file.string() : arguments.file;
    const CheckResult result =
        check({.exercise = exercise, .file = file, .seconds = arguments.seconds});
    const bool is_right = result.outcome != CheckResult::not_examined && result.verdict->counters;
    return is_right ? score_attempt(session, arguments, result, exercise, file)
                    : print_rejected_attempt(result, session.style);
}

}  // namespace coalesce::learn
