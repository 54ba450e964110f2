/// \file
/// A verdict for the learner's eyes: what is wrong, where, what it looks like, what to do next.
#pragma once

#include <string>

#include "learn/checker.h"
#include "learn/state.h"
#include "learn/terminal.h"

namespace coalesce::learn {

/// What else is shown of a kernel that passed.
struct PassedText {
    const Record* record = nullptr;  ///< with the guesses, which are compared with the facts
    bool counters = true;            ///< show them; else say how to get to see them
    std::vector<Work> next = {};     ///< its hunt, if there is one, and the exercise behind it
};

/// "passed", "not yet", "could not be examined"
std::string words_for(CheckResult::Outcome outcome, const Style& style);
/// The first line: "03_tiled: not yet", with where it was found out.
std::string headline_of(const Work& exercise, const CheckResult& result, const Style& style);

/// All of it, in lines of at most 80 columns; source lines may be longer.
std::string text_of_failure(const Work& exercise, const CheckResult& result, const Style& style);
std::string text_of_pass(const Work& exercise, const CheckResult& result, const PassedText& more,
                         const Style& style);

/// The command that repeats the check: "./learn check 03 --file x.cu".
std::string command_for(const Work& exercise, const CheckResult& result);

}  // namespace coalesce::learn
