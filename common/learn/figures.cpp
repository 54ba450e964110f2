#include "learn/figures.h"

#include <cstdint>

#include "base/codec.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "timing/prediction.h"

namespace coalesce::learn {
namespace {

const std::string kNoValue = "-";

bool is_number(const Json& result, const char* key) {
    return result.contains(key) && result[key].is_number();
}

bool has_counters(const Json& result) {
    return result.contains("counters") && result["counters"].is_object();
}

std::uint64_t read_counter(const Json& result, const std::string& counter) {
    return result["counters"].value(counter, std::uint64_t{0});
}

}  // namespace

std::string format_shape(const Json& result) {
    return std::to_string(result.at("rows").get<int>()) + " x " +
           std::to_string(result.at("cols").get<int>());
}

std::string skip_reason(const Json& result) {
    return result.value("skipped", "");
}

std::string verdict_word(const Json& result) {
    if (!result.contains("verified") || !result["verified"].is_boolean()) return kNoValue;
    return result["verified"].get<bool>() ? "right" : "WRONG";
}

std::string sectors_per_request(const Json& result, const std::string& kind) {
    const auto average =
        has_counters(result) ? average_per_request(result["counters"], kind) : std::nullopt;
    if (!average) return kNoValue;
    std::string text = format("%.1f", *average);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string bank_conflicts(const Json& result) {
    if (!has_counters(result)) return kNoValue;
    std::uint64_t requests = 0, conflict_count = 0;
    for (std::string kind : {"shared_load", "shared_store"}) {
        requests += read_counter(result, kind + "_requests");
        conflict_count +=
            read_counter(result, kind + "_wavefronts") - read_counter(result, kind + "_ideal");
    }
    return requests == 0 ? kNoValue : format_figure(static_cast<double>(conflict_count));
}

std::string megabytes_moved(const Json& result) {
    if (!has_counters(result)) return kNoValue;
    constexpr double BYTES_PER_SECTOR = 32;
    std::uint64_t sectors =
        read_counter(result, "load_sectors") + read_counter(result, "store_sectors");
    if (sectors == 0) return kNoValue;
    return format("%.1f", static_cast<double>(sectors) * BYTES_PER_SECTOR / 1e6);
}

std::string milliseconds(const Json& result) {
    return is_number(result, "ms") ? format("%.4f", result["ms"].get<double>()) : kNoValue;
}

std::string gigabytes_per_second(const Json& result) {
    return is_number(result, "gbps") ? format("%.0f", result["gbps"].get<double>()) : kNoValue;
}

std::string format_percent_of_copy(const Json& result) {
    if (!is_number(result, "of_copy")) return kNoValue;
    return format("%.1f", 100 * result["of_copy"].get<double>()) + " %";
}

std::string predicted_milliseconds(const Json& result) {
    if (!result.contains("predicted")) return kNoValue;
    const Json& predicted = result["predicted"];
    return milliseconds(predicted) + (predicted.at("unknown").empty() ? "" : "?");
}

std::string format_predicted_percent(const Json& result) {
    if (!result.contains("predicted")) return kNoValue;
    return format("%.0f", 100 * result["predicted"].at("of_copy").get<double>()) + " %";
}

std::string predicted_with_band(const Json& result) {
    if (!result.contains("predicted")) return kNoValue;
    const Json& predicted = result["predicted"];
    const double ms = predicted.at("ms"), error_band = predicted.at("error_band");
    return format(ms < 1000 ? "%.3g" : "%.0f", ms) + format(" ± %.0f %%", 100 * error_band) +
           (predicted.at("unknown").empty() ? "" : " ?");
}

std::string bound_by(const Json& result) {
    if (!result.contains("predicted")) return kNoValue;
    using timing::Bottleneck;
    Bottleneck bottleneck{};
    codec::decode(result["predicted"].at("binds"), bottleneck, "binds");
    switch (bottleneck) {
        case Bottleneck::memory: return "memory";
        case Bottleneck::flight: return "latency";
        case Bottleneck::barrier: return "barriers";
        case Bottleneck::shared: return "L1/shared";
        case Bottleneck::cache: return "L2";
        case Bottleneck::stores: return "partial stores";
        case Bottleneck::issue: return "instructions";
        case Bottleneck::blocks: return "block starts";
        case Bottleneck::few_blocks: return "few blocks";
    }
    return kNoValue;
}

}  // namespace coalesce::learn
