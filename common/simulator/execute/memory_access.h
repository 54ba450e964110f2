// Translates the addresses in lanes to bytes in this process, for every instruction except plain ld
// and st.
//
// Builds on  block.h.
// Idea       An address is resolved once, and its bounds and alignment are checked. The caller then
//            uses host pointers. A bad address ends the launch, as on hardware.
#pragma once

#include "simulator/execute/access_listener.h"
#include "simulator/execute/block.h"
#include "simulator/execute/families.h"

namespace coalesce::simulator {

/// Returns the state space of a generic address.
ptx::StateSpace space_at(u64 generic_address);

/// Converts a generic address to an address of its space: the offset in shared or local memory, or
/// the address itself for global memory.
inline u64 address_in_space(u64 generic_address) {
    return space_at(generic_address) == ptx::StateSpace::global
               ? generic_address
               : (generic_address - shared_window()) % kWindowStride;
}

/// The result of resolving 32 addresses. Inactive lanes are unchanged.
struct Resolved {
    u64 address[kLanes];  ///< in the space that contains the lane's bytes
    u8* host[kLanes];     ///< the first byte in this process
    Mask in_shared = 0;   ///< active lanes whose bytes are in shared memory
    Mask in_other = 0;    ///< those of them whose bytes are in another block of the cluster
    Mask in_global = 0;   ///< active lanes whose bytes are in global (or constant) memory
};

/// Resolves `bytes` bytes at base[l] + offset for every active lane. Returns false if an address is
/// bad. This has been reported and has ended the launch, so the handler must return nullptr.
bool resolve(Warp& w, const Op* op, const u64* base, i64 offset, u32 bytes, ptx::StateSpace space,
             Access access, Resolved& out);

/// Does the same for one lane and one address. Returns nullptr if it is bad.
u8* resolve_one(Warp& w, const Op* op, u64 address, int lane, u32 bytes, ptx::StateSpace space,
                Access access);

/// Ends the launch, because a lane's bytes are not, or not all, in this space.
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

/// Returns the machine accesses of a load or store with kCountsMachine.
inline const std::vector<MachineAccess>& machine_accesses(const Warp& w, const Op* op) {
    return w.block->launch->kernel->sites[op->site].machine->list;
}
/// Computes the 32 addresses of a machine access from those of the PTX's access.
template <class Address>
void move_addresses(const Address* from, const MachineAccess& access, Address* to) {
    for (int l = 0; l < kLanes; ++l)
        to[l] = from[l] + static_cast<Address>(static_cast<i64>(access.delta));
}

/// Tells the warp's listener, if it has one, about the lanes in global memory, and then those in
/// shared memory.
void tell_listener(const Warp& w, const Op* op, const Resolved& where, HeardAccess access);

/// Copies bytes from any memory that kernels can address. Returns false if they are out of bounds.
bool read_bytes(const Warp& w, u64 generic_address, int lane, u32 bytes, void* to);

/// Returns the null-terminated string at the address, with at most `limit` characters. Returns
/// nothing if it extends beyond its allocation.
std::optional<std::string> read_string(const Warp& w, u64 generic_address, int lane,
                                       u64 limit = 1 << 20);

/// Returns the bits in a word's shadow byte for `bytes` bytes (at most 4) at `address`.
inline u8 shadow_bits(u64 address, u32 bytes) {
    return static_cast<u8>(((1u << bytes) - 1) << (address & 3));
}

/// Reports whether the bytes of one lane are initialized. Their number is a power of two, and they
/// are aligned. `shadow` is that of the first.
inline bool lane_written(const u8* shadow, u64 address, u32 bytes) {
    const u8 bits = bytes < 4 ? shadow_bits(address, bytes) : u8{0xf};
    u8 all = bits;
    for (u32 k = 0; k < (bytes + 3) / 4; ++k) all &= shadow[k];
    return all == bits;
}

// ---- information for the checks (access_checks.cpp) ----

/// The one place that every atomic and reduction passes, after its addresses were found good and
/// before memory changes; and the one after. `changed`: a value is not what it was.
void note_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes);
void finish_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes, bool changed);

/// Passes a load or a store of global memory to the race check.
void show_race(Warp& w, u32 site, const Resolved& where, u32 bytes, Access access);

/// An asynchronous copy starts. It reads `from` now, and may write `to` at any time until it is
/// waited for. `wanted` has the bytes that each lane reads. op->site is the site of the write, and
/// op->site + 1 that of the read.
void note_copy(Warp& w, const Op* op, const Resolved& to, u32 bytes, const Resolved& from,
               const u8* wanted);

/// A bulk copy reads or writes global memory, in pieces of `bytes` bytes, one per lane. Returns
/// false if it reads uninitialized bytes, which is not an error.
bool note_bulk(Warp& w, const Op* op, u32 site, const Resolved& where, u32 bytes, bool reads);

/// membar and fence: orders what this warp has done before what it does next.
void fence(Warp& w);

}  // namespace coalesce::simulator
