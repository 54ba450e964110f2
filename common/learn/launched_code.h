/// \file
/// The PTX of a lesson's variant or of a learner's file, and how its kernels are launched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/failure.h"
#include "learn/session.h"
#include "timing/prediction.h"

namespace coalesce::learn {

/// A kernel of it.
struct LaunchedKernel {
    std::string entry;                         ///< as the PTX calls it
    int line = 0;                              ///< of its head in the source; 0: not found
    std::optional<timing::Prediction> launch;  ///< nothing where it could not be launched
};

/// PTX, and the text that it was made of.
struct LaunchedCode {
    std::string what;                     ///< "10_registers, variant registers_128"
    std::string file;                     ///< as messages name it
    std::string source;                   ///< its text
    std::string path_in_ptx;              ///< how the PTX names it: the end of that
    std::string ptx;                      ///< of the whole file
    std::string compiler;                 ///< "nvcc 13.0.88"
    std::vector<LaunchedKernel> kernels;  ///< in the order of their first launches
    std::string why_not_launched;         ///< where a kernel has no launch
    Failure failure;                      ///< why there is no PTX: of a learner's file alone
};

/// Of a variant, "" for the headline: compiled as the course's build compiles the lesson, and launched
/// by the lesson's program on the simulated GPU. Throws UsageError, and std::runtime_error when the lesson
/// does not compile.
LaunchedCode code_of_variant(const course::Step& step, const std::string& variant);

/// Of a file for an exercise; "" for the exercise's own. The simulated GPU must be chosen.
LaunchedCode code_of_file(const Work& exercise, const std::string& file);

}  // namespace coalesce::learn
