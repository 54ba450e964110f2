#include "kernel/counters_json.h"

namespace coalesce {
nlohmann::ordered_json counters_to_json(const Counters& counters) {
    nlohmann::ordered_json json;
    for (const auto& [name, member] : counter_names) json[name] = counters.*member;
    return json;
}

std::optional<Counters> counters_from_json(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    Counters counters;
    for (const auto& [name, member] : counter_names) {
        const auto found = json.find(name);
        if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
        counters.*member = found->get<std::uint64_t>();
    }
    counters.kernels = 1;
    return counters;
}

}  // namespace coalesce
