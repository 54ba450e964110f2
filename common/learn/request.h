/// \file
/// The request of `learn run`, which is checked as a whole before the first program starts.
#pragma once

#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::learn {

/// The shape that times are predicted for unless `--at` names another. It is the one that `learn bench` measures.
inline constexpr const char* kMeasuredAt = "32768x32768";

/// The arguments as typed; empty if not given.
struct RunWords {
    std::vector<std::string> steps;
    std::string device, rows, cols, variant, json;
    std::string time, at;  ///< the GPU and the shape to predict times for
};

/// The parsed request.
struct RunRequest {
    std::vector<const course::Step*> steps;  ///< in the course's order
    /// set if a whole program was named, and then without steps
    const course::Step* program = nullptr;
    enum class Rivals { no, on_gpu, yes } rivals = Rivals::no;  ///< run cuBLAS and others too
    std::vector<std::string> options;                           ///< options for every program
    bool needs_gpu = false;                                     ///< --device gpu
    bool is_predicted = false;                                  ///< --time
    bool only_first_variants = false;  ///< run only the first variant of each step
    std::string json;                  ///< a file to write, or empty
};

/// Parses the arguments. Throws UsageError with one clear line if they make no sense. Depends only on the arguments
/// and the course.
RunRequest understand(const RunWords& words, const course::Course& course);

}  // namespace coalesce::learn
