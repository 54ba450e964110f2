/// \file
/// `learn measure`: the bandwidth of the learner's kernel on a real GPU, verified in the same run.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// The words of the command line.
struct MeasureWords {
    std::string file = "";         ///< another file than the exercise's
    int rows = 8192, cols = 8192;  ///< of the matrix
    bool json = false;
};

/// Verifies and times the kernel in this process, which `argv` is the command line of. Returns the
/// exit code: 1 when the kernel is wrong, 2 when there is no GPU that works. Throws.
int measure(Session& session, const Work& exercise, const MeasureWords& words, char** argv);

/// The same in a process of its own: what `measure --json` prints. Null where nothing was measured; then
/// `why` says so, unless there is no GPU and none `must` be there.
Json measured_apart(const Work& exercise, const std::string& file, bool must, std::string& why);

/// The same for people: a few lines about the bandwidth, which is kept when it is the
/// best. "" where there is no GPU, unless one `must` be there.
std::string bandwidth_text(const Work& exercise, const std::string& file, bool must);

}  // namespace coalesce::learn
