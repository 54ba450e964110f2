/// \file
/// Formats the figures of a result for the tables in the terminal and in the README.
#pragma once

#include <string>

#include "learn/json_file.h"

namespace coalesce::learn {

/// Formats the shape of a result or a prediction, for example "1024 x 1024".
std::string format_shape(const Json& result);

/// Returns the reason why the result was skipped, or "" if it was not.
std::string skip_reason(const Json& result);

/// Returns the outcome of the verification: "right", "WRONG", or "-" if the result was not
/// verified.
std::string verdict_word(const Json& result);

// ---- simulated counters; each function returns "-" if the result has no such counter ----

/// Returns the sectors per load or store request, such as "31.9". `kind` is "load" or "store".
std::string sectors_per_request(const Json& result, const std::string& kind);
/// Returns the number of shared-memory wavefronts in excess of the minimum, such as "1,015,808".
std::string bank_conflicts(const Json& result);
/// Returns the total size of all sectors that are loaded or stored, in megabytes (10^6 bytes), such
/// as "37.7".
std::string megabytes_moved(const Json& result);

// ---- measured times; each function returns "-" if the result has no such time ----

std::string milliseconds(const Json& result);            ///< such as "2.0970"
std::string gigabytes_per_second(const Json& result);    ///< such as "4097"
std::string format_percent_of_copy(const Json& result);  ///< such as "95.7 %"

// ---- predictions; each function returns "-" if the result has no prediction ----

/// Returns the predicted time, such as "0.0213". A question mark follows the time if the model
/// ignores some effects in this kernel.
std::string predicted_milliseconds(const Json& result);
std::string format_predicted_percent(const Json& result);  ///< such as "43 %"
/// Returns the predicted time with its error band, such as "4.7 ± 8 %" or "1.47 ± 8 % ?". Nine of
/// ten measured times are within the band.
std::string predicted_with_band(const Json& result);
/// Returns the bottleneck, such as "memory" or "barriers".
std::string bound_by(const Json& result);

}  // namespace coalesce::learn
