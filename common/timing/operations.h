// The operations that a multiprocessor executes for one warp, in the order in which ptxas would
// arrange them.
//
// Idea   A recording contains the PTX instructions that a warp executed. A GPU executes different
//        instructions: addresses are not converted, parameters are read from the constant bank, a
//        division takes twenty instructions, and loads are issued as soon as everything that they
//        depend on has been computed. This order determines how many loads are in flight together,
//        which determines most of the time of a memory-bound kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "timing/parts.h"
#include "timing/recording.h"
#include "timing/tables.h"

namespace coalesce::timing {

inline constexpr std::uint32_t kLineBytes = 128, kSectorsOfLine = kLineBytes / kSectorBytes;

/// The units of a scheduler that execute an arithmetic operation. Most operations use one of the
/// two main pipes, `integer` and `multiply`. `any` uses the main pipe that is free first, `both`
/// uses both main pipes, and `wide` uses `multiply` for twice as long. `divide` is a whole
/// division: its instructions use both main pipes, and a scheduler executes one division at a time.
/// `special` is the unit that computes functions such as reciprocals, and converts between number
/// types. `fp64` is the unit that adds and multiplies doubles.
enum class Pipe : std::uint8_t { any, integer, multiply, wide, divide, both, special, fp64 };

struct Operation {
    enum class Kind : std::uint8_t {
        arithmetic,
        load,
        store,
        shared_load,
        shared_store,
        async_copy,  ///< cp.async, requested by threads
        barrier,
        bulk_load,  ///< a copy to shared memory by the bulk copy unit
        bulk_store,
        bulk_wait,   ///< waits for the block's bulk loads
        bulk_drain,  ///< waits until bulk stores have read shared memory
        exit,
    };
    Kind kind = Kind::arithmetic;
    Pipe pipe = Pipe::any;
    float issue_slots = 1;  ///< issue slots of a scheduler
    /// The number of cycles until the result can be used. Unused for memory operations.
    float latency_cycles = 0;
    float passes = 0;           ///< number of passes through the L1 cache or shared memory
    std::uint16_t sectors = 0;  ///< the number of sectors loaded, or completely stored
    /// For a load from a table, the fraction of the loaded sectors that come from memory. For other
    /// loads it is negative, and MultiprocessorWork::read_fraction applies.
    float memory_fraction = -1;
    std::uint16_t half_lines =
        0;  ///< for a load, the number of half lines that contain its sectors
    /// For a load, the number of cache lines that the block has not requested before.
    std::uint16_t lines = 0;
    std::uint16_t partial_sectors = 0;  ///< the number of partially stored sectors
    /// The number of partial sectors in stores along a row of memory. Other requests along the same
    /// row complete these sectors.
    std::uint16_t partial_sectors_along_row = 0;
    /// The number of partial sectors at the ends of runs. Neighbouring blocks complete these
    /// sectors.
    std::uint16_t partial_sectors_at_ends = 0;
    /// The number of half lines that contain partial sectors. Partial sectors next to whole sectors
    /// do not count, because they cost no more than whole sectors.
    std::uint16_t partial_half_lines = 0;
    /// Whether this operation is the warp's only store of partial sectors and touches few half
    /// lines. If so, the block's warps make such stores at about the same time.
    bool is_simultaneous = false;
    /// The number of unfinished sectors. A partly written sector counts as the fraction that is
    /// written.
    float unfinished_sectors = 0;
    std::vector<LinePart> written_parts;  ///< the written parts of the unfinished sectors
    /// For bulk_drain, the number of groups of stores that may stay in flight.
    std::uint16_t groups_in_flight = 0;
    std::uint16_t rows = 0;  ///< for bulk_load, the number of contiguous pieces
    bool is_box = false;     ///< for bulk_load, whether the pieces are rows of a box
    std::vector<std::uint32_t> dependences;  ///< the operations whose results this operation needs
    /// The memory ranges that the operation loads. Ranges are numbered within the block. All data
    /// of a range arrives at the same time.
    std::vector<std::uint32_t> memory_ranges;
};

struct Program {
    std::vector<Operation> operations;
    /// The number of the warp's instructions divided by the number of recorded instructions. The
    /// ratio is above 1 if the recording ended early.
    double instructions_per_recorded = 0;
    /// The number of the block's bulk loads that each bulk_wait waits for.
    std::uint32_t loads_per_wait = 0;
};

/// The programs of a block's warps. Warps with the same operations share a Program.
struct BlockProgram {
    std::vector<Program> programs;
    std::vector<std::uint32_t> program_of_warp;
    std::uint32_t bulk_loads = 0;
    // Numbers of sectors, summed over all warps and operations of the block.
    double sectors_read = 0, table_sectors = 0,  ///< sectors_read includes table_sectors
        table_sectors_from_memory = 0, sectors_written = 0, partial_sectors = 0,
           partial_sectors_along_row = 0, partial_sectors_at_ends = 0;
    /// For each line that is written in part, the number of bytes that requests write to it.
    std::vector<float> bytes_per_line;
    double lines_left_for_other_blocks = 0;  ///< lines that other blocks complete
    bool has_atomics = false;
    /// The fraction of requested lines for which the model cannot tell whether they are in the L1
    /// cache.
    double uncertain_line_fraction = 0;
};

/// Returns the operations of a block. A warp can use `l1_lines_per_warp` lines (128 bytes) of the
/// L1 cache.
BlockProgram build_block_program(const Recording& recording, const RecordedBlock& block,
                                 const Tables& tables, double l1_lines_per_warp);

}  // namespace coalesce::timing
