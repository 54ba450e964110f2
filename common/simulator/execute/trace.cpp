#include "execute/trace.h"

#include <algorithm>

#include "counters/counters.h"
#include "execute/block.h"

namespace coalesce::sim {

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

void Trace::note(const Warp& w, const Op* op, const HeardAccess& heard) {
    using Kind = HeardAccess::Kind;
    if (accesses_.size() >= limit_ || heard.bulk || heard.kind == Kind::atomic) return;
    const bool shared = heard.shared, store = heard.kind == Kind::store;
    const u32 bytes = heard.bytes;
    const u64* addresses = heard.addresses;
    TracedAccess& access = accesses_.emplace_back();
    access.place = w.block->launch->kernel->place(op);
    access.shared = shared;
    access.store = store;
    access.bytes_per_lane = bytes;
    access.active = heard.lanes;
    u64 least = 0;
    for (int l = 0; l < kLanes; ++l) {
        if (!(heard.lanes >> l & 1)) continue;
        access.addresses[l] = addresses[l];
        least += bytes;
    }
    if (shared) {
        u32 offsets[kLanes];
        for (int l = 0; l < kLanes; ++l) offsets[l] = static_cast<u32>(access.addresses[l]);
        const Wavefronts wavefronts =
            count_wavefronts(offsets, bytes, heard.lanes, shared_kind_of(heard));
        access.cost = wavefronts.taken;
        access.ideal = wavefronts.ideal;
    } else {
        access.cost = count_sectors(access.addresses, bytes, heard.lanes);
        // As many sectors as the bytes fill; lanes that share an address may need fewer.
        access.ideal = std::min(access.cost, static_cast<u32>((least + 31) / 32));
    }
}

}  // namespace coalesce::sim
