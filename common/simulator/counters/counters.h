// What the hardware counts for one warp-wide memory instruction.
//
// Idea   Both rules are pure functions of 32 addresses. They are stated here, tested against a
//        table measured on hardware, and used by every memory instruction.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Global memory: counts the distinct 32-byte sectors that the active lanes access.
u32 count_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

struct Wavefronts {
    u32 taken = 0;
    /// The passes with at least one active lane, which is the minimum without conflicts.
    u32 ideal = 0;
    u32 requests = 1;

    Wavefronts& operator+=(const Wavefronts& other) {
        taken += other.taken;
        ideal += other.ideal;
        requests += other.requests;
        return *this;
    }
};

/// Shared memory: lanes of up to 4 bytes are served in one pass, lanes of 8 bytes in two half
/// warps, and lanes of 16 bytes in four quarter warps. A pass takes as many wavefronts as the
/// largest number of distinct 4-byte words in any of the 32 banks. A word that several lanes access
/// is delivered once.
///
/// Loads of 8 and 16 bytes take half as many passes if lanes share addresses in pairs: each lane
/// with lane ^ 1, or each with lane ^ 2, as far as both are active. (Measured on an H200: 600
/// patterns of such loads all follow this rule, and 300 patterns of stores never do.) The rows of
/// 8x8 matrices (ldmatrix, stmatrix), 16 bytes each, count like stores: one pass per matrix.
enum class SharedAccessKind : u8 { load, store, matrix };
Wavefronts count_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                            SharedAccessKind kind);

// ---- one warp-wide atomic or reduction ----
//
// Lanes that change the same word go one after the other. The rules below follow from measuring 14 instructions on
// 11 patterns of addresses, and reductions on 5300 patterns more, on an H200, where all were as said here
// (l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{atom,red} and
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom; tests/unit/counters_test.cpp has some of them).
// A warp's instruction is one request to global memory, whatever becomes of it.

/// Global memory: the sectors of all passes, added up. The first-level cache has four units, and a cache line belongs
/// to one of them by a hash of its address. In each pass a unit serves the line of its first lane that is left: the
/// lanes in that line whose place in the line no earlier lane of the unit has, whether served in this pass or not. (The
/// unit seems to compare places alone, and keeps the order of lanes that might want the same word.) The hash is known
/// for the address bits 7 to 16; the bits above are left out, so that within 128 KiB the count is exact.
u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

/// Shared memory of another block of the cluster: lanes go in passes, each of which has every address once; the
/// distinct 32-byte sectors of each pass, added up.
u32 count_remote_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

/// Shared memory: as many wavefronts as the most *lanes* that any of the 32 banks has to serve, for
/// each pass of 32, 16 or 8 lanes as in count_wavefronts. Twice as many where hardware compares and
/// exchanges; so it is with lanes that have a bank each, which is the ideal.
Wavefronts count_atomic_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                                   bool compares);

/// Additions of floats and operations on 64 bits in shared memory are loops in machine code: each turn loads the words
/// of all lanes that are left, and compares and exchanges. These are the lanes whose exchange is tried in one turn: in
/// each pass of 32 or 16 lanes the first active one of each bank. (Measured on an H200 with five instructions on 22
/// patterns, one warp each: requests and wavefronts of loads and of exchanges were all as counted.)
Mask first_lanes_of_banks(const u32* addresses, u32 bytes_per_lane, Mask active);

/// Totals of one memory instruction of a kernel ("site"), over all warps and launches. An access adds to
/// one group of four, which is aligned so that it lies in one cache line.
struct alignas(32) SiteCounters {
    u64 requests = 0;      ///< global: warp instructions with an active lane
    u64 sectors = 0;       ///< global
    u64 useful_bytes = 0;  ///< global: bytes that the lanes asked for
    u64 waits = 0;         ///< for loads from global memory, or copies to shared, that began here

    u64 shared_requests = 0;  ///< shared memory, as below
    u64 wavefronts = 0;
    u64 wavefronts_ideal = 0;
    u64 bytes_under_way = 0;  ///< to shared memory while it was loaded from, added up

    u64 remote_requests = 0;  ///< shared memory of other blocks of the cluster
    u64 remote_sectors = 0;
    u64 remote_useful_bytes = 0;
    u64 loop_load_requests =
        0;  ///< shared memory: loads of the loop that an atomic is in machine code
    u64 loop_load_wavefronts = 0;
    u64 loop_load_ideal = 0;

    /// Adds a request of these lanes with this many bytes each.
    void add_global(u32 touched_sectors, Mask lanes, u32 bytes) {
        ++requests;
        sectors += touched_sectors;
        useful_bytes += u64{bytes} * static_cast<u32>(std::popcount(lanes));
    }
    void add_shared(Wavefronts passes) {
        shared_requests += passes.requests;
        wavefronts += passes.taken;
        wavefronts_ideal += passes.ideal;
    }
    void add_loop_loads(Wavefronts passes) {
        loop_load_requests += passes.requests;
        loop_load_wavefronts += passes.taken;
        loop_load_ideal += passes.ideal;
    }
    SiteCounters& operator+=(const SiteCounters& other);
};

}  // namespace coalesce::simulator
