#include "base/enum_names.h"
#include "harness/counters_json.h"
#include "harness/result.h"
#include "harness/text.h"
#include "timing/prediction_codec.h"

namespace coalesce {
namespace {

using codec::Json;

/// Rounds to nine digits, which is more precise than any measurement.
double round_to_nine_digits(double value) {
    return std::stod(format("%.9g", value));
}

Json device_json(const Device& device) {
    Json json{{"name", device.name},
              {"kind", device.simulated ? "sim" : "gpu"},
              {"compute", device.compute}};
    if (!device.simulated) {
        json["driver"] = device.driver;
        json["peak_gbps"] = round_to_nine_digits(device.peak_gbps);
    }
    return json;
}

/// Returns the prediction of each launch as JSON, without the timeline.
Json launches_json(const Predicted& prediction) {
    timing::Predictions launches{prediction.launches};
    for (timing::Prediction& launch : launches.launches) launch.time_line = {};
    return codec::encode(launches).at("launches");
}

Json predicted_json(const Predicted& prediction) {
    return {{"gpu", prediction.gpu},
            {"measured_gpu", prediction.measured_gpu},
            {"rows", prediction.shape.rows},
            {"cols", prediction.shape.cols},
            {"ms", round_to_nine_digits(prediction.ms)},
            {"gbps", round_to_nine_digits(prediction.gbps)},
            {"of_copy", round_to_nine_digits(prediction.fraction_of_copy())},
            {"binds", dashed_name(prediction.longest().bottleneck)},
            {"error_band", round_to_nine_digits(prediction.error_band)},
            {"unknown", codec::encode(prediction.unknown())},
            {"launches", launches_json(prediction)}};
}

Json result_json(const std::string& step, const Result& result, double copy_gbps) {
    Json json{{"step", step},
              {"variant", result.variant->name},
              {"rows", result.shape.rows},
              {"cols", result.shape.cols}};
    if (!result.array.empty()) json["array"] = result.array;
    if (result.outcome == Outcome::skipped) {
        json["skipped"] = result.reason;
        return json;
    }
    json["verified"] = result.outcome == Outcome::verified;
    if (result.outcome == Outcome::wrong) json["wrong"] = result.reason;
    if (result.counters) json["counters"] = counters_to_json(*result.counters);
    if (result.predicted) json["predicted"] = predicted_json(*result.predicted);
    if (!result.not_predicted.empty()) json["not_predicted"] = result.not_predicted;
    if (result.timing) {
        json["ms"] = round_to_nine_digits(result.timing->ms);
        json["gbps"] = round_to_nine_digits(result.gbps());
        if (copy_gbps > 0) json["of_copy"] = round_to_nine_digits(result.gbps() / copy_gbps);
    }
    return json;
}

/// Formats JSON as text. Replaces bytes that are not valid UTF-8 with U+FFFD.
std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Device& device, const std::string& step,
                    const std::vector<Result>& results, double copy_gbps) {
    std::string text = "{\"device\": " + text_of(device_json(device)) + ",\n \"results\": [";
    for (const Result& result : results) {
        text += &result == &results.front() ? "\n  " : ",\n  ";
        text += text_of(result_json(step, result, copy_gbps));
    }
    return text + "\n ]}\n";
}

}  // namespace coalesce
