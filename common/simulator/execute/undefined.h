// Bytes in the registers of a warp that came from memory which nothing has written.
//
// Builds on  analysis/demanded_bytes.h, which says where the bytes of a load arrive.
// Idea       A load that finds unwritten bytes which are only copied notes them here; a store that passes
//            them on marks them as unwritten where they arrive. Registers themselves have no shadow: which
//            load a stored byte comes from is known beforehand, and what it brought last is there.
// Cost       Warp::undefined is nullptr until the first such load: then nothing else happens.
#pragma once

#include <array>
#include <unordered_map>

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

class UndefinedBytes {
public:
    using Lanes = std::array<u32, kLanes>;  ///< bit k: byte k of what the lane loaded
    Lanes& of(u32 load_site) { return by_site_[load_site]; }
    const Lanes* find(u32 load_site) const {
        const auto found = by_site_.find(load_site);
        return found == by_site_.end() ? nullptr : &found->second;
    }

private:
    std::unordered_map<u32, Lanes> by_site_;
};

/// What the active lanes load now is all defined, as far as the following does not say otherwise.
void forget_undefined_slowly(Warp& w, const Op* op);
inline void forget_undefined(Warp& w, const Op* op) {
    if (w.undefined) [[unlikely]]
        forget_undefined_slowly(w, op);
}
/// This lane has loaded these undefined bytes.
void note_undefined(Warp& w, const Op* op, int lane, u32 bytes);
/// ... all lanes; nullptr: none.
void note_undefined(Warp& w, const Op* op, const u32* bytes);

/// Which bytes of what each lane is about to store are undefined? False: none. To be asked only where
/// w.undefined is set.
bool undefined_in_store(const Warp& w, const Op* op, u32* bytes);

/// Takes back that what the lanes have just stored to global memory is written, where it is undefined.
void mark_undefined_stored_slowly(Warp& w, const Op* op, const u64* addresses);
inline void mark_undefined_stored(Warp& w, const Op* op, const u64* addresses) {
    if (w.undefined) [[unlikely]]
        mark_undefined_stored_slowly(w, op, addresses);
}

/// A lane reads global memory of which `access.unwritten` was never written. Reports that if it is an
/// error of the access at `site`, and returns 0; else the bytes that are undefined from now on.
u32 judge_unwritten(Warp& w, const Op* op, u32 site, int lane, const LaneAccess& access);

}  // namespace coalesce::simulator
