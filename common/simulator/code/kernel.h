// A kernel that is ready to run: its PTX has been lowered to a list of Ops, each with the function
// that executes it.
//
// Registers   A register of a warp is an array of 32 lanes: 32-bit lanes for types of up to 32 bits
//             (smaller types are zero-extended), and 64-bit lanes for 64-bit types. A predicate is
//             one Mask.
// Files       Values that are the same for all threads of a block (constants, parameters, block
//             indices, and values computed from them) are stored once, in the block's uniform file,
//             as 32 equal lanes. All others are in the warp's own file. A Slot can refer to either,
//             so instructions need not distinguish them.
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
/// Executes one Op for the active lanes of a warp. Returns the next Op, or nullptr if this warp
/// cannot continue now.
using Handler = const Op* (*)(Warp&, const Op*);

struct Slot {
    u32 offset = 0;   ///< in bytes from the start of the file
    u32 uniform = 0;  ///< the file: 0 is the warp's own, 1 the block's
};

struct CallSite;     ///< a call's callee and arguments (execute/calls.h)
struct OperandList;  ///< operands that do not fit into an Op (execute/families.h)
struct MatrixOp;     ///< the shapes and registers of mma and wmma (execute/fragments.h)

/// The fields that nearly every instruction needs come first, within one cache line of the host.
struct alignas(64) Op {
    Handler run = nullptr;
    Slot d = {};                  ///< destination
    Slot a = {}, b = {}, c = {};  ///< sources
    i64 immediate = 0;            ///< address offset, barrier id and so on, as the handler defines
    u32 site = 0;  ///< memory instructions: index into Kernel::sites; those that end a
                   ///< straight piece: index into Kernel::Code::straights
    /// The number of PTX instructions that this Op stands for (including hoisted ones).
    u16 weight = 0;
    u8 count = 0;   ///< the number of elements in v, or as the handler defines
    u8 detail = 0;  ///< selects a member of a family, as the handler defines
    bool guard_negated = false;
    bool has_destination = true;
    bool spins = false;  ///< whether this is a branch in a loop that waits for memory to change
    u8 load_bit = 0;     ///< for a load from global memory: see program/load_waits.h

    Slot v[4] = {};  ///< the elements of a vector access, or additional operands
    Slot guard = {};
    const Op* target = nullptr;  ///< for branches
    Handler inner = nullptr;     ///< for guarded ops, the handler that runs if the guard is true
    Slot d2 = {};                ///< the second destination (p|q, carry flags)
    Slot members = {};           ///< for .sync instructions, the mask of participating lanes
    const CallSite* call = nullptr;
    const MatrixOp* matrix = nullptr;
    const std::vector<const Op*>* targets = nullptr;  ///< for brx.idx
    u32 source = 0;                                   ///< index into the function's body
    ptx::SourceLine where = {};                       ///< the source line of the PTX instruction
};

/// The unit of a multiprocessor through which an instruction accesses memory.
enum class MemoryPath : u8 { plain, texture, surface };

/// What ptxas makes of an atomic that reaches the shared memory of another block (execute/cluster.h).
enum class RemoteAtomic : u8 {
    one,             ///< one atomic instruction
    loop,            ///< a loop of loads and compare-and-swaps
    load_and_store,  ///< a load and a store, which together are not atomic
};

/// How an instruction accesses memory.
struct MemoryUse {
    ptx::StateSpace space = ptx::StateSpace::generic;
    bool load = false, store = false, atomic = false;
    u32 bytes_per_lane = 0;
    MemoryPath path = MemoryPath::plain;
    RemoteAtomic remote_atomic = RemoteAtomic::one;
};

/// A memory access of the machine code, which is what is counted. A load or store in the PTX may
/// become several of them, or a part of another one's access (program/merged_accesses.h).
struct MachineAccess {
    i32 delta = 0;  ///< relative to the address of the PTX's access
    u32 bytes = 0;  ///< per lane
    /// In a loop that ptxas unrolls, the access exists only in iterations whose addresses, divided
    /// by 16, have this remainder.
    u32 remainder = kEach;

    static constexpr u32 kEach = ~0u, kDivisor = 16;
    bool operator==(const MachineAccess&) const = default;
    bool is_due(u64 address) const { return remainder == kEach || address % kDivisor == remainder; }
};

/// The machine accesses for a load or store of the PTX.
struct MachineAccesses {
    std::vector<MachineAccess> list;  ///< the accesses that are counted for it
    /// If the list is empty, the earlier access that includes this one, as an index into
    /// Function::body. kNoAccess means that nothing is left of it.
    u32 covered_by = kNoAccess;

    static constexpr u32 kNoAccess = ~0u;
    bool operator==(const MachineAccesses&) const = default;
};

/// A memory instruction of a kernel.
struct Site : MemoryUse {
    std::optional<MachineAccesses> machine;   ///< if it is not a single access to the same bytes
    u32 instruction = 0;                      ///< index into Function::body
    const ptx::Function* function = nullptr;  ///< the kernel, or a function that it calls
    ptx::SourceLine where;
};

/// The memory that stores and atomics may write to: see analysis/written_memory.h.
struct WrittenMemory {
    bool anywhere = false;
    std::vector<u32> parameters;  ///< pointers, by their offsets in the kernel's parameter memory
    std::vector<std::string> variables;  ///< variables of the module
};

/// How often a site has loaded only uninitialized bytes, where that is always a mistake.
struct MistakenReads {
    std::atomic<u64> count{0};
    /// The lowest block and thread that did so, whose report is kept.
    std::atomic<u64> first{~u64{0}};
};

struct Module;
class ByteUses;

/// The totals over all launches of a kernel.
struct KernelTotals {
    u64 launches = 0;  ///< the completed launches, to which the other totals apply
    /// The launches that were ended by an error. It is random how far each worker had come, so
    /// their counts are ignored.
    u64 stopped = 0;
    u64 only_counted = 0;  ///< launches that were not checked: see Options::sample
    Dim3 grid, block;      ///< of the last launch of either kind
    u64 warp_instructions = 0;
    u64 thread_instructions = 0;  ///< the sum over all active lanes
    u64 branches = 0;
    u64 divergent_branches = 0;
    std::vector<SiteCounters> sites;                          ///< parallel to Kernel::sites
    std::map<std::pair<u32, u32>, u64> instructions_by_line;  ///< warp instructions by (file, line)
    std::map<Remark, u64> remarks;                            ///< warp instructions by remark

    bool was_launched() const { return launches + stopped > 0; }
};

struct Kernel {
    std::string name;       ///< in the PTX
    std::string demangled;  ///< without return type and arguments: "transpose_naive<float>"
    const ptx::Function* ast = nullptr;
    Module* module = nullptr;
    std::vector<Site> sites;
    KernelTotals totals;

    u32 static_shared = 0;                      ///< in bytes
    std::map<std::string, u32> shared_offsets;  ///< of its .shared variables
    u32 parameter_bytes = 0;
    std::vector<u32> parameter_offsets;  ///< of argument i in parameter memory
    u32 local_bytes = 0;                 ///< per thread
    u32 registers_estimate = 0;  ///< 32-bit registers per thread, for occupancy and attributes
    /// The estimated positions of the function's instructions in the machine code.
    std::vector<u32> places_estimate;
    /// One instruction of each loop that ptxas unrolls, if that changes what is counted.
    std::vector<u32> unrolled_loops;
    /// For the loop that starts at an instruction, the iterations that ptxas combines; 0: none.
    std::vector<u32> turns_unrolled;

    /// How the loaded bytes are used (analysis/demanded_bytes.h).
    struct {
        std::once_flag once;
        std::shared_ptr<const ByteUses> made;
    } mutable byte_uses;
    mutable std::vector<MistakenReads> mistaken_reads;  ///< parallel to sites

    struct Code;  ///< the lowered form, created at the first launch (program/lower.h)
    std::shared_ptr<Code> code;
    std::shared_ptr<Code> cluster_code;  ///< for launches whose clusters have several blocks
    std::shared_ptr<Code> plain_code;    ///< for blocks that are recorded (execute/recorder.h)
    WrittenMemory written;               ///< known after lowering
    std::string error;                   ///< why it cannot run: "unknown instruction ..."
    Place error_place;

    Place place(ptx::SourceLine where) const;  ///< with the file's name
    Place place(const Op* op) const;
};

/// A loaded PTX module: kernels, and variables in device memory.
struct Module {
    std::unique_ptr<ptx::Module> ast;
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
    /// The device addresses of .global and .const variables.
    std::map<std::string, u64> variable_addresses;
    std::vector<u64> owned;  ///< allocations that are freed on unload

    Kernel* kernel(const std::string& name) const;
};

}  // namespace coalesce::simulator
