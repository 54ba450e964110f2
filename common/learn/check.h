/// \file
/// `learn check`: whether a kernel is right, clean and cheap enough, and what to do if not.
#pragma once

#include <string>

#include "learn/checker.h"
#include "learn/session.h"
#include "learn/verdict_text.h"

namespace coalesce::learn {

/// The words of the command line.
struct CheckWords {
    std::string exercise;  ///< "03", "all", or "" for the one that is next
    bool is_hunt = false;
    std::string file;             ///< another file than the exercise's
    std::string device = "auto";  ///< sim, gpu, or auto: sim, and the bandwidth of a GPU that works
    int seconds = 60;
    bool json = false;
    bool through_ir = false;  ///< compiled as a page does it
};

/// Returns the exit code: 0 passed, 1 not yet, 2 when something could not be examined. Throws
/// UsageError.
int check(Session& session, const CheckWords& words);

/// What a check of the exercise's own file adds to what is known.
void note_check(Record& record, const Work& exercise, const CheckResult& result);
/// Writes that down: what a check of the exercise's own file has found.
State record_check(Session& session, const Work& exercise, const CheckResult& result);
/// What is to be said of a kernel that passed; `record` must outlive it.
PassedText more_of_pass(const Session& session, const Work& exercise, const Record& record);

}  // namespace coalesce::learn
