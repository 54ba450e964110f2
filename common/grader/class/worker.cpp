#include "grader/class/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/codec.h"
#include "base/descriptor.h"
#include "grader/class/own_limits.h"
#include "grader/store/errors.h"
#include "grader/store/sha256.h"
#include "kernel/safe_text.h"

namespace coalesce::grader {

namespace {

WorkerAnswer judged(Judge& judge, const Assignment& assignment, const Task& task) {
    const Assigned* exercise = assignment.find(task.exercise);
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

std::string identity_of(const Assignment& assignment) {
    std::string all;
    for (const Assigned& exercise : assignment.exercises) {
        Secret secret = assignment.secret(exercise);
        all += digest_of(exercise) +
               hex(sha256({reinterpret_cast<char*>(secret.data()), secret.size()}));
    }
    return sha256_hex(all);
}

Result result_of_fault(const std::string& sandbox) {
    Result result;
    result.mark = Mark::fault;
    result.verdict.outcome = Verdict::Outcome::failed;
    result.verdict.failures = {
        {.kind = FailureKind::grader_fault,
         .headline = "the grader breaks down over this file, and over no other.",
         .next = "Your teacher looks at it, and decides. Is there anything unusual in the file?"}};
    result.sandbox = sandbox;
    return result;
}

int work(const Assignment& assignment, const JudgeOptions& options) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1) return exit_infrastructure;  // it ended before that line
    // What anything in here prints must not get between the answers.
    int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    Judge judge(options);
    if (!write_all(answers, identity_of(assignment) + "\n")) return exit_infrastructure;
    for (std::string line; std::getline(std::cin, line);) {
        limit_to_one_submission();
        const WorkerAnswer answer = judged(judge, assignment, codec::read<Task>(line));
        if (!write_all(answers, codec::write(answer) + "\n")) break;
    }
    return exit_done;
}

}  // namespace coalesce::grader
