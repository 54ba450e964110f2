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

void describe(auto& codec, PredictedTime& foretold) {
    fields(codec, "predicted", foretold.predicted, "is_moved", foretold.is_moved, "is_idle",
           foretold.is_idle, "refused", foretold.launch_failure, "costs", foretold.costs);
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
void truncate(List& list, std::size_t most) {
    if (list.size() > most) list.resize(most);
}

void truncate(std::string& text) {
    if (text.size() > kMaxMessageBytes) text = text.substr(0, kMaxMessageBytes) + " ...\n";
}

void truncate_name(std::string& name) {
    name = escape_line(name, kMaxNameBytes);
}

void truncate(Failure& failure) {
    for (std::string* text : {&failure.headline, &failure.details, &failure.next}) truncate(*text);
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
constexpr double kMinMovedFractionOfRagged = 0.4;

double min_moved_fraction(Shape shape) {
    constexpr int narrow = 1000, tile = 64;
    // Nearly all tiles of a long and narrow matrix are at an edge.
    if (std::min(shape.rows, shape.cols) < narrow) return 0;
    const bool has_whole_tiles = shape.rows % tile == 0 && shape.cols % tile == 0;
    return has_whole_tiles ? kMinMovedFraction : kMinMovedFractionOfRagged;
}

/// The highest speed that is accepted in an answer, as a multiple of the speed of a copy. No kernel
/// is faster than this.
constexpr double kMaxSpeedOfCopy = 2;

PredictedTime sanitize_answer(const PredictedTime& told, Shape shape) {
    if (told.launch_failure.kind != FailureKind::none) {
        PredictedTime refused{.launch_failure = told.launch_failure};
        truncate(refused.launch_failure);
        return refused;
    }
    const PredictedTime not_moved{.is_moved = false}, idle{.is_moved = false, .is_idle = true};
    if (!told.is_moved) return told.is_idle ? idle : not_moved;
    const PredictedTime without_time{.costs = told.costs};
    if (!told.predicted) return without_time;
    const timing::Gpu& gpu = timing::known_gpus().front();
    if (told.predicted->launches.size() != 1) {
        throw std::runtime_error("exactly one launch must be predicted");
    }
    timing::Prediction launch = told.predicted->launches.front();
    // Too little memory traffic makes the prediction useless. If the grid can store the whole
    // output, the model has underestimated the traffic, as it does for blocks that wait at an
    // mbarrier several times. Otherwise, the blocks store too little.
    if (!(launch.memory_bytes >= min_moved_fraction(shape) * useful_bytes(shape)))
        return told.costs.can_store_all ? without_time : idle;
    const bool is_time =
        launch.ms > 0 && launch.error_band >= 0 && launch.error_band <= kMaxErrorBand;
    if (!is_time || launch.gpu != gpu.name)
        throw std::runtime_error("the predicted time of the launch is invalid");
    launch.measured_gpu = gpu.measured;
    launch.time_line = {};
    truncate_name(launch.kernel);
    Predicted predicted{.shape = shape,
                        .gpu = gpu.name,
                        .measured_gpu = gpu.measured,
                        .copy_gbps = gpu.copy_gbps,
                        .ms = launch.ms,
                        .gbps = useful_bytes(shape) / (launch.ms * 1e6),
                        .error_band = launch.error_band,
                        .launches = {launch}};
    if (predicted.fraction_of_copy() > kMaxSpeedOfCopy)
        throw std::runtime_error("the predicted time is impossibly short");
    return {.predicted = predicted, .costs = told.costs};
}

}  // namespace

std::string to_json(const Compiled& compiled) {
    return codec::write(sanitize_answer(compiled));
}
Compiled parse_compile_answer(std::string_view json) {
    return sanitize_answer(codec::read<Compiled>(json));
}

std::string to_json(const Trial& trial) {
    Trial told = sanitize_answer(trial);
    std::string json = codec::write(told);
    // A character can take six bytes in JSON, so shorten the lists until the text fits. Keep their
    // first entries, which name the cause of the failure.
    while (json.size() > kMaxTrialTextBytes && told.reports.size() + told.lines.size() > 2) {
        truncate(told.reports, (told.reports.size() + 1) / 2);
        truncate(told.lines, (told.lines.size() + 1) / 2);
        json = codec::write(told);
    }
    return json;
}
Trial parse_trial_answer(std::string_view json) {
    return sanitize_answer(codec::read<Trial>(json));
}

std::string to_json(const PredictedTime& foretold) {
    return codec::write(foretold);
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
    return (layout.bytes_of_both() + 7) / 8 * 8;
}

}  // namespace coalesce::grader
