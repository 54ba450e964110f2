/// \file
/// `learn predict`: asks the lesson's questions, and lets the learner predict a kernel's costs
/// before they are shown.
#pragma once

#include <string>
#include <vector>

#include "learn/session.h"

namespace coalesce::learn {

/// Asks the open questions, or stores `answers` in order. If the exercise has passed, also prints
/// the actual costs.
int predict(Session& session, const LearnerExercise& exercise,
            const std::vector<std::string>& answers);

/// Asks the open questions as `predict` does. Without `answers`, also asks the lesson's
/// multiple-choice questions.
int ask_lesson(Session& session, const LearnerExercise& exercise,
               const std::vector<std::string>& answers);

/// Reports whether there is a question that the learner has neither answered nor declined.
bool has_open_questions(const LearnerExercise& exercise, const Record& record);
/// Asks the open questions and reads the answers from stdin. Stores each answer immediately.
void ask_predictions(Session& session, const LearnerExercise& exercise);
/// Compares the guesses with the actual costs if the exercise has passed. If `all` is set, closes
/// the questions without a guess, because the learner is about to see the costs.
void compare_guesses(Record& record, const LearnerExercise& exercise, bool all);

}  // namespace coalesce::learn
