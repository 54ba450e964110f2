// Computes how much one warp-wide memory instruction adds to the hardware counters.
//
// Idea   The counting rules depend only on the addresses of the 32 lanes. The rules are defined
//        here, tested against a table of counters measured on a GPU, and used for every memory
//        instruction.
#pragma once

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Returns the number of distinct 32-byte sectors of global memory that the active lanes access.
u32 count_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

struct Wavefronts {
    /// The number of wavefronts, including those caused by bank conflicts.
    u32 wavefront_count = 0;
    /// The number of wavefronts that the access would take without bank conflicts: one for each
    /// pass with an active lane.
    u32 ideal_count = 0;
    u32 requests = 1;

    Wavefronts& operator+=(const Wavefronts& other) {
        wavefront_count += other.wavefront_count;
        ideal_count += other.ideal_count;
        requests += other.requests;
        return *this;
    }
};

/// The kinds of access to shared memory, which count_wavefronts() counts in different ways.
/// `matrix` stands for ldmatrix and stmatrix.
enum class SharedAccessKind : u8 { load, store, matrix };
/// Returns the number of wavefronts of an access to shared memory. Accesses of up to 4 bytes per
/// lane are served in one pass, 8-byte accesses in two half warps, and 16-byte accesses in four
/// quarter warps. In each pass, the bank with the most distinct 4-byte words determines the number
/// of wavefronts. A word that several lanes access is delivered once.
///
/// 8-byte and 16-byte loads take half as many passes if active lanes share addresses in pairs: each
/// lane i with lane i ^ 1, or each lane i with lane i ^ 2. (Measured on an H200: 600 patterns of
/// such loads all follow this rule, and 300 patterns of stores never do.) The 16-byte rows of 8x8
/// matrices (ldmatrix, stmatrix) count like stores: one pass per matrix.
Wavefronts count_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                            SharedAccessKind kind);

// ---- one warp-wide atomic or reduction ----
//
// The hardware serializes lanes that change the same word. The rules below agree with all
// measurements on an H200: 14 instructions on 11 patterns of addresses, and reductions on 5300 more
// patterns. The measured counters are l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{atom,red}
// and l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom. tests/unit/counters_test.cpp contains
// some of these patterns. Each warp instruction is one request to global memory, even if it takes
// several passes.

/// Returns the number of sectors of an atomic on global memory, summed over all passes. The L1
/// cache has four units. A hash of the address assigns each cache line to one unit. In each pass, a
/// unit serves a single line: the line of its first remaining lane. A lane in that line must wait
/// for a later pass if an earlier remaining lane of the same unit accesses the same offset within
/// its own cache line, even if the two cache lines differ. The hash is known only for address bits
/// 7 to 16, so the count is exact only within an aligned 128 KiB.
u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

/// Returns the number of sectors that an atomic accesses in the shared memory of another block of
/// the cluster. The atomic runs in passes, each of which serves one lane per address. The result is
/// the sum of the distinct 32-byte sectors of all passes.
u32 count_remote_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

/// Returns the number of wavefronts of an atomic on shared memory. As in count_wavefronts, a pass
/// serves 32, 16 or 8 lanes. In each pass, the bank with the most lanes determines the number of
/// wavefronts, even if the lanes access the same word. Operations that the hardware implements as
/// compare-and-exchange take twice as many wavefronts.
Wavefronts count_atomic_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                                   bool is_compare_and_swap);

/// ptxas compiles a float addition or a 64-bit atomic on shared memory to a loop. Each iteration
/// loads words and then exchanges them. Returns the lanes that can exchange their values in one
/// iteration: in each pass of 32 or 16 lanes, the first active lane of each bank. (Measured on an
/// H200 with five instructions on 22 patterns, one warp each: the requests and wavefronts all
/// match.)
Mask find_first_lanes_of_banks(const u32* addresses, u32 bytes_per_lane, Mask active);

/// The totals of one memory instruction of a kernel (a "site"), over all warps and launches. An
/// access updates one group of four counters, and the alignment keeps each group in one cache line
/// of the host.
struct alignas(32) SiteCounters {
    u64 requests = 0;      ///< global memory: the number of warp instructions with an active lane
    u64 sectors = 0;       ///< global memory: 32-byte sectors accessed
    u64 useful_bytes = 0;  ///< global memory: the number of bytes that the lanes requested
    /// The number of times that a warp has waited for the global loads or asynchronous copies of
    /// this site.
    u64 wait_count = 0;

    u64 shared_requests = 0;  ///< requests to shared memory
    u64 wavefronts = 0;  ///< wavefronts of shared memory, including those caused by bank conflicts
    u64 ideal_wavefronts = 0;  ///< wavefronts without bank conflicts
    /// For loads from shared memory: the number of bytes that asynchronous copies to shared memory
    /// have in flight when a load is executed, summed over all loads.
    u64 bytes_in_flight = 0;

    u64 remote_requests = 0;      ///< requests to the shared memory of other blocks of the cluster
    u64 remote_sectors = 0;       ///< 32-byte sectors accessed in other blocks of the cluster
    u64 remote_useful_bytes = 0;  ///< bytes that the lanes requested from other blocks
    /// Some atomics on shared memory are compiled to loops (find_first_lanes_of_banks). These are
    /// the requests and wavefronts of the loads in such loops.
    u64 loop_load_requests = 0;
    u64 loop_load_wavefronts = 0;
    u64 ideal_loop_load_wavefronts = 0;

    /// For loads from the program's variables: the requests in which all lanes read the same
    /// address, and the sectors of these requests.
    u64 variable_requests = 0, variable_sectors = 0;
    /// The number of polls: strong loads from shared memory of up to 8 bytes, for which all lanes
    /// have the same address. Each poll takes one wavefront.
    u64 polls = 0;
    u64 repeated_polls = 0;  ///< polls that read the same value as the warp's previous poll

    /// Adds a request in which each lane in `lanes` accesses `bytes` bytes, and all lanes together
    /// access `touched_sectors` sectors.
    void add_global(u32 touched_sectors, Mask lanes, u32 bytes) {
        ++requests;
        sectors += touched_sectors;
        useful_bytes += u64{bytes} * static_cast<u32>(std::popcount(lanes));
    }
    void add_shared(Wavefronts wavefront_counts) {
        shared_requests += wavefront_counts.requests;
        wavefronts += wavefront_counts.wavefront_count;
        ideal_wavefronts += wavefront_counts.ideal_count;
    }
    void add_loop_loads(Wavefronts wavefront_counts) {
        loop_load_requests += wavefront_counts.requests;
        loop_load_wavefronts += wavefront_counts.wavefront_count;
        ideal_loop_load_wavefronts += wavefront_counts.ideal_count;
    }
    SiteCounters& operator+=(const SiteCounters& other);
};

}  // namespace coalesce::simulator
