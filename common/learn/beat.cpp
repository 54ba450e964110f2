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
const std::string kAgain = "Again: ./learn beat";

Attempts attempts() {
    return Attempts(print_message);
}

// Writes `text` to the learner's file, and prints a message in which `what` describes the new
// content.
int write_learner_file(const std::string& text, const std::string& what, const std::string& next) {
    const bool is_new = replace_file(kLearnerFilePath, "beat", text);
    std::cout << kLearnerFilePath.string() << (is_new ? " now contains " : " already contains ")
              << what << ".\n"
              << next << "\n";
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
    return write_learner_file(*text, "attempt " + std::to_string(number), kAgain);
}

void show_table(const std::vector<Attempt>& attempts, const Attempt* other) {
    if (attempts.empty()) {
        std::cout << "You have not made any attempts yet. ./learn beat makes the first one.\n";
        return;
    }
    const std::string& gpu = attempts.back().gpu;
    std::cout << "Your attempts at 8192 x 8192, fastest first"
              << (gpu.empty() ? ":\n\n" : "; " + gpu + ":\n\n")
              << format_attempts(attempts, other, kLessonToBeat);
}

std::string format_relative_speed(const Predicted& yours, const Predicted& other,
                                  const Style& style) {
    const bool is_known = yours.unknown().empty();
    const double band = std::max(yours.error_band, other.error_band);
    const std::string times = format("%.4f ms against %.4f ms (predicted, %s, within %.0f %%).",
                                     yours.ms, other.ms, yours.gpu.c_str(), 100 * band);
    switch (compare_speed(yours, other)) {
        case RelativeSpeed::slower:
            return style.paint_bad("Slower") + " than " + kLessonToBeat + ": " + times + "\n" +
                   format_comparison(yours, other);
        case RelativeSpeed::level:
            return "Your kernel is as fast as " + kLessonToBeat +
                   ", within the error of the model: " + times;
        case RelativeSpeed::faster: break;
    }
    if (is_known) return style.paint_good("Faster") + " than " + kLessonToBeat + ": " + times;
    return "Your kernel may be faster than " + kLessonToBeat + ": " + times +
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
void measure_both(const LearnerExercise& exercise, const std::string& file, Attempt& yours,
                  Attempt& other) {
    std::string why;
    const auto time = [&](const std::string& of) -> std::optional<double> {
        const Json measured = measure_in_child(exercise, of, false, why);
        if (measured.is_null()) return std::nullopt;
        return measured.value("ms", 0.0);
    };
    yours.measured_ms = time(file);
    if (yours.measured_ms) {
        other.measured_ms =
            time((repository() / "solutions" / exercise.step->name / "kernel.cu").string());
    }
    if (yours.measured_ms && other.measured_ms) {
        std::cout << "\n"
                  << wrap(format("Measured on this computer's GPU: your kernel takes %.4f ms, and "
                                 "%s takes %.4f ms.",
                                 *yours.measured_ms, exercise.step->name.c_str(),
                                 *other.measured_ms));
    } else if (!why.empty()) {
        std::cout << "\n" << wrap("Your kernel was not measured: " + why);
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
    std::cout << kAgain << "\n";
    return is_examined ? 1 : 2;
}

int score_attempt(Session& session, const BeatArguments& words, const CheckResult& result,
                  const LearnerExercise& exercise, const std::string& file) {
    const Verdict& verdict = *result.verdict;
    const Style& style = session.style;
    std::cout << style.paint_strong("beat") << ": " << style.paint_good("right") << " on all shapes"
              << format("  (simulated, %.0f ms)\n\n", result.milliseconds);
    show_prediction(verdict, style);
    Attempt yours = make_attempt(verdict, verdict.predicted, verdict.counters);
    Attempt other = make_attempt(verdict, verdict.solution_predicted, verdict.solution_counters);
    measure_both(exercise, file, yours, other);
    if (!words.file.empty()) return 0;
    if (verdict.source.empty()) {
        throw UsageError(
            kLearnerFilePath.string() +
            " changed while it was examined, so this attempt was not stored; try again");
    }
    std::cout << "\n";
    show_table(attempts().note(yours, verdict.source), &other);
    std::cout << "\n" << kAgain << "      Restore an attempt: ./learn beat --restore N\n";
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

int beat(Session& session, const BeatArguments& words) {
    if (words.is_list + words.is_reset + (words.restore > 0) + !words.file.empty() > 1) {
        throw UsageError(
            "--list, --reset, --restore and --file cannot be combined; use only one of them");
    }
    if (words.is_reset)
        return write_learner_file(beat_starting_text(), "its original text", "Next: ./learn beat");
    if (words.restore > 0) return restore_attempt(attempts().read(), words.restore);
    if (words.is_list) {
        show_table(attempts().read(), nullptr);
        return 0;
    }
    const fs::path own = repository() / kLearnerFilePath;
    if (words.file.empty() && !fs::exists(fs::symlink_status(own))) {
        fs::create_directories(own.parent_path());
        write_file(own, beat_starting_text());
        std::cout << wrap(kLearnerFilePath.string() +
                          " is your file for this exercise. It starts with a kernel that is "
                          "correct but slow.")
                  << "\n";
    }
    require_file(words.file);
    const LearnerExercise exercise = find_exercise(session.course, kLessonToBeat, false);
    const std::string file = words.file.empty() ? own.string() : words.file;
    const CheckResult result =
        check({.exercise = exercise, .file = file, .seconds = words.seconds});
    const bool is_right = result.outcome != CheckResult::not_examined && result.verdict->counters;
    return is_right ? score_attempt(session, words, result, exercise, file)
                    : print_rejected_attempt(result, session.style);
}

}  // namespace coalesce::learn
