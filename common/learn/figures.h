/// \file
/// Figures of one result, as texts: for the terminal's table and the README's.
#pragma once

#include <string>

#include "learn/json_file.h"

namespace coalesce::learn {

/// "1024 x 1024", of a result or a prediction.
std::string shape_of(const Json& result);

/// Whether the result was left out, and with what reason ("" when it was not).
std::string reason_of_skip(const Json& result);

/// Whether the result was found right: "right", "WRONG", or "-" when nobody looked.
std::string verdict(const Json& result);

// ---- simulated; "-" where nothing of the kind was counted ----

/// Sectors per request of loads ("load") or stores ("store"): "4", "31.9".
std::string sectors_per_request(const Json& result, const std::string& kind);
/// Wavefronts of shared memory beyond the least: "1,015,808".
std::string bank_conflicts(const Json& result);
/// Megabytes (10^6) that global memory moved, in whole sectors: "37.7".
std::string megabytes_moved(const Json& result);

// ---- measured; "-" where nothing was timed ----

std::string milliseconds(const Json& result);          ///< "2.0970"
std::string gigabytes_per_second(const Json& result);  ///< "4097"
std::string of_copy(const Json& result);               ///< "95.7 %"

// ---- predicted; "-" where nothing was ----

/// "0.0213"; with a question mark where the model says that it does not know something.
std::string predicted_milliseconds(const Json& result);
std::string predicted_of_copy(const Json& result);  ///< "43 %"
/// With three digits and the band that holds nine of ten: "4.7 ± 8 %", "1.47 ± 8 % ?".
std::string predicted_with_band(const Json& result);
std::string bound_by(const Json& result);  ///< "memory", "barriers"; words that fit a column

}  // namespace coalesce::learn
