// Translates the lanes' addresses to host addresses, for all memory instructions except plain ld
// and st.
//
// Builds on  block.h.
// Idea       Each address is translated once, and its bounds and alignment are checked at the same
//            time. The caller then uses host pointers. An invalid address ends the launch, as on
//            hardware.
#pragma once

#include "simulator/execute/access_listener.h"
#include "simulator/execute/block.h"
#include "simulator/execute/families.h"

namespace coalesce::simulator {

/// Returns the state space of a generic address.
ptx::StateSpace find_space_of_address(u64 generic_address);

/// Converts a generic address to an address in its state space: an offset in shared or local
/// memory, or the unchanged address in global memory.
inline u64 address_in_space(u64 generic_address) {
    const ptx::StateSpace space = find_space_of_address(generic_address);
    if (space == ptx::StateSpace::global) return generic_address;
    const u64 offset = (generic_address - shared_window()) % kWindowStride;
    return space == ptx::StateSpace::local ? offset % kLocalBytesPerThread : offset;
}

/// The addresses of a warp's lanes, translated to host addresses. The entries of inactive lanes are
/// not set.
struct ResolvedAddresses {
    u64 address[kLanes];    ///< each lane's address within its state space
    u8* host[kLanes];       ///< the host address of each lane's first byte
    Mask shared_lanes = 0;  ///< the active lanes whose bytes are in shared memory
    /// The lanes of `shared_lanes` whose bytes are in another block of the cluster.
    Mask other_block_lanes = 0;
    Mask global_lanes = 0;  ///< the active lanes whose bytes are in global (or constant) memory
};

/// Resolves the addresses base[l] + offset of all active lanes l. `bytes_per_lane` contains the
/// number of bytes that each lane accesses, or is null if every lane accesses `bytes` bytes. If an
/// address is invalid, reports it, ends the launch and returns false. The handler must then return
/// nullptr.
bool resolve_addresses(Warp& w, const Op* op, const u64* base, i64 offset, u32 bytes,
                       ptx::StateSpace space, Access access, ResolvedAddresses& resolved,
                       const u8* bytes_per_lane = nullptr);

/// Resolves one address of one lane. If the address is invalid, ends the launch and returns
/// nullptr.
u8* resolve_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes, ptx::StateSpace space,
                    Access access);

/// Returns the allocation that the program probably meant to access at `site`: the allocation of
/// the pointer from which the instruction computes its address. Returns null if the pointer is
/// unknown.
const Allocation* find_intended_allocation(const Launch& launch, u32 site);

/// Reports an access to an invalid address, and ends the launch.
Failed fail_bad_address(Warp& w, const Op* op, u64 address, int lane, u32 bytes,
                        ptx::StateSpace space, Access access);

/// Set in an atomic's Op::detail if the instruction has `.release` or `.acq_rel`.
inline constexpr u8 kReleasesBit = 8;
/// Set in an atomic's Op::detail if the atomic ignores the old value (exch). The old value may then
/// be uninitialized.
inline constexpr u8 kOverwritesBit = 16;
/// Set in an atomic's Op::detail if the hardware implements the operation on shared memory as a
/// compare-and-exchange.
inline constexpr u8 kComparesBit = 32;
/// Set in an atomic's Op::detail if one lane accesses memory on behalf of all lanes
/// (CombinedLanes::all).
inline constexpr u8 kOneLaneBit = 64;
/// Set in an atomic's Op::detail if lanes that access the same word of shared memory make one
/// access together (CombinedLanes::same_word).
inline constexpr u8 kOncePerWordBit = 128;

/// Adds an access by the whole warp to the counters of a site. Accesses to global memory add
/// sectors, and accesses to shared memory add wavefronts.
void count_access(Warp& w, u32 site, const ResolvedAddresses& resolved, u32 bytes);
/// Counts an atomic in the same way as count_access counts an access. Does not count accesses to
/// the block's own shared memory by the lanes in `looping_lanes`, because these lanes execute a
/// loop that is counted separately. Returns the number of wavefronts counted for the block's own
/// shared memory.
u32 count_atomic(Warp& w, const Op* op, const ResolvedAddresses& resolved, u32 bytes,
                 Mask looping_lanes = 0);
/// Returns the lanes that access memory when `lanes` execute an atomic: all of `lanes`, or only the
/// first one if the hardware combines the lanes into one access.
inline Mask find_acting_lanes(const Op* op, Mask lanes) {
    return op->detail & kOneLaneBit ? lanes & (~lanes + 1) : lanes;
}

/// Returns the accesses that the machine code makes for a load or store. Must be called only if the
/// Op has kCountsMachineAccesses set.
inline const std::vector<MachineAccess>& machine_accesses(const Warp& w, const Op* op) {
    return w.block->launch->kernel->sites[op->site].machine_accesses->list;
}
/// Computes the 32 addresses of an access in the machine code from the addresses of the PTX access
/// that it implements.
template <class Address>
void compute_machine_addresses(const Address* source, const MachineAccess& access,
                               Address* destination) {
    for (int l = 0; l < kLanes; ++l)
        destination[l] = source[l] + static_cast<Address>(static_cast<i64>(access.byte_offset));
}

/// Passes an access to the warp's listener, if there is one: first the lanes that access global
/// memory, then the lanes that access shared memory.
void notify_listener(const Warp& w, const Op* op, const ResolvedAddresses& resolved,
                     ObservedAccess access);

/// Copies `bytes` bytes from a lane's generic address, which may be in any state space, to the host
/// memory at `to`. Returns false if the bytes are out of bounds.
bool read_bytes(const Warp& w, u64 generic_address, int lane, u32 bytes, void* to);

/// Returns the null-terminated string at `generic_address`, truncated to `limit` characters.
/// Returns nothing if the string extends beyond its allocation.
std::optional<std::string> read_string(const Warp& w, u64 generic_address, int lane,
                                       u64 limit = 1 << 20);

/// Returns a mask for a shadow byte, which has one bit for each byte of a word. The mask selects
/// the bits of the `bytes` bytes (at most 4) that start at `address`.
inline u8 shadow_bits(u64 address, u32 bytes) {
    return static_cast<u8>(((1u << bytes) - 1) << (address & 3));
}

/// Reports whether the bytes that one lane accesses are initialized. The access must be aligned,
/// and its size must be a power of two. `shadow` points to the shadow byte for the first byte.
inline bool is_lane_written(const u8* shadow, u64 address, u32 bytes) {
    const u8 bits = bytes < 4 ? shadow_bits(address, bytes) : u8{0xf};
    u8 combined_shadow = bits;
    for (u32 k = 0; k < (bytes + 3) / 4; ++k) combined_shadow &= shadow[k];
    return combined_shadow == bits;
}

// ---- information for the checks (access_checks.cpp) ----

/// Tells the checks that an atomic or a reduction is about to change memory.
void note_atomic(Warp& w, const Op* op, const ResolvedAddresses& resolved, u32 bytes);
/// Tells the checks that the operation passed to note_atomic is complete. `has_changed` says whether
/// any value in memory is different now.
void finish_atomic(Warp& w, const Op* op, const ResolvedAddresses& resolved, u32 bytes,
                   bool has_changed);

/// Passes those lanes of a load or store that access global memory to the race check.
void pass_to_race_check(Warp& w, u32 site, const ResolvedAddresses& resolved, u32 bytes,
                        Access access);

/// Notifies the checks that an asynchronous copy starts. The copy reads `from` immediately, and may
/// write `to` at any time until the thread has waited for the copy. `bytes_per_lane` contains the
/// number of bytes that each lane reads. op->site is the site of the write, and op->site + 1 is the
/// site of the read.
void note_async_copy(Warp& w, const Op* op, const ResolvedAddresses& to, u32 bytes,
                     const ResolvedAddresses& from, const u8* bytes_per_lane);

/// Notifies the checks that a bulk copy reads or writes global memory. Each lane of `resolved`
/// represents `bytes` bytes of the copy. Returns false if the copy reads uninitialized bytes. The
/// caller decides whether this is an error.
bool note_bulk_access(Warp& w, const Op* op, u32 site, const ResolvedAddresses& resolved, u32 bytes,
                      bool is_read);

/// Notifies the race checks that the warp executes membar or fence, which orders its earlier
/// accesses before its later accesses.
void note_fence(Warp& w, GlobalRace::Scope scope);

}  // namespace coalesce::simulator
