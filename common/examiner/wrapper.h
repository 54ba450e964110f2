// Adds generated lines before and after the text of a learner's file.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// The dialects of CUDA C++ that compilers accept.
enum class Dialect {
    nvidia,     ///< accepted by NVRTC and nvcc, which define threadIdx, dim3 and the vector types
    bare_clang  ///< accepted by clang with the project's headers instead of the toolkit's
};

/// The name of the learner's file in compiler messages and in the PTX.
constexpr const char* kLearnerFile = "/learner/kernel.cu";

/// Returns the text of exercises/exercise.h, which CMake embeds.
const char* exercise_header();

/// Returns the learner's text without a byte order mark and without `#include "exercise.h"`, in
/// valid UTF-8. Lines and columns stay the same.
std::string learner_text(const std::string& text);

/// Returns the learner's text with generated lines before and after it. #line directives keep the
/// line numbers of the learner's text unchanged. `#include "exercise.h"` is replaced with spaces,
/// because the generated lines already contain that header. `sizes` contains the names of the
/// arguments of `configure`.
std::string wrap_source(const std::string& text, Dialect dialect,
                        const std::vector<std::string>& sizes = {"rows", "cols"});

/// The kinds of places that a compiler message can refer to.
enum class PlaceKind {
    learner_file,  ///< in the learner's file
    configure,     ///< the generated line that calls `configure`
    ours           ///< another generated line
};

/// Determines whether a compiler message refers to the learner's file, to the generated call of
/// `configure`, or to another generated line.
PlaceKind classify_place(const std::string& file, int line);

}  // namespace coalesce
