// What a kernel becomes before it runs: the Ops of its body and of the functions that it calls, the prologues that
// compute what is the same for many threads, and where everything is kept.
//
// Builds on  kernel.h.
// Read next  program/lower.h makes it, execute/worker.h runs it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/code/exactness.h"
#include "simulator/code/kernel.h"

namespace coalesce::simulator {

struct SpecialRegister;

/// Where a special register's value is kept, filled in by the scheduler.
struct SpecialSlot {
    const SpecialRegister* special = nullptr;
    Slot slot;
};

/// A parameter or return value of a device function: `bytes` per lane, at `offset` of the frame's
/// parameter memory.
struct ParameterSlot {
    std::string name;
    u32 offset = 0;
    u32 bytes = 0;
};

/// Who is called, and which regions of the caller's and the callee's parameter memory correspond.
struct FunctionCode;
struct CallSite {
    const FunctionCode* callee = nullptr;  ///< nullptr: through a pointer (Op::a)
    std::vector<u32> argument_offsets;     ///< in the caller's parameter memory
    std::vector<u32> result_offsets;
};

/// A register that warps have to themselves, and where it is kept while it is alive.
struct PlacedRegister {
    u32 root = 0;               ///< see Registers::root
    u32 offset = 0, bytes = 0;  ///< in a warp's own file
};

/// A slot of a warp's own file.
struct SlotPlace {
    u32 offset = 0, bytes = 0;
};

/// The body of a kernel or of a device function.
struct FunctionCode {
    std::string name;
    const ptx::Function* ast = nullptr;
    std::vector<Op> ops;
    u32 own_bytes = 0;             ///< size of a warp's own file
    std::vector<SlotPlace> slots;  ///< ... and what it consists of
    u32 parameter_bytes =
        0;  ///< parameter memory of a frame, per lane: own parameters, results, call arguments
    u32 local_bytes = 0;  ///< local variables, per thread
    std::vector<ParameterSlot> parameters, results;
    std::vector<std::unique_ptr<CallSite>> calls;
    std::vector<std::shared_ptr<const MatrixOp>> matrix_ops;
    std::vector<std::shared_ptr<const OperandList>> operand_lists;
    std::vector<std::unique_ptr<std::vector<const Op*>>> jump_tables;
    u64 address = 0;  ///< what a function pointer to it holds
    /// For those who look at a warp's state (execute/watch.h).
    std::vector<u32> roots;
    std::vector<PlacedRegister> placed;
};

/// How often a value must be computed.
enum class ValueClass : u8 {
    launch,    ///< the same for every thread of the grid
    block,     ///< the same for every thread of a block
    position,  ///< depends on the thread's place in its block alone
    thread,    ///< everything else
};

struct Kernel::Code {
    FunctionCode main;
    std::map<std::string, std::unique_ptr<FunctionCode>> functions;
    /// Computed before the first block, before each block, and for each warp before the first
    /// block.
    std::vector<Op> launch_prologue, block_prologue, position_prologue;
    struct Constant {
        Slot slot;
        u64 bits;
        u32 width;  ///< 4 or 8; 0: predicate
    };
    std::vector<Constant> constants;
    std::vector<SpecialSlot> launch_specials, block_specials, position_specials;
    /// The instructions between two Ops that count (Op::weight), line by line: how often such an Op
    /// has run says how often each line has.
    std::vector<std::map<std::pair<u32, u32>, u32>> straights{1};
    /// Of the same instructions, those of which there is something to say. Parallel to `straights`.
    std::vector<std::map<Remark, u32>> remarks{1};
    u32 uniform_bytes = 0;
    bool plain = false;            ///< nothing that makes it fast: see Options::plain
    bool recorded = false;         ///< plain, except for accesses: of blocks that are recorded
    bool clustered = false;        ///< for launches whose clusters have several blocks
    bool order_sensitive = false;  ///< blocks can see the order in which they run: one worker
    bool reserved_shared = false;  ///< asks where the system's shared memory is
    bool repeats_shared =
        true;  ///< only plain shared accesses and block barriers: the ledger may be used
    bool uses_calls = false;
    bool needs_heap = false;  ///< malloc in the kernel
    std::map<u64, const FunctionCode*> function_pointers;
};

}  // namespace coalesce::simulator
