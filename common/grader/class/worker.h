/// \file
/// Judging in processes of their own: whatever happens to one, the store's only writer goes on.
///
/// Each worker is this same program, started with the assignment's folder. It reads submissions from
/// its standard input and writes results to its standard output, one after the other, each as a line of
/// JSON. It ends when its input does, or when the process that started it ends in whatever way.
#pragma once

#include <string>

#include "base/codec.h"
#include "grader/class/manifest.h"

namespace coalesce::grader {

/// Something to judge.
struct Task {
    std::string exercise;  ///< "03_tiled"
    std::string source;    ///< the bytes of the file
};

/// What came of it.
struct WorkerAnswer {
    bool is_judged = false;  ///< else a fault of ours
    std::string text;        ///< the result as JSON, or what went wrong
};

void describe(auto& codec, Task& task) {
    codec::AnyBytes source{task.source};
    fields(codec, "exercise", task.exercise, "source", source);
}

void describe(auto& codec, WorkerAnswer& answer) {
    fields(codec, "is_judged", answer.is_judged, "text", answer.text);
}

/// The life of a worker. `digests` tells whoever started it what this process understood by the
/// assignment; it goes out first.
int work(const Assignment& assignment, const JudgeOptions& options);

/// What the judging process itself may use from here on: what a student wrote is read in it too, and makes pictures
/// and matrices. Jails have limits of their own. To be called before each submission. Who computes for too long is
/// ended by the kernel, who takes too much memory gets std::bad_alloc: faults like others, of one submission.
void limit_to_one_submission();

/// What is told of a submission over which the judge breaks down, and over nothing else.
Result result_of_fault(const std::string& sandbox);

/// What a worker says first, and what is expected of it.
std::string identity_of(const Assignment& assignment);

}  // namespace coalesce::grader
