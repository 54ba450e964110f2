// What the hardware counts for one warp-wide atomic or reduction.
//
// Builds on  counters.h.
// Rule       Lanes that change the same word go one after the other. Everything else follows: found by
//            measuring 14 instructions on 11 patterns of addresses on an H200, where all were as said here
//            (l1tex__t_{requests,sectors}_pipe_lsu_mem_global_op_{atom,red} and
//            l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom; tests/unit/counters_test.cpp has them).
//            A warp's instruction is one request, whatever becomes of it.
// Watch      Additions of floats and of 64 bits in shared memory are loops of loads and exchanges on
//            hardware. Their wavefronts are those of the exchanges; what the loops load and how often
//            they turn is not counted, and they are one request here.
#pragma once

#include "counters/counters.h"

namespace coalesce::sim {

/// Global memory: lanes go in passes, each of which has every address once; the distinct 32-byte
/// sectors of each pass, added up.
u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active);

/// Shared memory: as many wavefronts as the most *lanes* that any of the 32 banks has to serve, for
/// each pass of 32, 16 or 8 lanes as in count_wavefronts. Twice as many where hardware compares and
/// exchanges; so it is with lanes that have a bank each, which is the ideal.
Wavefronts count_atomic_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                                   bool compares);

}  // namespace coalesce::sim
