// A kernel ready to run: PTX lowered to a list of Ops, each with the function that executes it.
//
// Registers   A register of a warp is an array of 32 lanes: 32-bit lanes for types of up to 32 bits
//             (shorter ones zero-extended), 64-bit lanes for 64-bit types. A predicate is one Mask.
// Files       Values that are the same for every thread of a block (constants, parameters, block
//             indices and what is computed from them) are kept once, in the block's uniform file,
//             as 32 equal lanes; all others are in the warp's own file. A Slot names either, so an
//             instruction does not care.
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
/// Executes one Op for the active lanes of a warp; returns what to run next (nullptr: this warp
/// cannot go on now).
using Handler = const Op* (*)(Warp&, const Op*);

struct Slot {
    u32 offset = 0;   ///< bytes into the file
    u32 uniform = 0;  ///< which file: 0 the warp's own, 1 the block's
};

struct CallSite;     ///< call: callee, arguments (execute/calls.h)
struct OperandList;  ///< operands that an Op has no room for (execute/families.h)
struct MatrixOp;     ///< mma, wmma: shapes and registers (execute/fragments.h)

/// What almost every instruction needs comes first, within one line of the host's cache.
struct alignas(64) Op {
    Handler run = nullptr;
    Slot d = {};                  ///< destination
    Slot a = {}, b = {}, c = {};  ///< sources
    i64 immediate = 0;            ///< address offset, barrier id, ... as the handler defines
    u32 site = 0;    ///< memory instructions: index into Kernel::sites; those that end a
                     ///< straight piece: index into Kernel::Code::straights
    u16 weight = 0;  ///< PTX instructions this Op stands for (hoisted ones included)
    u8 count = 0;    ///< elements in v, or as the handler defines
    u8 detail = 0;   ///< a selector inside a family, as the handler defines
    bool guard_negated = false;
    bool has_destination = true;
    bool spins = false;  ///< a branch of a loop that waits for memory to change
    u8 load_bit = 0;     ///< a load from global memory: see program/load_waits.h

    Slot v[4] = {};  ///< elements of a vector access, or further operands
    Slot guard = {};
    const Op* target = nullptr;  ///< branches
    Handler inner = nullptr;     ///< guarded ops: the handler behind the guard
    Slot d2 = {};                ///< second destination (p|q, carry flags)
    Slot members = {};           ///< .sync instructions: the mask of lanes that take part
    const CallSite* call = nullptr;
    const MatrixOp* matrix = nullptr;
    const std::vector<const Op*>* targets = nullptr;  ///< brx.idx
    u32 source = 0;                                   ///< index into the function's body
    ptx::SourceLine where = {};                       ///< of the PTX instruction
};

/// By what part of a multiprocessor an instruction reaches memory.
enum class MemoryPath : u8 { plain, texture, surface };

/// What ptxas makes of an atomic that reaches the shared memory of another block (execute/cluster.h).
enum class RemoteAtomic : u8 {
    one,             ///< one atomic instruction
    loop,            ///< a loop of loads and compare-and-swaps
    load_and_store,  ///< a load and a store, which together are not atomic
};

/// How an instruction touches memory.
struct MemoryUse {
    ptx::StateSpace space = ptx::StateSpace::generic;
    bool load = false, store = false, atomic = false;
    u32 bytes_per_lane = 0;
    MemoryPath path = MemoryPath::plain;
    RemoteAtomic remote_atomic = RemoteAtomic::one;
};

/// An access of the machine, by what it is counted as: a load or store of the PTX may be several, or a part of
/// another one's (program/merged_accesses.h).
struct MachineAccess {
    i32 delta = 0;  ///< added to the address of the PTX's access
    u32 bytes = 0;  ///< of a lane
    /// In a loop that ptxas unrolls, it is only there in turns whose addresses have this remainder, divided by 16.
    u32 remainder = kEach;

    static constexpr u32 kEach = ~0u, kDivisor = 16;
    bool operator==(const MachineAccess&) const = default;
    bool is_due(u64 address) const { return remainder == kEach || address % kDivisor == remainder; }
};

/// The machine's accesses that stand for a load or store of the PTX.
struct MachineAccesses {
    std::vector<MachineAccess> list;  ///< counted for this one
    /// Where the list is empty: the earlier access that includes this one, as an index into Function::body. kNoAccess:
    /// nothing is left of it.
    u32 covered_by = kNoAccess;

    static constexpr u32 kNoAccess = ~0u;
    bool operator==(const MachineAccesses&) const = default;
};

/// A memory instruction of a kernel.
struct Site : MemoryUse {
    std::optional<MachineAccesses> machine;   ///< where it is not one access of the same bytes
    u32 instruction = 0;                      ///< index into Function::body
    const ptx::Function* function = nullptr;  ///< the kernel, or one that it calls
    ptx::SourceLine where;
};

/// Where stores and atomics may go: see analysis/written_memory.h.
struct WrittenMemory {
    bool anywhere = false;
    std::vector<u32> parameters;  ///< pointers: where they lie in the kernel's parameter memory
    std::vector<std::string> variables;  ///< of the module
};

/// How often a site has loaded nothing but unwritten bytes where that is always a mistake.
struct MistakenReads {
    std::atomic<u64> count{0};
    std::atomic<u64> first{~u64{0}};  ///< the lowest block and thread that did: its report is kept
};

struct Module;
class ByteUses;

/// Totals over all launches of a kernel.
struct KernelTotals {
    u64 launches = 0;  ///< that came to their end: what follows is theirs
    /// Launches that an error ended. How far each worker had come by then is chance, so that what
    /// they did is counted nowhere.
    u64 stopped = 0;
    u64 only_counted = 0;  ///< launches that were not checked: see Options::sample
    Dim3 grid, block;      ///< of the last launch of either kind
    u64 warp_instructions = 0;
    u64 thread_instructions = 0;  ///< lanes that were active, added up
    u64 branches = 0;
    u64 divergent_branches = 0;
    std::vector<SiteCounters> sites;                          ///< parallel to Kernel::sites
    std::map<std::pair<u32, u32>, u64> instructions_by_line;  ///< warp instructions by (file, line)
    std::map<Remark, u64> remarks;  ///< the same by what is to say of them

    bool was_launched() const { return launches + stopped > 0; }
};

struct Kernel {
    std::string name;       ///< as in the PTX
    std::string demangled;  ///< without return type and arguments: "transpose_naive<float>"
    const ptx::Function* ast = nullptr;
    Module* module = nullptr;
    std::vector<Site> sites;
    KernelTotals totals;

    u32 static_shared = 0;                      ///< bytes
    std::map<std::string, u32> shared_offsets;  ///< of its .shared variables
    u32 parameter_bytes = 0;
    std::vector<u32> parameter_offsets;  ///< of argument i in parameter memory
    u32 local_bytes = 0;                 ///< per thread
    u32 registers_estimate = 0;  ///< 32-bit registers per thread, for occupancy and attributes
    std::vector<u32> places_estimate;  ///< of the function's instructions, in the GPU's code
    std::vector<u32>
        unrolled_loops;  ///< by ptxas, where that changes what is counted: an instruction of each
    std::vector<u32> turns_unrolled;  ///< of the loop that an instruction begins; 0: none

    /// What becomes of the bytes that are loaded (analysis/demanded_bytes.h).
    struct {
        std::once_flag once;
        std::shared_ptr<const ByteUses> made;
    } mutable byte_uses;
    mutable std::vector<MistakenReads> mistaken_reads;  ///< parallel to sites

    struct Code;  ///< lowered form, made at the first launch (program/lower.h)
    std::shared_ptr<Code> code;
    std::shared_ptr<Code> cluster_code;  ///< for launches whose clusters have several blocks
    std::shared_ptr<Code> plain_code;    ///< for blocks that are recorded (execute/recorder.h)
    WrittenMemory written;               ///< known when it has been lowered
    std::string error;                   ///< why it cannot run: "unknown instruction ..."
    Place error_place;

    Place place(ptx::SourceLine where) const;  ///< with the file's name
    Place place(const Op* op) const;
};

/// A loaded PTX module: kernels, and variables placed in device memory.
struct Module {
    std::unique_ptr<ptx::Module> ast;
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
    std::map<std::string, u64> variable_addresses;  ///< .global and .const -> device address
    std::vector<u64> owned;                         ///< allocations to free on unload

    Kernel* kernel(const std::string& name) const;
};

}  // namespace coalesce::simulator
