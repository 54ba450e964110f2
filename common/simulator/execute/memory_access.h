// Translates the addresses of lanes to host addresses, for all memory instructions except plain ld
// and st.
//
// Builds on  block.h.
// Idea       An address is resolved once, and its bounds and alignment are checked. The caller then
//            uses host pointers. An invalid address ends the launch, as on hardware.
#pragma once

#include "simulator/execute/access_listener.h"
#include "simulator/execute/block.h"
#include "simulator/execute/families.h"

namespace coalesce::simulator {

/// Returns the state space of a generic address.
ptx::StateSpace space_at(u64 generic_address);

/// Converts a generic address to an address in its space: the offset in shared or local memory, or
/// the address itself in global memory.
inline u64 address_in_space(u64 generic_address) {
    const ptx::StateSpace space = space_at(generic_address);
    if (space == ptx::StateSpace::global) return generic_address;
    const u64 offset = (generic_address - shared_window()) % kWindowStride;
    return space == ptx::StateSpace::local ? offset % kLocalBytesPerThread : offset;
}

/// The result of resolving 32 addresses. The entries of inactive lanes are not set.
struct Resolved {
    u64 address[kLanes];  ///< the address within the space that contains the lane's bytes
    u8* host[kLanes];     ///< the host address of the first byte
    Mask in_shared = 0;   ///< the active lanes whose bytes are in shared memory
    /// The lanes of `in_shared` whose bytes are in another block of the cluster.
    Mask in_other = 0;
    Mask in_global = 0;  ///< the active lanes whose bytes are in global (or constant) memory
};

/// Resolves `bytes` bytes at base[l] + offset for every active lane. If an address is invalid,
/// reports it, ends the launch and returns false. The handler must then return nullptr. `wanted`
/// contains the number of bytes that each lane accesses. If `wanted` is null, every lane accesses
/// all `bytes`.
bool resolve(Warp& w, const Op* op, const u64* base, i64 offset, u32 bytes, ptx::StateSpace space,
             Access access, Resolved& out, const u8* wanted = nullptr);

/// Resolves one address of one lane. If the address is invalid, ends the launch and returns
/// nullptr.
u8* resolve_one(Warp& w, const Op* op, u64 address, int lane, u32 bytes, ptx::StateSpace space,
                Access access);

/// Reports that some of a lane's bytes are outside this space, and ends the launch.
Failed bad_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, ptx::StateSpace space,
                   Access access);

/// Set in an atomic's Op::detail if the instruction has `.release` or `.acq_rel`.
inline constexpr u8 kReleasesBit = 8;
/// Set in an atomic's Op::detail if the new value does not depend on the old value (exch), so that
/// the old value may be uninitialized.
inline constexpr u8 kOverwritesBit = 16;
/// Set in an atomic's Op::detail if the hardware implements the operation on shared memory by
/// compare-and-exchange.
inline constexpr u8 kComparesBit = 32;
/// Set in an atomic's Op::detail if on hardware one lane accesses memory on behalf of all lanes
/// (CombinedLanes::all).
inline constexpr u8 kOneLaneBit = 64;
/// Set in an atomic's Op::detail if lanes with the same address in shared memory are served
/// together (CombinedLanes::same_word).
inline constexpr u8 kOncePerWordBit = 128;

/// Adds one warp-wide access to the counters of a site: sectors for lanes in global memory, and
/// wavefronts for lanes in shared memory.
void count_access(Warp& w, u32 site, const Resolved& where, u32 bytes);
/// Counts an atomic in the same way as count_access, except for the lanes in `looping`, which are
/// counted as a loop. Returns the wavefronts of the lanes in the block's own shared memory.
u32 count_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes, Mask looping = 0);
/// Returns the lanes whose accesses the hardware performs, out of the lanes that execute an atomic.
inline Mask acting_lanes(const Op* op, Mask lanes) {
    return op->detail & kOneLaneBit ? lanes & (~lanes + 1) : lanes;
}

/// Returns the machine code accesses of a load or store with kCountsMachineAccesses.
inline const std::vector<MachineAccess>& machine_accesses(const Warp& w, const Op* op) {
    return w.block->launch->kernel->sites[op->site].machine->list;
}
/// Computes the 32 addresses of a machine code access from the addresses of the PTX access.
template <class Address>
void move_addresses(const Address* from, const MachineAccess& access, Address* to) {
    for (int l = 0; l < kLanes; ++l)
        to[l] = from[l] + static_cast<Address>(static_cast<i64>(access.delta));
}

/// Passes the lanes in global memory, and then the lanes in shared memory, to the warp's listener
/// if it has one.
void notify_listener(const Warp& w, const Op* op, const Resolved& where, ObservedAccess access);

/// Copies bytes from any memory that kernels can address. Returns false if the bytes are out of
/// bounds.
bool read_bytes(const Warp& w, u64 generic_address, int lane, u32 bytes, void* to);

/// Returns the null-terminated string at the address, with at most `limit` characters. Returns
/// nothing if the string extends beyond its allocation.
std::optional<std::string> read_string(const Warp& w, u64 generic_address, int lane,
                                       u64 limit = 1 << 20);

/// Returns the bits in a word's shadow byte for `bytes` bytes (at most 4) at `address`.
inline u8 shadow_bits(u64 address, u32 bytes) {
    return static_cast<u8>(((1u << bytes) - 1) << (address & 3));
}

/// Reports whether the bytes of one lane are initialized. The bytes are aligned, and their number
/// is a power of two. `shadow` is the shadow of the first byte.
inline bool lane_written(const u8* shadow, u64 address, u32 bytes) {
    const u8 bits = bytes < 4 ? shadow_bits(address, bytes) : u8{0xf};
    u8 all = bits;
    for (u32 k = 0; k < (bytes + 3) / 4; ++k) all &= shadow[k];
    return all == bits;
}

// ---- information for the checks (access_checks.cpp) ----

/// Every atomic and reduction calls note_atomic after its addresses have been checked and before
/// memory changes, and calls finish_atomic afterwards. `changed` is true if any value in memory has
/// changed.
void note_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes);
void finish_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes, bool changed);

/// Passes a load or store in global memory to the race check.
void pass_to_race_check(Warp& w, u32 site, const Resolved& where, u32 bytes, Access access);

/// Informs the checks that an asynchronous copy starts. The copy reads `from` immediately, and may
/// write `to` at any time until it has been waited for. `wanted` contains the number of bytes that
/// each lane reads. op->site is the site of the write, and op->site + 1 is the site of the read.
void note_copy(Warp& w, const Op* op, const Resolved& to, u32 bytes, const Resolved& from,
               const u8* wanted);

/// Informs the checks that a bulk copy reads or writes global memory, in pieces of `bytes` bytes,
/// one per lane. Returns false if the copy reads uninitialized bytes, which is not an error.
bool note_bulk(Warp& w, const Op* op, u32 site, const Resolved& where, u32 bytes, bool reads);

/// Executes membar or fence, which orders this warp's earlier accesses before its later accesses.
void fence(Warp& w, GlobalRace::Scope scope);

}  // namespace coalesce::simulator
