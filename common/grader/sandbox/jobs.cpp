#include "grader/sandbox/jobs.h"

#include <algorithm>
#include <stdexcept>

#include "examiner/safe_text.h"
#include "timing/gpu.h"

namespace coalesce {

void describe(auto& codec, SampledCosts& costs) {
    fields(codec, "counters", costs.counters, "can_store_all", costs.can_store_all);
}

}  // namespace coalesce

namespace coalesce::grader {

void describe(auto& codec, PredictedTime& predicted_time) {
    fields(codec, "predicted", predicted_time.predicted, "is_moved", predicted_time.is_moved,
           "is_idle", predicted_time.is_idle, "refused", predicted_time.launch_failure, "costs",
           predicted_time.costs);
}

namespace {

/// The maximum number of reports kept from an answer.
constexpr std::size_t kMaxReports = 200;
constexpr std::size_t kMaxLines = 2000;
constexpr std::size_t kMaxMessages = 50;
/// The maximum length of a message, in bytes.
constexpr std::size_t kMaxMessageBytes = 4000;
/// The maximum length of a file's or kernel's name, in bytes. With a #line directive or a long
/// identifier, a student can make these names arbitrarily long.
constexpr std::size_t kMaxNameBytes = 200;

template <class List>
void truncate(List& list, std::size_t max_size) {
    if (list.size() > max_size) list.resize(max_size);
}

void truncate(std::string& text) {
    if (text.size() > kMaxMessageBytes) text = text.substr(0, kMaxMessageBytes) + " ...\n";
}

void truncate_name(std::string& name) {
    name = escape_line(name, kMaxNameBytes);
}

void truncate(Failure& failure) {
    for (std::string* text : {&failure.headline, &failure.details, &failure.advice})
        truncate(*text);
    truncate_name(failure.place.file);
    failure.map.reset();
}

/// Trims the answer to the size that an honest kernel can require. A hostile kernel may make the
/// worker write anything that parses.
Compiled sanitize_answer(Compiled compiled) {
    truncate(compiled.messages, kMaxMessages);
    for (Message& message : compiled.messages) {
        truncate(message.text);
        truncate_name(message.place.file);
    }
    truncate(compiled.compiler);
    truncate(compiled.failure);
    return compiled;
}

Trial sanitize_answer(Trial trial) {
    truncate(trial.reports, kMaxReports);
    truncate(trial.lines, kMaxLines);
    truncate(trial.accesses, kMaxTracedAccesses);
    truncate(trial.launch_failure);
    for (simulated::Report& report : trial.reports) {
        for (std::string* text : {&report.message, &report.cure}) truncate(*text);
        for (Place* place : {&report.place, &report.other_place}) truncate_name(place->file);
    }
    for (const simulated::Access& access : trial.accesses) {
        if (access.bytes_per_lane >= 1 && access.bytes_per_lane <= 16) continue;
        throw std::runtime_error("a lane must move 1 to 16 bytes");
    }
    return trial;
}

/// The widest error band that is accepted in an answer, as a fraction of the predicted time. The
/// model does not produce wider bands.
constexpr double kMaxErrorBand = 1;
/// The smallest memory traffic that is accepted in an answer, as a fraction of the bytes that the
/// task must move. It is below 1 because a few recorded blocks stand for all blocks.
constexpr double kMinMovedFraction = 0.95;
/// The smallest accepted fraction of moved data for large shapes that are not a whole number of
/// tiles. The only sampled block of such a shape may be a partial one at an edge.
constexpr double kMinRaggedMovedFraction = 0.4;

double min_moved_fraction(Shape shape) {
    constexpr int min_checked_side = 1000, tile = 64;
    // Nearly all tiles of a long and narrow matrix are at an edge.
    if (std::min(shape.rows, shape.cols) < min_checked_side) return 0;
    const bool has_whole_tiles = shape.rows % tile == 0 && shape.cols % tile == 0;
    return has_whole_tiles ? kMinMovedFraction : kMinRaggedMovedFraction;
}

/// The highest speed that is accepted in an answer, as a multiple of the speed of a copy. No kernel
/// is faster than this.
constexpr double kMaxFractionOfCopy = 2;

PredictedTime sanitize_answer(const PredictedTime& predicted_time, Shape shape) {
    if (predicted_time.launch_failure.kind != FailureKind::none) {
        PredictedTime failed_prediction{.launch_failure = predicted_time.launch_failure};
        truncate(failed_prediction.launch_failure);
        return failed_prediction;
    }
    const PredictedTime prediction_without_moves{.is_moved = false},
        idle_prediction{.is_moved = false, .is_idle = true};
    if (!predicted_time.is_moved)
        return predicted_time.is_idle ? idle_prediction : prediction_without_moves;
    const PredictedTime prediction_without_time{.costs = predicted_time.costs};
    if (!predicted_time.predicted) return prediction_without_time;
    const timing::Gpu& gpu = timing::known_gpus().front();
    if (predicted_time.predicted->launches.size() != 1) {
        throw std::runtime_error("exactly one launch must be predicted");
    }
    timing::Prediction prediction = predicted_time.predicted->launches.front();
    // Too little memory traffic makes the prediction useless. If the grid can store the whole
    // output, the model has underestimated the traffic, as it does for blocks that wait at an
    // mbarrier several times. Otherwise, the blocks store too little.
    if (!(prediction.memory_bytes >= min_moved_fraction(shape) * useful_bytes(shape)))
        return predicted_time.costs.can_store_all ? prediction_without_time : idle_prediction;
    const bool is_valid_time =
        prediction.ms > 0 && prediction.error_band >= 0 && prediction.error_band <= kMaxErrorBand;
    if (!is_valid_time || prediction.gpu != gpu.name)
        throw std::runtime_error("the predicted time of the launch is invalid");
    prediction.is_gpu_measured = gpu.is_measured;
    prediction.time_line = {};
    truncate_name(prediction.kernel);
    Predicted predicted{.shape = shape,
                        .gpu = gpu.name,
                        .measured_gpu = gpu.is_measured,
                        .copy_gbps = gpu.copy_gbps,
                        .ms = prediction.ms,
                        .gbps = useful_bytes(shape) / (prediction.ms * 1e6),
                        .error_band = prediction.error_band,
                        .launches = {prediction}};
    if (predicted.fraction_of_copy() > kMaxFractionOfCopy)
        throw std::runtime_error("the predicted time is impossibly short");
    return {.predicted = predicted, .costs = predicted_time.costs};
}

}  // namespace

std::string to_json(const Compiled& compiled) {
    return codec::write(sanitize_answer(compiled));
}
Compiled parse_compile_answer(std::string_view json) {
    return sanitize_answer(codec::read<Compiled>(json));
}

std::string to_json(const Trial& trial) {
    Trial sanitized = sanitize_answer(trial);
    std::string json = codec::write(sanitized);
    // A character can take six bytes in JSON, so shorten the lists until the text fits. Keep their
    // first entries, which name the cause of the failure.
    while (json.size() > kMaxTrialTextBytes &&
           sanitized.reports.size() + sanitized.lines.size() > 2) {
        truncate(sanitized.reports, (sanitized.reports.size() + 1) / 2);
        truncate(sanitized.lines, (sanitized.lines.size() + 1) / 2);
        json = codec::write(sanitized);
    }
    return json;
}
Trial parse_trial_answer(std::string_view json) {
    return sanitize_answer(codec::read<Trial>(json));
}

std::string to_json(const PredictedTime& predicted_time) {
    return codec::write(predicted_time);
}
PredictedTime parse_prediction_answer(std::string_view json, Shape shape) {
    return sanitize_answer(codec::read<PredictedTime>(json), shape);
}

ImageLayout layout_for_job(const LaunchJob& job) {
    if (job.is_predicted) return {};
    if (!job.arguments.empty()) {
        ImageLayout layout;
        for (const JobArgument& argument : job.arguments) layout.array_bytes += argument.bytes;
        return layout;
    }
    const Shape shape = job.order.shape;
    return {.matrix_bytes = sizeof(float) * static_cast<std::size_t>(shape.rows) *
                            static_cast<std::size_t>(shape.cols),
            .guard_bytes = job.guard_bytes};
}

std::size_t text_offset(const ImageLayout& layout) {
    return (layout.image_bytes() + 7) / 8 * 8;
}

}  // namespace coalesce::grader
