// Counters as JSON: the same names wherever they are written down.
#pragma once

#include <optional>
#include <string>

#include "base/codec.h"
#include "harness/counters.h"

namespace coalesce {

template <class Codec>
void describe(Codec& codec, Counters& counters) {
    for (const auto& [name, member] : kCounterNames) codec(name, counters.*member);
    if constexpr (Codec::kIsReading) counters.kernels = 1;
}

/// {"load_requests": 1, ...}
inline codec::Json counters_to_json(const Counters& counters) {
    return codec::encode(counters);
}

/// Nothing when the text is something else.
inline std::optional<Counters> counters_from_json(const std::string& text) {
    try {
        return codec::read<Counters>(text);
    } catch (const codec::Error&) {
        return std::nullopt;
    }
}

}  // namespace coalesce
