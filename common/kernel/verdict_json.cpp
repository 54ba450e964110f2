#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/errors.h"
#include "kernel/cache.h"
#include "kernel/counters_json.h"
#include "kernel/examine.h"

namespace coalesce {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

const char* name_of(Examination::Outcome outcome) {
    switch (outcome) {
        case Examination::Outcome::passed: return "passed";
        case Examination::Outcome::failed: return "failed";
        case Examination::Outcome::not_examined: break;
    }
    return "not-examined";
}

Json failure_json(const Failure& failure) {
    return {{"id", failure.id()},
            {"headline", failure.headline},
            {"file", failure.place.file},
            {"line", failure.place.line},
            {"column", failure.place.column},
            {"rows", failure.shape.rows},
            {"cols", failure.shape.cols},
            {"details", failure.details},
            {"next", failure.next},
            {"map", failure.map}};
}

Json message_json(const Message& message) {
    constexpr const char* severities[] = {"error", "warning", "note"};
    return {{"severity", severities[static_cast<int>(message.severity)]},
            {"line", message.place.line},
            {"column", message.place.column},
            {"text", message.text}};
}

Json shape_json(const ShapeTried& tried) {
    return {{"rows", tried.shape.rows},    {"cols", tried.shape.cols},
            {"passed", tried.passed},      {"grid", tried.launch.grid},
            {"block", tried.launch.block}, {"shared_bytes", tried.launch.shared_bytes}};
}

Json optional_json(const std::optional<Counters>& counters) {
    return counters ? counters_to_json(*counters) : Json(nullptr);
}

template <class List, class Convert>
Json list_json(const List& list, Convert convert) {
    Json json = Json::array();
    for (const auto& one : list) json.push_back(convert(one));
    return json;
}

Json milliseconds_json(const Milliseconds& milliseconds) {
    return {{"compile", milliseconds.compile},
            {"load", milliseconds.load},
            {"shapes", milliseconds.shapes},
            {"counters", milliseconds.counters},
            {"total", milliseconds.total}};
}

}  // namespace

std::string to_json(const Examination& found) {
    Json json;
    json["format"] = kFormat;
    json["file"] = found.file;
    json["kernel"] = found.kernel;
    json["source_hash"] = hash_text(found.source);
    json["outcome"] = name_of(found.outcome);
    json["passed"] = found.passed();
    json["device"] = {{"name", found.device}, {"kind", found.is_simulated ? "sim" : "gpu"}};
    json["compiler"] = found.compiler;
    json["failures"] = list_json(found.failures, failure_json);
    json["messages"] = list_json(found.messages, message_json);
    json["shapes"] = list_json(found.shapes, shape_json);
    json["counted"] = {{"rows", found.counted.rows}, {"cols", found.counted.cols}};
    json["counters"] = optional_json(found.counters);
    json["solution_counters"] = optional_json(found.solution_counters);
    json["lines"] = list_json(found.lines, [](const LineCounters& line) -> Json {
        return {{"line", line.line}, {"counters", counters_to_json(line.counters)}};
    });
    json["output"] = found.output;
    json["output_is_cut"] = found.output_is_cut;
    json["milliseconds"] = milliseconds_json(found.milliseconds);
    // A kernel may print anything, and a file's name may be anything: what is no UTF-8 is replaced.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_verdict(const std::filesystem::path& file, const Examination& examination) {
    const std::filesystem::path unfinished = file.string() + ".part" + std::to_string(getpid());
    std::ofstream stream(unfinished, std::ios::binary);
    stream << to_json(examination);
    stream.close();
    std::error_code error;
    if (stream) std::filesystem::rename(unfinished, file, error);
    if (stream && !error) return;
    const std::string reason = error ? error.message() : std::strerror(errno);
    std::filesystem::remove(unfinished, error);
    throw UsageError("the verdict can not be written to " + file.string() + ": " + reason);
}

}  // namespace coalesce
