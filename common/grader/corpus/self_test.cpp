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

const fs::path corpus_folder = fs::path(COALESCE_REPOSITORY) / "common/grader/corpus";
/// The maximum processor time, in seconds, for judging one submission.
constexpr double kMostSeconds = 16;

/// The number of submissions judged so far for each outcome, and the slowest submission.
struct Tally {
    int hostile = 0, right = 0, wrong_verdicts = 0, forged = 0, broken = 0;
    double slowest = 0;
    std::string slowest_file;
};

/// Reports whether the result reveals more about a hidden shape than the kind of failure.
bool tells_hidden_shape(const Result& result) {
    if (!result.is_hidden) return false;
    const std::string shown = ", on a hidden shape.";
    const auto& failures = result.verdict.failures;
    if (failures.size() != 1) return true;
    // Remove the file's name before looking for digits, because it contains the lesson's number,
    // which is public.
    Verdict nameless = result.verdict;
    nameless.file = nameless.failures[0].place.file = "kernel.cu";
    return failures[0].place != Place{result.verdict.file, 0, 0} ||
           failures[0].shape != Shape{0, 0} || !failures[0].details.empty() || failures[0].map ||
           !failures[0].headline.ends_with(shown) || !result.picture.empty() ||
           terminal_text(nameless).find_first_of("0123456789") != std::string::npos;
}

/// Returns a description of how a result differs from what the case requires, or "" if it does not
/// differ.
std::string mistake_in(const CorpusCase& one, const Result& result, const Assigned& exercise) {
    const std::string verdict = code_of(result.mark);
    const bool is_expected = one.failures.empty()
                                 ? result.failure_id().empty()
                                 : std::ranges::count(one.failures, result.failure_id()) > 0;
    if (verdict != one.verdict || !is_expected) {
        return "is " + verdict + " (" + result.failure_id() + ")";
    }
    // A correct submission gets all points. If it costs too much, it gets no points for counters.
    Points expected = one.is_right() ? exercise.possible : result.points;
    if (one.is_right() && !one.failures.empty()) expected.counters = 0;
    if (!(expected == result.points)) return "has wrong points";
    if (!one.is_right() && !may_be_correct(result.mark) && result.points.total() > 0)
        return "got points";
    return tells_hidden_shape(result) ? "tells a hidden shape" : "";
}

/// Judges a case. Kernels are judged directly, whereas archives are unpacked first.
Result result_of_case(Judge& judge, const CorpusCase& one, const Assigned& exercise) {
    const fs::path file = corpus_folder / "cases" / one.file;
    const Secret secret = {0x5e, 0x1f, 0x7e, 0x57};
    if (!is_archive_name(one.file)) {
        return judge.judge(case_text(file), exercise, secret);
    }
    for (const Submission& handed :
         read_student(file, "student", {"02_naive", "03_tiled"}).submissions) {
        if (handed.exercise == exercise.name)
            return judge_submission(handed, exercise, secret, judge);
    }
    throw std::runtime_error("archives may contain only 02_naive and 03_tiled, unlike " + one.file);
}

void judge_one(Judge& judge, const CorpusCase& one, const Assigned& exercise, Tally& tally,
               std::ostream& out) {
    ++(one.is_right() ? tally.right : tally.hostile);
    const Result result = result_of_case(judge, one, exercise);
    // Measure processor time, which is unaffected by other work on the computer.
    const double seconds = result.processor_milliseconds / 1000;
    if (seconds > tally.slowest) {
        tally.slowest = seconds;
        tally.slowest_file = one.file;
    }
    const std::string mistake = mistake_in(one, result, exercise);
    if (mistake.empty()) return;
    ++tally.wrong_verdicts;
    tally.forged += !one.is_right() && result.mark == Mark::ok;
    tally.broken += result.mark == Mark::system;
    out << one.file << " " << mistake << ", but " << one.verdict << " (" << one.failure()
        << ") is expected\n"
        << format_result(result, exercise) << result.problem << "\n";
}

void judge_all(const JudgeOptions& options, int every, const std::string& only, Tally& tally,
               std::ostream& out) {
    const auto known = corpus_exercises();
    Judge judge(options);
    int number = 0;
    for (const CorpusCase& one : cases_of(grading_compiler())) {
        const bool is_in_sample = number++ % every == 0 || one.is_by_clang;
        if (!is_in_sample || !one.file.starts_with(only)) continue;
        const auto exercise = known.find(one.exercise);
        if (exercise == known.end())
            throw std::runtime_error("no exercise is called " + one.exercise);
        judge_one(judge, one, exercise->second, tally, out);
    }
}

int summary(const Tally& tally, const std::vector<std::string>& left, double seconds,
            std::ostream& out) {
    for (const std::string& one : left) out << "left behind: " << one << "\n";
    out << format("%d hostile or broken, %d right: %d wrong verdicts, %d forged, %d not judged\n",
                  tally.hostile, tally.right, tally.wrong_verdicts, tally.forged, tally.broken)
        << format("%.1f s in total; the slowest, %s, took %.1f s of processor time\n", seconds,
                  tally.slowest_file.c_str(), tally.slowest)
        << (left.empty() ? "nothing left behind: no process, no cgroup, no file\n" : "");
    const bool is_good = tally.wrong_verdicts == 0 && left.empty() && tally.slowest < kMostSeconds;
    out << (is_good ? "The grader judges correctly.\n" : "The grader CANNOT be trusted.\n");
    return is_good ? 0 : 1;
}

}  // namespace

std::string CorpusCase::failure() const {
    std::string all;
    for (const std::string& one : failures) all += (all.empty() ? "" : "|") + one;
    return all;
}

std::vector<CorpusCase> cases_of(Compiler compiler) {
    auto cases = corpus_cases(read_file(corpus_folder / "cases.txt"));
    if (compiler != Compiler::clang) return cases;
    for (const CorpusCase& other : corpus_cases(read_file(corpus_folder / "cases_by_clang.txt"))) {
        const auto same = std::ranges::find_if(cases, [&](const CorpusCase& one) {
            return one.file == other.file && one.exercise == other.exercise;
        });
        if (same == cases.end()) {
            throw std::runtime_error("cases_by_clang.txt: cases.txt has no " + other.file);
        }
        *same = other;
        same->is_by_clang = true;
    }
    return cases;
}

namespace {

/// Sets the hidden sizes of an exercise other than a transpose.
void set_hidden_sizes(Assigned& exercise) {
    const ElementTask& task = *exercise.elements;
    std::vector<int> odd, counted;
    for (std::size_t i = 0; i < task.sizes.size(); ++i) {
        const int most = task.max_sizes.empty() ? 1 << 20 : task.max_sizes[i];
        odd.push_back(std::min(37 + 6 * static_cast<int>(i), most));
        const int value = size_at(exercise.counted, i);
        counted.push_back(value / 2 * 3 <= most ? value / 2 * 3 : value / 2);
    }
    exercise.hidden_shapes = {shape_of(odd)};
    exercise.hidden_counted = shape_of(counted);
}

}  // namespace

std::map<std::string, Assigned> corpus_exercises() {
    std::map<std::string, Assigned> all;
    for (Assigned& exercise : course_exercises(COALESCE_REPOSITORY)) {
        if (exercise.elements) {
            set_hidden_sizes(exercise);
            all[exercise.name] = exercise;
            continue;
        }
        exercise.hidden_shapes = {exercise.shape_from_multiples(37, 21),
                                  exercise.shape_from_multiples(5, 33)};
        // This shape has more than 65535 elements and a side longer than 1023, so kernels with too
        // narrow indices fail.
        const auto rounded = [](int count, int multiple) {
            return (count + multiple - 1) / multiple * multiple;
        };
        const Shape large{rounded(1040, exercise.rows_multiple),
                          rounded(70, exercise.cols_multiple)};
        if (!exercise.requires_square()) {
            exercise.hidden_shapes.push_back(large);
            exercise.hidden_shapes.push_back(
                {rounded(70, exercise.rows_multiple), rounded(1040, exercise.cols_multiple)});
        }
        exercise.hidden_shapes.push_back(exercise.round_up_shape(410, 380));
        exercise.hidden_counted = exercise.requires_square() ? Shape{384, 384} : Shape{384, 128};
        // Also store the exercise under its name without the number, because lesson numbers change.
        all[exercise.name] = all[exercise.name.substr(3)] = exercise;
    }
    return all;
}

std::vector<CorpusCase> corpus_cases(const std::string& text) {
    std::vector<CorpusCase> cases;
    std::set<std::string> names;
    int number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        if (line.empty() || line.front() == '#') continue;
        std::istringstream words(line);
        CorpusCase one;
        std::string failures, more;
        const bool is_whole =
            words >> one.file >> one.exercise >> one.verdict >> failures && !(words >> more);
        if (!is_whole || !parse_mark(one.verdict) ||
            !names.insert(one.file + " " + one.exercise).second) {
            throw std::runtime_error("cases.txt:" + std::to_string(number) +
                                     ": expected file, exercise, verdict and failure, and a file "
                                     "only once for an exercise");
        }
        std::ranges::replace(failures, '|', ' ');
        std::istringstream each(failures);
        for (std::string failure; each >> failure;) {
            if (failure != "-") one.failures.push_back(failure);
        }
        cases.push_back(one);
    }
    return cases;
}

int self_test(std::ostream& out, const JudgeOptions& options, int every, const std::string& only) {
    const auto begin = std::chrono::steady_clock::now();
    const TemporaryFolder folder;
    JudgeOptions in_folder = options;
    in_folder.work_folder = folder.path;
    Judge probe(in_folder);
    if (probe.tier() == Tier::none) {
        out << "No sandbox works here, so nothing is judged. Next: ./learn grade doctor\n";
        return 2;
    }
    Tally tally;
    const Leftovers before = leftovers_in(folder.path);
    judge_all(in_folder, every, only, tally, out);
    // Killed processes take a moment to disappear, so retry.
    std::vector<std::string> left;
    for (int i = 0; i < 40; ++i) {
        left = new_in(leftovers_in(folder.path), before);
        if (left.empty()) break;
        std::this_thread::sleep_for(50ms);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return summary(tally, left, seconds.count(), out);
}

}  // namespace coalesce::grader
