/// \file
/// Judges in child processes, so that a crash does not end the process that writes the store.
///
/// Each worker is this program, started with the assignment's folder. It reads submissions from its standard input,
/// and writes a line of JSON with the result of each to its standard output. It ends at the end of its input, or when
/// the process that started it ends in any way.
#pragma once

#include <string>

#include "base/codec.h"
#include "grader/class/manifest.h"

namespace coalesce::grader {

/// A submission to judge.
struct Task {
    std::string exercise;  ///< "03_tiled"
    std::string source;    ///< the bytes of the file
};

/// The answer of a worker.
struct WorkerAnswer {
    bool is_judged = false;  ///< false: the grader has a problem
    std::string text;        ///< the result as JSON, or the problem
};

void describe(auto& codec, Task& task) {
    codec::AnyBytes source{task.source};
    fields(codec, "exercise", task.exercise, "source", source);
}

void describe(auto& codec, WorkerAnswer& answer) {
    fields(codec, "is_judged", answer.is_judged, "text", answer.text);
}

/// Runs a worker. It first writes its `digests`, which tell the parent how this process read the assignment.
int work(const Assignment& assignment, const JudgeOptions& options);

/// Limits the processor time and memory that the judging process may use for the next submission, because it parses
/// what the student wrote and makes pictures and matrices of it. Jails have their own limits. Must be called before
/// each submission. Too much computing ends the process; too much memory throws std::bad_alloc. Both count as
/// problems of this submission.
void limit_to_one_submission();

/// Returns the result of a submission on which the judge crashes although it can judge others.
Result result_of_fault(const std::string& sandbox);

/// Returns the first line of a worker, which its parent compares.
std::string identity_of(const Assignment& assignment);

}  // namespace coalesce::grader
