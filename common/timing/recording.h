// What a launch does, written down: every step of a few blocks, and what many neighbouring blocks touch.
//
// The simulator fills it in (simulator/execute/recorder.h); predict.h makes a time of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timing/sector_set.h"

namespace coalesce::timing {

inline constexpr std::uint32_t kNoTarget = ~0u;

/// A PTX instruction of the kernel, or of a function that it calls.
struct Instruction {
    std::string opcode;                        ///< "ld"
    std::vector<std::string> modifiers;        ///< "global", "v4", "f32"
    std::vector<std::uint32_t> written, read;  ///< registers, by number
    std::uint32_t target = kNoTarget;          ///< of a branch: the instruction that it leads to
    std::int64_t immediate = 0;                ///< the last operand, if it is a number
    bool reads_special = false;                ///< %tid and its like
    bool leaves_nothing = false;  ///< the machine has no instruction for this load or store
    std::uint32_t covered_by =
        kNoTarget;  ///< then: the earlier instruction whose access includes it
    std::uint32_t line = 0;
    std::uint32_t place = 0;  ///< where ptxas puts it, of a kernel's instructions; estimated
    /// Turns that ptxas makes one piece of, where a loop begins here that it unrolls; else 0. Estimated.
    std::uint32_t turns_unrolled = 0;

    bool has(const char* modifier) const;
};

enum class AccessKind : std::uint8_t {
    load,
    store,
    atomic,
    shared_load,
    shared_store,
    shared_atomic,
    copy_from,  ///< what an asynchronous copy reads in global memory
    copy_to     ///< and writes in shared memory
};

/// What a warp asks of memory at once.
struct Access {
    AccessKind kind = AccessKind::load;
    std::uint8_t lanes = 0, bytes_per_lane = 0;
    std::uint16_t passes = 0;  ///< shared memory: wavefronts; global: lines of 128 bytes
    std::uint32_t first_run = 0, runs = 0;  ///< of Block::runs; global memory only
};

/// One instruction of one warp.
struct Step {
    std::uint32_t instruction = 0;
    std::uint32_t first_access = 0;
    std::uint16_t accesses = 0;
};

struct WarpPath {
    std::vector<Step> steps;     ///< the first ones
    std::uint64_t executed = 0;  ///< all that there were
};

struct RecordedBlock {
    std::uint64_t number = 0;
    std::vector<WarpPath> warps;
    std::vector<Access> accesses;
    std::vector<SectorRun> runs;
};

/// What neighbouring blocks touch, taken together.
struct Footprint {
    std::uint64_t by_blocks = 0;  ///< sectors of each block, added up
    std::uint64_t bytes = 0;      ///< by all lanes
    SectorSet sectors;
};

struct Recording {
    std::string kernel;
    std::uint64_t blocks = 0;        ///< of the grid
    std::uint32_t threads = 0;       ///< of a block
    std::uint32_t shared_bytes = 0;  ///< of a block
    std::uint32_t registers = 0;     ///< of a thread, estimated
    std::uint32_t local_bytes = 0;   ///< of a thread
    std::vector<Instruction> instructions;
    std::vector<RecordedBlock> recorded;
    std::uint64_t neighbours = 0;  ///< blocks that reads and writes are of
    Footprint reads, writes;
    SectorSet
        together;  ///< of the reads, those of the first neighbours: memory is asked at about the same time
    SectorSet
        below;  ///< what the first neighbours' neighbours in the grid's next row read; empty: they are neighbours
    std::uint64_t blocks_of_row = 0;  ///< of the grid
    bool blocks_wait = false;         ///< for each other: then nothing is recorded
};

/// Some of the blocks that stand for all do far more than others: how many there are of each is a guess.
bool are_unlike(const Recording& recording);

}  // namespace coalesce::timing
