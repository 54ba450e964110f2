// Tracks which bytes in a warp's registers were loaded from uninitialized memory.
//
// Builds on  analysis/demanded_bytes.h, which determines the uses of loaded bytes.
// Idea       Some loads read uninitialized bytes that the program only copies, such as padding.
//            UndefinedBytes stores the undefined bytes of each load's last execution. The analysis
//            determines which load a stored byte comes from, so a store of an undefined byte can
//            mark its destination as uninitialized. Therefore, it is not necessary to track the
//            undefined bytes of each register.
// Cost       Warp::undefined_bytes is null until the first such load. Until then the tracking costs
//            nothing.
#pragma once

#include <array>
#include <unordered_map>

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

class UndefinedBytes {
public:
    /// For each lane, a mask of undefined bytes. Bit k stands for byte k of the value that the lane
    /// loaded.
    using Lanes = std::array<u32, kLanes>;
    Lanes& find_or_add(u32 load_site) { return by_site_[load_site]; }
    const Lanes* find_lanes(u32 load_site) const {
        const auto entry = by_site_.find(load_site);
        return entry == by_site_.end() ? nullptr : &entry->second;
    }

private:
    std::unordered_map<u32, Lanes> by_site_;
};

/// Deletes the record of the bytes that were undefined when a load was last executed. Must be
/// called before the load is executed again, after which note_undefined may record the bytes that
/// are undefined now.
void forget_undefined_slowly(Warp& w, const Op* op);
inline void forget_undefined(Warp& w, const Op* op) {
    if (w.undefined_bytes) [[unlikely]]
        forget_undefined_slowly(w, op);
}
/// Records that the bytes in the mask `bytes`, which this lane has loaded, are undefined.
void note_undefined(Warp& w, const Op* op, int lane, u32 bytes);
/// Records the undefined bytes that each lane has loaded: `bytes` contains a mask for each lane. If
/// `bytes` is null, no lane has loaded undefined bytes.
void note_undefined(Warp& w, const Op* op, const u32* bytes);

/// Sets bytes[l] to a mask of the undefined bytes in the value that lane l stores. Returns false if
/// there are none. Must be called only if w.undefined_bytes is set.
bool find_undefined_in_store(const Warp& w, const Op* op, u32* bytes);

/// Marks as uninitialized the undefined bytes that the lanes have just stored to global memory.
void mark_undefined_stored_slowly(Warp& w, const Op* op, const u64* addresses);
inline void mark_undefined_stored(Warp& w, const Op* op, const u64* addresses) {
    if (w.undefined_bytes) [[unlikely]]
        mark_undefined_stored_slowly(w, op, addresses);
}

/// Handles a lane that reads uninitialized bytes (`access.unwritten_mask`) from global memory. If
/// such a read is an error at `site`, reports it and returns 0. Otherwise returns a mask of the
/// loaded bytes that are undefined.
u32 find_undefined_bytes(Warp& w, const Op* op, u32 site, int lane, const LaneAccess& access);

}  // namespace coalesce::simulator
