/// \file
/// Formats a verdict for the learner. The text says what is wrong, where it is, and what to do
/// next.
#pragma once

#include <string>

#include "learn/checker.h"
#include "learn/state.h"
#include "learn/terminal.h"

namespace coalesce::learn {

/// Additional text about a kernel that passed.
struct PassedText {
    const Record* record = nullptr;  ///< the record whose guesses are compared with the costs
    /// whether to print the costs, rather than the command that shows them
    bool counters = true;
    std::vector<LearnerExercise> next =
        {};  ///< the exercises to suggest: the bug hunt, if any, and the next one
};

/// Returns the wording for an outcome: "passed", "not yet" or "could not be examined".
std::string describe_outcome(CheckResult::Outcome outcome, const Style& style);
/// Returns the first line of a verdict, such as "03_tiled: not yet", with the device and the time.
std::string check_headline(const LearnerExercise& exercise, const CheckResult& result,
                           const Style& style);

/// The number of lines that a verdict may have on a screen of 24 lines. Two lines remain for the
/// command and the next prompt.
inline constexpr int kVerdictLines = 22;

/// The message that `learn check` prints while it searches for a change that makes a failed kernel
/// pass.
inline constexpr const char* kSearchMessage = "looking for the change that makes it pass ...";

/// Formats the verdict on a kernel that did not pass, in lines of at most 80 columns. If there is
/// no verdict, formats the reason why the kernel could not be examined. Source lines may be longer.
/// `style.lines` limits the height of the map of cells, unless `has_full_map` is set.
std::string format_failure(const LearnerExercise& exercise, const CheckResult& result,
                           const Style& style, bool has_full_map = false);
std::string format_pass_or_prompt(const LearnerExercise& exercise, const CheckResult& result,
                                  const PassedText& passed_text, const Style& style);

/// Returns the command that repeats the check, such as "./learn check 03 --file x.cu".
std::string check_command_for(const LearnerExercise& exercise, const CheckResult& result);

}  // namespace coalesce::learn
