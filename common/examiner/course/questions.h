/// \file
/// The multiple-choice questions of a lesson, from steps/NN_name/questions.txt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce::course {

/// A possible answer, and the reply to a reader who picks it.
struct Choice {
    bool is_correct = false;
    std::string text, reply;
};

struct ChoiceQuestion {
    std::string text;
    std::vector<Choice> choices;
};

/// Reads questions: "? question", followed by "+ correct" and "- incorrect" choices, each with its
/// reply on lines that begin with two blanks. `file` names the text in messages. Throws CourseError.
std::vector<ChoiceQuestion> read_questions(const std::string& file, const std::string& text);

/// Reads the questions of a lesson, such as "03_tiled". Returns none if the lesson has no
/// questions.txt. Throws CourseError.
std::vector<ChoiceQuestion> questions_for_lesson(const std::filesystem::path& repository,
                                                 const std::string& lesson);

}  // namespace coalesce::course
