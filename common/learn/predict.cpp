#include "learn/predict.h"

#include <charconv>
#include <cmath>
#include <iostream>
#include <optional>

#include "base/errors.h"
#include "examiner/course/questions.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "learn/paths.h"
#include "learn/terminal.h"

namespace coalesce::learn {
namespace {

constexpr double kMaxAnswer = 1e6;

std::optional<double> parse_number(const std::string& word) {
    double value = 0;
    const char* end = word.data() + word.size();
    auto [stopped, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return std::isfinite(value) && value >= 0 && value <= kMaxAnswer ? std::optional(value)
                                                                     : std::nullopt;
}

// Returns the unanswered questions, in the order of the exercise's record.
std::vector<const Prediction*> find_open_questions(const LearnerExercise& exercise,
                                                   const Record& record) {
    std::vector<const Prediction*> open_questions;
    if (exercise.is_hunt) return open_questions;
    for (auto& prediction : exercise.requirements().predictions) {
        if (record.guess(prediction.counter) == nullptr) open_questions.push_back(&prediction);
    }
    return open_questions;
}

void store_answer(Session& session, const LearnerExercise& exercise, const Prediction& prediction,
                  std::optional<double> answer) {
    session.progress.update([&](State& state) {
        Record& record = state.records[exercise.name()];
        if (record.guess(prediction.counter) != nullptr) return;
        record.guesses.push_back({prediction.counter, answer, {}, prediction.tolerance, ""});
    });
}

// Repeats a question until the answer is empty or a number. Returns false at the end of the input.
bool ask_question(Session& session, const LearnerExercise& exercise, const Prediction& prediction) {
    std::cout << "\n" << wrap(prediction.question);
    for (;;) {
        std::string answer;
        if (!ask("Your prediction (press Enter for no guess): ", answer)) return false;
        auto number = parse_number(answer);
        if (answer.empty() || number) {
            store_answer(session, exercise, prediction, number);
            return true;
        }
        std::cout << "Please enter a number from 0 to a million.\n";
    }
}

void store_answers(Session& session, const LearnerExercise& exercise,
                   const std::vector<std::string>& answers) {
    State state = session.progress.read();
    auto open_questions = find_open_questions(exercise, state.record(exercise.name()));
    for (auto& word : answers) {
        if (parse_number(word)) continue;
        throw UsageError("\"" + word + "\" is not a number from 0 to a million");
    }
    if (!answers.empty() && open_questions.empty()) {
        throw UsageError("you have answered all questions about " + exercise.name() +
                         "; ./learn predict " + exercise.command_arguments() +
                         " shows your predictions");
    }
    if (answers.size() > open_questions.size()) {
        throw UsageError(format_count(answers.size(), "answer") + " for " +
                         format_count(open_questions.size(), "open question") +
                         "; ./learn predict " + exercise.command_arguments() +
                         " asks the questions one by one");
    }
    for (size_t i = 0; i < answers.size(); ++i) {
        store_answer(session, exercise, *open_questions[i], parse_number(answers[i]));
    }
}

std::string format_question_line(const Prediction& prediction, const Guess* guess) {
    std::string said_text = guess == nullptr  ? "not asked yet"
                            : guess->answered ? "you said " + format_figure(guess->answered)
                                              : "no guess";
    std::string actual_text;
    if (guess != nullptr && guess->actual) {
        actual_text = "; " + format_actual(*guess);
    }
    return wrap("  " + unit_of_counter(prediction.counter) + ": " + said_text + actual_text);
}

// ---- the lesson's multiple-choice questions ----

void print_question(const course::ChoiceQuestion& question) {
    std::cout << "\n" << wrap(question.text);
    int number = 0;
    for (const course::Choice& choice : question.choices)
        std::cout << wrap_with_hanging_indent("  " + std::to_string(++number) + "  ", choice.text);
}

// Asks until the learner picks the correct choice or skips the question. Returns false at the end
// of the input.
bool ask_choice(const course::ChoiceQuestion& question) {
    print_question(question);
    for (;;) {
        std::string answer;
        if (!ask("Your choice (press Enter to skip): ", answer)) return false;
        if (answer.empty()) return true;
        const auto number = parse_number(answer);
        if (!number || *number < 1 || *number > static_cast<double>(question.choices.size()) ||
            *number != std::floor(*number)) {
            std::cout << "Please enter a number from 1 to " << question.choices.size() << ".\n";
            continue;
        }
        const course::Choice& choice = question.choices[static_cast<size_t>(*number) - 1];
        std::cout << wrap((choice.is_correct ? "Right. " : "No. ") + choice.reply);
        if (choice.is_correct) return true;
    }
}

// Asks the questions one after the other. Without a terminal, only prints them.
void ask_choices(const std::vector<course::ChoiceQuestion>& questions) {
    for (const course::ChoiceQuestion& question : questions) {
        if (!can_ask())
            print_question(question);
        else if (!ask_choice(question))
            return;
    }
}

}  // namespace

bool has_open_questions(const LearnerExercise& exercise, const Record& record) {
    return !find_open_questions(exercise, record).empty();
}

void ask_predictions(Session& session, const LearnerExercise& exercise) {
    State state = session.progress.read();
    for (auto* prediction : find_open_questions(exercise, state.record(exercise.name()))) {
        if (!ask_question(session, exercise, *prediction)) return;
    }
}

void compare_guesses(Record& record, const LearnerExercise& exercise, bool adds_empty_guesses) {
    if (exercise.is_hunt || !record.best_counters.is_object()) return;
    for (auto& prediction : exercise.requirements().predictions) {
        Guess* guess = record.guess(prediction.counter);
        if (guess == nullptr && adds_empty_guesses) {
            record.guesses.push_back({prediction.counter, {}, {}, prediction.tolerance, ""});
            guess = &record.guesses.back();
        }
        if (guess != nullptr && !guess->actual) {
            fill_in_actual(*guess, record.best_counters, record.predicted);
            guess->tolerance = prediction.tolerance;
        }
    }
}

int predict(Session& session, const LearnerExercise& exercise,
            const std::vector<std::string>& answers) {
    if (exercise.is_hunt || exercise.requirements().predictions.empty()) {
        throw UsageError(exercise.name() + " has nothing to predict; ./learn check " +
                         exercise.command_arguments() + " shows its costs");
    }
    store_answers(session, exercise, answers);
    if (answers.empty()) ask_predictions(session, exercise);
    State state = session.progress.update([&](State& current_state) {
        compare_guesses(current_state.records[exercise.name()], exercise, false);
    });
    const Record& record = state.record(exercise.name());
    std::cout << "\n" << exercise.name() << ", your predictions:\n";
    for (auto& prediction : exercise.requirements().predictions) {
        std::cout << format_question_line(prediction, record.guess(prediction.counter));
    }
    bool is_known = record.best_counters.is_object();
    std::cout << "\n"
              << wrap(is_known ? "Why: ./learn explain " + exercise.command_arguments()
                               : "The actual costs are those of your own kernel, and are shown "
                                 "once it passes: ./learn check " +
                                     exercise.command_arguments());
    return 0;
}

int ask_lesson(Session& session, const LearnerExercise& exercise,
               const std::vector<std::string>& answers) {
    const auto questions = course::questions_for_lesson(repository(), exercise.step->name);
    const bool has_choices = !exercise.is_hunt && answers.empty() && !questions.empty();
    const bool has_predictions = !exercise.is_hunt && !exercise.requirements().predictions.empty();
    if (has_predictions || !has_choices) predict(session, exercise, answers);
    if (has_choices) ask_choices(questions);
    return 0;
}

}  // namespace coalesce::learn
