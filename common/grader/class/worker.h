/// \file
/// Judges in child processes, so that a crash does not end the process that writes the store.
///
/// A worker is this program, started with the assignment's folder. It reads submissions from its
/// standard input, and writes the result of each as a line of JSON to its standard output. It ends
/// when its input ends or when its parent process ends.
#pragma once

#include <string>

#include "base/codec.h"
#include "grader/class/manifest.h"

namespace coalesce::grader {

/// A submission to judge.
struct Task {
    std::string exercise;  ///< such as "03_tiled"
    std::string source;    ///< the bytes of the file
};

/// The answer of a worker.
struct WorkerAnswer {
    bool is_judged = false;  ///< whether there is a result; false if the grader failed
    std::string text;        ///< the result as JSON, or the grader's problem
};

void describe(auto& codec, Task& task) {
    codec::BinaryString source{task.source};
    fields(codec, "exercise", task.exercise, "source", source);
}

void describe(auto& codec, WorkerAnswer& answer) {
    fields(codec, "is_judged", answer.is_judged, "text", answer.text);
}

/// Runs a worker. The first line that it prints is `identity_of(assignment)`, by which the parent
/// checks that both have read the same assignment.
int run_worker(const Assignment& assignment, const JudgeOptions& options);

/// Limits the processor time and memory of this process for the next submission. Call this before
/// each submission. In this process, the judge parses the student's file and builds pictures and
/// matrices from it; sandboxes have limits of their own. A submission that exceeds the time limit
/// ends the process, and one that exceeds the memory limit causes std::bad_alloc. Both count as
/// problems of the submission.
void limit_to_one_submission();

/// Returns the result of a submission that makes the judge crash although other submissions do not.
Result make_fault_result(const std::string& sandbox);

/// Returns a digest of the assignment. A worker prints it as its first line, and the parent
/// compares it with its own.
std::string identity_of(const Assignment& assignment);

}  // namespace coalesce::grader
