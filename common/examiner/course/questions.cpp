#include "examiner/course/questions.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/files.h"

namespace coalesce::course {
namespace {

bool has_one_correct_choice(const ChoiceQuestion& question) {
    return std::count_if(question.choices.begin(), question.choices.end(),
                         [](const Choice& choice) { return choice.is_correct; }) == 1;
}

/// Returns the expected value of a counter, taken from the first variant whose value is within the
/// exercise's limit.
std::optional<double> find_answer(const Step& step, const std::string& counter) {
    double limit = 0;
    for (const auto& [name, member] : kLimits) {
        if (name == counter) limit = step.exercise->limits.*member;
    }
    for (const auto& variant : step.variants) {
        const auto expected_entry = variant.expected_costs.find(counter);
        if (expected_entry != variant.expected_costs.end() &&
            (limit == 0 || expected_entry->second <= limit))
            return expected_entry->second;
    }
    return std::nullopt;
}

}  // namespace

std::vector<NumberQuestion> number_questions(const Step& step) {
    std::vector<NumberQuestion> questions;
    if (!step.exercise) return questions;
    for (const Prediction& prediction : step.exercise->predictions) {
        if (prediction.counter == kCopyPercentQuestion) continue;
        const auto answer = find_answer(step, prediction.counter);
        if (!answer) {
            throw CourseError("solutions/" + step.name + "/exercise.toml asks for " +
                              prediction.counter + ", but no variant in steps/" + step.name +
                              "/lesson.toml expects a value for it within the exercise's limits");
        }
        questions.push_back({prediction, *answer});
    }
    return questions;
}

std::vector<ChoiceQuestion> read_questions(const std::string& file, const std::string& text) {
    std::vector<ChoiceQuestion> questions;
    std::istringstream lines(text);
    int number = 0;
    std::string* unfinished_text = nullptr;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const auto error = [&](const std::string& reason) {
            return CourseError(file + ":" + std::to_string(number) + ": " + reason);
        };
        if (line.empty() || line.starts_with('#')) continue;
        const std::string text_after_mark = line.size() > 2 ? line.substr(2) : "";
        if (line.starts_with("? ")) {
            unfinished_text = &questions.emplace_back(ChoiceQuestion{text_after_mark, {}}).text;
        } else if (line.starts_with("+ ") || line.starts_with("- ")) {
            if (questions.empty())
                throw error("a choice must follow a question, which begins with \"? \"");
            unfinished_text =
                &questions.back()
                     .choices.emplace_back(Choice{line[0] == '+', text_after_mark, ""})
                     .reply;
        } else if (line.starts_with("  ") && unfinished_text) {
            *unfinished_text += (unfinished_text->empty() ? "" : " ") + text_after_mark;
        } else {
            throw error("a line must begin with \"? \", \"+ \", \"- \" or two spaces");
        }
    }
    for (const ChoiceQuestion& question : questions)
        if (!has_one_correct_choice(question))
            throw CourseError(file + ": mark one choice as correct (+): " + question.text);
    return questions;
}

std::vector<ChoiceQuestion> questions_for_lesson(const std::filesystem::path& repository,
                                                 const std::string& lesson) {
    const std::string file = "steps/" + lesson + "/questions.txt";
    if (!std::filesystem::exists(repository / file)) return {};
    return read_questions(file, read_file(repository / file));
}

}  // namespace coalesce::course
