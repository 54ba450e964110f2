// What the hardware would count for one warp-wide memory instruction.
//
// Idea   Both rules are pure functions of 32 addresses. They are stated here, tested against a
//        table measured on hardware, and used by every memory instruction.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Global memory: the distinct 32-byte sectors that the active lanes touch.
u32 count_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

struct Wavefronts {
    u32 taken = 0;
    u32 ideal = 0;  ///< passes with at least one active lane: what it takes without any conflict
    u32 requests = 1;
};

/// Shared memory: lanes of up to 4 bytes go in one pass, of 8 bytes in two half warps, of 16 in
/// four quarter warps. A pass takes as many wavefronts as the most distinct 4-byte words that any
/// of the 32 banks has to serve; a word that several lanes want is served once.
///
/// Loads of 8 and 16 bytes take half as many passes where lanes share addresses in pairs: each lane
/// the address of lane ^ 1, or each that of lane ^ 2, as far as both are active. (Measured on an
/// H200: 600 patterns of such loads, all as this says; 300 of stores, which never do it.)
/// The rows of 8x8 matrices (ldmatrix, stmatrix), 16 bytes each, count as stores do: a pass a matrix.
enum class SharedAccessKind : u8 { load, store, matrix };
Wavefronts count_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                            SharedAccessKind kind);

// ---- one warp-wide atomic or reduction ----
//
// Lanes that change the same word go one after the other. Everything else follows: found by
// measuring 14 instructions on 11 patterns of addresses on an H200, where all were as said here
// (l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{atom,red} and
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom; tests/unit/counters_test.cpp has them).
// A warp's instruction is one request, whatever becomes of it.
// Additions of floats and of 64 bits in shared memory are loops of loads and exchanges on
// hardware. Their wavefronts are those of the exchanges; what the loops load and how often
// they turn is not counted, and they are one request here.

/// Global memory: lanes go in passes, each of which has every address once; the distinct 32-byte
/// sectors of each pass, added up.
u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

/// Shared memory: as many wavefronts as the most *lanes* that any of the 32 banks has to serve, for
/// each pass of 32, 16 or 8 lanes as in count_wavefronts. Twice as many where hardware compares and
/// exchanges; so it is with lanes that have a bank each, which is the ideal.
Wavefronts count_atomic_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                                   bool compares);

/// Totals of one memory instruction of a kernel ("site"), over all warps and launches.
struct SiteCounters {
    u64 requests = 0;         ///< global: warp instructions with an active lane
    u64 sectors = 0;          ///< global
    u64 useful_bytes = 0;     ///< global: bytes that the lanes asked for
    u64 shared_requests = 0;  ///< shared memory, as below
    u64 wavefronts = 0;
    u64 wavefronts_ideal = 0;
    u64 remote_requests = 0;  ///< shared memory of other blocks of the cluster
    u64 remote_sectors = 0;
    u64 remote_useful_bytes = 0;
    u64 waits = 0;  ///< for loads from global memory, or copies to shared, that began here
    u64 bytes_under_way = 0;  ///< to shared memory while it was loaded from, added up

    /// A request of these lanes, so many bytes each.
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
    SiteCounters& operator+=(const SiteCounters& other);
};

}  // namespace coalesce::simulator
