// judge_corpus judges the corpus in one sandbox tier, or measures how many submissions per minute
// the grader judges.
//
//     judge_corpus [--tier A|B] [--every N] [--only WORD]
//         Judges every Nth case, and only files whose names start with WORD. Exit code: 0 if all
//         verdicts are correct, 1 if not, 77 if the tier does not work here.
//     judge_corpus --file FILE EXERCISE
//         Judges one submission and prints the result as JSON.
//     judge_corpus --class N [--jobs J]
//         Judges N different correct submissions without any cache.

#include <chrono>
#include <cstdio>
#include <cstdlib>
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

int judge_corpus(const std::string& tier, int every, const std::string& only) {
    JudgeOptions options;
    if (tier == "A") options.tier = Tier::namespaces;
    if (tier == "B") options.tier = Tier::landlock;
    const int status = self_test(std::cout, options, every, only);
    return status == 2 ? 77 : status;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto after = [&](const std::string& option, const std::string& otherwise) {
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            if (words[i] == option) return words[i + 1];
        }
        return otherwise;
    };
    if (words.size() == 3 && words[0] == "--file") return judge_file(words[1], words[2]);
    if (const int count = std::atoi(after("--class", "0").c_str()); count > 0) {
        return judge_class(count, std::max(1, std::atoi(after("--jobs", "2").c_str())));
    }
    return judge_corpus(after("--tier", ""), std::max(1, std::atoi(after("--every", "1").c_str())),
                        after("--only", ""));
}
