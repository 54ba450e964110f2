// Tables: memory that every block reads all over, such as the vector of a matrix-vector product, the table of a look-up or
// the array that indices point into.
//
// Idea   Neighbouring blocks show what is shared over a few MiB. A table is shared by the whole grid. An instruction reads
//        a table if each of the recorded blocks, which lie far apart, reads from nearly the whole range that all of them
//        read from. After the first reads, the caches answer as far as the table fits into them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "timing/gpu.h"
#include "timing/recording.h"

namespace coalesce::timing {

struct Table {
    /// Of the sectors that a block asks for: the fraction that the first-level cache does not have, and of these the
    /// fraction that memory has to bring.
    double missed = 1, from_memory = 1;
    double sectors_of_block = 0;  ///< different ones, on average
    double sectors = 0;           ///< from the first to the last
};

/// The tables of a launch, by the instruction that reads them.
class Tables {
public:
    Tables() = default;
    /// `first_level_bytes`: of one multiprocessor's first-level cache. `new_part`: the fraction of all reads that no
    /// neighbouring block has asked for, which tables do not exceed.
    Tables(const Recording& recording, const Gpu& gpu, double first_level_bytes, double new_part);

    /// Null: the instruction reads no table.
    const Table* of(std::uint32_t instruction) const {
        const auto found = tables_.find(instruction);
        return found == tables_.end() ? nullptr : &found->second;
    }
    bool empty() const { return tables_.empty(); }
    /// Different sectors of tables that `blocks` blocks ask for, those that several ask for counted again for each.
    double asked_by(double blocks) const;
    /// The same, each counted once.
    double distinct_of(double blocks) const;

private:
    std::unordered_map<std::uint32_t, Table> tables_;
};

}  // namespace coalesce::timing
