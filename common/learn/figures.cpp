#include "learn/figures.h"

#include <cstdint>

#include "base/codec.h"
#include "harness/text.h"
#include "learn/counted.h"
#include "timing/prediction.h"

namespace coalesce::learn {
namespace {

const std::string kNothing = "-";

bool is_number(const Json& result, const char* key) {
    return result.contains(key) && result[key].is_number();
}

bool has_counters(const Json& result) {
    return result.contains("counters") && result["counters"].is_object();
}

std::uint64_t counted_of(const Json& result, const std::string& counter) {
    return result["counters"].value(counter, std::uint64_t{0});
}

}  // namespace

std::string shape_of(const Json& result) {
    return std::to_string(result.at("rows").get<int>()) + " x " +
           std::to_string(result.at("cols").get<int>());
}

std::string reason_of_skip(const Json& result) {
    return result.value("skipped", "");
}

std::string verdict(const Json& result) {
    if (!result.contains("verified") || !result["verified"].is_boolean()) return kNothing;
    return result["verified"].get<bool>() ? "right" : "WRONG";
}

std::string sectors_per_request(const Json& result, const std::string& kind) {
    const auto each = has_counters(result) ? per_request(result["counters"], kind) : std::nullopt;
    if (!each) return kNothing;
    std::string text = format("%.1f", *each);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string bank_conflicts(const Json& result) {
    if (!has_counters(result)) return kNothing;
    std::uint64_t requests = 0, conflicts = 0;
    for (std::string kind : {"shared_load", "shared_store"}) {
        requests += counted_of(result, kind + "_requests");
        conflicts += counted_of(result, kind + "_wavefronts") - counted_of(result, kind + "_ideal");
    }
    return requests == 0 ? kNothing : figure(static_cast<double>(conflicts));
}

std::string megabytes_moved(const Json& result) {
    if (!has_counters(result)) return kNothing;
    constexpr double BYTES_PER_SECTOR = 32;
    std::uint64_t sectors =
        counted_of(result, "load_sectors") + counted_of(result, "store_sectors");
    if (sectors == 0) return kNothing;
    return format("%.1f", static_cast<double>(sectors) * BYTES_PER_SECTOR / 1e6);
}

std::string milliseconds(const Json& result) {
    return is_number(result, "ms") ? format("%.4f", result["ms"].get<double>()) : kNothing;
}

std::string gigabytes_per_second(const Json& result) {
    return is_number(result, "gbps") ? format("%.0f", result["gbps"].get<double>()) : kNothing;
}

std::string of_copy(const Json& result) {
    if (!is_number(result, "of_copy")) return kNothing;
    return format("%.1f", 100 * result["of_copy"].get<double>()) + " %";
}

std::string predicted_milliseconds(const Json& result) {
    if (!result.contains("predicted")) return kNothing;
    const Json& predicted = result["predicted"];
    return milliseconds(predicted) + (predicted.at("unknown").empty() ? "" : "?");
}

std::string predicted_of_copy(const Json& result) {
    if (!result.contains("predicted")) return kNothing;
    return format("%.0f", 100 * result["predicted"].at("of_copy").get<double>()) + " %";
}

std::string predicted_with_band(const Json& result) {
    if (!result.contains("predicted")) return kNothing;
    const Json& predicted = result["predicted"];
    const double ms = predicted.at("ms"), band = predicted.at("error_band");
    return format(ms < 1000 ? "%.3g" : "%.0f", ms) + format(" ± %.0f %%", 100 * band) +
           (predicted.at("unknown").empty() ? "" : " ?");
}

std::string bound_by(const Json& result) {
    if (!result.contains("predicted")) return kNothing;
    using timing::Binds;
    Binds binds{};
    codec::decode(result["predicted"].at("binds"), binds, "binds");
    switch (binds) {
        case Binds::memory: return "memory";
        case Binds::flight: return "latency";
        case Binds::barrier: return "barriers";
        case Binds::shared: return "L1/shared";
        case Binds::cache: return "L2";
        case Binds::stores: return "partial stores";
        case Binds::issue: return "instructions";
        case Binds::blocks: return "block starts";
        case Binds::few_blocks: return "few blocks";
    }
    return kNothing;
}

}  // namespace coalesce::learn
