#include "questions.h"

#include <sstream>

#include "examiner/course/questions.h"

namespace coalesce::book {
namespace {

/// Formats a number: "32", "5.5".
std::string format_number(double number) {
    std::ostringstream text;
    text << number;
    return text.str();
}

std::string number_question_html(const Prediction& prediction, double answer) {
    return "<form class=\"question\" data-counter=\"" + prediction.counter + "\" data-answer=\"" +
           format_number(answer) + "\" data-within=\"" + format_number(prediction.tolerance) +
           "\"><label><span>" + to_html(prediction.question) +
           "</span> <input type=\"text\" inputmode=\"decimal\" autocomplete=\"off\" size=\"6\"/>"
           "</label> <button type=\"submit\">Check</button>"
           "<p class=\"verdict\" role=\"status\"></p></form>\n";
}

std::string choice_question_html(const course::ChoiceQuestion& question, const std::string& name) {
    std::string html =
        "<form class=\"question\"><fieldset><legend>" + to_html(question.text) + "</legend>\n";
    for (const course::Choice& choice : question.choices) {
        html += "<label class=\"choice\"><input type=\"radio\" name=\"" + name +
                "\" data-right=\"" + (choice.is_correct ? "yes" : "no") + "\" data-says=\"" +
                to_html(choice.reply) + "\"/> <span>" + to_html(choice.text) + "</span></label>\n";
    }
    return html +
           "</fieldset><button type=\"submit\">Check</button>"
           "<p class=\"verdict\" role=\"status\"></p></form>\n";
}

}  // namespace

std::string to_html(const std::string& text) {
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
    for (const auto& [prediction, answer] : course::number_questions(*step))
        html += number_question_html(prediction, answer);
    int question_number = 0;
    for (const auto& question : course::questions_for_lesson(contents.root, step_name))
        html += choice_question_html(question, "choice" + std::to_string(++question_number));
    return html;
}

}  // namespace coalesce::book
