#include "grader/class/worker.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>

#include "base/child.h"
#include "base/codec.h"
#include "base/descriptor.h"
#include "examiner/safe_text.h"
#include "grader/store/errors.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {

namespace {

// The maximum processor time, in seconds, that a worker may use for one submission. Judging takes
// far less than a second.
constexpr rlim_t kMaxProcessorSeconds = 20;
// The maximum address space, in bytes, that a submission may use in addition to what the worker
// used before its first submission.
constexpr rlim_t kMaxMemoryBytes = rlim_t{1} << 30;

// Sets only the soft limit, because a sandbox must be able to raise its limit before it starts.
void set_soft_limit(__rlimit_resource resource, rlim_t max_value) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) return;
    limit.rlim_cur = std::min(limit.rlim_max, max_value);
    setrlimit(resource, &limit);
}

rlim_t address_space_in_use() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

WorkerAnswer judge_task(Judge& judge, const Assignment& assignment, const Task& task) {
    const AssignedExercise* exercise = assignment.find(task.exercise);
    if (exercise == nullptr) return {false, "there is no exercise " + task.exercise};
    try {
        Result result = judge.judge(task.source, *exercise, assignment.secret(*exercise));
        const bool is_judged = result.mark != Mark::system;
        return {is_judged, is_judged ? to_json(result) : result.problem};
    } catch (const std::exception& error) {
        return {false, error.what()};
    }
}

}  // namespace

void limit_to_one_submission() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = static_cast<rlim_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    set_soft_limit(RLIMIT_CPU, seconds + 1 + kMaxProcessorSeconds);
    static const rlim_t initial_address_space = address_space_in_use();
    if (initial_address_space > 0)
        set_soft_limit(RLIMIT_AS, initial_address_space + kMaxMemoryBytes);
}

std::string assignment_identity(const Assignment& assignment) {
    std::string digests;
    for (const AssignedExercise& exercise : assignment.exercises) {
        Secret secret = assignment.secret(exercise);
        digests += requirements_digest(exercise) +
                   hex(sha256({reinterpret_cast<char*>(secret.data()), secret.size()}));
    }
    return sha256_hex(digests);
}

Result make_fault_result(const std::string& sandbox) {
    return result_of_failure(
        Mark::fault,
        {.kind = FailureKind::grader_fault,
         .headline = "the grader crashes on this file, and only on this one.",
         .advice =
             "Your teacher will look at it and decide. Does the file contain anything unusual?"},
        sandbox);
}

int run_worker(const Assignment& assignment, const JudgeOptions& options) {
    end_with_parent();
    if (getppid() == 1) return exit_infrastructure;  // the parent ended before the call above
    // Write answers to a duplicate of stdout, so that other code that prints to stdout cannot
    // corrupt them.
    int answer_descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    Judge judge(options);
    if (!write_all(answer_descriptor, assignment_identity(assignment) + "\n"))
        return exit_infrastructure;
    for (std::string line; std::getline(std::cin, line);) {
        limit_to_one_submission();
        const WorkerAnswer answer = judge_task(judge, assignment, codec::read<Task>(line));
        if (!write_all(answer_descriptor, codec::write(answer) + "\n")) break;
    }
    return exit_done;
}

}  // namespace coalesce::grader
