#include "grader/sandbox/jobs.h"

#include <algorithm>
#include <stdexcept>

#include "kernel/verdict_codec.h"

namespace coalesce {

// ---- what a trial is made of, for the codec ----

inline const char* name_in_json(Watch watch) {
    return watch == Watch::everything ? "everything" : "result-alone";
}
constexpr Watch last_of(Watch) {
    return Watch::result_alone;
}

template <class Codec>
void describe(Codec& codec, TracedWarp& traced) {
    fields(codec, "block", traced.block, "warp", traced.warp, "limit", traced.limit);
}

template <class Codec>
void describe(Codec& codec, TrialOrder& order) {
    fields(codec, "shape", order.shape, "watch", order.watch, "wants_counters",
           order.wants_counters, "traced", order.traced);
}

template <class Codec>
void describe(Codec& codec, Trial& trial) {
    int error = static_cast<int>(trial.error);
    fields(codec, "launch", trial.launch, "refused", trial.refused, "is_launched",
           trial.is_launched, "error", error, "reports", trial.reports, "out_address",
           trial.out_address, "in_address", trial.in_address, "accesses", trial.accesses,
           "store_line", trial.store_line, "counters", trial.counters, "lines", trial.lines);
    trial.error = static_cast<cudaError_t>(error);
}

namespace simulated {

template <class Codec>
void describe(Codec& codec, Thread& thread) {
    fields(codec, "block", thread.block, "thread", thread.thread);
}

template <class Codec>
void describe(Codec& codec, Report& report) {
    fields(codec, "check", report.check, "kind", report.kind, "message", report.message, "cure",
           report.cure, "kernel", report.kernel, "place", report.place, "other_place",
           report.other_place, "thread", report.thread, "other_thread", report.other_thread,
           "address", report.address, "count", report.count);
}

template <class Codec>
void describe(Codec& codec, Access& access) {
    fields(codec, "line", access.line, "is_shared", access.is_shared, "is_store", access.is_store,
           "bytes_per_lane", access.bytes_per_lane, "active", access.active, "addresses",
           access.addresses, "cost", access.cost, "ideal", access.ideal);
}

template <class Codec>
void describe(Codec& codec, Line& line) {
    fields(codec, "number", line.number, "counters", line.counters);
}

}  // namespace simulated

namespace grader {

template <class Codec>
void describe(Codec& codec, CompileJob& job) {
    fields(codec, "name", job.name, "source", job.source, "kernel", job.kernel);
}

template <class Codec>
void describe(Codec& codec, LaunchJob& job) {
    fields(codec, "file_name", job.file_name, "kernel", job.kernel, "ptx", job.ptx, "entry",
           job.entry, "order", job.order, "is_in_place", job.is_in_place, "guard_bytes",
           job.guard_bytes);
}

namespace {

/// The most of each that anybody looks at; a list is cut there.
constexpr std::size_t kMostReports = 200;
constexpr std::size_t kMostLines = 2000;
constexpr std::size_t kMostMessages = 50;
/// A text of a message: longer ones are cut.
constexpr std::size_t kMostText = 4000;

template <class List>
void cut(List& list, std::size_t most) {
    if (list.size() > most) list.resize(most);
}

void cut(std::string& text) {
    if (text.size() > kMostText) text = text.substr(0, kMostText) + " ...\n";
}

void cut(Failure& failure) {
    for (std::string* text : {&failure.headline, &failure.details, &failure.next}) cut(*text);
    cut(failure.place.file);
    failure.map.reset();
}

/// Whoever writes a jail's answer may write anything that its form allows: no more of it is kept than
/// a kernel could honestly give.
Compiled tamed(Compiled compiled) {
    cut(compiled.messages, kMostMessages);
    for (Message& message : compiled.messages) {
        cut(message.text);
        cut(message.place.file);
    }
    cut(compiled.compiler);
    cut(compiled.failure);
    return compiled;
}

Trial tamed(Trial trial) {
    cut(trial.reports, kMostReports);
    cut(trial.lines, kMostLines);
    cut(trial.accesses, most_traced_accesses);
    cut(trial.refused);
    for (simulated::Report& report : trial.reports) {
        for (std::string* text : {&report.message, &report.cure, &report.kernel}) cut(*text);
        cut(report.place.file);
        cut(report.other_place.file);
    }
    for (const simulated::Access& access : trial.accesses) {
        if (access.bytes_per_lane >= 1 && access.bytes_per_lane <= 16) continue;
        throw std::runtime_error("no lane moves that many bytes");
    }
    return trial;
}

}  // namespace

std::string to_json(const CompileJob& job) {
    return codec::write(job);
}
CompileJob compile_job(std::string_view json) {
    return codec::read<CompileJob>(json);
}

std::string to_json(const Compiled& compiled) {
    return codec::write(tamed(compiled));
}
Compiled compile_answer(std::string_view json) {
    return tamed(codec::read<Compiled>(json));
}

std::string to_json(const LaunchJob& job) {
    return codec::write(job);
}
LaunchJob launch_job(std::string_view json) {
    return codec::read<LaunchJob>(json);
}

std::string to_json(const Trial& trial) {
    return codec::write(tamed(trial));
}
Trial trial_answer(std::string_view json) {
    return tamed(codec::read<Trial>(json));
}

ImageLayout layout_of(const LaunchJob& job) {
    const Shape shape = job.order.shape;
    return {.matrix_bytes = sizeof(float) * static_cast<std::size_t>(shape.rows) *
                            static_cast<std::size_t>(shape.cols),
            .guard_bytes = job.guard_bytes};
}

std::size_t text_offset(const ImageLayout& layout) {
    return (layout.both() + 7) / 8 * 8;
}

}  // namespace grader
}  // namespace coalesce
