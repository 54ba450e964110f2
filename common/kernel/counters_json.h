// Counters as JSON: the same names wherever they are written down.
#pragma once

#include <optional>
#include <string>

#include "harness/counters.h"
#include "kernel/codec.h"

namespace coalesce {

/// "load_requests" and so on.
nlohmann::ordered_json counters_to_json(const Counters& counters);
/// The same back; nothing when something is missing, `kernels` is 1.
std::optional<Counters> counters_from_json(const std::string& text);

template <>
struct codec::Kind<Counters> {
    static Json encode(const Counters& counters) { return counters_to_json(counters); }
    static void decode(const Json& json, Counters& counters, const std::string& path) {
        const auto found = counters_from_json(json.dump());
        if (!found) throw Error(path + ": counters were expected");
        counters = *found;
    }
};

}  // namespace coalesce
