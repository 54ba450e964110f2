/// \file
/// Formats the figures of one result for the terminal's table and the README's.
#pragma once

#include <string>

#include "learn/json_file.h"

namespace coalesce::learn {

/// Formats the shape of a result or a prediction: "1024 x 1024".
std::string shape_of(const Json& result);

/// Returns why the result was skipped, or "" if it was not.
std::string reason_of_skip(const Json& result);

/// Returns "right" or "WRONG", or "-" if the result was not verified.
std::string verdict(const Json& result);

// ---- simulated; "-" where nothing of the kind was counted ----

/// Returns the sectors per request of loads ("load") or stores ("store"): "4", "31.9".
std::string sectors_per_request(const Json& result, const std::string& kind);
/// Returns the wavefronts of shared memory beyond the minimum: "1,015,808".
std::string bank_conflicts(const Json& result);
/// Returns the megabytes (10^6 bytes) that global memory moved, in whole sectors: "37.7".
std::string megabytes_moved(const Json& result);

// ---- measured; "-" where nothing was timed ----

std::string milliseconds(const Json& result);          ///< "2.0970"
std::string gigabytes_per_second(const Json& result);  ///< "4097"
std::string of_copy(const Json& result);               ///< "95.7 %"

// ---- predicted; "-" where nothing was ----

/// Returns "0.0213", followed by a question mark if the prediction lists effects that the model does not know.
std::string predicted_milliseconds(const Json& result);
std::string predicted_of_copy(const Json& result);  ///< "43 %"
/// Returns three digits and the band that holds nine of ten times: "4.7 ± 8 %", "1.47 ± 8 % ?".
std::string predicted_with_band(const Json& result);
std::string bound_by(const Json& result);  ///< the bottleneck, as "memory" or "barriers"

}  // namespace coalesce::learn
