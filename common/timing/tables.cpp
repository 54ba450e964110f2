#include "timing/tables.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "timing/rounded.h"

namespace coalesce::timing {

namespace {

/// The number of blocks whose reads must agree before a memory range counts as a table.
constexpr std::size_t kMinBlocksForTable = 3;
/// The fraction of a memory range that the reads of each block must span for the range to count as
/// a table.
constexpr double kMinSpannedFraction = .5;
/// The fractions of the two caches that can hold a table while other data passes through. (Measured
/// with random sectors on an H200: for tables of 64, 128 and 256 MiB, the L2 cache of 60
/// MiB behaves as if it held 36 MiB. calibrate/sectors.cu)
constexpr double kL2TableFraction = .6, kL1TableFraction = .7;

/// The sectors that one block reads with one instruction.
struct InstructionReads {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    SectorSet sectors;

    void add(SectorRun run) {
        first = std::min(first, run.first);
        last = std::max(last, run.first + run.count - 1);
        sectors.add(run);
    }
    double sector_range() const { return static_cast<double>(last - first + 1); }
};

/// A block's reads, by instruction.
using ReadsByInstruction = std::map<std::uint32_t, InstructionReads>;

ReadsByInstruction collect_reads(const RecordedBlock& block) {
    ReadsByInstruction reads;
    for (const WarpPath& path : block.warps)
        for (const Step& step : path.steps)
            for (std::uint32_t a = 0; a < step.accesses; ++a) {
                const Access& access = block.accesses[step.first_access + a];
                if (access.kind != AccessKind::load || access.runs == 0) continue;
                InstructionReads& instruction_reads = reads[step.instruction];
                for (std::uint32_t r = 0; r < access.runs; ++r)
                    instruction_reads.add(block.runs[access.first_run + r]);
            }
    return reads;
}

/// The sectors that all recorded blocks read with one instruction.
struct SummedReads {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    double range_sum = 0, sector_sum = 0;  ///< sums over all recorded blocks
    std::size_t blocks = 0;

    void add(const InstructionReads& reads) {
        first = std::min(first, reads.first);
        last = std::max(last, reads.last);
        range_sum += reads.sector_range();
        sector_sum += static_cast<double>(reads.sectors.size());
        ++blocks;
    }
};

/// Returns the expected number of distinct sectors if `requested` sectors are drawn at random from
/// `table_sectors` sectors.
double expected_distinct_sectors(double requested, double table_sectors) {
    return table_sectors * (1 - round_to_float(std::exp(-requested / table_sectors)));
}

}  // namespace

Tables::Tables(const Recording& recording, const Gpu& gpu, double l1_bytes,
               double new_read_fraction) {
    std::map<std::uint32_t, SummedReads> reads_by_instruction;
    for (const RecordedBlock& block : recording.recorded_blocks)
        for (const auto& [instruction, reads] : collect_reads(block))
            reads_by_instruction[instruction].add(reads);
    for (const auto& [instruction, reads] : reads_by_instruction) {
        const auto block_count = static_cast<double>(reads.blocks);
        const double sector_range = static_cast<double>(reads.last - reads.first + 1);
        if (reads.blocks < kMinBlocksForTable ||
            reads.range_sum / block_count < kMinSpannedFraction * sector_range)
            continue;
        Table table{.sectors_per_block = reads.sector_sum / block_count, .sectors = sector_range};
        const double requested_sectors =
                         table.sectors_per_block * static_cast<double>(recording.blocks),
                     requests_per_multiprocessor = requested_sectors / gpu.multiprocessors,
                     bytes = sector_range * kSectorBytes;
        // The first request for a sector misses. Later requests hit if the table fits into the
        // cache.
        const double l1_first_read_fraction =
                         std::min(1.0, sector_range / requests_per_multiprocessor),
                     first_read_fraction = std::min(1.0, sector_range / requested_sectors),
                     l1_kept_fraction = std::min(1.0, kL1TableFraction * l1_bytes / bytes),
                     l2_kept_fraction = std::min(1.0, kL2TableFraction * gpu.l2_bytes / bytes);
        table.l1_miss_fraction =
            l1_first_read_fraction + (1 - l1_first_read_fraction) * (1 - l1_kept_fraction);
        table.memory_fraction =
            std::min(new_read_fraction,
                     first_read_fraction + (1 - first_read_fraction) * (1 - l2_kept_fraction));
        tables_[instruction] = table;
    }
}

double Tables::count_requested_sectors(double blocks) const {
    double sum = 0;
    for (const auto& [instruction, table] : tables_) sum += table.sectors_per_block * blocks;
    return sum;
}

double Tables::count_distinct_sectors(double blocks) const {
    double sum = 0;
    for (const auto& [instruction, table] : tables_)
        sum += expected_distinct_sectors(table.sectors_per_block * blocks, table.sectors);
    return sum;
}

}  // namespace coalesce::timing
