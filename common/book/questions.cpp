#include "questions.h"

#include <sstream>

namespace coalesce::book {
namespace {

/// A possible answer, and the reply to it.
struct Choice {
    bool is_right = false;
    std::string text, answer;
};

struct Question {
    std::string text;
    std::vector<Choice> choices;
};

/// Reads steps/NN_name/questions.txt. It contains "? question", followed by "+ right" and "- wrong"
/// choices, each with its reply in "  reply".
std::vector<Question> read_questions(const std::string& file, const std::string& text) {
    std::vector<Question> questions;
    std::istringstream lines(text);
    int number = 0;
    std::string* open = nullptr;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const auto wrong = [&](const std::string& why) {
            return BookError(file + ":" + std::to_string(number) + ": " + why);
        };
        if (line.empty() || line.starts_with('#')) continue;
        const std::string rest = line.size() > 2 ? line.substr(2) : "";
        if (line.starts_with("? ")) {
            open = &questions.emplace_back(Question{rest, {}}).text;
        } else if (line.starts_with("+ ") || line.starts_with("- ")) {
            if (questions.empty()) throw wrong("a choice needs a question before it: \"? ...\"");
            open = &questions.back().choices.emplace_back(Choice{line[0] == '+', rest, ""}).answer;
        } else if (line.starts_with("  ") && open) {
            *open += (open->empty() ? "" : " ") + rest;
        } else {
            throw wrong("a line begins with \"? \", \"+ \", \"- \" or two blanks");
        }
    }
    for (const Question& question : questions) {
        int right = 0;
        for (const Choice& choice : question.choices) right += choice.is_right;
        if (right != 1) throw BookError(file + ": one right choice (+): " + question.text);
    }
    return questions;
}

/// Formats a number: "32", "5.5".
std::string number_text(double number) {
    std::ostringstream text;
    text << number;
    return text.str();
}

std::string number_question(const Prediction& prediction, double answer) {
    return "<form class=\"question\" data-counter=\"" + prediction.counter + "\" data-answer=\"" +
           number_text(answer) + "\" data-within=\"" + number_text(prediction.within) +
           "\"><label><span>" + html_of(prediction.question) +
           "</span> <input type=\"text\" inputmode=\"decimal\" autocomplete=\"off\" size=\"6\"/>"
           "</label> <button type=\"submit\">Check</button>"
           "<p class=\"verdict\" role=\"status\"></p></form>\n";
}

std::string choice_question(const Question& question, const std::string& name) {
    std::string html =
        "<form class=\"question\"><fieldset><legend>" + html_of(question.text) + "</legend>\n";
    for (const Choice& choice : question.choices) {
        html += "<label class=\"choice\"><input type=\"radio\" name=\"" + name +
                "\" data-right=\"" + (choice.is_right ? "yes" : "no") + "\" data-says=\"" +
                html_of(choice.answer) + "\"/> <span>" + html_of(choice.text) + "</span></label>\n";
    }
    return html +
           "</fieldset><button type=\"submit\">Check</button>"
           "<p class=\"verdict\" role=\"status\"></p></form>\n";
}

}  // namespace

std::string html_of(const std::string& text) {
    std::string html;
    for (char c : text) {
        switch (c) {
            case '&': html += "&amp;"; break;
            case '<': html += "&lt;"; break;
            case '>': html += "&gt;"; break;
            case '"': html += "&quot;"; break;
            case '\n': html += ' '; break;
            default: html += c;
        }
    }
    return html;
}

std::string questions_html(const std::string& step_name, const Contents& contents,
                           const course::Course& course) {
    const course::Step* step = course.lesson(step_name);
    if (!step) throw BookError("the course has no lesson " + step_name);
    std::string html;
    for (const Prediction& prediction :
         step->exercise ? step->exercise->predictions : std::vector<Prediction>{}) {
        // Only running the learner's own kernel answers this question.
        if (prediction.counter == kOfCopy) continue;
        const auto& expect = step->variants.front().expect;
        const auto answer = expect.find(prediction.counter);
        if (answer == expect.end()) {
            throw BookError("solutions/" + step_name + "/exercise.toml asks for " +
                            prediction.counter + ", which its first variant does not expect");
        }
        html += number_question(prediction, answer->second);
    }
    const std::string file = "steps/" + step_name + "/questions.txt";
    if (std::filesystem::exists(contents.root / file)) {
        int number = 0;
        for (const Question& question : read_questions(file, read_file(contents.root / file))) {
            html += choice_question(question, "choice" + std::to_string(++number));
        }
    }
    return html;
}

}  // namespace coalesce::book
