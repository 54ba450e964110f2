// hostile_class GRADE REPOSITORY [STUDENTS] grades a class that contains a submission of each
// hostile kind.
//
// At most half of the students submit a case of the corpus, one for each kind of failure. All
// others submit the solution with a unique comment. A Slurm cluster of two nodes grades the class.
// If Slurm is not installed, a single command does. Every honest student must get all points, and
// every hostile student the verdict in the corpus. No student may be missing. A single command with
// the other compiler must then produce the same grades.csv. Prints how long each run takes.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "examiner/compile.h"
#include "grader/class/manifest.h"
#include "grader/corpus/case_text.h"
#include "grader/corpus/self_test.h"
#include "grader/sandbox/places.h"
#include "grader/tests/slurm_cluster.h"

using namespace coalesce;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* EXERCISES[] = {"02_naive", "03_tiled"};

int failures = 0;

void expect(bool is_true, const std::string& what) {
    if (is_true) return;
    std::printf("FAILED: %s\n", what.c_str());
    ++failures;
}

Ended must(const std::vector<std::string>& command) {
    const Ended ended = run_to_end(command);
    if (ended.code != 0) throw std::runtime_error(command[1] + ": " + ended.output);
    return ended;
}

/// Returns the first case of each kind of failure for which both compilers give the same verdict.
std::vector<CorpusCase> one_of_each_kind() {
    const auto cases = cases_for_compiler(Compiler::nvrtc),
               by_clang = cases_for_compiler(Compiler::clang);
    std::vector<CorpusCase> chosen;
    std::set<std::string> kinds;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const CorpusCase& one = cases[i];
        const bool is_asked = one.exercise == EXERCISES[0] || one.exercise == EXERCISES[1];
        if (one.is_correct() || !is_asked || !one.has_same_outcome_as(by_clang[i])) continue;
        if (kinds.insert(one.verdict + one.failure()).second) chosen.push_back(one);
    }
    return chosen;
}

/// A class of honest and hostile students, with the expected result of each.
class HostileClass {
public:
    HostileClass(std::string grade, fs::path repository, int students)
        : grade_(std::move(grade)), repository_(std::move(repository)) {
        must({grade_, "assignment", "new", "hw1", "--exercises", "02,03", "--points", "10,20",
              "--folder", assignments_});
        ask_the_corpus_shapes();
        const auto kinds = one_of_each_kind();
        const std::size_t most = std::min(kinds.size(), static_cast<std::size_t>(students) / 2);
        for (std::size_t i = 0; i < most; ++i) hand_in_hostile(kinds[i * kinds.size() / most]);
        const auto honest = static_cast<std::size_t>(students) - most;
        for (std::size_t i = 0; i < honest; ++i) hand_in_honest(i);
        std::printf("%d students, %zu of them hostile, one of each of %zu kinds\n", students, most,
                    kinds.size());
    }

    /// Grades the class with one compiler, and returns grades.csv.
    std::string graded_by(const char* compiler) const {
        setenv("COALESCE_COMPILER", compiler, 1);
        const auto begin = Clock::now();
        const Ended ended = run_to_end({grade_, "run", "hw1", "--folder", assignments_,
                                        "--submissions", handed_in_, "--jobs", "2", "--quiet"});
        const std::chrono::duration<double> seconds = Clock::now() - begin;
        unsetenv("COALESCE_COMPILER");
        std::printf("by %s: %.1f s with two jobs\n", compiler, seconds.count());
        expect(ended.code == 0 || ended.code == 1, ended.output);
        return csv();
    }

    /// Grades with this build's compiler, and returns grades.csv. If Slurm is installed, the
    /// cluster must grade before any single command, because a plan omits submissions that already
    /// have a result.
    std::string graded_first() const {
        if (SlurmCluster::is_installed()) return graded_by_slurm();
        std::puts("Slurm is not installed (Debian's slurm-wlm and munge)");
        return graded_by(grading_compiler() == Compiler::clang ? "clang" : "nvcc");
    }

    /// Checks that grades.csv contains the expected line for each student.
    void check(const std::string& csv) const {
        std::map<std::string, std::string> lines;
        for (std::string line : lines_of(csv)) {
            if (line.ends_with('\r')) line.pop_back();
            lines[line.substr(0, line.find(','))] = line;
        }
        for (const auto& [student, ends] : expected_) {
            const std::string& line = lines[student];
            const bool is_right = std::ranges::any_of(
                ends, [&](const std::string& end) { return line.find(end) != line.npos; });
            expect(is_right,
                   student + ": \"" + line + "\", where \"" + ends.front() + "\" is right");
        }
        expect(lines.size() == expected_.size() + 1, "there are lines of others");
    }

private:
    std::string graded_by_slurm() const;
    /// Replaces the hidden shapes with those of the corpus, because some cases fail only on these
    /// shapes, and other cases would fail differently on other shapes.
    void ask_the_corpus_shapes() const {
        Assignment assignment = read_assignment(fs::path(assignments_) / "hw1");
        const auto asked = corpus_exercises();
        for (AssignedExercise& exercise : assignment.exercises) {
            exercise.hidden_shapes = asked.at(exercise.name).hidden_shapes;
            exercise.hidden_counted_shape = asked.at(exercise.name).hidden_counted_shape;
        }
        write_file(assignment.teacher_folder() / "hidden.toml", hidden_text(assignment));
    }
    /// Returns grades.csv. Each permitted failure is replaced with the first failure that its case
    /// permits, because failures may differ between runs. For example, either time or memory may
    /// run out first.
    std::string csv() const {
        std::string text;
        for (std::string line :
             lines_of(read_file(fs::path(assignments_) / "hw1/teacher/results/grades.csv"))) {
            const auto known = expected_.find(line.substr(0, line.find(',')));
            if (known != expected_.end()) {
                for (const std::string& end : known->second) {
                    const std::size_t at = line.find(end);
                    if (at != line.npos) line.replace(at, end.size(), known->second.front());
                }
            }
            text += line + "\n";
        }
        return text;
    }
    std::string solution(const std::string& exercise) const {
        return read_file(fs::path(assignments_) / "hw1/teacher/solutions" / exercise / "kernel.cu");
    }
    void write(const std::string& student, const std::string& exercise, const std::string& text) {
        fs::create_directories(fs::path(handed_in_) / student / exercise);
        write_file(fs::path(handed_in_) / student / exercise / "kernel.cu", text);
    }

    void hand_in_honest(std::size_t number) {
        const std::string student = "honest-" + std::to_string(number);
        for (const char* exercise : EXERCISES) {
            write(student, exercise, solution(exercise) + "\n// " + student + "\n");
        }
        expected_[student] = {student + ",30,30,10,OK,,20,OK,"};
    }

    /// Submits a hostile file for one exercise, and the solution of the other exercise. The hostile
    /// file must not affect the solution's result.
    void hand_in_hostile(const CorpusCase& one) {
        const fs::path file = repository_ / "common/grader/corpus/cases" / one.file;
        const std::string student = "hostile-" + fs::path(one.file).stem().stem().string();
        for (const std::string& failure : one.failures) {
            expected_[student].push_back("," + one.verdict + "," + failure);
        }
        if (file.extension() != ".cu") {
            fs::create_directories(handed_in_);
            const std::string ending = one.file.substr(one.file.find('.'));
            fs::copy_file(file, fs::path(handed_in_) / (student + ending));
            return;
        }
        for (const char* exercise : EXERCISES) {
            write(student, exercise,
                  one.exercise == exercise ? read_case_file(file) : solution(exercise));
        }
    }

    std::string grade_;
    fs::path repository_;
    TemporaryFolder folder_;
    std::string assignments_ = folder_ / "assignments", handed_in_ = folder_ / "class";
    /// The permitted lines of each student in grades.csv.
    std::map<std::string, std::vector<std::string>> expected_;
};

std::string HostileClass::graded_by_slurm() const {
    const std::string plan = folder_ / "plan";
    must({grade_, "plan", "hw1", "--folder", assignments_, "--submissions", handed_in_, "--to",
          plan, "--chunks", "4"});
    const SlurmCluster cluster(2);
    const auto begin = Clock::now();
    const Ended sent =
        cluster.call({"/usr/bin/sbatch", "--partition=first2", plan + "/slurm.sbatch"});
    if (sent.code != 0) throw std::runtime_error("sbatch: " + sent.output);
    constexpr auto most = std::chrono::minutes(20);
    do {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    } while (cluster.jobs() > 0 && Clock::now() - begin < most);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    must({grade_, "merge", plan, "--folder", assignments_});
    std::printf("by Slurm: %.1f s on two nodes of one processor\n", seconds.count());
    return csv();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: hostile_class GRADE REPOSITORY [STUDENTS]\n");
        return 2;
    }
    try {
        const HostileClass everybody(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 300);
        const std::string first = everybody.graded_first();
        everybody.check(first);
        const Compiler other =
            grading_compiler() == Compiler::clang ? Compiler::nvrtc : Compiler::clang;
        if (describe_compiler(other).empty()) {
            std::puts("there is no other compiler to compare with");
        } else {
            const char* name = other == Compiler::clang ? "clang" : "nvcc";
            expect(everybody.graded_by(name) == first,
                   std::string("another grades.csv by ") + name);
        }
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        ++failures;
    }
    std::puts(failures == 0 ? "all as it should be" : "see FAILED above");
    return failures == 0 ? 0 : 1;
}
