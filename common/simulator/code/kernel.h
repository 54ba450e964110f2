// Declares kernels that are ready to run. The PTX of a kernel has been lowered to a list of Ops.
// Each Op contains a pointer to the function that executes it.
//
// Registers   A register of a warp is an array of 32 lanes: 32-bit lanes for types of up to 32 bits
//             (smaller types are zero-extended), and 64-bit lanes for 64-bit types. A predicate is
//             one Mask.
// Files       Constants, parameters, block indices and values computed from them are the same for
//             all threads of a block. They are stored once, in the block's uniform file, as 32
//             equal lanes. All other values are in the warp's own file. A Slot can refer to either
//             file, so instructions need not distinguish them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/code/exactness.h"
#include "simulator/counters/counters.h"
#include "simulator/ptx/ast.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

struct Op;
struct Warp;
/// Executes one Op for the active lanes of a warp. Returns the next Op, or null if the warp must
/// stop for now.
using Handler = const Op* (*)(Warp&, const Op*);

struct Slot {
    u32 offset = 0;   ///< the offset in the register file, in bytes
    u32 uniform = 0;  ///< 0 for the warp's own register file, 1 for the block's
};

struct CallSite;     ///< the callee and arguments of a call (execute/calls.h)
struct OperandList;  ///< the operands that do not fit into an Op (execute/families.h)
struct MatrixOp;     ///< the shapes and registers of mma and wmma (execute/fragments.h)

/// A lowered instruction. The most frequently used fields come first and fit in one cache line of
/// the host.
struct alignas(64) Op {
    Handler run = nullptr;
    Slot d = {};                  ///< the destination
    Slot a = {}, b = {}, c = {};  ///< the sources
    i64 immediate = 0;            ///< an address offset or barrier number, depending on the handler
    /// For a memory instruction, its index in Kernel::sites. For an Op that ends a run of
    /// straight-line code, the index of the run in Kernel::Code::straight_line_runs.
    u32 site = 0;
    /// The number of PTX instructions for which this Op counts, including instructions that have
    /// been moved to a prologue.
    u16 instruction_count = 0;
    u8 count = 0;  ///< usually the number of elements in v; some handlers use the field differently
    u8 detail = 0;  ///< the variant of the instruction, encoded as its handler expects
    bool is_guard_negated = false;
    bool has_destination = true;
    /// True for a branch in a loop that waits until another thread changes memory.
    bool is_spin_branch = false;
    /// The index of this global load's bit in Warp::pending_loads (ptxas/load_waits.h).
    u8 load_bit = 0;

    Slot v[4] = {};  ///< the elements of a vector access, or additional operands
    Slot guard = {};
    const Op* target = nullptr;  ///< the next Op if the branch is taken
    /// The instruction's own handler, which op_guarded and op_warp_sync call.
    Handler guarded_handler = nullptr;
    Slot d2 = {};       ///< the second destination (p|q, carry flags)
    Slot members = {};  ///< for .sync instructions, the mask of participating lanes
    const CallSite* call_site = nullptr;
    const MatrixOp* matrix = nullptr;
    const std::vector<const Op*>* targets = nullptr;  ///< the branch targets of brx.idx
    u32 source = 0;  ///< the index of the PTX instruction in the function's body
    ptx::SourceLine where = {};
};

/// The unit of a multiprocessor through which an instruction accesses memory.
enum class MemoryPath : u8 { plain, texture, surface };

/// The machine code to which ptxas compiles an atomic on the shared memory of another block
/// (execute/cluster.h).
enum class RemoteAtomic : u8 {
    single_atomic,   ///< one atomic instruction
    swap_loop,       ///< a loop of loads and compare-and-swaps
    load_and_store,  ///< a load and a store, so the update is not atomic
};

/// The properties of an instruction's memory access.
struct MemoryUse {
    ptx::StateSpace space = ptx::StateSpace::generic;
    bool is_load = false, is_store = false, is_atomic = false;
    u32 bytes_per_lane = 0;
    MemoryPath memory_path = MemoryPath::plain;
    RemoteAtomic remote_atomic = RemoteAtomic::single_atomic;
};

/// A memory access in the machine code. The counters count machine accesses. ptxas may split a PTX
/// access into several machine accesses, or merge several PTX accesses into one machine access
/// (ptxas/merged_accesses.h).
struct MachineAccess {
    i32 byte_offset = 0;  ///< the offset from the address of the PTX access, in bytes
    u32 bytes = 0;        ///< the number of bytes per lane
    /// For an access in a loop that ptxas unrolls: the access is executed only at addresses that
    /// have this remainder modulo 16. kAnyRemainder if the access is executed at every address.
    u32 remainder = kAnyRemainder;

    static constexpr u32 kAnyRemainder = ~0u, kRemainderDivisor = 16;
    bool operator==(const MachineAccess&) const = default;
    bool is_executed_at(u64 address) const {
        return remainder == kAnyRemainder || address % kRemainderDivisor == remainder;
    }
};

/// The machine accesses for one load or store in the PTX.
struct MachineAccesses {
    std::vector<MachineAccess> list;  ///< the machine accesses to count
    /// If `list` is empty, the index in Function::body of the earlier access into which ptxas
    /// merges this access, or kNoAccess if ptxas removes this access.
    u32 covering_access = kNoAccess;

    static constexpr u32 kNoAccess = ~0u;
    bool operator==(const MachineAccesses&) const = default;
};

/// A memory instruction of a kernel.
struct Site : MemoryUse {
    /// The accesses in the machine code that replace this access. Has no value if the machine code
    /// contains the access unchanged.
    std::optional<MachineAccesses> machine_accesses;
    u32 instruction = 0;  ///< the index of the instruction in Function::body
    /// the kernel or callee that contains the instruction
    const ptx::Function* function = nullptr;
    ptx::SourceLine where;
    /// True for an access with .cta scope. An atomic with this scope (atomicAdd_block) is atomic
    /// only among the threads of its block.
    bool has_block_scope = false;
    /// The pointer parameters from which the address is computed, given by their offsets in
    /// parameter memory. Empty if the address may have another origin.
    std::vector<u32> pointer_offsets = {};
};

/// The memory to which a kernel's stores and atomics may write (analysis/written_memory.h).
struct WrittenMemory {
    bool may_be_anywhere = false;
    /// The pointer parameters through which the kernel writes, given by their offsets in parameter
    /// memory.
    std::vector<u32> pointer_offsets;
    /// The names of the module's variables to which the kernel may write.
    std::vector<std::string> variable_names;
};

/// The loads of one instruction that have read only uninitialized bytes. They are counted only for
/// instructions for which every such load is a mistake.
struct UninitialisedReads {
    std::atomic<u64> count{0};
    /// The thread to report: the first one, in the order of block and thread indices, that executed
    /// such a load. Both indices are packed into one number.
    std::atomic<u64> first_thread{~u64{0}};
};

struct Module;
class ByteUses;

/// The totals of a kernel over all of its launches.
struct KernelTotals {
    u64 launches = 0;  ///< the number of completed launches, over which the other totals are summed
    /// The number of launches that ended with an error. Their counts are discarded, because the
    /// number of blocks executed before the error is not deterministic.
    u64 failed_launches = 0;
    /// The number of launches without checks (Options::max_checked_launches).
    u64 unchecked_launches = 0;
    Dim3 grid, block;  ///< the dimensions of the last launch, even if it ended with an error
    u64 warp_instructions = 0;
    u64 thread_instructions = 0;  ///< the number of instructions, summed over all active lanes
    u64 branches = 0;
    u64 divergent_branches = 0;
    std::vector<SiteCounters> sites;  ///< the counters of each site, parallel to Kernel::sites
    std::map<std::pair<u32, u32>, u64> instructions_by_line;  ///< warp instructions by (file, line)
    /// For each remark, the number of warp instructions that it applies to.
    std::map<Remark, u64> remark_counts;

    bool was_launched() const { return launches + failed_launches > 0; }
    void clear() {
        const std::size_t count = sites.size();
        *this = {};
        sites.resize(count);
    }
};

struct Kernel {
    std::string name;  ///< the name in the PTX
    /// The kernel's name without return type and arguments, such as "transpose_naive<float>".
    std::string display_name;
    const ptx::Function* ast = nullptr;
    Module* module = nullptr;
    std::vector<Site> sites;
    KernelTotals totals;

    u32 static_shared_bytes = 0;                ///< the size of the static shared memory, in bytes
    std::map<std::string, u32> shared_offsets;  ///< the offset of each .shared variable, in bytes
    u32 parameter_bytes = 0;
    std::vector<u32> parameter_offsets;  ///< the offset of each argument in parameter memory
    u32 local_bytes = 0;                 ///< the size of local memory per thread, in bytes
    u32 estimated_registers = 0;         ///< the estimated number of 32-bit registers per thread
    /// The estimated number of registers that the kernel needs beyond the limit of its directives
    /// (such as .maxnreg).
    u32 estimated_spilled_registers = 0;
    /// For each PTX instruction of the function, its estimated position in the order of the machine
    /// code.
    std::vector<u32> estimated_code_addresses;
    /// The loops that ptxas unrolls in a way that changes the counters. Each loop is identified by
    /// the index of one of its instructions.
    std::vector<u32> unrolled_loops;
    /// For each instruction that starts a loop, the factor by which ptxas unrolls the loop. 0 if
    /// ptxas does not unroll the loop, and for all other instructions.
    std::vector<u32> unroll_factors;

    /// How the kernel uses the bytes that it loads. Computed by the first call of byte_uses()
    /// (analysis/byte_uses.h).
    struct {
        std::once_flag compute_once;
        std::shared_ptr<const ByteUses> computed_uses;
    } mutable byte_uses;
    /// For each element of `sites`, the loads that have read only uninitialized bytes.
    mutable std::vector<UninitialisedReads> uninitialised_reads;

    struct Code;  ///< the lowered form, created at the first launch (lowering/lower.h)
    std::shared_ptr<Code> code;
    /// The code for launches whose clusters contain several blocks.
    std::shared_ptr<Code> cluster_code;
    /// The code for recorded blocks (execute/recorder.h).
    std::shared_ptr<Code> recording_code;
    WrittenMemory written_memory;  ///< the memory to which the kernel may write; set by lowering
    bool ends_early_without_work = false;  ///< set by lowering (see analysis/early_end.h)
    std::string error;  ///< the reason why the kernel cannot run, or empty if it can
    Place error_place;

    /// Converts a source line to a place. `where` refers to its file by number, and the place
    /// contains the file's name.
    Place place(ptx::SourceLine where) const;
    Place place(const Op* op) const;
};

/// A loaded PTX module: its kernels, and its variables in device memory.
struct Module {
    std::unique_ptr<ptx::Module> ast;
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
    /// The device addresses of .global and .const variables.
    std::map<std::string, u64> variable_addresses;
    std::vector<u64> owned_allocations;  ///< the allocations freed when the module is unloaded

    Kernel* kernel(const std::string& name) const;
};

}  // namespace coalesce::simulator
