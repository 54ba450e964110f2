// See metrics.h.
#include "simulator/simulate/metrics.h"

#include <cmath>
#include <cstdio>
#include <string_view>

#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

constexpr TrafficKind kTraffic[] = {
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

constexpr Metric kMetrics[] = {
    {"sectors_per_load", "sectors per load", true, false},
    {"sectors_per_store", "sectors per store", true, false},
    {"sectors_per_atomic", "sectors per atomic", true, false},
    {"sectors", "sectors", true, true},
    {"requests", "requests", true, true},
    {"wavefronts", "shared wavefronts", true, true},
    {"bank_conflicts", "bank conflicts", true, true},
    {"warp_instructions", "warp instructions", true, true},
    {"registers", "registers", false, false},
    {"predicted_ms", "predicted ms", false, true},
};

std::optional<double> ratio(double numerator, double denominator) {
    if (denominator == 0) return std::nullopt;
    return numerator / denominator;
}

/// Adds a counter of every traffic kind with this unit. Returns nothing if there is no traffic.
std::optional<double> sum(const Json& counters, const char* TrafficKind::*member,
                          std::string_view unit) {
    double total = 0, requests = 0;
    for (const TrafficKind& kind : kTraffic) {
        if (kind.unit != unit) continue;
        total += counter(counters, kind.*member);
        requests += counter(counters, kind.requests);
    }
    if (requests == 0) return std::nullopt;
    return total;
}

std::optional<double> bank_conflicts(const Json& counters) {
    const auto passes = sum(counters, &TrafficKind::passes, "wavefronts");
    const auto ideal = sum(counters, &TrafficKind::ideal, "wavefronts");
    if (!passes) return std::nullopt;
    return *passes - *ideal;
}

}  // namespace

std::span<const TrafficKind> traffic_kinds() {
    return kTraffic;
}

std::span<const Metric> metrics() {
    return kMetrics;
}

double counter(const Json& counters, const char* name) {
    const auto found = counters.find(name);
    return found != counters.end() && found->is_number() ? found->get<double>() : 0;
}

std::optional<double> value_of(const Metric& metric, const Json& counters) {
    const std::string_view name = metric.name;
    for (const char* what : {"load", "store", "atomic"})
        if (name == std::string("sectors_per_") + what)
            return ratio(counter(counters, (std::string(what) + "_sectors").c_str()),
                         counter(counters, (std::string(what) + "_requests").c_str()));
    if (name == "sectors") return sum(counters, &TrafficKind::passes, "sectors");
    if (name == "requests") return sum(counters, &TrafficKind::requests, "sectors");
    if (name == "wavefronts") return sum(counters, &TrafficKind::passes, "wavefronts");
    if (name == "bank_conflicts") return bank_conflicts(counters);
    if (name == "predicted_ms") {
        const auto predicted = counters.find("predicted");
        if (predicted == counters.end() || !predicted->contains("longest")) return std::nullopt;
        return counter(*predicted, "ms");
    }
    const double value = counter(counters, metric.name);
    return value > 0 ? std::optional(value) : std::nullopt;
}

std::string format_value(double value) {
    if (std::floor(value) == value && value >= 0 && value < 1e18)
        return with_commas(static_cast<u64>(value));
    char text[64];
    std::snprintf(text, sizeof text, value < 0.1 ? "%.4f" : "%.2f", value);
    return text;
}

}  // namespace coalesce::simulator
