// Counters as JSON, with the names that the simulator's own JSON has.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/counters.h"

namespace coalesce {

/// {"load_requests": 1, ...}
nlohmann::ordered_json counters_to_json(const Counters& counters);
/// Nothing when the text is something else.
std::optional<Counters> counters_from_json(const std::string& text);

}  // namespace coalesce
