// Declares the executable form of a kernel: the Ops of the kernel and of the functions that it
// calls, the prologues, which compute values once for many threads, and the slots, in which the
// values are stored.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/code/exactness.h"
#include "simulator/code/kernel.h"

namespace coalesce::simulator {

struct SpecialRegister;

/// The slot of a special register, to which the scheduler writes the register's value.
struct SpecialSlot {
    const SpecialRegister* special_register = nullptr;
    Slot slot;
};

/// A parameter or return value of a device function. It occupies `bytes` bytes per lane, at offset
/// `offset` in the parameter memory of the call's frame.
struct ParameterSlot {
    std::string name;
    u32 offset = 0;
    u32 bytes = 0;
};

struct FunctionCode;
/// A call instruction: the callee, and the offsets of arguments and results in the caller's
/// parameter memory.
struct CallSite {
    /// The called function; null for a call through a pointer (Op::a).
    const FunctionCode* callee = nullptr;
    std::vector<u32> argument_offsets;  ///< the offset of each argument, in bytes
    std::vector<u32> result_offsets;
};

/// The position of a register in a warp's own register file. Only registers that each warp stores
/// separately have such a position. The position contains the register's value only while the
/// register is live.
struct RegisterPlacement {
    /// The root register, which stands for all registers with its value (Registers::root).
    u32 root = 0;
    u32 offset = 0, bytes = 0;  ///< the offset and the size in a warp's own register file, in bytes
};

/// The position of a slot in a warp's own register file.
struct SlotPosition {
    u32 offset = 0, bytes = 0;
};

/// The body of a kernel or of a device function.
struct FunctionCode {
    std::string name;
    const ptx::Function* ast = nullptr;
    std::vector<Op> ops;
    u32 register_file_bytes = 0;      ///< the size of a warp's register file, in bytes
    std::vector<SlotPosition> slots;  ///< the slots in the warp's register file
    /// The size of a frame's parameter memory in bytes per lane. The parameter memory contains the
    /// frame's own parameters, its results and the arguments of its calls.
    u32 parameter_bytes = 0;
    u32 local_bytes = 0;  ///< the size of the local variables of one thread, in bytes
    /// The offset of each local variable within a thread's local memory, for code that displays a
    /// thread's variables (trace/).
    std::map<std::string, u32> local_offsets;
    std::vector<ParameterSlot> parameters, results;
    std::vector<std::unique_ptr<CallSite>> call_sites;
    std::vector<std::shared_ptr<const MatrixOp>> matrix_ops;
    std::vector<std::shared_ptr<const OperandList>> operand_lists;
    std::vector<std::unique_ptr<std::vector<const Op*>>> jump_tables;
    u64 address = 0;  ///< the value of a pointer to this function
    /// For each register, the root register, in whose slot the value of the register is stored
    /// (Registers::root). Used by code that inspects a warp's state (execute/watch.h).
    std::vector<u32> roots;
    std::vector<RegisterPlacement> placed_registers;
};

/// The set of threads that share a value. It determines how often the value must be computed.
enum class ValueClass : u8 {
    launch,  ///< computed once per launch: the same for all threads of the grid
    block,   ///< computed once per block: the same for all threads of the block
    /// Computed once for each warp index in a block: the same in all blocks of the launch.
    warp_position,
    thread,  ///< computed by each thread
};

struct Kernel::Code {
    FunctionCode kernel_function;
    std::map<std::string, std::unique_ptr<FunctionCode>> functions;
    /// The Ops that run once before a launch's first block, once before each block, and once for
    /// each warp index in a block.
    std::vector<Op> launch_prologue, block_prologue, position_prologue;
    struct Constant {
        Slot slot;
        u64 bits;
        u32 byte_width;  ///< the width in bytes: 4 or 8, or 0 for a predicate
    };
    std::vector<Constant> constants;
    std::vector<SpecialSlot> launch_special_slots, block_special_slots, position_special_slots;
    /// For each run of straight-line code, the number of its instructions on each source line
    /// (keyed by file and line). Each run ends with an Op whose Op::instruction_count is not 0, and
    /// all instructions of the run are executed as often as this Op.
    std::vector<std::map<std::pair<u32, u32>, u32>> straight_line_runs{1};
    /// For each run of straight-line code, the number of its instructions that have each remark.
    /// Parallel to `straight_line_runs`.
    std::vector<std::map<Remark, u32>> remarks_of_runs{1};
    u32 uniform_bytes = 0;
    bool is_plain = false;  ///< true if lowered without optimizations (Options::plain)
    /// True for code that runs recorded blocks. Such code is lowered without optimizations, but its
    /// memory accesses use the handlers of optimized code.
    bool is_recorded = false;
    bool is_clustered = false;  ///< true for launches whose clusters contain several blocks
    /// True if blocks can observe the order in which they run. One worker must then run all blocks.
    bool is_order_sensitive = false;
    /// True if a block may read data that other blocks write during the launch, and may therefore
    /// wait for other blocks.
    bool reads_other_blocks = false;
    /// True if the kernel uses the shared memory that is reserved for the system.
    bool uses_reserved_shared = false;
    /// True if the kernel accesses shared memory only with plain loads and stores, and synchronizes
    /// only with block barriers. Only for such kernels can a SharedLedger compare the steps of two
    /// blocks.
    bool has_repeatable_shared_steps = true;
    bool uses_calls = false;
    bool needs_heap = false;  ///< true if the kernel calls malloc
    std::map<u64, const FunctionCode*> function_pointers;
};

}  // namespace coalesce::simulator
