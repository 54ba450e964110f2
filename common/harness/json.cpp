#include "base/enum_names.h"
#include "harness/result.h"
#include "harness/text.h"
#include "timing/prediction_codec.h"

namespace coalesce {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += std::string("\\") + c;
        else if (c == '\n')
            result += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20)
            result += format("\\u%04x", c);
        else
            result += c;
    }
    return result + "\"";
}

std::string member(const char* name, const std::string& value) {
    return quoted(name) + ": " + value;
}

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

/// Enough digits that nothing that was measured is lost.
std::string number(double value) {
    return format("%.9g", value);
}

std::string device_json(const Device& device) {
    std::string text = "{" + member("name", quoted(device.name)) + ", " +
                       member("kind", device.simulated ? "\"sim\"" : "\"gpu\"");
    text += ", " + member("compute", quoted(device.compute));
    if (!device.simulated) {
        text += ", " + member("driver", quoted(device.driver)) + ", " +
                member("peak_gbps", number(device.peak_gbps));
    }
    return text + "}";
}

std::string counters_json(const Counters& counters) {
    std::string text;
    for (const auto& [name, value] : counter_names) {
        text += (text.empty() ? "" : ", ") + member(name, number(counters.*value));
    }
    return "{" + text + "}";
}

/// All that is known of each launch, except for what happens from moment to moment.
std::string launches_json(const Predicted& p) {
    timing::Predictions launches{p.launches};
    for (timing::Prediction& launch : launches.launches) launch.time_line = {};
    return codec::encode(launches).at("launches").dump();
}

std::string predicted_json(const Predicted& p) {
    std::string unknown;
    for (const timing::Unknown u : p.unknown())
        unknown += (unknown.empty() ? "" : ", ") + quoted(dashed_name(u));
    return "{" + member("gpu", quoted(p.gpu)) + ", " +
           member("measured_gpu", p.measured_gpu ? "true" : "false") + ", " +
           member("rows", number(static_cast<std::uint64_t>(p.shape.rows))) + ", " +
           member("cols", number(static_cast<std::uint64_t>(p.shape.cols))) + ", " +
           member("ms", number(p.ms)) + ", " + member("gbps", number(p.gbps)) + ", " +
           member("of_copy", number(p.of_copy())) + ", " +
           member("binds", quoted(dashed_name(p.longest().binds))) + ", " +
           member("error_band", number(p.error_band)) + ", " +
           member("unknown", "[" + unknown + "]") + ", " + member("launches", launches_json(p)) +
           "}";
}

std::string result_json(const std::string& step, const Result& result, const Reference& reference) {
    std::string text = "{" + member("step", quoted(step)) + ", " +
                       member("variant", quoted(result.variant->name)) + ", " +
                       member("rows", number(static_cast<std::uint64_t>(result.shape.rows))) +
                       ", " + member("cols", number(static_cast<std::uint64_t>(result.shape.cols)));
    if (!result.array.empty()) text += ", " + member("array", quoted(result.array));
    if (result.outcome == Outcome::skipped) {
        return text + ", " + member("skipped", quoted(result.reason)) + "}";
    }
    text += ", " + member("verified", result.outcome == Outcome::verified ? "true" : "false");
    if (result.outcome == Outcome::wrong) text += ", " + member("wrong", quoted(result.reason));
    if (result.counters) text += ", " + member("counters", counters_json(*result.counters));
    if (result.predicted) text += ", " + member("predicted", predicted_json(*result.predicted));
    if (!result.not_predicted.empty())
        text += ", " + member("not_predicted", quoted(result.not_predicted));
    if (result.timing) {
        text += ", " + member("ms", number(result.timing->ms)) + ", " +
                member("gbps", number(result.gbps()));
        if (reference.copy_gbps > 0) {
            text += ", " + member("of_copy", number(result.gbps() / reference.copy_gbps));
        }
    }
    return text + "}";
}

}  // namespace

std::string to_json(const Device& device, const std::string& step,
                    const std::vector<Result>& results, const Reference& reference) {
    std::string text = "{\"device\": " + device_json(device) + ",\n \"results\": [";
    for (const Result& result : results) {
        text +=
            (&result == &results.front() ? "\n  " : ",\n  ") + result_json(step, result, reference);
    }
    return text + "\n ]}\n";
}

}  // namespace coalesce
