// What a multiprocessor has to do for one warp: the operations that its PTX becomes, in the order in which
// ptxas would put them.
//
// Idea   A recording says which PTX instructions a warp went through. A GPU executes something else: no
//        conversions of addresses, parameters straight from the constant bank, divisions as twenty
//        instructions, and loads before everything that does not lead to them. That order decides how many
//        loads are under way together, which is most of a memory-bound kernel's time.
#pragma once

#include <cstdint>
#include <vector>

#include "timing/parts.h"
#include "timing/recording.h"
#include "timing/tables.h"

namespace coalesce::timing {

inline constexpr std::uint32_t kLineBytes = 128, kSectorsOfLine = kLineBytes / kSectorBytes;

/// Who executes arithmetic: each scheduler has one of each kind. `wide` is multiply, for twice as long. `special` computes
/// functions such as reciprocals and converts between kinds of numbers, `fp64` adds and multiplies doubles.
enum class Pipe : std::uint8_t { any, integer, multiply, wide, divide, both, special, fp64 };

struct Operation {
    enum class Kind : std::uint8_t {
        arithmetic,
        load,
        store,
        shared_load,
        shared_store,
        copy,  ///< cp.async: asynchronous, by threads
        barrier,
        bulk_load,  ///< by the copy engine
        bulk_store,
        bulk_wait,   ///< for what the block's bulk loads bring
        bulk_drain,  ///< until bulk stores have read shared memory
        exit,
    };
    Kind kind = Kind::arithmetic;
    Pipe pipe = Pipe::any;
    float slots = 1;            ///< of a scheduler's issue
    float latency = 0;          ///< until what it computes can be used; not for memory
    float passes = 0;           ///< through the first-level cache or shared memory
    std::uint16_t sectors = 0;  ///< that are fetched, or stored whole
    /// load: fraction of the sectors that memory brings, where the instruction reads a table; below 0: as of all loads.
    float from_memory = -1;
    std::uint16_t halves = 0;   ///< load: of lines, in which these are
    std::uint16_t lines = 0;    ///< load: of these, in which the block has asked for nothing before
    std::uint16_t partial = 0;  ///< that are stored in part
    std::uint16_t partial_near = 0;    ///< of them: others along the same row fill what is missing
    std::uint16_t partial_edges = 0;   ///< of them: ends of runs, whose rest a neighbour writes
    std::uint16_t halves_partial = 0;  ///< of lines of 128 bytes, with such sectors
    bool meets =
        false;  ///< a warp's only store of parts: those of other warps come at about the same time
    float unfinished =
        0;  ///< sectors, added up from their parts: those that the cache has to finish
    std::vector<Part> parts;           ///< of these
    std::uint16_t keeps = 0;           ///< bulk_drain: groups that may still be under way
    std::uint16_t rows = 0;            ///< bulk_load: pieces of memory without a gap
    bool is_box = false;               ///< bulk_load: they are rows of boxes
    std::vector<std::uint32_t> after;  ///< operations whose results it needs
    std::vector<std::uint32_t>
        places;  ///< pieces of memory that answer as one, numbered for the block
};

struct Program {
    std::vector<Operation> operations;
    double in_all = 0;  ///< times as many there were: 1, unless the recording ends before the warp
    std::uint32_t loads_of_wait = 0;  ///< of the block's bulk loads, that each bulk_wait waits for
};

/// The warps of a block; warps that do the same share a Program.
struct BlockProgram {
    std::vector<Program> programs;
    std::vector<std::uint32_t> program_of_warp;
    std::uint32_t bulk_loads = 0;
    // All warps, all operations.
    double sectors_read = 0, sectors_of_tables = 0,  ///< the latter: of those that are read
        sectors_of_tables_from_memory = 0, sectors_written = 0, sectors_partial = 0,
           sectors_partial_near = 0, sectors_partial_edges = 0;
    std::vector<float>
        bytes_of_line;      ///< of those that requests write parts of: what all of them write
    double lines_left = 0;  ///< of these: others finish them
    bool has_atomics = false;
    double doubtful_lines = 0;  ///< part of those asked for: the cache may have them or not
};

/// `lines_of_warp`: as many lines of 128 bytes the first-level cache has for each warp.
BlockProgram operations_of(const Recording& recording, const RecordedBlock& block,
                           const Tables& tables, double lines_of_warp);

}  // namespace coalesce::timing
