// Tracks bytes in the registers of a warp that were loaded from uninitialized memory.
//
// Builds on  analysis/demanded_bytes.h, which knows where the bytes of a load go.
// Idea       If a load finds uninitialized bytes that are only copied, it records them here. A
//            store that copies them marks their destination as uninitialized. Registers have no
//            shadow. It is known in advance which load a stored byte comes from, and the undefined
//            bytes of its last execution are stored.
// Cost       Warp::undefined is nullptr until the first such load. Until then this costs nothing.
#pragma once

#include <array>
#include <unordered_map>

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

class UndefinedBytes {
public:
    using Lanes = std::array<u32, kLanes>;  ///< bit k stands for byte k of what the lane loaded
    Lanes& of(u32 load_site) { return by_site_[load_site]; }
    const Lanes* find(u32 load_site) const {
        const auto found = by_site_.find(load_site);
        return found == by_site_.end() ? nullptr : &found->second;
    }

private:
    std::unordered_map<u32, Lanes> by_site_;
};

/// The bytes that the active lanes load now are defined, unless one of the following calls says
/// otherwise.
void forget_undefined_slowly(Warp& w, const Op* op);
inline void forget_undefined(Warp& w, const Op* op) {
    if (w.undefined) [[unlikely]]
        forget_undefined_slowly(w, op);
}
/// This lane has loaded these undefined bytes.
void note_undefined(Warp& w, const Op* op, int lane, u32 bytes);
/// All lanes have; nullptr: none.
void note_undefined(Warp& w, const Op* op, const u32* bytes);

/// Returns which bytes of each lane's stored value are undefined, or false if there are none. Call
/// this only if w.undefined is set.
bool undefined_in_store(const Warp& w, const Op* op, u32* bytes);

/// Marks the bytes that the lanes have just stored to global memory as uninitialized, if they are
/// undefined.
void mark_undefined_stored_slowly(Warp& w, const Op* op, const u64* addresses);
inline void mark_undefined_stored(Warp& w, const Op* op, const u64* addresses) {
    if (w.undefined) [[unlikely]]
        mark_undefined_stored_slowly(w, op, addresses);
}

/// A lane reads global memory, of which `access.unwritten` is uninitialized. If that is an error of
/// the access at `site`, reports it and returns 0. Otherwise returns the bytes that are undefined
/// from now on.
u32 judge_unwritten(Warp& w, const Op* op, u32 site, int lane, const LaneAccess& access);

}  // namespace coalesce::simulator
