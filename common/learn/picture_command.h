/// \file
/// `learn picture`: what one warp of the learner's kernel touches.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// The words of the command line.
struct PictureWords {
    Work exercise;
    std::string file = "";          ///< another file than the exercise's
    std::string svg = "";           ///< a file for a drawing; "": text on stdout
    int rows = 256, cols = 256;     ///< of the matrix
    long long block = 0, warp = 0;  ///< which warp
};

/// Runs the kernel on the simulated GPU in this process, which `argv` is the command line of. Returns
/// the exit code: 1 when the kernel cannot be run. Throws UsageError.
int picture(const PictureWords& words, char** argv);

}  // namespace coalesce::learn
