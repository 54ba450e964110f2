// Converts counters to JSON, with the same keys in all JSON files of the course.
#pragma once

#include "base/codec.h"
#include "harness/counters.h"

namespace coalesce {

template <class Codec>
void describe(Codec& codec, Counters& counters) {
    for (const auto& [name, member] : kCounterNames) codec(name, counters.*member);
    if constexpr (Codec::kIsReading) counters.kernels = 1;
}

/// Returns the counters as a JSON object: {"load_requests": 1, ...}.
inline codec::Json counters_to_json(const Counters& counters) {
    return codec::encode(counters);
}

}  // namespace coalesce
