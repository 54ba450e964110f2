// What the hardware would count for one warp-wide memory instruction.
//
// Idea   Both rules are pure functions of 32 addresses. They are stated here, tested against a
//        table measured on hardware, and used by every memory instruction.
#pragma once

#include "base/types.h"

namespace coalesce::sim {

/// Global memory: the distinct 32-byte sectors that the active lanes touch.
u32 count_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

struct Wavefronts {
    u32 taken = 0;
    u32 ideal = 0;  ///< passes with at least one active lane: what it takes without any conflict
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

/// Totals of one memory instruction of a kernel ("site"), over all warps and launches.
struct SiteCounters {
    u64 requests = 0;         ///< global: warp instructions with an active lane
    u64 sectors = 0;          ///< global
    u64 useful_bytes = 0;     ///< global: bytes that the lanes asked for
    u64 shared_requests = 0;  ///< shared memory, as below
    u64 wavefronts = 0;
    u64 wavefronts_ideal = 0;
    u64 waits = 0;  ///< for loads from global memory, or copies to shared, that began here
    u64 bytes_under_way = 0;  ///< to shared memory while it was loaded from, added up

    /// A request of these lanes, so many bytes each.
    void add_global(u32 touched_sectors, Mask lanes, u32 bytes) {
        ++requests;
        sectors += touched_sectors;
        useful_bytes += u64{bytes} * static_cast<u32>(std::popcount(lanes));
    }
    void add_shared(Wavefronts passes) {
        ++shared_requests;
        wavefronts += passes.taken;
        wavefronts_ideal += passes.ideal;
    }
    SiteCounters& operator+=(const SiteCounters& other);
};

}  // namespace coalesce::sim
