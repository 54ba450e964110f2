/// \file
/// What a kernel cost, as a verdict has it, in the words of a lesson.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examiner/verdict.h"
#include "learn/json_file.h"

namespace coalesce::learn {

/// A counter per request in a verdict's "counters" or "solution_counters", named as in lesson.toml:
/// sectors of "load" and "store", wavefronts of "shared_load" and "shared_store". Nothing where
/// nothing of the kind was counted.
std::optional<double> per_request(const Json& counters, const std::string& counter);
/// The least that it can be for a matrix of rows x cols floats: every byte moved once.
std::optional<double> ideal_per_request(const Json& counters, const std::string& counter,
                                        double elements);
/// "sectors per store", "wavefronts per shared load", "percent of a copy's speed"
std::string words_for(const std::string& counter);
/// Sectors and wavefronts together: what makes one kernel more expensive than another.
double cost_of(const Json& counters);

/// "32", "1.5", "1,015,808"
std::string figure(double value);
std::string figure(const std::optional<double>& value);  ///< "-" for nothing

/// Why a line of the verdict's kernel costs what it does: a sentence for each kind of access in it.
std::vector<std::string> reasons_for(const Verdict& verdict, const Counters& line);

}  // namespace coalesce::learn
