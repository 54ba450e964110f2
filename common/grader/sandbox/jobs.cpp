#include "grader/sandbox/jobs.h"

#include <algorithm>
#include <stdexcept>

#include "examiner/safe_text.h"
#include "timing/gpu.h"

namespace coalesce::grader {

void describe(auto& codec, ForetoldTime& foretold) {
    fields(codec, "predicted", foretold.predicted, "is_moved", foretold.is_moved);
}

namespace {

/// The maximum number of reports kept from an answer.
constexpr std::size_t kMostReports = 200;
constexpr std::size_t kMostLines = 2000;
constexpr std::size_t kMostMessages = 50;
/// The maximum length of a message, in bytes.
constexpr std::size_t kMostText = 4000;
/// The maximum length of a file's or kernel's name, in bytes. A student can make both arbitrarily
/// long, with #line or a long identifier.
constexpr std::size_t kMostName = 200;

template <class List>
void cut(List& list, std::size_t most) {
    if (list.size() > most) list.resize(most);
}

void cut(std::string& text) {
    if (text.size() > kMostText) text = text.substr(0, kMostText) + " ...\n";
}

void cut_name(std::string& name) {
    name = shown(name, kMostName);
}

void cut(Failure& failure) {
    for (std::string* text : {&failure.headline, &failure.details, &failure.next}) cut(*text);
    cut_name(failure.place.file);
    failure.map.reset();
}

/// Trims the answer to the size that an honest kernel can produce. A hostile kernel may write
/// anything that parses.
Compiled tamed(Compiled compiled) {
    cut(compiled.messages, kMostMessages);
    for (Message& message : compiled.messages) {
        cut(message.text);
        cut_name(message.place.file);
    }
    cut(compiled.compiler);
    cut(compiled.failure);
    return compiled;
}

Trial tamed(Trial trial) {
    cut(trial.reports, kMostReports);
    cut(trial.lines, kMostLines);
    cut(trial.accesses, kMostTracedAccesses);
    cut(trial.refused);
    for (simulated::Report& report : trial.reports) {
        for (std::string* text : {&report.message, &report.cure}) cut(*text);
        for (Place* place : {&report.place, &report.other_place}) cut_name(place->file);
    }
    for (const simulated::Access& access : trial.accesses) {
        if (access.bytes_per_lane >= 1 && access.bytes_per_lane <= 16) continue;
        throw std::runtime_error("no lane moves that many bytes");
    }
    return trial;
}

/// The widest error band that is accepted in an answer, as a fraction of the time. No band of the
/// model is wider.
constexpr double kWidestBand = 1;
/// The smallest memory traffic that is accepted in an answer, as a fraction of the bytes of the
/// task. It is below 1 because a few recorded blocks stand for all blocks.
constexpr double kLeastMoved = 0.95;
/// The highest speed that is accepted in an answer, as a multiple of the speed of a copy. No kernel
/// is that fast.
constexpr double kFastest = 2;

ForetoldTime tamed(const ForetoldTime& told, Shape shape) {
    const ForetoldTime not_moved{.predicted = {}, .is_moved = false};
    if (!told.is_moved) return not_moved;
    if (!told.predicted) return {};
    const timing::Gpu& gpu = timing::known_gpus().front();
    if (told.predicted->launches.size() != 1) {
        throw std::runtime_error("one launch was to be predicted");
    }
    timing::Prediction launch = told.predicted->launches.front();
    if (!(launch.memory_bytes >= kLeastMoved * useful_bytes(shape))) return not_moved;
    const bool is_time =
        launch.ms > 0 && launch.error_band >= 0 && launch.error_band <= kWidestBand;
    if (!is_time || launch.gpu != gpu.name) throw std::runtime_error("that is no time of a launch");
    launch.measured_gpu = gpu.measured;
    launch.time_line = {};
    cut_name(launch.kernel);
    Predicted predicted{.shape = shape,
                        .gpu = gpu.name,
                        .measured_gpu = gpu.measured,
                        .copy_gbps = gpu.copy_gbps,
                        .ms = launch.ms,
                        .gbps = useful_bytes(shape) / (launch.ms * 1e6),
                        .error_band = launch.error_band,
                        .launches = {launch}};
    if (predicted.of_copy() > kFastest) throw std::runtime_error("no kernel is as fast as that");
    return {predicted};
}

}  // namespace

std::string to_json(const Compiled& compiled) {
    return codec::write(tamed(compiled));
}
Compiled compile_answer(std::string_view json) {
    return tamed(codec::read<Compiled>(json));
}

std::string to_json(const Trial& trial) {
    Trial told = tamed(trial);
    std::string json = codec::write(told);
    // A character can take six bytes in JSON, so shorten the lists until the text fits. Keep their
    // first entries, which name the cause.
    while (json.size() > kMostTrialText && told.reports.size() + told.lines.size() > 2) {
        cut(told.reports, (told.reports.size() + 1) / 2);
        cut(told.lines, (told.lines.size() + 1) / 2);
        json = codec::write(told);
    }
    return json;
}
Trial trial_answer(std::string_view json) {
    return tamed(codec::read<Trial>(json));
}

std::string to_json(const ForetoldTime& foretold) {
    return codec::write(foretold);
}
ForetoldTime predicted_answer(std::string_view json, Shape shape) {
    return tamed(codec::read<ForetoldTime>(json), shape);
}

ImageLayout layout_of(const LaunchJob& job) {
    if (job.is_predicted) return {};
    const Shape shape = job.order.shape;
    return {.matrix_bytes = sizeof(float) * static_cast<std::size_t>(shape.rows) *
                            static_cast<std::size_t>(shape.cols),
            .guard_bytes = job.guard_bytes};
}

std::size_t text_offset(const ImageLayout& layout) {
    return (layout.both() + 7) / 8 * 8;
}

}  // namespace coalesce::grader
