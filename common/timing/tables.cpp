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
constexpr double kSecondLevelTableFraction = .6, kFirstLevelTableFraction = .7;

/// The sectors that one block reads with one instruction.
struct Reads {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    SectorSet sectors;

    void add(SectorRun run) {
        first = std::min(first, run.first);
        last = std::max(last, run.first + run.count - 1);
        sectors.add(run);
    }
    double range() const { return static_cast<double>(last - first + 1); }
};

using ReadsByInstruction = std::map<std::uint32_t, Reads>;  ///< a block's reads, by instruction

ReadsByInstruction collect_reads(const RecordedBlock& block) {
    ReadsByInstruction reads;
    for (const WarpPath& path : block.warps)
        for (const Step& step : path.steps)
            for (std::uint32_t a = 0; a < step.accesses; ++a) {
                const Access& access = block.accesses[step.first_access + a];
                if (access.kind != AccessKind::load || access.runs == 0) continue;
                Reads& of_instruction = reads[step.instruction];
                for (std::uint32_t r = 0; r < access.runs; ++r)
                    of_instruction.add(block.runs[access.first_run + r]);
            }
    return reads;
}

/// The sectors that all recorded blocks read with one instruction.
struct AllReads {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    double range_sum = 0, sector_sum = 0;  ///< sums over all recorded blocks
    std::size_t blocks = 0;

    void add(const Reads& reads) {
        first = std::min(first, reads.first);
        last = std::max(last, reads.last);
        range_sum += reads.range();
        sector_sum += static_cast<double>(reads.sectors.size());
        ++blocks;
    }
};

/// Returns the expected number of distinct sectors if `asked` sectors are drawn at random from
/// `all` sectors.
double expected_distinct(double asked, double all) {
    return all * (1 - rounded(std::exp(-asked / all)));
}

}  // namespace

Tables::Tables(const Recording& recording, const Gpu& gpu, double first_level_bytes,
               double new_part) {
    std::map<std::uint32_t, AllReads> all;
    for (const RecordedBlock& block : recording.recorded)
        for (const auto& [instruction, reads] : collect_reads(block)) all[instruction].add(reads);
    for (const auto& [instruction, reads] : all) {
        const auto count = static_cast<double>(reads.blocks);
        const double range = static_cast<double>(reads.last - reads.first + 1);
        if (reads.blocks < kMinBlocksForTable ||
            reads.range_sum / count < kMinSpannedFraction * range)
            continue;
        Table table{.sectors_per_block = reads.sector_sum / count, .sectors = range};
        const double asked = table.sectors_per_block * static_cast<double>(recording.blocks),
                     asked_here = asked / gpu.multiprocessors, bytes = range * kSectorBytes;
        // The first request for a sector misses. Later requests hit if the table fits into the
        // cache.
        const double first_here = std::min(1.0, range / asked_here),
                     first = std::min(1.0, range / asked),
                     kept_here =
                         std::min(1.0, kFirstLevelTableFraction * first_level_bytes / bytes),
                     kept = std::min(1.0, kSecondLevelTableFraction * gpu.l2_bytes / bytes);
        table.missed_fraction = first_here + (1 - first_here) * (1 - kept_here);
        table.from_memory = std::min(new_part, first + (1 - first) * (1 - kept));
        tables_[instruction] = table;
    }
}

double Tables::count_requests(double blocks) const {
    double sum = 0;
    for (const auto& [instruction, table] : tables_) sum += table.sectors_per_block * blocks;
    return sum;
}

double Tables::count_distinct(double blocks) const {
    double sum = 0;
    for (const auto& [instruction, table] : tables_)
        sum += expected_distinct(table.sectors_per_block * blocks, table.sectors);
    return sum;
}

}  // namespace coalesce::timing
