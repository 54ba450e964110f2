/// \file
/// Formats and explains the counters of a verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/verdict.h"
#include "learn/json_file.h"

namespace coalesce::learn {

/// Returns a counter per request. `counters` is a verdict's "counters" or "solution_counters"; `counter` is named as
/// in lesson.toml: "load" and "store" (sectors), "shared_load" and "shared_store" (wavefronts). Returns nothing if
/// the kernel made no such request.
std::optional<double> per_request(const Json& counters, const std::string& counter);
/// Returns the minimum of that figure for a matrix of so many floats, in which each byte is moved once.
std::optional<double> ideal_per_request(const Json& counters, const std::string& counter,
                                        double elements);
/// Returns the unit of a counter: "sectors per store", "wavefronts per shared load", "percent of a copy's speed".
std::string words_for(const std::string& counter);
/// Returns the sum of sectors and wavefronts, by which kernels are compared.
double cost_of(const Json& counters);

/// Formats a figure: "32", "1.5", "1,015,808".
std::string figure(double value);
std::string figure(const std::optional<double>& value);  ///< "-" if empty

/// Explains what a line of the kernel costs: one sentence for each kind of access in it.
std::vector<std::string> reasons_for(const Verdict& verdict, const Counters& line);

}  // namespace coalesce::learn
