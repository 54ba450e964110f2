/// \file
/// Judging in processes of their own: whatever happens to one, the store's only writer goes on.
///
/// Each worker is this same program, started with the assignment's folder. It reads submissions from
/// its standard input and writes results to its standard output, one after the other, each as a line of
/// JSON. It ends when its input does, or when the process that started it ends in whatever way.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

/// The life of a worker. `digests` tells whoever started it what this process understood by the
/// assignment; it goes out first.
int work(const Assignment& assignment, const JudgeOptions& options);

/// What is told of a submission over which the judge breaks down, and over nothing else.
Result result_of_fault(const std::string& sandbox);

/// What a worker says first, and what is expected of it.
std::string identity_of(const Assignment& assignment);

/// Some workers.
class Workers {
public:
    /// They are started by `command`, when there is something to do.
    Workers(std::vector<std::string> command, std::string identity, int count);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Judges `tasks`, in any order; `done` gets the number of each with its outcome, and returns
    /// whether to go on. `waiting` is called several times per second.
    void judge(const std::vector<Task>& tasks,
               const std::function<bool(std::size_t task, const WorkerAnswer&)>& done,
               const std::function<void()>& waiting);

private:
    struct Worker;

    void start(Worker& worker);
    void give(Worker& worker, const Task& task, std::size_t number);
    void stop(Worker& worker);
    void listen(int milliseconds);
    bool take(Worker& worker, WorkerAnswer& outcome);

    std::vector<std::string> command_;
    std::string expected_identity_;
    std::vector<Worker> workers_;
};

}  // namespace coalesce::grader
