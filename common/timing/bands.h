// How far off a prediction may be: the band that is printed beside it.
#pragma once

#include "timing/prediction.h"

namespace coalesce::timing {

/// The facts of a prediction that its band depends on.
struct BandFacts {
    double ms = 0;
    Binds binds = Binds::memory;
    Busy busy;
    double rounds = 0;            ///< blocks of the grid / blocks that the GPU holds
    double write_share = 0;       ///< of the bytes that memory moves
    double rereads = 1;           ///< how often a block asks for each sector that it reads
    bool has_short_runs = false;  ///< memory sees runs shorter than a line
    bool reads_tables = false;    ///< every block reads all over the same memory
    bool has_unfinished_sectors = false;
    bool shares_memory = false;          ///< blocks have shared memory
    bool writes_where_it_reads = false;  ///< nearly all that it reads it writes, and nothing else
    bool measured_gpu = true;
};

/// Returns the band as a fraction of the predicted time: at least nine of ten kernels lie within theirs.
double error_band(const BandFacts& facts);

}  // namespace coalesce::timing
