// Lists the fields of a verdict once, for both reading and writing with codec.h.
#pragma once

#include "base/codec.h"
#include "examiner/verdict.h"
#include "harness/counters_json.h"
#include "timing/prediction_codec.h"

namespace coalesce {

constexpr Severity last_of(Severity) {
    return Severity::note;
}

constexpr Verdict::Outcome last_of(Verdict::Outcome) {
    return Verdict::Outcome::not_examined;
}

/// Returns a failure with this identifier. Throws codec::Error if there is no such identifier.
Failure failure_from_id(const std::string& id);

template <class Codec>
void describe(Codec& codec, Shape& shape) {
    fields(codec, "rows", shape.rows, "cols", shape.cols);
    // Only shapes with a third size have the key "depth".
    const bool has_depth = Codec::kIsReading ? codec.has("depth") : shape.depth != 0;
    if (has_depth) codec("depth", shape.depth);
}

void describe(auto& codec, Place& place) {
    fields(codec, "file", place.file, "line", place.line, "column", place.column);
}

/// Reads and writes the rows of a map. `.` is a correct cell, `?` a cell that was never written,
/// and `X` an incorrect cell.
template <>
struct codec::TypeCodec<CellMap> {
    static Json encode(const CellMap& map);
    static void decode(const Json& json, CellMap& map, const std::string& path);
};

template <class Codec>
void describe(Codec& codec, Failure& failure) {
    std::string id = failure.id();
    codec("id", id);
    if constexpr (Codec::kIsReading) failure = failure_from_id(id);
    fields(codec, "headline", failure.headline, "place", failure.place, "shape", failure.shape,
           "details", failure.details, "next", failure.advice, "map", failure.map);
}

void describe(auto& codec, Message& message) {
    fields(codec, "severity", message.severity, "place", message.place, "text", message.text);
}

void describe(auto& codec, Compiled& compiled) {
    fields(codec, "ptx", compiled.ptx, "compiler", compiled.compiler, "messages", compiled.messages,
           "failure", compiled.failure);
}

void describe(auto& codec, LaunchShape& launch) {
    fields(codec, "grid", launch.grid, "block", launch.block, "shared_bytes", launch.shared_bytes);
}

void describe(auto& codec, TriedShape& tried_shape) {
    fields(codec, "shape", tried_shape.shape, "passed", tried_shape.passed, "launch",
           tried_shape.launch);
}

void describe(auto& codec, LineCounters& line) {
    fields(codec, "line", line.line, "counters", line.counters);
}

void describe(auto& codec, Predicted& predicted) {
    fields(codec, "shape", predicted.shape, "gpu", predicted.gpu, "measured_gpu",
           predicted.measured_gpu, "copy_gbps", predicted.copy_gbps, "ms", predicted.ms, "gbps",
           predicted.gbps, "error_band", predicted.error_band, "launches", predicted.launches);
}

void describe(auto& codec, Milliseconds& milliseconds) {
    fields(codec, "compile", milliseconds.compile, "shapes", milliseconds.shapes, "counters",
           milliseconds.counters, "predicted", milliseconds.predicted, "total", milliseconds.total);
}

/// Reads a cached value. Returns nothing if there is no value, or if a different version of the
/// program wrote the value.
template <class Value>
std::optional<Value> read_cached(const std::optional<std::string>& text) {
    try {
        if (text) return codec::read<Value>(*text);
    } catch (const codec::Error&) {
    }
    return std::nullopt;
}

/// Describes all fields except the measured and the predicted times. Measured times vary from run
/// to run, and a predicted time above the limit is already reported as a failure.
template <class Codec>
void describe_untimed_fields(Codec& codec, Verdict& verdict) {
    fields(codec, "file", verdict.file, "kernel", verdict.kernel, "source_hash",
           verdict.source_hash, "outcome", verdict.outcome, "device", verdict.device,
           "is_simulated", verdict.is_simulated, "compiler", verdict.compiler, "failures",
           verdict.failures, "messages", verdict.messages, "shapes", verdict.shapes, "counted",
           verdict.counted_shape, "counters", verdict.counters, "solution_counters",
           verdict.solution_counters, "lines", verdict.lines, "output", verdict.output,
           "output_is_cut", verdict.output_is_truncated);
    const bool has_sizes = Codec::kIsReading ? codec.has("sizes") : !verdict.sizes.empty();
    if (has_sizes) codec("sizes", verdict.sizes);
}

void describe(auto& codec, PassingChange& change) {
    fields(codec, "place", change.place, "sentence", change.sentence, "before", change.before,
           "after", change.after);
}

template <class Codec>
void describe(Codec& codec, Verdict& verdict) {
    codec::version(codec, "verdict", 3);
    describe_untimed_fields(codec, verdict);
    fields(codec, "predicted", verdict.predicted, "solution_predicted", verdict.solution_predicted);
    // Only `learn check` searches for changes, so other verdicts do not have this key.
    const bool has_change =
        Codec::kIsReading ? codec.has("passing_change") : verdict.passing_change.has_value();
    if (has_change) codec("passing_change", verdict.passing_change);
    codec("milliseconds", verdict.milliseconds);
}

}  // namespace coalesce
