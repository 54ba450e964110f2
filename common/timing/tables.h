// Tables: memory that every block reads from end to end, or at random, such as the vector of a
// matrix-vector product, a lookup table, or an array that indices point into.
//
// Idea   The recorded neighbouring blocks show only which data is shared within a few MiB, whereas
//        a table is shared by the whole grid. An instruction reads a table if its reads in each
//        recorded block cover nearly the same range, although these blocks are far apart. After the
//        first reads, the caches deliver as much of the table as fits into them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "timing/gpu.h"
#include "timing/recording.h"

namespace coalesce::timing {

struct Table {
    /// `l1_miss_fraction` is the fraction of the requested sectors that miss the L1 cache.
    /// `memory_fraction` is the fraction of these misses that come from memory.
    double l1_miss_fraction = 1, memory_fraction = 1;
    double sectors_per_block = 0;  ///< the average number of different sectors per block
    double sectors = 0;            ///< the size of the table, from its first to its last sector
};

/// The tables of a launch, keyed by the instruction that reads them.
class Tables {
public:
    Tables() = default;
    /// Finds the tables that the blocks of a launch read. `new_read_fraction` is the fraction of a
    /// block's reads that access data that no neighbouring block has already read.
    /// Table::memory_fraction never exceeds this fraction.
    Tables(const Recording& recording, const Gpu& gpu, double l1_bytes, double new_read_fraction);

    /// Returns the table that the instruction reads, or null if it reads none.
    const Table* find_table(std::uint32_t instruction) const {
        const auto table_entry = tables_.find(instruction);
        return table_entry == tables_.end() ? nullptr : &table_entry->second;
    }
    bool empty() const { return tables_.empty(); }
    /// Returns the number of table sectors that `blocks` blocks request. A sector counts once for
    /// each block that requests it.
    double count_requested_sectors(double blocks) const;
    /// Returns the number of different table sectors that `blocks` blocks request.
    double count_distinct_sectors(double blocks) const;

private:
    std::unordered_map<std::uint32_t, Table> tables_;
};

}  // namespace coalesce::timing
