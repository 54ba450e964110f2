// judge_corpus judges the corpus in one sandbox tier, or measures how many submissions per minute
// the grader judges. --help lists the options.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "grader/corpus/self_test.h"
#include "grader/judge/telling.h"

using namespace coalesce::grader;

namespace {

std::vector<AssignedExercise> course() {
    return course_exercises(COALESCE_REPOSITORY);
}

int judge_file(const std::string& file, const std::string& name) {
    std::ifstream stream(file, std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(stream), {}};
    Judge judge({});
    for (const AssignedExercise& exercise : course()) {
        if (exercise.name != name) continue;
        std::cout << to_json(judge.judge(source, exercise, Secret{1}));
        return 0;
    }
    std::cerr << "no exercise is called " << name << "\n";
    return 2;
}

/// Judges submissions that are in no cache, because the text of each contains a unique number.
int judge_class(int count, int jobs) {
    const std::vector<AssignedExercise> exercises = course();
    std::vector<int> wrong(static_cast<std::size_t>(jobs));
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (int job = 0; job < jobs; ++job) {
        threads.emplace_back([&, job] {
            Judge judge({});
            for (int i = job; i < count; i += jobs) {
                AssignedExercise exercise =
                    exercises[static_cast<std::size_t>(i) % exercises.size()];
                exercise.hidden_shapes = {exercise.shape_from_multiples(37, 21),
                                          exercise.shape_from_multiples(5, 33)};
                const std::string source =
                    exercise.solution + "\nconstexpr int student = " + std::to_string(i) + ";\n";
                const Result result = judge.judge(source, exercise, Secret{1});
                if (result.mark == Mark::ok && result.points == exercise.possible_points) continue;
                ++wrong[static_cast<std::size_t>(job)];
                std::cerr << format_result(result, exercise) << result.problem << "\n";
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    int all_wrong = 0;
    for (const int one : wrong) all_wrong += one;
    std::printf("%d submissions, %d jobs: %.1f s, %.0f grades per minute, %d wrong\n", count, jobs,
                seconds.count(), 60 * count / seconds.count(), all_wrong);
    return all_wrong == 0 ? 0 : 1;
}

int judge_corpus(const std::string& tier, const CaseSample& sample) {
    JudgeOptions options;
    if (tier == "A") options.tier = Tier::namespaces;
    if (tier == "B") options.tier = Tier::landlock;
    const int status = self_test(std::cout, options, sample);
    return status == 2 ? 77 : status;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Judges the corpus of submissions. Exit code: 0 if all verdicts are right, 1 if not, 77 if "
        "the "
        "sandbox does not work on this computer."};
    std::string tier;
    CaseSample sample;
    std::vector<std::string> file_and_exercise;
    int class_size = 0, jobs = 2;
    app.add_option("--tier", tier, "the sandbox; the default is the best one that works")
        ->check(CLI::IsMember({"A", "B"}));
    app.add_option("--every", sample.step, "judge only every Nth case")->check(CLI::PositiveNumber);
    app.add_option("--first", sample.first, "with --every: the number of the first case")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--only", sample.file_prefix, "judge only files whose names start with this");
    app.add_option("--file", file_and_exercise,
                   "judge this submission for this exercise, and print the result as JSON")
        ->expected(2);
    app.add_option("--class", class_size,
                   "measure how many of N different correct submissions are judged per minute")
        ->check(CLI::PositiveNumber);
    app.add_option("--jobs", jobs, "with --class: the number of threads")
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    if (!file_and_exercise.empty()) return judge_file(file_and_exercise[0], file_and_exercise[1]);
    if (class_size > 0) return judge_class(class_size, jobs);
    return judge_corpus(tier, sample);
}
