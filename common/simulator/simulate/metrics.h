// The costs that comparisons and budgets use, computed from the counters of a kernel or a line.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// The traffic of a kernel or a line to one type of memory in one direction.
struct TrafficKind {
    const char* name;      ///< in messages, such as "loads"
    const char* requests;  ///< the counter of requests
    const char* passes;    ///< the counter of sectors or wavefronts
    const char* ideal;     ///< the counter of the least wavefronts, or null
    const char* unit;      ///< "sectors" or "wavefronts"
};
std::span<const TrafficKind> traffic_kinds();

/// A cost that can be limited or compared.
struct Metric {
    const char* name;   ///< in budgets, such as "sectors_per_load"
    const char* words;  ///< in messages, such as "sectors per load"
    bool per_line;      ///< whether lines have it too
    bool is_total;      ///< whether it is a sum over all launches
};
std::span<const Metric> metrics();

/// Returns the value for a kernel or a line, or nothing if it has none, such as the sectors per load
/// of a kernel without loads.
std::optional<double> value_of(const Metric& metric, const Json& counters);

/// Returns the counter, or 0 if it is missing.
double counter(const Json& counters, const char* name);

/// Formats a value: whole numbers with commas, others with up to two digits after the point.
std::string format_value(double value);

}  // namespace coalesce::simulator
