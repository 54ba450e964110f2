/// \file
/// Judges submissions in child processes, so that a crash does not end the process that writes the
/// store.
///
/// A worker is another process of this program, started with the assignment's folder. It reads
/// submissions from stdin, and writes the result of each to stdout as a line of JSON. It exits at
/// the end of stdin, or when its parent process exits.
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

struct WorkerAnswer {
    bool is_judged = false;  ///< whether there is a result; false if the grader failed
    std::string text;        ///< the result as JSON, or a description of why the grader failed
};

void describe(auto& codec, Task& task) {
    codec::BinaryString source{task.source};
    fields(codec, "exercise", task.exercise, "source", source);
}

void describe(auto& codec, WorkerAnswer& answer) {
    fields(codec, "is_judged", answer.is_judged, "text", answer.text);
}

/// Runs a worker. Its first line of output is `assignment_identity(assignment)`. The parent process
/// compares this line with its own value, to verify that both processes have read the same
/// assignment. Returns the exit code.
int run_worker(const Assignment& assignment, const JudgeOptions& options);

/// Limits the processor time and the memory that this process may use to judge the next submission.
/// Must be called before each submission.
///
/// The sandbox has its own limits, but this process parses the student's file. Exceeding the time
/// limit ends the process, and exceeding the memory limit throws std::bad_alloc. Both are reported
/// as problems of the submission.
void limit_to_one_submission();

/// Returns the result for a submission that crashes the judge, although other submissions do not.
Result make_fault_result(const std::string& sandbox);

/// Returns a digest of the assignment. A parent process and its workers compare their digests, to
/// verify that they have read the same assignment.
std::string assignment_identity(const Assignment& assignment);

}  // namespace coalesce::grader
