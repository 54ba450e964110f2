// The recording of a launch: every step of a few blocks, and the memory that many neighbouring
// blocks access.
//
// The simulator creates recordings (simulator/execute/recorder.h), and predict.h predicts their
// times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timing/sector_set.h"

namespace coalesce::timing {

inline constexpr std::uint32_t kNoInstruction = ~0u;

/// A PTX instruction of the kernel, or of a function that it calls.
struct Instruction {
    std::string opcode;                  ///< such as "ld"
    std::vector<std::string> modifiers;  ///< such as "global", "v4" and "f32"
    std::vector<std::uint32_t> written_registers, read_registers;  ///< the numbers of the registers
    std::uint32_t target = kNoInstruction;  ///< for a branch, the instruction that it jumps to
    std::int64_t immediate = 0;             ///< the last operand, if it is a number
    bool reads_special_register =
        false;  ///< whether the instruction reads a special register such as %tid
    /// Whether ptxas generates no machine instruction for this load or store, because it merges the
    /// access into an earlier one or removes it.
    bool is_eliminated = false;
    /// The earlier instruction with whose access ptxas merges the access of this instruction, or
    /// kNoInstruction if there is none.
    std::uint32_t covering_instruction = kNoInstruction;
    std::uint32_t line = 0;
    /// The estimated position of the instruction after ptxas has reordered the instructions.
    std::uint32_t schedule_position = 0;
    /// The number of iterations that ptxas probably combines in the loop that starts here. 0 if no
    /// unrolled loop starts here.
    std::uint32_t unroll_factor = 0;

    bool has(const char* modifier) const;
};

enum class AccessKind : std::uint8_t {
    load,
    store,
    atomic,
    shared_load,
    shared_store,
    shared_atomic,
    copy_from,   ///< the read from global memory in an asynchronous copy
    copy_to,     ///< the write to shared memory in an asynchronous copy
    local_load,  ///< a read from local memory
    local_store
};

/// A memory request of a warp.
struct Access {
    AccessKind kind = AccessKind::load;
    std::uint8_t lanes = 0, bytes_per_lane = 0;
    /// The number of passes: wavefronts in shared memory, or 128-byte lines in global and local
    /// memory.
    std::uint16_t passes = 0;
    /// For an access to global memory, the first run as an index into RecordedBlock::runs, and the
    /// number of runs.
    std::uint32_t first_run = 0, runs = 0;
};

/// One instruction executed by one warp.
struct Step {
    std::uint32_t instruction = 0;
    std::uint32_t first_access = 0;
    std::uint16_t accesses = 0;
    std::uint8_t lanes = 0;  ///< the number of active lanes
};

struct WarpPath {
    std::vector<Step> steps;           ///< the warp's first steps
    std::uint64_t executed_steps = 0;  ///< the total number of steps of the warp
};

struct RecordedBlock {
    std::uint64_t number = 0;
    std::vector<WarpPath> warps;
    std::vector<Access> accesses;
    std::vector<SectorRun> runs;
};

/// The memory that a group of neighbouring blocks accesses.
struct Footprint {
    /// The sum of the blocks' sector counts. A sector that two blocks use counts twice.
    std::uint64_t sectors_summed_over_blocks = 0;
    std::uint64_t bytes = 0;  ///< the bytes requested by all lanes
    SectorSet sectors;
};

struct Recording {
    std::string kernel;
    std::uint64_t blocks = 0;        ///< blocks in the grid
    std::uint32_t threads = 0;       ///< threads per block
    std::uint32_t shared_bytes = 0;  ///< bytes of shared memory per block
    /// The number of bytes of shared memory up to the last byte that a recorded block accesses.
    std::uint32_t used_shared_bytes = 0;
    std::uint32_t registers = 0;  ///< registers per thread, estimated
    /// The estimated number of registers per thread that the kernel needs beyond the limit that its
    /// directives set.
    std::uint32_t spilled_registers = 0;
    std::uint32_t local_bytes = 0;  ///< bytes of local memory per thread
    std::vector<Instruction> instructions;
    std::vector<RecordedBlock> recorded_blocks;
    std::uint64_t neighbour_blocks = 0;  ///< number of blocks that `reads` and `writes` cover
    Footprint reads, writes;
    /// The reads of the first two thirds of the neighbouring blocks. These blocks run at about the
    /// same time.
    SectorSet neighbour_reads;
    /// The reads of a few blocks that are one row of the grid below the first neighbours. Empty if
    /// there is no such row, or if these blocks are neighbours themselves.
    SectorSet next_row_reads;
    std::uint64_t blocks_per_row = 0;  ///< blocks in a row of the grid
    /// Whether blocks wait for each other. If they do, nothing is recorded.
    bool has_waiting_blocks = false;
};

/// Reports whether some recorded blocks do far more work than others. If so, the number of blocks
/// of each kind in the launch is only a guess.
bool are_blocks_uneven(const Recording& recording);

}  // namespace coalesce::timing
