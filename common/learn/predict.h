/// \file
/// `learn predict`: asks the lesson's questions, and lets the learner predict a kernel's costs
/// before they are shown.
#pragma once

#include <string>
#include <vector>

#include "learn/session.h"

namespace coalesce::learn {

/// Asks the questions about costs that the learner has not answered yet. If `answers` is not empty,
/// stores these answers, in order, instead of asking. Prints the predictions and, if the exercise
/// has passed, the actual costs. Returns the exit code.
int predict(Session& session, const LearnerExercise& exercise,
            const std::vector<std::string>& answers);

/// Calls `predict` if the exercise has questions about costs. If `answers` is empty, also asks the
/// lesson's multiple-choice questions. Returns the exit code.
int ask_lesson(Session& session, const LearnerExercise& exercise,
               const std::vector<std::string>& answers);

/// Reports whether there is a question that the learner has neither answered nor declined.
bool has_open_questions(const LearnerExercise& exercise, const Record& record);
/// Asks the questions that the learner has not answered yet, and reads the answers from stdin.
/// Stores each answer immediately.
void ask_predictions(Session& session, const LearnerExercise& exercise);
/// Adds the actual costs to the guesses in `record`, if the exercise has passed. If
/// `adds_empty_guesses` is set, also adds an empty guess for each question that has none, because
/// the learner can no longer guess once the costs are shown.
void compare_guesses(Record& record, const LearnerExercise& exercise, bool adds_empty_guesses);

}  // namespace coalesce::learn
