// Adds lines of our own before and after a learner's file.
#pragma once

#include <string>

namespace coalesce {

/// The dialects of CUDA C++ that compilers accept.
enum class Dialect {
    nvidia,     ///< for NVRTC and nvcc, which know threadIdx, dim3 and the vector types
    bare_clang  ///< for clang with the project's headers instead of the toolkit's
};

/// The name of the learner's file in compilers' messages and in the PTX.
constexpr const char* kLearnersFile = "/learner/kernel.cu";

/// Returns the text of exercises/exercise.h, which CMake embeds.
const char* exercise_header();

/// Returns the learner's text between lines of our own, which #line directives hide. Blanks replace
/// `#include "exercise.h"`, because the lines before the text already contain that header.
std::string wrapped(const std::string& text, Dialect dialect);

/// The kinds of files and lines to which a compiler's message can refer.
enum class PlaceKind {
    learners,   ///< in the learner's file
    configure,  ///< our line that calls `configure`
    ours        ///< another of our lines
};

/// Finds out whether a file and line in a compiler's message belong to the learner's file, to our
/// call of `configure`, or to other lines of ours.
PlaceKind kind_of_place(const std::string& file, int line);

}  // namespace coalesce
