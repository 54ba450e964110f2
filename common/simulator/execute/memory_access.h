// From the address in a lane to the bytes in this process, for every instruction but plain ld and
// st.
//
// Builds on  block.h.
// Idea       An address is resolved once, with bounds and alignment checked; whoever asked then
//            works with host pointers. A bad address ends the launch, as on hardware.
#pragma once

#include "simulator/execute/access_listener.h"
#include "simulator/execute/block.h"
#include "simulator/execute/families.h"

namespace coalesce::simulator {

/// The state space in which a generic address lies.
ptx::StateSpace space_at(u64 generic_address);

/// A generic address as an address of its space: the offset within shared or local memory, the
/// address itself for global memory.
inline u64 address_in_space(u64 generic_address) {
    return space_at(generic_address) == ptx::StateSpace::global
               ? generic_address
               : (generic_address - shared_window()) % kWindowStride;
}

/// What resolving 32 addresses gives. Lanes that are not active are left alone.
struct Resolved {
    u64 address[kLanes];  ///< within the space that the lane's bytes are in
    u8* host[kLanes];     ///< its first byte in this process
    Mask in_shared = 0;   ///< active lanes whose bytes are in the block's shared memory
    Mask in_other = 0;    ///< of those in shared memory, the lanes at another block of the cluster
    Mask in_global = 0;   ///< ... in global (or constant) memory
};

/// Resolves `bytes` bytes at base[l] + offset for every active lane. False: an address was bad,
/// which has been reported and has ended the launch; the handler returns nullptr.
bool resolve(Warp& w, const Op* op, const u64* base, i64 offset, u32 bytes, ptx::StateSpace space,
             Access access, Resolved& out);

/// The same for one lane and one address; nullptr when it was bad.
u8* resolve_one(Warp& w, const Op* op, u64 address, int lane, u32 bytes, ptx::StateSpace space,
                Access access);

/// Ends the launch, because a lane's bytes are not in this space, or not all of them.
Failed bad_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, ptx::StateSpace space,
                   Access access);

/// In Op::detail of an atomic: `.release` or `.acq_rel` is part of the instruction.
inline constexpr u8 kReleasesBit = 8;
/// Likewise: the old value decides nothing (exch), so that it need not have been written.
inline constexpr u8 kOverwritesBit = 16;
/// Likewise: shared memory's unit can only compare and exchange for this.
inline constexpr u8 kComparesBit = 32;
/// Likewise: on hardware one lane acts for all (CombinedLanes::all).
inline constexpr u8 kOneLaneBit = 64;
/// Likewise: lanes with the same address in shared memory are served together (CombinedLanes::same_word).
inline constexpr u8 kOnceAWordBit = 128;

/// Adds one warp-wide access to a site's counters: sectors for the lanes in global memory,
/// wavefronts for those in shared memory.
void count_access(Warp& w, u32 site, const Resolved& where, u32 bytes);
/// The same of an atomic, apart from lanes in `looping`: SharedLoop counts those. Returns the wavefronts of those that
/// are in the block's own shared memory.
u32 count_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes, Mask looping = 0);
/// Of the lanes that carry out an atomic, those whose accesses the hardware carries out.
inline Mask acting_lanes(const Op* op, Mask lanes) {
    return op->detail & kOneLaneBit ? lanes & (~lanes + 1) : lanes;
}

/// The machine's accesses that a load or store with kCountsMachine stands for.
inline const std::vector<MachineAccess>& machine_accesses(const Warp& w, const Op* op) {
    return w.block->launch->kernel->sites[op->site].machine->list;
}
/// 32 addresses of one of them, from those of the PTX's access.
template <class Address>
void move_addresses(const Address* from, const MachineAccess& access, Address* to) {
    for (int l = 0; l < kLanes; ++l)
        to[l] = from[l] + static_cast<Address>(static_cast<i64>(access.delta));
}

/// Tells who listens to the warp, if anybody does: lanes in global memory, then those in shared memory.
void tell_listener(const Warp& w, const Op* op, const Resolved& where, HeardAccess access);

/// Copies bytes from any memory that kernels can address; false when they are out of bounds.
bool read_bytes(const Warp& w, u64 generic_address, int lane, u32 bytes, void* to);

/// The NUL-terminated string there, at most `limit` characters. Nothing when it runs out of its
/// allocation first.
std::optional<std::string> read_string(const Warp& w, u64 generic_address, int lane,
                                       u64 limit = 1 << 20);

/// In a word's shadow byte: the bits of `bytes` bytes (at most 4) at `address`.
inline u8 shadow_bits(u64 address, u32 bytes) {
    return static_cast<u8>(((1u << bytes) - 1) << (address & 3));
}

/// Whether the bytes of one lane are written: a power of two, aligned. `shadow` is of the first.
inline bool lane_written(const u8* shadow, u64 address, u32 bytes) {
    const u8 bits = bytes < 4 ? shadow_bits(address, bytes) : u8{0xf};
    u8 all = bits;
    for (u32 k = 0; k < (bytes + 3) / 4; ++k) all &= shadow[k];
    return all == bits;
}

// ---- what the checks are told (access_checks.cpp) ----

/// The one place that every atomic and reduction passes, after its addresses were found good and
/// before memory changes; and the one after. `changed`: a value is not what it was.
void note_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes);
void finish_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes, bool changed);

/// Shows the race check a load or a store of global memory.
void show_race(Warp& w, u32 site, const Resolved& where, u32 bytes, Access access);

/// An asynchronous copy begins: it reads `from` now and may write `to` at any time until it is
/// waited for. `wanted`: how many bytes each lane reads. Sites: op->site writes, op->site + 1 reads.
void note_copy(Warp& w, const Op* op, const Resolved& to, u32 bytes, const Resolved& from,
               const u8* wanted);

/// A bulk copy reads or writes global memory: pieces of `bytes` bytes, one a lane. False: it reads
/// some that were never written, which is no error.
bool note_bulk(Warp& w, const Op* op, u32 site, const Resolved& where, u32 bytes, bool reads);

/// membar and fence: what this warp did so far comes before what it does next.
void fence(Warp& w);

}  // namespace coalesce::simulator
