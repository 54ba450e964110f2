/// \file
/// Formats a verdict for the learner: what is wrong, where, what it looks like, and what to do next.
#pragma once

#include <string>

#include "learn/checker.h"
#include "learn/state.h"
#include "learn/terminal.h"

namespace coalesce::learn {

/// What to print in addition about a kernel that passed.
struct PassedText {
    const Record* record = nullptr;  ///< has the guesses to compare with the costs
    bool counters = true;            ///< print the costs; otherwise print how to see them
    std::vector<Work> next = {};     ///< its bug hunt, if it has one, and the next exercise
};

/// Returns "passed", "not yet" or "could not be examined".
std::string words_for(CheckResult::Outcome outcome, const Style& style);
/// Returns the first line, such as "03_tiled: not yet", with the device and the time.
std::string headline_of(const Work& exercise, const CheckResult& result, const Style& style);

/// Formats the whole verdict in lines of at most 80 columns. Source lines may be longer.
std::string text_of_failure(const Work& exercise, const CheckResult& result, const Style& style);
std::string text_of_pass(const Work& exercise, const CheckResult& result, const PassedText& more,
                         const Style& style);

/// Returns the command that repeats the check: "./learn check 03 --file x.cu".
std::string command_for(const Work& exercise, const CheckResult& result);

}  // namespace coalesce::learn
