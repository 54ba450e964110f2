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
// Lanes that change the same word are served one after the other. The rest follows from this. It
// was found by measuring 14 instructions on 11 patterns of addresses on an H200, all of which
// follow these rules (l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{atom,red} and
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom; tests/unit/counters_test.cpp has them). A
// warp's instruction always counts as one request. On hardware, additions of floats and of 64-bit
// integers in shared memory are loops of loads and exchanges. Their wavefronts are those of the
// exchanges. The loads and the number of iterations are not counted, and the instruction is one
// request here.

/// Global memory: lanes are served in passes, each of which contains every address once. Counts the
/// sum of the distinct 32-byte sectors of each pass.
u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

/// Shared memory: the largest number of *lanes* that any of the 32 banks must serve, for each pass
/// of 32, 16 or 8 lanes as in count_wavefronts. Instructions that compare and exchange take twice
/// as many, even without conflicts, so the ideal is doubled as well.
Wavefronts count_atomic_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                                   bool compares);

/// The totals of one memory instruction of a kernel (a "site"), over all warps and launches.
struct SiteCounters {
    u64 requests = 0;         ///< global memory: warp instructions with an active lane
    u64 sectors = 0;          ///< global memory
    u64 useful_bytes = 0;     ///< global memory: bytes that the lanes requested
    u64 shared_requests = 0;  ///< shared memory, also the next two
    u64 wavefronts = 0;
    u64 wavefronts_ideal = 0;
    u64 remote_requests = 0;  ///< shared memory of other blocks of the cluster
    u64 remote_sectors = 0;
    u64 remote_useful_bytes = 0;
    /// Waits for loads from global memory, or for copies to shared memory, that started here.
    u64 waits = 0;
    /// Bytes of copies in flight to shared memory when it was read, summed up.
    u64 bytes_under_way = 0;

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
    SiteCounters& operator+=(const SiteCounters& other);
};

}  // namespace coalesce::simulator
