// Interfaces for listeners that observe the memory accesses of warps. Without a listener, each
// access costs one additional comparison.
#pragma once

#include <array>

#include "simulator/base/types.h"
#include "simulator/counters/counters.h"

namespace coalesce::simulator {

struct Op;
struct Warp;

enum class Access : u8 { load, store, atomic };
inline Access load_or_store(bool store) {
    return store ? Access::store : Access::load;
}

/// A memory access by the active lanes of a warp.
struct ObservedAccess {
    Access kind = Access::load;
    bool is_shared = false;        ///< true for shared memory; `addresses` are then offsets
    bool is_bulk = false;          ///< true for a bulk copy, of which each lane represents 16 bytes
    bool is_asynchronous = false;  ///< true for asynchronous copies to or from shared memory
    /// True for ldmatrix and stmatrix, in which each lane accesses a row.
    bool is_matrix_access = false;
    u32 bytes = 0;  ///< the number of bytes per lane
    /// for an atomic on shared memory, the number of wavefronts that it takes
    u32 wavefronts = 0;
    Mask lanes = 0;
    const u64* addresses = nullptr;
};

/// Returns the rule for counting the wavefronts of a shared memory access.
inline SharedAccessKind to_shared_kind(const ObservedAccess& access) {
    if (access.is_matrix_access) return SharedAccessKind::matrix;
    return access.kind == Access::store ? SharedAccessKind::store : SharedAccessKind::load;
}

/// For each lane, the offset in shared or local memory that the lane accesses, or 0 if the lane is
/// inactive.
using LaneOffsets = std::array<u32, kLanes>;
inline LaneOffsets to_offsets(const u64* addresses, Mask lanes) {
    LaneOffsets offsets{};
    for (const int l : LaneRange{lanes}) offsets[l] = static_cast<u32>(addresses[l]);
    return offsets;
}

class AccessListener {
public:
    virtual ~AccessListener() = default;
    /// Reports whether the listener also receives accesses to shared memory.
    virtual bool receives_shared() const { return true; }
    virtual void note_access(const Warp& w, const Op* op, const ObservedAccess& access) = 0;
    /// Notes an access of all 32 lanes to consecutive addresses, beginning at `first`. Called if
    /// the addresses of the single lanes have not been computed.
    virtual void note_row(const Warp& w, const Op* op, ObservedAccess access, u64 first) {
        u64 addresses[kLanes];
        for (int l = 0; l < kLanes; ++l) addresses[l] = first + static_cast<u64>(l) * access.bytes;
        access.addresses = addresses;
        note_access(w, op, access);
    }
};

/// A listener that is also notified of every instruction. Such a listener works only in plain mode,
/// in which each instruction has its own Op.
class StepListener : public AccessListener {
public:
    virtual void note_step(const Warp& w, const Op* op) = 0;
    /// Called when a lane stores bytes to its local memory.
    virtual void note_local_store(const Warp&, int /*lane*/, u64 /*address*/, u32 /*bytes*/) {}
    /// Called when a warp loads or stores local memory, `bytes` bytes per lane.
    virtual void note_local_access(const Warp&, const LaneOffsets&, Mask /*lanes*/, u32 /*bytes*/,
                                   bool /*is_store*/) {}
};

}  // namespace coalesce::simulator
