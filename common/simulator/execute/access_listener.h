// Listeners for the memory accesses of warps. A warp without a listener pays one comparison with
// null per access.
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

/// One access of the active lanes.
struct HeardAccess {
    Access kind = Access::load;
    bool shared = false;  ///< of shared memory: `addresses` are offsets in it
    bool bulk = false;    ///< by the copy engine: 16 bytes per lane, for as many lanes as it takes
    bool asynchronous = false;  ///< part of a copy to or from shared memory that goes on by itself
    bool of_matrices = false;   ///< ldmatrix, stmatrix: each lane has a row
    u32 bytes = 0;              ///< of a lane
    u32 wavefronts = 0;         ///< of an atomic to shared memory, as the counters have them
    Mask lanes = 0;
    const u64* addresses = nullptr;
};

/// Returns how the wavefronts of a shared memory access are counted.
inline SharedAccessKind shared_kind_of(const HeardAccess& access) {
    if (access.of_matrices) return SharedAccessKind::matrix;
    return access.kind == Access::store ? SharedAccessKind::store : SharedAccessKind::load;
}

/// Addresses in shared memory in the form that counters and checks need; 0 for inactive lanes.
using LaneOffsets = std::array<u32, kLanes>;
inline LaneOffsets offsets_of(const u64* addresses, Mask lanes) {
    LaneOffsets offsets{};
    for (const int l : LanesIn{lanes}) offsets[l] = static_cast<u32>(addresses[l]);
    return offsets;
}

class AccessListener {
public:
    virtual ~AccessListener() = default;
    /// Reports whether it also listens to shared memory.
    virtual bool hears_shared() const { return true; }
    virtual void note(const Warp& w, const Op* op, const HeardAccess& access) = 0;
    /// An access of all lanes to consecutive addresses starting at `first`. The addresses have not
    /// been computed yet.
    virtual void note_row(const Warp& w, const Op* op, HeardAccess access, u64 first) {
        u64 addresses[kLanes];
        for (int l = 0; l < kLanes; ++l) addresses[l] = first + static_cast<u64>(l) * access.bytes;
        access.addresses = addresses;
        note(w, op, access);
    }
};

/// Also listens to every instruction. Only in plain mode, in which each instruction has its own Op.
class StepListener : public AccessListener {
public:
    virtual void step(const Warp& w, const Op* op) = 0;
};

}  // namespace coalesce::simulator
