// The lines of our own around a learner's file.
#pragma once

#include <string>

namespace coalesce {

/// Which dialect of CUDA C++ a compiler speaks.
enum class Dialect {
    nvidia,     ///< NVRTC and nvcc know threadIdx, dim3 and the vector types
    bare_clang  ///< clang, with the project's headers in place of the toolkit's
};

/// The name that the learner's file has for compilers, in their messages and in the PTX.
constexpr const char* kLearnersFile = "/learner/kernel.cu";

/// The text of exercises/exercise.h, which CMake embeds.
const char* exercise_header();

/// The learner's text with our lines in front and behind, hidden behind #line. `#include "exercise.h"` becomes blanks,
/// since the header is among the lines in front.
std::string wrapped(const std::string& text, Dialect dialect);

/// A place that a compiler names.
enum class PlaceKind {
    learners,   ///< in the learner's file
    configure,  ///< where our lines call `configure`
    ours        ///< elsewhere in our lines
};

/// What that file and line are.
PlaceKind kind_of_place(const std::string& file, int line);

}  // namespace coalesce
