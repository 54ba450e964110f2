/// \file
/// `learn predict`: what a kernel will cost, said before it is shown.
#pragma once

#include <string>
#include <vector>

#include "learn/session.h"

namespace coalesce::learn {

/// Asks for what has not been asked yet, or takes `answers` in that order; then shows the facts, if
/// the exercise has passed. Returns the exit code. Throws UsageError.
int predict(Session& session, const Work& exercise, const std::vector<std::string>& answers);

/// Whether there is a prediction that the learner has neither made nor declined.
bool has_open_questions(const Work& exercise, const Record& record);
/// Asks for those, on stdin; each answer is kept at once.
void ask_predictions(Session& session, const Work& exercise);
/// Holds the guesses against the facts, if the exercise has passed. With `all`, what was not guessed
/// counts as seen: it cannot be guessed any more.
void settle_predictions(Record& record, const Work& exercise, bool all);

}  // namespace coalesce::learn
