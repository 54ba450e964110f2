/// \file
/// `learn measure`: measures the bandwidth of the learner's kernel on a real GPU, and verifies its output in the same
/// run.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// The arguments of the command line.
struct MeasureWords {
    std::string file = "";         ///< a file to measure instead of the exercise's
    int rows = 8192, cols = 8192;  ///< the size of the matrix
    bool json = false;
};

/// Verifies and times the kernel in this process. `argv` is this process's command line. Returns the exit code, 1 if
/// the kernel is wrong and 2 if no GPU works. Throws.
int measure(Session& session, const Work& exercise, const MeasureWords& words, char** argv);

/// Runs `measure --json` in a child process and returns its output. Returns null if nothing was measured, and sets
/// `why`, except when the computer has no GPU and the caller does not require one (`must`).
Json measured_apart(const Work& exercise, const std::string& file, bool must, std::string& why);

/// Measures in a child process and returns a few lines about the bandwidth. Stores the result if it is the best so
/// far. Returns "" if there is no GPU, unless `must`.
std::string bandwidth_text(const Work& exercise, const std::string& file, bool must);

}  // namespace coalesce::learn
