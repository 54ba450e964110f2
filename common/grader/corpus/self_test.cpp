#include "grader/corpus/self_test.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "examiner/render.h"
#include "grader/class/run.h"
#include "grader/class/submissions.h"
#include "grader/corpus/case_text.h"
#include "grader/corpus/leftovers.h"
#include "grader/judge/telling.h"
#include "grader/sandbox/places.h"
#include "harness/text.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const fs::path kCorpusFolder = fs::path(COALESCE_REPOSITORY) / "common/grader/corpus";
/// The maximum processor time, in seconds, for judging one submission.
constexpr double kMaxCaseSeconds = 16;

/// The number of submissions judged so far for each outcome, and the slowest submission.
struct Tally {
    int hostile_count = 0, correct_count = 0, wrong_verdict_count = 0, accepted_hostile_count = 0,
        unjudged_count = 0;
    double slowest_seconds = 0;
    std::string slowest_file;
};

/// Reports whether the result reveals more about a hidden shape than the kind of failure.
bool reveals_hidden_shape(const Result& result) {
    if (!result.is_hidden) return false;
    const std::string hidden_shape_phrase = ", on a hidden shape.";
    const auto& failures = result.verdict.failures;
    if (failures.size() != 1) return true;
    // Remove the file's name before looking for digits, because it contains the lesson's number,
    // which is public.
    Verdict neutral_verdict = result.verdict;
    neutral_verdict.file = neutral_verdict.failures[0].place.file = "kernel.cu";
    return failures[0].place != Place{result.verdict.file, 0, 0} ||
           failures[0].shape != Shape{0, 0} || !failures[0].details.empty() || failures[0].map ||
           !failures[0].headline.ends_with(hidden_shape_phrase) || !result.picture.empty() ||
           terminal_text(neutral_verdict).find_first_of("0123456789") != std::string::npos;
}

/// Returns a description of how a result differs from what the case requires, or "" if it does not
/// differ.
std::string find_mistake(const CorpusCase& test_case, const Result& result,
                         const AssignedExercise& exercise) {
    const std::string verdict = mark_code(result.mark);
    const bool is_expected = test_case.failures.empty()
                                 ? result.failure_id().empty()
                                 : std::ranges::count(test_case.failures, result.failure_id()) > 0;
    if (verdict != test_case.verdict || !is_expected) {
        return "is " + verdict + " (" + result.failure_id() + ")";
    }
    // A correct submission gets all points. If it costs too much, it gets no points for counters.
    Points expected = test_case.is_correct() ? exercise.possible_points : result.points;
    if (test_case.is_correct() && !test_case.failures.empty()) expected.counters = 0;
    if (!(expected == result.points)) return "has wrong points";
    if (!test_case.is_correct() && !may_be_correct(result.mark) && result.points.total() > 0)
        return "got points";
    return reveals_hidden_shape(result) ? "tells a hidden shape" : "";
}

/// Judges a case. Kernels are judged directly, whereas archives are unpacked first.
Result judge_case_file(Judge& judge, const CorpusCase& test_case,
                       const AssignedExercise& exercise) {
    const fs::path file = kCorpusFolder / "cases" / test_case.file;
    const Secret secret = {0x5e, 0x1f, 0x7e, 0x57};
    if (!is_archive_name(test_case.file)) {
        return judge.judge(read_case_file(file), exercise, secret);
    }
    for (const Submission& submission :
         read_student(file, "student", {"02_naive", "03_tiled"}).submissions) {
        if (submission.exercise == exercise.name)
            return judge_submission(submission, exercise, secret, judge);
    }
    throw std::runtime_error("archives may contain only 02_naive and 03_tiled, unlike " +
                             test_case.file);
}

void judge_case(Judge& judge, const CorpusCase& test_case, const AssignedExercise& exercise,
                Tally& tally, std::ostream& out) {
    ++(test_case.is_correct() ? tally.correct_count : tally.hostile_count);
    const Result result = judge_case_file(judge, test_case, exercise);
    // Measure processor time, which is unaffected by other work on the computer.
    const double seconds = result.processor_milliseconds / 1000;
    if (seconds > tally.slowest_seconds) {
        tally.slowest_seconds = seconds;
        tally.slowest_file = test_case.file;
    }
    const std::string mistake = find_mistake(test_case, result, exercise);
    if (mistake.empty()) return;
    ++tally.wrong_verdict_count;
    tally.accepted_hostile_count += !test_case.is_correct() && result.mark == Mark::ok;
    tally.unjudged_count += result.mark == Mark::system;
    out << test_case.file << " " << mistake << ", but " << test_case.verdict << " ("
        << test_case.failure() << ") is expected\n"
        << format_result(result, exercise) << result.problem << "\n";
}

void judge_cases(const JudgeOptions& options, const CaseSample& sample, Tally& tally,
                 std::ostream& out) {
    const auto exercises = corpus_exercises();
    Judge judge(options);
    int number = 0;
    for (const CorpusCase& test_case : cases_for_compiler(grading_compiler())) {
        const bool is_in_sample = number++ % sample.step == sample.first || test_case.is_by_clang;
        if (!is_in_sample || !test_case.file.starts_with(sample.file_prefix)) continue;
        const auto exercise = exercises.find(test_case.exercise);
        if (exercise == exercises.end())
            throw std::runtime_error("no exercise is called " + test_case.exercise);
        judge_case(judge, test_case, exercise->second, tally, out);
    }
}

int print_summary(const Tally& tally, const std::vector<std::string>& new_leftovers, double seconds,
                  std::ostream& out) {
    for (const std::string& leftover : new_leftovers) out << "left behind: " << leftover << "\n";
    out << format("%d hostile or broken, %d right: %d wrong verdicts, %d forged, %d not judged\n",
                  tally.hostile_count, tally.correct_count, tally.wrong_verdict_count,
                  tally.accepted_hostile_count, tally.unjudged_count)
        << format("%.1f s in total; the slowest, %s, took %.1f s of processor time\n", seconds,
                  tally.slowest_file.c_str(), tally.slowest_seconds)
        << (new_leftovers.empty() ? "nothing left behind: no process, no cgroup, no file\n" : "");
    const bool has_passed = tally.wrong_verdict_count == 0 && new_leftovers.empty() &&
                            tally.slowest_seconds < kMaxCaseSeconds;
    out << (has_passed ? "The grader judges correctly.\n" : "The grader CANNOT be trusted.\n");
    return has_passed ? 0 : 1;
}

}  // namespace

std::string CorpusCase::failure() const {
    std::string joined_failures;
    for (const std::string& failure_id : failures)
        joined_failures += (joined_failures.empty() ? "" : "|") + failure_id;
    return joined_failures;
}

std::vector<CorpusCase> cases_for_compiler(Compiler compiler) {
    auto cases = parse_corpus_cases(read_file(kCorpusFolder / "cases.txt"));
    if (compiler != Compiler::clang) return cases;
    for (const CorpusCase& clang_case :
         parse_corpus_cases(read_file(kCorpusFolder / "cases_by_clang.txt"))) {
        const auto matching_case = std::ranges::find_if(cases, [&](const CorpusCase& test_case) {
            return test_case.file == clang_case.file && test_case.exercise == clang_case.exercise;
        });
        if (matching_case == cases.end()) {
            throw std::runtime_error("cases_by_clang.txt: cases.txt has no " + clang_case.file);
        }
        *matching_case = clang_case;
        matching_case->is_by_clang = true;
    }
    return cases;
}

namespace {

/// Sets the hidden sizes of an exercise other than a transpose.
void set_hidden_sizes(AssignedExercise& exercise) {
    const ElementTask& task = *exercise.elements;
    std::vector<int> odd_sizes, counted_sizes;
    for (std::size_t i = 0; i < task.sizes.size(); ++i) {
        const int max_size = task.max_sizes.empty() ? 1 << 20 : task.max_sizes[i];
        odd_sizes.push_back(std::min(37 + 6 * static_cast<int>(i), max_size));
        const int value = size_at(exercise.counted_shape, i);
        counted_sizes.push_back(value / 2 * 3 <= max_size ? value / 2 * 3 : value / 2);
    }
    exercise.hidden_shapes = {make_shape(odd_sizes)};
    exercise.hidden_counted_shape = make_shape(counted_sizes);
}

}  // namespace

std::map<std::string, AssignedExercise> corpus_exercises() {
    std::map<std::string, AssignedExercise> exercises_by_name;
    for (AssignedExercise& exercise : course_exercises(COALESCE_REPOSITORY)) {
        if (exercise.elements) {
            set_hidden_sizes(exercise);
            exercises_by_name[exercise.name] = exercise;
            continue;
        }
        exercise.hidden_shapes = {exercise.shape_from_multiples(37, 21),
                                  exercise.shape_from_multiples(5, 33)};
        // This shape has more than 65535 elements and a side longer than 1023, so kernels with too
        // narrow indices fail.
        const auto round_up_to_multiple = [](int count, int multiple) {
            return (count + multiple - 1) / multiple * multiple;
        };
        const Shape large{round_up_to_multiple(1040, exercise.rows_multiple),
                          round_up_to_multiple(70, exercise.cols_multiple)};
        if (!exercise.requires_square()) {
            exercise.hidden_shapes.push_back(large);
            exercise.hidden_shapes.push_back({round_up_to_multiple(70, exercise.rows_multiple),
                                              round_up_to_multiple(1040, exercise.cols_multiple)});
        }
        exercise.hidden_shapes.push_back(exercise.round_up_shape(410, 380));
        exercise.hidden_counted_shape =
            exercise.requires_square() ? Shape{384, 384} : Shape{384, 128};
        // Also store the exercise under its name without the number, because lesson numbers change.
        exercises_by_name[exercise.name] = exercises_by_name[exercise.name.substr(3)] = exercise;
    }
    return exercises_by_name;
}

std::vector<CorpusCase> parse_corpus_cases(const std::string& text) {
    std::vector<CorpusCase> cases;
    std::set<std::string> names;
    int number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        CorpusCase test_case;
        std::string failures, extra_word;
        const bool is_complete =
            words >> test_case.file >> test_case.exercise >> test_case.verdict >> failures &&
            !(words >> extra_word);
        if (!is_complete || !parse_mark(test_case.verdict) ||
            !names.insert(test_case.file + " " + test_case.exercise).second) {
            throw std::runtime_error("cases.txt:" + std::to_string(number) +
                                     ": expected file, exercise, verdict and failure, and a file "
                                     "only once for an exercise");
        }
        std::ranges::replace(failures, '|', ' ');
        std::istringstream failure_words(failures);
        for (std::string failure; failure_words >> failure;) {
            if (failure != "-") test_case.failures.push_back(failure);
        }
        cases.push_back(test_case);
    }
    return cases;
}

int self_test(std::ostream& out, const JudgeOptions& options, const CaseSample& sample) {
    const auto begin = std::chrono::steady_clock::now();
    const TemporaryFolder folder;
    JudgeOptions folder_options = options;
    folder_options.work_folder = folder.path;
    Judge probe_judge(folder_options);
    if (probe_judge.tier() == Tier::none) {
        out << "No sandbox works here, so nothing is judged. Next: ./learn grade doctor\n";
        return 2;
    }
    Tally tally;
    const Leftovers leftovers_before = find_leftovers(folder.path);
    judge_cases(folder_options, sample, tally, out);
    // Killed processes take a moment to disappear, so retry.
    std::vector<std::string> new_leftovers;
    for (int i = 0; i < 40; ++i) {
        new_leftovers = find_new_leftovers(find_leftovers(folder.path), leftovers_before);
        if (new_leftovers.empty()) break;
        std::this_thread::sleep_for(50ms);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return print_summary(tally, new_leftovers, seconds.count(), out);
}

}  // namespace coalesce::grader
