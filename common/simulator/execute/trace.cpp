#include "simulator/execute/trace.h"

#include <algorithm>

#include "simulator/counters/counters.h"
#include "simulator/execute/block.h"

namespace coalesce::simulator {

Trace& trace() {
    static Trace the_trace;
    return the_trace;
}

void Trace::begin(u64 block, u32 warp, std::size_t limit) {
    block_ = block;
    warp_ = warp;
    limit_ = limit;
    accesses_.clear();
}

void Trace::note(const Warp& w, const Op* op, const ObservedAccess& heard) {
    if (accesses_.size() >= limit_ || heard.bulk || heard.kind == Access::atomic) return;
    TracedAccess& access = accesses_.emplace_back();
    access.place = w.block->launch->kernel->place(op);
    access.shared = heard.shared;
    access.store = heard.kind == Access::store;
    access.bytes_per_lane = heard.bytes;
    access.active = heard.lanes;
    for (const int l : LanesIn{heard.lanes}) access.addresses[l] = heard.addresses[l];
    if (heard.shared) {
        const LaneOffsets offsets = to_offsets(heard.addresses, heard.lanes);
        const Wavefronts wavefronts =
            count_wavefronts(offsets.data(), heard.bytes, heard.lanes, to_shared_kind(heard));
        access.cost = wavefronts.taken;
        access.ideal = wavefronts.ideal;
    } else {
        access.cost = count_sectors(access.addresses, heard.bytes, heard.lanes);
        // The ideal number of sectors is the number that the requested bytes fill, or fewer if
        // lanes share an address.
        const u32 bytes = heard.bytes * static_cast<u32>(std::popcount(heard.lanes));
        access.ideal = std::min(access.cost, (bytes + 31) / 32);
    }
}

}  // namespace coalesce::simulator
