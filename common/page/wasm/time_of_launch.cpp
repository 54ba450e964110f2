#include "time_of_launch.h"

#include <optional>
#include <stdexcept>
#include <vector>

#include "simulator/report/reports.h"
#include "timing/gpu.h"
#include "timing/predict.h"
#include "timing/prediction_codec.h"
#include "timing/time_line.h"
#include "timing/time_line_svg.h"

namespace coalesce {
namespace timing {

void describe(auto& codec, TimeExplanation& t) {
    fields(codec, "kernel", t.kernel, "time", t.time, "label", t.label, "verdict", t.verdict, "why",
           t.reasons, "unknown", t.unknown, "cure", t.cure);
}

}  // namespace timing

namespace simulator {
namespace {

struct TimeOfLaunch {
    timing::Prediction prediction;
    std::optional<double> of_copy;
    timing::TimeExplanation explanation;
    std::string svg, text;
};

void describe(auto& codec, TimeOfLaunch& t) {
    fields(codec, "prediction", t.prediction, "of_copy", t.of_copy, "told", t.explanation, "svg",
           t.svg, "text", t.text);
}

}  // namespace

LaunchRecording::~LaunchRecording() {
    recorder().begin_recording(Recorder::RecordMode::nothing);
    reports().clear();
}

const timing::Recording& LaunchRecording::recording() const {
    const auto& all = recorder().recordings();
    if (all.empty()) throw std::runtime_error("The launch was not recorded.");
    return all.front();
}

std::string time_of_launch(const timing::Recording& recording, const std::string& gpu_name,
                           double useful_bytes) {
    const timing::Gpu gpu = timing::parse_or_find_gpu(gpu_name);
    TimeOfLaunch time;
    time.prediction = timing::predict(recording, gpu);
    time.of_copy = timing::fraction_of_copy(time.prediction, gpu, useful_bytes);
    time.explanation = timing::explain_prediction(time.prediction, gpu, useful_bytes);
    time.svg = timing::time_line_svg(time.prediction);
    time.text = timing::time_line_text(time.prediction);
    return codec::write(time);
}

std::string explanation_json(const timing::TimeExplanation& explanation) {
    return codec::write(explanation);
}

}  // namespace simulator
}  // namespace coalesce
