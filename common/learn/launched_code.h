/// \file
/// The PTX of a lesson's variant or of a learner's file, and the launches of its kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/failure.h"
#include "learn/session.h"
#include "timing/prediction.h"

namespace coalesce::learn {

/// A kernel in the PTX, and its launch.
struct LaunchedKernel {
    std::string entry;  ///< the kernel's name in the PTX
    int line = 0;       ///< line of the source on which the kernel begins; 0 if unknown
    std::optional<timing::Prediction> launch;  ///< the recorded launch, if there is one
};

/// PTX, and the source from which it was compiled.
struct LaunchedCode {
    std::string heading;      ///< name in headings: "10_registers, variant registers_128"
    std::string file;         ///< the file's name in messages
    std::string source;       ///< text of the file
    std::string path_in_ptx;  ///< the end of the source's path, as the PTX spells it
    std::string ptx;          ///< PTX of the whole file
    std::string compiler;     ///< such as "nvcc 13.0.88"
    std::vector<LaunchedKernel> kernels;  ///< the kernels, in the order of their first launches
    /// the reason why a kernel has no launch; "" if every kernel has one
    std::string why_not_launched;
    /// the reason why a learner's file has no PTX; its kind is `none` if there is PTX
    Failure failure;
};

/// Compiles a variant as the course's build does, and launches the variant on the simulated GPU. An
/// empty `variant` means the main variant.
LaunchedCode load_variant_code(const course::Step& step, const std::string& variant);

/// Compiles a file for an exercise, and launches its kernel on the simulated GPU, which the caller
/// must have selected. An empty `file` means the exercise's own file.
LaunchedCode load_file_code(const LearnerExercise& exercise, const std::string& file);

}  // namespace coalesce::learn
