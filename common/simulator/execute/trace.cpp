#include "simulator/execute/trace.h"

#include <algorithm>

#include "simulator/counters/counters.h"
#include "simulator/execute/block.h"

namespace coalesce::simulator {

Trace& trace() {
    static Trace instance;
    return instance;
}

void Trace::begin(u64 block, u32 warp, std::size_t max_accesses) {
    traced_block_ = block;
    traced_warp_ = warp;
    max_accesses_ = max_accesses;
    accesses_.clear();
}

void Trace::note_access(const Warp& w, const Op* op, const ObservedAccess& access) {
    if (accesses_.size() >= max_accesses_ || access.is_bulk || access.kind == Access::atomic)
        return;
    TracedAccess& traced_access = accesses_.emplace_back();
    traced_access.place = w.block->launch->kernel->place(op);
    traced_access.is_shared = access.is_shared;
    traced_access.is_store = access.kind == Access::store;
    traced_access.bytes_per_lane = access.bytes;
    traced_access.active = access.lanes;
    for (const int l : LaneRange{access.lanes}) traced_access.addresses[l] = access.addresses[l];
    if (access.is_shared) {
        const LaneOffsets offsets = to_offsets(access.addresses, access.lanes);
        const Wavefronts wavefronts =
            count_wavefronts(offsets.data(), access.bytes, access.lanes, to_shared_kind(access));
        traced_access.cost = wavefronts.wavefront_count;
        traced_access.ideal_cost = wavefronts.ideal_count;
    } else {
        traced_access.cost = count_sectors(traced_access.addresses, access.bytes, access.lanes);
        // The ideal number of sectors is the number that the requested bytes fill, or fewer if
        // lanes share an address.
        const u32 bytes = access.bytes * static_cast<u32>(std::popcount(access.lanes));
        traced_access.ideal_cost = std::min(traced_access.cost, (bytes + 31) / 32);
    }
}

}  // namespace coalesce::simulator
