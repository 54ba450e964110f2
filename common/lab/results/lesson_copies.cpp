#include "lab/results/lesson_copies.h"

#include <sstream>
#include <stdexcept>

#include "base/files.h"
#include "base/text.h"
#include "examiner/course/questions.h"
#include "harness/text.h"

namespace coalesce::lab {
namespace {

namespace fs = std::filesystem;

const std::string kCopyBegin = "<!-- copy -->", kCopyEnd = "<!-- end of copy -->";
const std::string kSnippetMark = "<!-- snippet: ", kQuestionsMark = "<!-- questions -->";

/// Returns the lines between the first two marks `//! [name]`, without other marks.
std::string extract_code_between_marks(const std::string& source, const std::string& name) {
    const std::string mark = "//! [" + name + "]";
    std::string code;
    int marks = 0;
    for (const std::string& line : lines_of(source)) {
        if (line.find(mark) != line.npos && ++marks == 2) return code;
        if (marks == 1 && line.find("//! ") == line.npos) code += line + "\n";
    }
    throw std::runtime_error("the code does not contain a pair of marks " + mark);
}

std::string format_folded_details(const std::string& summary, const std::string& text) {
    return "<details><summary>" + summary + "</summary>\n\n" + text + "\n</details>\n";
}

/// Returns the value of a counter with its unit, such as "4 sectors".
std::string format_answer(const std::string& counter, double answer) {
    const std::string unit = counter.starts_with("shared") ? "wavefront" : "sector";
    return format_short(answer) + " " + unit + (answer == 1 ? "" : "s");
}

class GeneratedLessonTexts {
public:
    GeneratedLessonTexts(const fs::path& repository, const std::string& lesson,
                         const course::Course& course)
        : repository_(repository),
          lesson_folder_(repository / "steps" / lesson),
          lesson_name_(lesson),
          step_(course.lesson(lesson)) {}

    /// Returns the generated text that belongs below this line of the lesson, or "" if the line has
    /// no generated text.
    std::string generate_text_below(const std::string& line) const {
        if (line.starts_with(kSnippetMark)) return format_snippet(line.substr(kSnippetMark.size()));
        if (line == kQuestionsMark) return format_questions();
        return "";
    }

private:
    /// Returns the text of a snippet. `words` begins with the snippet's name and possibly a file,
    /// and ends with " -->".
    std::string format_snippet(const std::string& words) const {
        std::istringstream stream(words.substr(0, words.find(" -->")));
        std::string name, file;
        stream >> name >> file;
        const std::string program = course::program_file(lesson_folder_);
        if (file.empty()) file = name == "example" ? "example.cu" : program;
        const std::string code =
            "```cpp\n" + extract_code_between_marks(read_file(lesson_folder_ / file), name) +
            "```\n";
        const bool solves_exercise =
            name == "kernel" && step_ && step_->exercise && program == "main.cu";
        return solves_exercise
                   ? format_folded_details("The lesson's kernel, which solves the exercise", code)
                   : code;
    }

    std::string format_questions() const {
        std::string question_list, answer_list;
        int number = 0;
        const auto add = [&](const std::string& question, const std::string& answer) {
            const std::string start = std::to_string(++number) + ". ";
            question_list += wrap_with_hanging_indent(start, question);
            answer_list += wrap_with_hanging_indent(start, answer);
        };
        for (const auto& [prediction, answer] : course::number_questions(*step_))
            add(prediction.question, format_answer(prediction.counter, answer));
        for (const auto& question : course::questions_for_lesson(repository_, lesson_name_)) {
            std::string correct_answer;
            std::string choice_lines;
            for (const course::Choice& choice : question.choices) {
                choice_lines += wrap_with_hanging_indent("   - ", choice.text);
                if (choice.is_correct) correct_answer = choice.text + " " + choice.reply;
            }
            add(question.text, correct_answer);
            question_list += choice_lines;
        }
        return question_list.empty()
                   ? ""
                   : question_list + "\n" + format_folded_details("Answers", answer_list);
    }

    fs::path repository_, lesson_folder_;
    std::string lesson_name_;
    const course::Step* step_;
};

}  // namespace

std::string renew_lesson_copies(const std::string& text, const fs::path& repository,
                                const std::string& lesson, const course::Course& course) {
    const GeneratedLessonTexts generated_texts(repository, lesson, course);
    std::string result;
    bool is_in_generated_text = false;
    for (const std::string& line : lines_of(text)) {
        if (line == kCopyBegin) is_in_generated_text = true;
        if (!is_in_generated_text) {
            const std::string copy = generated_texts.generate_text_below(line);
            result += line + "\n";
            if (!copy.empty()) result += kCopyBegin + "\n\n" + copy + "\n" + kCopyEnd + "\n";
        }
        if (line == kCopyEnd) is_in_generated_text = false;
    }
    return result;
}

}  // namespace coalesce::lab
