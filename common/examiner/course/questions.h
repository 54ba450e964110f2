/// \file
/// The questions of a lesson. Numeric questions come from the lesson's exercise, and
/// multiple-choice questions come from steps/NN_name/questions.txt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/course/course.h"

namespace coalesce::course {

/// A question about the cost of a lesson's kernel, and its answer.
struct NumberQuestion {
    Prediction prediction;
    double answer = 0;
};

/// Returns the numeric questions of a lesson, except kCopyPercentQuestion, whose answer depends on
/// the learner's kernel. The answer to a question is the cost of the first variant in lesson.toml
/// whose cost is within the exercise's limit. Throws CourseError if there is no such variant.
std::vector<NumberQuestion> number_questions(const Step& step);

/// A possible answer, and the reply to a reader who picks it.
struct Choice {
    bool is_correct = false;
    std::string text, reply;
};

struct ChoiceQuestion {
    std::string text;
    std::vector<Choice> choices;
};

/// Reads the questions in a text. A line "? ..." is a question, "+ ..." a correct choice, and "-
/// ..." an incorrect choice. The reply to a choice follows on lines that begin with two blanks.
/// Throws CourseError if the text is invalid. `file` is the name of the text in messages.
std::vector<ChoiceQuestion> read_questions(const std::string& file, const std::string& text);

/// Reads the questions of a lesson, such as "03_tiled". Returns no questions if the lesson has no
/// questions.txt. Throws CourseError if questions.txt is invalid.
std::vector<ChoiceQuestion> questions_for_lesson(const std::filesystem::path& repository,
                                                 const std::string& lesson);

}  // namespace coalesce::course
