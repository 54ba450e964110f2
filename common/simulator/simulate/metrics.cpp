// See metrics.h.
#include "simulator/simulate/metrics.h"

#include <cmath>
#include <cstdio>

#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

constexpr TrafficKind kTrafficKinds[] = {
    {"loads", "load_requests", "load_sectors", nullptr, "sectors"},
    {"stores", "store_requests", "store_sectors", nullptr, "sectors"},
    {"atomics", "atomic_requests", "atomic_sectors", nullptr, "sectors"},
    {"shared loads", "shared_load_requests", "shared_load_wavefronts", "shared_load_ideal",
     "wavefronts"},
    {"shared stores", "shared_store_requests", "shared_store_wavefronts", "shared_store_ideal",
     "wavefronts"},
    {"shared atomics", "shared_atomic_requests", "shared_atomic_wavefronts", "shared_atomic_ideal",
     "wavefronts"},
};

std::optional<double> find_ratio(const Json& counters, const TrafficKind& traffic_kind) {
    const double requests = read_counter(counters, traffic_kind.requests);
    if (requests == 0) return std::nullopt;
    return read_counter(counters, traffic_kind.passes) / requests;
}

/// Returns the sum of a counter over all kinds of traffic that are measured in `unit`, or nothing
/// if there is no such traffic.
std::optional<double> add_traffic_counters(const Json& counters,
                                           const char* TrafficKind::*counter_name,
                                           std::string_view unit) {
    double total = 0, requests = 0;
    for (const TrafficKind& traffic_kind : kTrafficKinds) {
        if (traffic_kind.unit != unit) continue;
        total += read_counter(counters, traffic_kind.*counter_name);
        requests += read_counter(counters, traffic_kind.requests);
    }
    if (requests == 0) return std::nullopt;
    return total;
}

/// Returns the counter's value, or nothing if the counter is missing or 0.
std::optional<double> positive_counter(const Json& counters, const char* name) {
    const double value = read_counter(counters, name);
    return value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> bank_conflicts(const Json& counters) {
    const auto passes = add_traffic_counters(counters, &TrafficKind::passes, "wavefronts");
    const auto ideal = add_traffic_counters(counters, &TrafficKind::ideal, "wavefronts");
    if (!passes) return std::nullopt;
    return *passes - *ideal;
}

std::optional<double> predicted_ms(const Json& counters) {
    const auto predicted = counters.find("predicted");
    if (predicted == counters.end() || !predicted->contains("longest")) return std::nullopt;
    return read_counter(*predicted, "ms");
}

constexpr Metric kMetrics[] = {
    {"sectors_per_load", "sectors per load", LineLimitSupport::written, ComparisonRule::never,
     "sectors", [](const Json& counters) { return find_ratio(counters, kTrafficKinds[0]); }},
    {"sectors_per_store", "sectors per store", LineLimitSupport::written, ComparisonRule::never,
     "sectors", [](const Json& counters) { return find_ratio(counters, kTrafficKinds[1]); }},
    {"sectors_per_atomic", "sectors per atomic", LineLimitSupport::written, ComparisonRule::never,
     "sectors", [](const Json& counters) { return find_ratio(counters, kTrafficKinds[2]); }},
    {"sectors", "sectors", LineLimitSupport::possible, ComparisonRule::always, "sectors",
     [](const Json& counters) {
         return add_traffic_counters(counters, &TrafficKind::passes, "sectors");
     }},
    // The number of requests is not a cost, because fewer but wider requests take more sectors
    // each.
    {"requests", "requests", LineLimitSupport::possible, ComparisonRule::never, "sectors",
     [](const Json& counters) {
         return add_traffic_counters(counters, &TrafficKind::requests, "sectors");
     }},
    {"wavefronts", "shared wavefronts", LineLimitSupport::possible, ComparisonRule::always,
     "wavefronts",
     [](const Json& counters) {
         return add_traffic_counters(counters, &TrafficKind::passes, "wavefronts");
     }},
    {"bank_conflicts", "bank conflicts", LineLimitSupport::written, ComparisonRule::always,
     "wavefronts", bank_conflicts},
    {"warp_instructions", "warp instructions", LineLimitSupport::possible, ComparisonRule::always,
     "sectors",
     [](const Json& counters) { return positive_counter(counters, "warp_instructions"); }},
    {"registers", "registers", LineLimitSupport::none, ComparisonRule::never, "sectors",
     [](const Json& counters) { return positive_counter(counters, "registers"); }},
    {"predicted_ms", "predicted ms", LineLimitSupport::none, ComparisonRule::if_both, "sectors",
     predicted_ms},
};

}  // namespace

std::span<const TrafficKind> traffic_kinds() {
    return kTrafficKinds;
}

std::span<const Metric> metrics() {
    return kMetrics;
}

double read_counter(const Json& counters, const char* name) {
    const auto counter_entry = counters.find(name);
    return counter_entry != counters.end() && counter_entry->is_number()
               ? counter_entry->get<double>()
               : 0;
}

std::string format_value(double value) {
    if (std::floor(value) == value && value >= 0 && value < 1e18)
        return format_with_commas(static_cast<u64>(value));
    char text[64];
    std::snprintf(text, sizeof text, value < 0.1 ? "%.4f" : "%.2f", value);
    return text;
}

}  // namespace coalesce::simulator
