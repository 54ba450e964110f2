/// \file
/// Formats and explains the counters of a verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/verdict.h"
#include "learn/json_file.h"

namespace coalesce::learn {

/// Returns the average number of sectors or wavefronts per request, or nothing if there were no
/// requests. `counters` comes from a verdict. `counter` is "load" or "store" for sectors, and
/// "shared_load" or "shared_store" for wavefronts.
std::optional<double> average_per_request(const Json& counters, const std::string& counter);
/// Returns the value that `average_per_request` would return if the requests moved each byte of a
/// matrix with `elements` floats exactly once, and without bank conflicts.
std::optional<double> ideal_per_request(const Json& counters, const std::string& counter,
                                        double elements);
/// Returns the unit of a counter, such as "sectors per store", "wavefronts per shared load" or
/// "percent of a copy's speed".
std::string unit_of_counter(const std::string& counter);
/// Returns the total of all sectors and wavefronts, which is used to compare kernels.
double total_cost(const Json& counters);

/// Formats a number, such as "32", "1.5" or "1,015,808".
std::string format_figure(double value);
/// Formats a number like the other overload. Returns "-" if there is no value.
std::string format_figure(const std::optional<double>& value);

/// Explains the costs of a line of the kernel. Each kind of access on the line gets one sentence.
std::vector<std::string> explain_line_costs(const Verdict& verdict, const Counters& line);

}  // namespace coalesce::learn
