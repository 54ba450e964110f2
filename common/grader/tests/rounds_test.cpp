// Tests how failures are attributed to a submission or to the computer. A submission that makes the
// judge crash must not prevent results for other students, and a broken computer must not give any
// student a zero.
//
// Usage: `grader_rounds_test` runs the tests. `grader_rounds_test worker KIND` is a judging process
// that the tests start, where KIND is "good" or "broken".

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "base/codec.h"
#include "base/files.h"
#include "grader/class/rounds.h"

using namespace coalesce::grader;

namespace {

constexpr const char* identity = "the same";

// Reports whether this process can allocate 2 GB, which is twice the memory limit of a submission.
bool takes_much_memory() {
    try {
        return std::vector<char>(std::size_t{2} << 30).size() > 0;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

// Records an attempt in `file`. Reports whether the file now contains at least `wanted` attempts.
bool is_try(int wanted, const std::string& file) {
    std::ofstream(file, std::ios::app) << '.';
    return std::filesystem::file_size(file) >= static_cast<std::uintmax_t>(wanted);
}

// Acts as a judging process. The text of each submission determines what happens: "good" succeeds,
// "bad" reports a problem with the grader, "dies" ends the process, "takes much memory" allocates 2
// GB, and "unlucky FILE" kills the process in the first five attempts and then succeeds.
int work(const std::string& kind) {
    std::cout << identity << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string source = coalesce::codec::Json::parse(line).at("source");
        limit_to_one_submission();
        if (source == "dies") _exit(9);
        if (source.starts_with("unlucky ") && !is_try(6, source.substr(8))) raise(SIGKILL);
        const bool is_too_much = source == "takes much memory" && !takes_much_memory();
        const bool is_good = kind == "good" && source != "bad" && !is_too_much;
        const coalesce::codec::Json answer = {{"is_judged", is_good},
                                              {"text", is_good ? source : "something is wrong"}};
        std::cout << answer.dump() << std::endl;
    }
    return 0;
}

// The tasks that were judged, the tasks that were abandoned, and the number of faults per task.
struct TaskEnds {
    std::set<std::size_t> judged, given_up;
    std::map<std::size_t, int> faults;
    JudgingOutcome outcome;
};

TaskEnds ends_of(const std::vector<std::string>& sources, const std::string& kind) {
    std::vector<Task> tasks;
    for (const std::string& source : sources) tasks.push_back({"03_tiled", source});
    TaskEnds ends;
    const auto told = [&](std::size_t task, TaskEnd end, const std::string&) {
        if (end == TaskEnd::judged) ends.judged.insert(task);
        if (end == TaskEnd::failed) ++ends.faults[task];
        if (end == TaskEnd::given_up) ends.given_up.insert(task);
    };
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    ends.outcome = judge_with_retries(tasks,
                                      {.worker_command = {program, "worker", kind},
                                       .identity = identity,
                                       .jobs = 2,
                                       .is_quiet = true,
                                       .solution = [](const std::string&) { return "solution"; }},
                                      told);
    return ends;
}

}  // namespace

TEST_CASE("a submission that makes the judge fail does not affect other results") {
    for (const char* hostile : {"bad", "dies", "takes much memory"}) {
        const TaskEnds ends = ends_of({"one", hostile, "two", "three"}, "good");
        CHECK(ends.judged == std::set<std::size_t>{0, 2, 3});
        CHECK(ends.given_up == std::set<std::size_t>{1});
        CHECK(ends.faults.at(1) == 6);
        CHECK(ends.outcome.judged_count == 3);
    }
}

TEST_CASE("a submission is judged even if its judge has been killed five times") {
    const coalesce::TemporaryFolder folder;
    const TaskEnds ends = ends_of({"one", "unlucky " + (folder / "tries").string()}, "good");
    CHECK(ends.judged == std::set<std::size_t>{0, 1});
    CHECK(ends.given_up.empty());
    CHECK(ends.faults.at(1) == 5);
}

TEST_CASE("ten consecutive submissions that make the judge fail do not affect other results") {
    std::vector<std::string> sources(10, "bad");
    sources.insert(sources.end(), {"one", "two"});
    const TaskEnds ends = ends_of(sources, "good");
    CHECK(ends.judged == std::set<std::size_t>{10, 11});
    CHECK(ends.given_up.size() == 10);
}

TEST_CASE("a broken computer never gives a student a zero") {
    for (const std::size_t count : {1, 20}) {
        const TaskEnds ends = ends_of(std::vector<std::string>(count, "one"), "broken");
        CHECK(ends.judged.empty());
        CHECK(ends.given_up.empty());
        CHECK(ends.outcome.last_fault == "something is wrong");
        // The grader recognizes a broken computer after a few failures, so it does not even try
        // most tasks.
        CHECK(ends.faults.size() <= 8);
    }
}

int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "worker") return work(argv[2]);
    return doctest::Context(argc, argv).run();
}
