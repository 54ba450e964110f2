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

const std::string kBegin = "<!-- copy -->", kEnd = "<!-- end of copy -->";
const std::string kSnippet = "<!-- snippet: ", kQuestions = "<!-- questions -->";

/// Returns the lines between the first two marks `//! [name]`, without other marks.
std::string code_between_marks(const std::string& source, const std::string& name) {
    const std::string mark = "//! [" + name + "]";
    std::string code;
    int marks = 0;
    for (const std::string& line : lines_of(source)) {
        if (line.find(mark) != line.npos && ++marks == 2) return code;
        if (marks == 1 && line.find("//! ") == line.npos) code += line + "\n";
    }
    throw std::runtime_error("the code does not contain a pair of marks " + mark);
}

std::string folded(const std::string& summary, const std::string& text) {
    return "<details><summary>" + summary + "</summary>\n\n" + text + "\n</details>\n";
}

/// Returns the value of a counter with its unit, such as "4 sectors".
std::string format_answer(const std::string& counter, double answer) {
    const std::string unit = counter.starts_with("shared") ? "wavefront" : "sector";
    return format_short(answer) + " " + unit + (answer == 1 ? "" : "s");
}

class LessonCopies {
public:
    LessonCopies(const fs::path& repository, const std::string& lesson,
                 const course::Course& course)
        : repository_(repository),
          folder_(repository / "steps" / lesson),
          lesson_(lesson),
          step_(course.lesson(lesson)) {}

    /// Returns the generated text that belongs below this line of the lesson, or "" if the line has
    /// no generated text.
    std::string copy_below(const std::string& line) const {
        if (line.starts_with(kSnippet)) return snippet(line.substr(kSnippet.size()));
        if (line == kQuestions) return questions();
        return "";
    }

private:
    /// Returns the text of a snippet. `words` begins with the snippet's name and possibly a file,
    /// and ends with " -->".
    std::string snippet(const std::string& words) const {
        std::istringstream stream(words.substr(0, words.find(" -->")));
        std::string name, file;
        stream >> name >> file;
        const std::string program = course::program_file(folder_);
        if (file.empty()) file = name == "example" ? "example.cu" : program;
        const std::string code =
            "```cpp\n" + code_between_marks(read_file(folder_ / file), name) + "```\n";
        const bool solves_exercise =
            name == "kernel" && step_ && step_->exercise && program == "main.cu";
        return solves_exercise ? folded("The lesson's kernel, which solves the exercise", code)
                               : code;
    }

    std::string questions() const {
        std::string asked, answers;
        int number = 0;
        const auto add = [&](const std::string& question, const std::string& answer) {
            const std::string start = std::to_string(++number) + ". ";
            asked += wrap_with_hanging_indent(start, question);
            answers += wrap_with_hanging_indent(start, answer);
        };
        for (const auto& [prediction, answer] : course::number_questions(*step_))
            add(prediction.question, format_answer(prediction.counter, answer));
        for (const auto& question : course::questions_for_lesson(repository_, lesson_)) {
            std::string correct;
            std::string choices;
            for (const course::Choice& choice : question.choices) {
                choices += wrap_with_hanging_indent("   - ", choice.text);
                if (choice.is_correct) correct = choice.text + " " + choice.reply;
            }
            add(question.text, correct);
            asked += choices;
        }
        return asked.empty() ? "" : asked + "\n" + folded("Answers", answers);
    }

    fs::path repository_, folder_;
    std::string lesson_;
    const course::Step* step_;
};

}  // namespace

std::string renew_lesson_copies(const std::string& text, const fs::path& repository,
                                const std::string& lesson, const course::Course& course) {
    const LessonCopies copies(repository, lesson, course);
    std::string result;
    bool in_copy = false;
    for (const std::string& line : lines_of(text)) {
        if (line == kBegin) in_copy = true;
        if (!in_copy) {
            const std::string copy = copies.copy_below(line);
            result += line + "\n";
            if (!copy.empty()) result += kBegin + "\n\n" + copy + "\n" + kEnd + "\n";
        }
        if (line == kEnd) in_copy = false;
    }
    return result;
}

}  // namespace coalesce::lab
