// The entry point of the module: a single function that answers all questions of a page. README.md
// describes the questions.
#include <stdexcept>
#include <string>

#include "page_runner.h"
#include "questions.h"

namespace coalesce::page {
namespace {

using nlohmann::json;

struct QuestionHandler {
    const char* name;
    json (*answer)(const json& question);
};

constexpr QuestionHandler kQuestionHandlers[] = {
    {"run", run_launch},
    {"time", predict_launch},
    {"launch_request", request_for_launch},
    {"launch", launch_any_kernel},
    {"launch_time", predict_any_kernel},
    {"launch_steps_request", request_for_launch_steps},
    {"launch_steps", record_launch_steps},
    {"request", request_for_compiler},
    {"examine", examine_source},
    {"cost", cost_of_solution},
    {"hint", hint_for_failure},
    {"predictions", predictions_to_make},
    {"explain", explain_time},
    {"picture", draw_picture},
    {"steps_request", request_for_steps},
    {"steps", record_steps},
};

json answer_question(const json& question) {
    const std::string name = question.at("ask").get<std::string>();
    for (const QuestionHandler& one : kQuestionHandlers) {
        if (name == one.name) return one.answer(question);
    }
    throw std::runtime_error("a page cannot call a function named \"" + name + "\"");
}

}  // namespace
}  // namespace coalesce::page

/// Answers a question. Both question and answer are JSON. "ask" is the name of the question. If the
/// question cannot be answered, the answer is {"error": a message for the reader}. The returned
/// text is valid until the next call.
extern "C" const char* page_ask(const char* question) {
    using namespace coalesce::page;
    static std::string kept;
    json answer;
    try {
        prepare_device();
        answer = answer_question(json::parse(question));
    } catch (const std::exception& error) {
        answer = {{"error", error.what()}};
    }
    kept = answer.dump(-1, ' ', false, json::error_handler_t::replace);
    return kept.c_str();
}
