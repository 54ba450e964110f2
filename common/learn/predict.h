/// \file
/// `learn predict`: asks for a kernel's cost before it is shown.
#pragma once

#include <string>
#include <vector>

#include "learn/session.h"

namespace coalesce::learn {

/// Asks the open questions, or answers them in order with `answers`. Then prints the actual costs if the exercise has
/// passed. Returns the exit code. Throws UsageError.
int predict(Session& session, const Work& exercise, const std::vector<std::string>& answers);

/// Reports whether there is a question that the learner has neither answered nor declined.
bool has_open_questions(const Work& exercise, const Record& record);
/// Asks the open questions on stdin. Stores each answer at once.
void ask_predictions(Session& session, const Work& exercise);
/// Compares the guesses with the actual costs if the exercise has passed. With `all`, questions without a guess are
/// closed, because the learner now sees the costs.
void settle_predictions(Record& record, const Work& exercise, bool all);

}  // namespace coalesce::learn
