#include "simulator/profile/traffic.h"

#include <algorithm>

namespace coalesce::simulator {

namespace {

u64 ideal_sectors(u64 useful_bytes, u64 sectors) {
    return std::min((useful_bytes + kSectorBytes - 1) / kSectorBytes, sectors);
}

/// Returns the list without the accesses that made no requests.
std::vector<Traffic> drop_traffic_without_requests(std::vector<Traffic> accesses) {
    std::erase_if(accesses, [](const Traffic& a) { return a.requests == 0; });
    return accesses;
}

}  // namespace

std::vector<Traffic> global_traffic(const Counters& c) {
    const auto make_traffic = [](const char* name, u64 requests, u64 sectors, u64 useful_bytes) {
        return Traffic{name, requests, sectors, ideal_sectors(useful_bytes, sectors), useful_bytes};
    };
    return drop_traffic_without_requests(
        {make_traffic("global loads", c.load_requests, c.load_sectors, c.load_useful_bytes),
         make_traffic("global stores", c.store_requests, c.store_sectors, c.store_useful_bytes),
         make_traffic("global atomics", c.atomic_requests, c.atomic_sectors, c.atomic_useful_bytes),
         make_traffic("textures", c.texture_requests, c.texture_sectors, c.texture_useful_bytes),
         make_traffic("surface loads", c.surface_load_requests, c.surface_load_sectors,
                      c.surface_load_useful_bytes),
         make_traffic("surface stores", c.surface_store_requests, c.surface_store_sectors,
                      c.surface_store_useful_bytes),
         make_traffic("cluster loads", c.cluster_load_requests, c.cluster_load_sectors,
                      c.cluster_load_useful_bytes),
         make_traffic("cluster stores", c.cluster_store_requests, c.cluster_store_sectors,
                      c.cluster_store_useful_bytes),
         make_traffic("cluster atomics", c.cluster_atomic_requests, c.cluster_atomic_sectors,
                      c.cluster_atomic_useful_bytes)});
}

std::vector<Traffic> shared_traffic(const Counters& c) {
    return drop_traffic_without_requests(
        {{"shared loads", c.shared_load_requests, c.shared_load_wavefronts, c.shared_load_ideal, 0},
         {"shared stores", c.shared_store_requests, c.shared_store_wavefronts, c.shared_store_ideal,
          0},
         {"shared atomics", c.shared_atomic_requests, c.shared_atomic_wavefronts,
          c.shared_atomic_ideal, 0}});
}

bool is_wasteful(const Traffic& traffic) {
    return traffic.passes >= 2 * std::max<u64>(traffic.ideal_passes, 1);
}

}  // namespace coalesce::simulator
