// A result as JSON and back: the same bytes for the same result, whatever computer wrote them.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "grader/judge/judge.h"
#include "kernel/counters_json.h"

namespace coalesce::grader {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* severities[] = {"error", "warning", "note"};

Json json_of(const std::optional<Counters>& counters) {
    return counters ? counters_to_json(*counters) : Json(nullptr);
}

std::optional<Counters> counters_in(const Json& json) {
    return json.is_null() ? std::nullopt : counters_from_json(json.dump());
}

Json json_of(const Message& message) {
    return {{"severity", severities[static_cast<int>(message.severity)]},
            {"file", message.place.file},
            {"line", message.place.line},
            {"column", message.place.column},
            {"text", message.text}};
}

Message message_in(const Json& json) {
    Message message;
    for (int i = 0; i < 3; ++i) {
        if (json.at("severity") == severities[i]) message.severity = static_cast<Severity>(i);
    }
    message.place = {json.at("file"), json.at("line"), json.at("column")};
    message.text = json.at("text");
    return message;
}

Json points_json(const Points& points) {
    return {{"correct", points.correct},
            {"clean", points.clean},
            {"counters", points.counters},
            {"total", points.total()}};
}

}  // namespace

std::string to_json(const Result& result, bool for_student) {
    Json messages = Json::array(), lines = Json::array();
    for (const Message& message : result.messages) messages.push_back(json_of(message));
    for (const LineCost& line : result.lines) {
        lines.push_back({{"line", line.line}, {"counters", counters_to_json(line.counters)}});
    }
    Json json = {{"format", kFormat},
                 {"verdict", code_of(result.verdict)},
                 {"failure", result.failure_id},
                 {"headline", result.headline},
                 {"details", result.details},
                 {"next", result.next},
                 {"map", result.map},
                 {"line", result.line},
                 {"column", result.column},
                 {"source_line", result.source_line},
                 {"picture", result.picture},
                 {"hidden", result.is_hidden},
                 {"rows", result.shape.rows},
                 {"cols", result.shape.cols},
                 {"other_failures", result.other_failures},
                 {"other_headlines", result.other_headlines},
                 {"text", result.text},
                 {"messages", messages},
                 {"shapes",
                  {{"public_passed", result.public_passed},
                   {"public_tried", result.public_tried},
                   {"hidden_passed", result.hidden_passed},
                   {"hidden_tried", result.hidden_tried}}},
                 {"counters", json_of(result.counters)},
                 {"solution_counters", json_of(result.solution_counters)},
                 {"lines", lines},
                 {"points", points_json(result.points)},
                 {"sandbox", result.sandbox},
                 {"compiler", result.compiler}};
    if (!for_student) json["problem"] = result.problem;
    // A source may be in any encoding.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result result_from_json(const std::string& text) {
    try {
        const Json json = Json::parse(text);
        if (json.at("format") != kFormat) throw std::runtime_error("another format");
        const auto verdict = verdict_of(json.at("verdict"));
        if (!verdict) throw std::runtime_error("no such verdict");
        Result result;
        result.verdict = *verdict;
        result.failure_id = json.at("failure");
        result.headline = json.at("headline");
        result.details = json.at("details");
        result.next = json.at("next");
        result.map = json.at("map");
        result.line = json.at("line");
        result.column = json.at("column");
        result.source_line = json.at("source_line");
        result.picture = json.at("picture");
        result.is_hidden = json.at("hidden");
        result.shape = {json.at("rows"), json.at("cols")};
        result.other_failures = json.at("other_failures").get<std::vector<std::string>>();
        result.other_headlines = json.at("other_headlines").get<std::vector<std::string>>();
        result.text = json.at("text");
        for (const Json& one : json.at("messages")) result.messages.push_back(message_in(one));
        const Json& shapes = json.at("shapes");
        result.public_passed = shapes.at("public_passed");
        result.public_tried = shapes.at("public_tried");
        result.hidden_passed = shapes.at("hidden_passed");
        result.hidden_tried = shapes.at("hidden_tried");
        result.counters = counters_in(json.at("counters"));
        result.solution_counters = counters_in(json.at("solution_counters"));
        for (const Json& one : json.at("lines")) {
            const auto counters = counters_in(one.at("counters"));
            result.lines.push_back({one.at("line"), counters.value_or(Counters{})});
        }
        const Json& points = json.at("points");
        result.points = {points.at("correct"), points.at("clean"), points.at("counters")};
        result.sandbox = json.at("sandbox");
        result.compiler = json.at("compiler");
        result.problem = json.value("problem", "");
        return result;
    } catch (const Json::exception& error) {
        throw std::runtime_error(std::string("this is no result: ") + error.what());
    }
}

}  // namespace coalesce::grader
