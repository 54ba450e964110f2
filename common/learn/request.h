/// \file
/// What `learn run` is asked for: checked as a whole before the first program starts.
#pragma once

#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::learn {

/// The shape for which times are predicted unless `--at` names another: the one at which `learn bench` measures.
inline constexpr const char* kMeasuredAt = "32768x32768";

/// The words of the command line, as they were typed. Empty: not given.
struct RunWords {
    std::vector<std::string> steps;
    std::string device, rows, cols, variant, json;
    std::string time, at;  ///< the GPU whose times are predicted, and for which shape
};

/// What they mean.
struct RunRequest {
    std::vector<const course::Step*> steps;                     ///< in the course's order
    const course::Step* program = nullptr;                      ///< this alone, and no step
    enum class Rivals { no, on_gpu, yes } rivals = Rivals::no;  ///< cuBLAS and the others, after
    std::vector<std::string> options;                           ///< for every program
    bool needs_gpu = false;                                     ///< --device gpu
    bool is_predicted = false;                                  ///< --time
    bool only_first_variants = false;                           ///< of each step
    std::string json;                                           ///< a file, or empty
};

/// Throws UsageError with one clear line when something cannot be meant. Looks at nothing but the
/// words and the course.
RunRequest understand(const RunWords& words, const course::Course& course);

}  // namespace coalesce::learn
