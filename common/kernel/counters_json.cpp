#include "kernel/counters_json.h"

#include <utility>

namespace coalesce {
namespace {

constexpr std::pair<const char*, std::uint64_t Counters::*> names[] = {
    {"load_requests", &Counters::load_requests},
    {"load_sectors", &Counters::load_sectors},
    {"store_requests", &Counters::store_requests},
    {"store_sectors", &Counters::store_sectors},
    {"shared_load_requests", &Counters::shared_load_requests},
    {"shared_load_wavefronts", &Counters::shared_load_wavefronts},
    {"shared_load_ideal", &Counters::shared_load_ideal},
    {"shared_store_requests", &Counters::shared_store_requests},
    {"shared_store_wavefronts", &Counters::shared_store_wavefronts},
    {"shared_store_ideal", &Counters::shared_store_ideal},
    {"warp_instructions", &Counters::warp_instructions},
};

}  // namespace

nlohmann::ordered_json counters_to_json(const Counters& counters) {
    nlohmann::ordered_json json;
    for (const auto& [name, member] : names) json[name] = counters.*member;
    return json;
}

std::optional<Counters> counters_from_json(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    Counters counters;
    for (const auto& [name, member] : names) {
        const auto found = json.find(name);
        if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
        counters.*member = found->get<std::uint64_t>();
    }
    counters.kernels = 1;
    return counters;
}

}  // namespace coalesce
