// What a verdict is made of, each described once: codec.h reads and writes by it.
#pragma once

#include "kernel/codec.h"
#include "kernel/counters_json.h"
#include "kernel/verdict.h"

namespace coalesce {

inline const char* name_in_json(Severity severity) {
    constexpr const char* names[] = {"error", "warning", "note"};
    return names[static_cast<int>(severity)];
}
constexpr Severity last_of(Severity) {
    return Severity::note;
}

inline const char* name_in_json(Verdict::Outcome outcome) {
    constexpr const char* names[] = {"passed", "failed", "not-examined"};
    return names[static_cast<int>(outcome)];
}
constexpr Verdict::Outcome last_of(Verdict::Outcome) {
    return Verdict::Outcome::not_examined;
}

/// The failure of that identifier. Throws codec::Error.
Failure failure_called(const std::string& id);

template <class Codec>
void describe(Codec& codec, Shape& shape) {
    codec("rows", shape.rows);
    codec("cols", shape.cols);
}

template <class Codec>
void describe(Codec& codec, Place& place) {
    codec("file", place.file);
    codec("line", place.line);
    codec("column", place.column);
}

/// Rows of signs: `.` right, `?` never written, `X` wrong.
template <>
struct codec::Kind<CellMap> {
    static Json encode(const CellMap& map);
    static void decode(const Json& json, CellMap& map, const std::string& path);
};

template <class Codec>
void describe(Codec& codec, Failure& failure) {
    std::string id = failure.id();
    codec("id", id);
    if constexpr (Codec::is_reading) failure = failure_called(id);
    codec("headline", failure.headline);
    codec("place", failure.place);
    codec("shape", failure.shape);
    codec("details", failure.details);
    codec("next", failure.next);
    codec("map", failure.map);
}

template <class Codec>
void describe(Codec& codec, Message& message) {
    codec("severity", message.severity);
    codec("place", message.place);
    codec("text", message.text);
}

template <class Codec>
void describe(Codec& codec, LaunchShape& launch) {
    codec("grid", launch.grid);
    codec("block", launch.block);
    codec("shared_bytes", launch.shared_bytes);
}

template <class Codec>
void describe(Codec& codec, ShapeTried& tried) {
    codec("shape", tried.shape);
    codec("passed", tried.passed);
    codec("launch", tried.launch);
}

template <class Codec>
void describe(Codec& codec, LineCounters& line) {
    codec("line", line.line);
    codec("counters", line.counters);
}

template <class Codec>
void describe(Codec& codec, Milliseconds& milliseconds) {
    codec("compile", milliseconds.compile);
    codec("shapes", milliseconds.shapes);
    codec("counters", milliseconds.counters);
    codec("total", milliseconds.total);
}

/// All but the times, which differ from one computer to the next.
template <class Codec>
void describe_what_was_found(Codec& codec, Verdict& verdict) {
    codec("file", verdict.file);
    codec("kernel", verdict.kernel);
    codec("source_hash", verdict.source_hash);
    codec("outcome", verdict.outcome);
    codec("device", verdict.device);
    codec("is_simulated", verdict.is_simulated);
    codec("compiler", verdict.compiler);
    codec("failures", verdict.failures);
    codec("messages", verdict.messages);
    codec("shapes", verdict.shapes);
    codec("counted", verdict.counted);
    codec("counters", verdict.counters);
    codec("solution_counters", verdict.solution_counters);
    codec("lines", verdict.lines);
    codec("output", verdict.output);
    codec("output_is_cut", verdict.output_is_cut);
}

template <class Codec>
void describe(Codec& codec, Verdict& verdict) {
    constexpr int known_format = 2;
    int format = known_format;
    codec("format", format);
    if (format != known_format) throw codec::Error("this is a verdict of another version");
    describe_what_was_found(codec, verdict);
    codec("milliseconds", verdict.milliseconds);
}

}  // namespace coalesce
