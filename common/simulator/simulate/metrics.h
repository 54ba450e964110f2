// The costs that comparisons and budgets use, computed from the counters of a kernel or a line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "simulator/base/types.h"
#include "simulator/simulate/run_report.h"

namespace coalesce::simulator {

/// The traffic of a kernel or a line to one type of memory in one direction.
struct TrafficKind {
    const char* name;       ///< the name in messages, such as "loads"
    const char* requests;   ///< the name of the counter of requests
    const char* passes;     ///< the name of the counter of sectors or wavefronts
    const char* ideal;      ///< the name of the counter of ideal wavefronts, or null
    std::string_view unit;  ///< the unit of `passes`: "sectors" or "wavefronts"
};
std::span<const TrafficKind> traffic_kinds();

/// The extent to which a budget can limit a cost for individual source lines.
enum class LineLimitSupport : u8 {
    none,
    possible,
    written,  ///< line limits are possible, and --write-budget writes them
};

/// The condition under which a comparison reports that a cost has grown. The conditions differ for
/// costs that are missing in one of the two runs.
enum class ComparisonRule : u8 {
    never,
    always,   ///< reported even if one run does not have the cost; its cost then counts as 0
    if_both,  ///< reported only if both runs have the cost
};

/// A cost that can be limited or compared.
struct Metric {
    const char* name;          ///< the name in budgets, such as "sectors_per_load"
    const char* display_name;  ///< the name in messages, such as "sectors per load"
    LineLimitSupport line_limit_support;
    ComparisonRule comparison_rule;
    /// The unit of the traffic that determines this cost (TrafficKind::unit). If the cost grows, a
    /// comparison reports the source line whose traffic in this unit grew most.
    std::string_view unit;
    /// Returns the value for a kernel or a line. Returns nothing if the value is undefined, such as
    /// the sectors per load of a kernel without loads.
    std::optional<double> (*value)(const Json& counters);
};
std::span<const Metric> metrics();

/// Returns the value of the counter `name`, or 0 if it is missing.
double read_counter(const Json& counters, const char* name);

/// Formats a value. Whole numbers get commas. Other numbers have two digits after the point, or
/// four digits if they are below 0.1.
std::string format_value(double value);

}  // namespace coalesce::simulator
