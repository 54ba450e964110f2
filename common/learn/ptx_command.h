/// \file
/// `learn ptx`: the PTX of a kernel by source line, and what a multiprocessor holds of it.
#pragma once

#include <string>

#include "learn/session.h"

namespace coalesce::learn {

/// The words of the command line.
struct PtxWords {
    std::string exercise = "";  ///< or the step
    std::string variant = "";   ///< of the lesson; "": its headline
    bool is_mine = false;       ///< of the learner's own file
    std::string file = "";      ///< of another file for the exercise
    std::string json = "";      ///< a file for all of it
    bool is_sass = false;       ///< the machine code, instead
    bool yes = false;           ///< of the lesson's kernel although the exercise has not passed
};

/// Works on the simulated GPU, in this process, which `argv` is the command line of. Returns the exit
/// code: 1 when a file does not compile, or the lesson's kernel is not to be seen yet. Throws UsageError.
int ptx(Session& session, const PtxWords& words, char** argv);

}  // namespace coalesce::learn
