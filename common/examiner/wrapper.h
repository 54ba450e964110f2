// Adds lines of our own before and after a learner's file.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

/// The dialects of CUDA C++ that compilers accept.
enum class Dialect {
    nvidia,     ///< for NVRTC and nvcc, which have threadIdx, dim3 and the vector types built in
    bare_clang  ///< for clang with the project's headers instead of the toolkit's
};

/// The name of the learner's file in compiler messages and in the PTX.
constexpr const char* kLearnerFile = "/learner/kernel.cu";

/// Returns the text of exercises/exercise.h, which CMake embeds.
const char* exercise_header();

/// Returns the learner's text surrounded by lines of our own, which #line directives hide.
/// `#include "exercise.h"` is replaced with spaces, because the lines before the text already
/// contain that header. `sizes` are the arguments that `configure` gets.
std::string wrap_source(const std::string& text, Dialect dialect,
                        const std::vector<std::string>& sizes = {"rows", "cols"});

/// The kinds of places that a compiler message can refer to.
enum class PlaceKind {
    learner_file,  ///< in the learner's file
    configure,     ///< our line that calls `configure`
    ours           ///< another of our lines
};

/// Determines whether a file and line in a compiler message belong to the learner's file, to our
/// call of `configure`, or to other lines of ours.
PlaceKind kind_of_place(const std::string& file, int line);

}  // namespace coalesce
