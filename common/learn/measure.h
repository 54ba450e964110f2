/// \file
/// `learn measure`: measures the bandwidth of the learner's kernel on a real GPU, and verifies the
/// output.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// The arguments of `learn measure`.
struct MeasureArguments {
    std::string file = "";         ///< a file to measure instead of the exercise's own
    int rows = 8192, cols = 8192;  ///< the size of the matrix
    bool prints_json = false;
};

/// Verifies and times the kernel in this process. Returns 1 if the kernel is incorrect. Throws
/// UsageError if no GPU works.
int measure(Session& session, const LearnerExercise& exercise, const MeasureArguments& arguments,
            char** argv);

/// Runs `learn measure --json` in a child process, and returns the JSON that the process prints. If
/// nothing was measured, returns null and sets `why` to the reason. `why` stays empty if the
/// computer has no GPU and `is_required` is false.
Json measure_in_child(const LearnerExercise& exercise, const std::string& file, bool is_required,
                      std::string& why);

/// Measures the bandwidth in a child process, and returns a few lines that describe the result. The
/// child process stores the result if it is the best so far. Returns "" if the exercise has no
/// matrix, or if there is no GPU and `is_required` is false.
std::string format_bandwidth(const LearnerExercise& exercise, const std::string& file,
                             bool is_required);

}  // namespace coalesce::learn
