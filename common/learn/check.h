/// \file
/// `learn check`: examines a kernel, and prints whether it is right, clean and cheap enough, and what to do if it is
/// not.
#pragma once

#include <string>

#include "learn/checker.h"
#include "learn/session.h"
#include "learn/verdict_text.h"

namespace coalesce::learn {

/// The arguments of the command line.
struct CheckWords {
    std::string exercise;  ///< "03", "all", or "" for the next exercise
    bool is_hunt = false;
    std::string file;  ///< a file to check instead of the exercise's
    /// "sim", "gpu", or "auto": sim, then the bandwidth on a GPU that works
    std::string device = "auto";
    int seconds = 60;
    bool json = false;
    bool through_ir = false;  ///< compile through LLVM IR, as the pages of the book do
};

/// Runs the command. Returns the exit code: 0 passed, 1 not yet, 2 something could not be examined. Throws
/// UsageError.
int check(Session& session, const CheckWords& words);

/// Updates `record` with the result of a check of the exercise's own file.
void note_check(Record& record, const Work& exercise, const CheckResult& result);
/// Stores the result of a check of the exercise's own file, and returns the new state.
State record_check(Session& session, const Work& exercise, const CheckResult& result);
/// Collects what to print about a kernel that passed. The result points to `record`, which must outlive it.
PassedText more_of_pass(const Session& session, const Work& exercise, const Record& record);

}  // namespace coalesce::learn
