// The state of a running warp: its registers, its active lanes, and the groups of lanes that wait.
//
// Divergence   When lanes diverge at a branch, each group becomes a Fragment: a position in the
//              program and a mask of lanes. The fragment with the lowest position runs first, so
//              that groups reconverge where their paths join. Fragments at the same position in the
//              same call merge. If a fragment spins on memory, the other fragments eventually run
//              too (execute/scheduler.cpp).
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/options.h"
#include "simulator/base/types.h"
#include "simulator/code/kernel.h"
#include "simulator/code/launch_config.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {

struct Block;
struct FunctionCode;
struct LaneAccess;
class AccessListener;
class AllocationReadMarks;
class StepListener;
class ShuffledValues;
class UndefinedBytes;
/// A cache for one memory instruction: the allocation that the instruction last accessed. The
/// instruction's next access is probably in the same allocation.
struct SiteCache {
    /// The device addresses [begin, end) of the allocation. Initially, the range contains no
    /// address. A check of n bytes compares their address with `end - n`, because `address + n`
    /// could overflow.
    u64 begin = ~u64{0}, end = 1024;
    std::ptrdiff_t host_offset = 0;
    u8* shadow = nullptr;  ///< the shadow of `begin`; null if all bytes are initialized
    /// True if no writes to the allocation are expected (see GlobalRace).
    bool is_read_only = false;
    bool is_variable = false;  ///< true if the allocation is a variable of the program
    /// The object that records the launch's reads of the allocation, or null.
    AllocationReadMarks* read_marks = nullptr;
};

struct Frame;  ///< the registers and parameters of a call (execute/calls.h)

/// The type of a register lane that contains a T: it has 64 bits if T is a 64-bit type, and
/// otherwise 32 bits.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == 8, u64, u32>;

/// The values of Slot::uniform: the warp's own register file, or the block's uniform file
/// (kernel.h).
enum : int { kOwnFile = 0, kUniformFile = 1 };

struct Fragment {
    const Op* next_op = nullptr;
    Mask lanes = 0;
    Frame* frame = nullptr;
    enum class State : u8 {
        ready,
        at_barrier,    ///< waits at bar.sync until the block's barrier `barrier` completes
        at_warp_sync,  ///< waits at a .sync instruction for all lanes of `awaited_lanes`
        /// Waits at barrier.cluster.wait until all threads of the cluster have arrived.
        at_cluster_barrier,
        /// Waits for something outside the warp, such as a grid barrier, an mbarrier or a memory
        /// location.
        waiting,
    } state = State::ready;
    u8 barrier = 0;
    /// The instruction with which a spinning fragment polls memory, or null if it is unknown.
    const Op* polling_op = nullptr;
    /// True if the fragment has spun for a long time. Other fragments then run first.
    bool is_resting = false;
    Mask awaited_lanes = 0;
};

/// The value that a function returns after it has ended the launch. It converts to a null pointer
/// and to false.
struct Failed {
    operator bool() const { return false; }
    template <class T>
    operator T*() const {
        return nullptr;
    }
};

struct Warp {
    u8* register_files[2] = {nullptr, nullptr};
    Mask active = 0;  ///< the lanes of the running fragment
    Frame* frame = nullptr;
    Block* block = nullptr;
    u32 index = 0;                 ///< the index of the warp within the block
    Mask existing_lanes = 0;       ///< the lanes that execute a thread of the block
    Mask live_lanes = 0;           ///< the existing lanes that have not exited
    bool has_met_barrier = false;  ///< true if the warp has waited at a barrier of the block
    std::vector<Fragment> other_fragments;  ///< all fragments except the running fragment

    SiteCounters* site_counters = nullptr;  ///< the worker's counters, parallel to Kernel::sites
    SiteCache* site_caches = nullptr;       ///< the worker's caches, parallel to Kernel::sites
    /// For each site, the first address of the last contiguous access that the warp made there.
    u64* last_row_addresses = nullptr;
    /// A hash of the address and the value of the last poll (SiteCounters::polls) in this block.
    u64 last_poll_hash = 0;
    Checks checks;  ///< the checks of this launch

    /// The object that is notified of the warp's memory accesses, or null.
    AccessListener* listener = nullptr;
    /// The same object as `listener` if that object must also be notified of every instruction,
    /// otherwise null.
    StepListener* step_listener = nullptr;
    /// True if the launch is only recorded, and the listener needs no more accesses. Accesses are
    /// then not executed.
    mutable bool has_recorded_enough = false;
    /// True if accesses must be passed to an observer, because there is a listener or
    /// Watch::is_on() is true.
    bool is_observed = false;
    /// True if accesses to shared memory must be passed to the observer too, and not only those to
    /// global memory.
    bool is_shared_observed = false;
    /// The number of times that the worker has executed each run of straight-line code, in the
    /// order of Kernel::Code::straight_line_runs.
    u64* straight_line_counts = nullptr;
    /// The number of PTX instructions executed since the warp began.
    u64 executed_instructions = 0;
    /// The number of executed instructions that `lane_instructions` already includes.
    u64 included_instructions = 0;
    /// The number of active lanes, summed over all executed instructions.
    u64 lane_instructions = 0;
    u64 branches = 0, divergent_branches = 0;
    /// The number of additional instructions charged for calls of printf. They count towards the
    /// instruction limit, but the counters do not include them.
    u64 uncounted_instructions = 0;
    /// The number of backward branches that the warp may still execute in this slice.
    i64 branches_left = 0;
    /// The number of spin-wait iterations, each with a weight, since other fragments of the warp
    /// last ran.
    u32 spin_count = 0;
    /// When `spin_count` reaches this value, other fragments of the warp run first.
    u32 spin_limit = 0;
    /// A spinning warp may let other warps run, instead of its own other fragments.
    /// `yields_to_warps` is how many times in a row this warp has done so, and `changes_at_yield`
    /// is the value of Watch::change_count() at the last of these times.
    u32 yields_to_warps = 0;
    u64 changes_at_yield = 0;
    u32 waiting_iterations = 0;  ///< the number of spin-wait iterations in this slice
    /// The value of Watch::change_count() at the last iteration of a spin-wait loop.
    u64 last_seen_changes = 0;
    /// The number of successive slices that the warp has used up without spinning.
    u32 full_slices = 0;
    /// The last instruction that read memory in a spin-wait loop. It is set only while
    /// Watch::is_on() is true.
    const Op* polling_op = nullptr;
    /// The call that executed `polling_op`, or null for the kernel itself.
    const Frame* polling_frame = nullptr;
    bool has_ended_slice_spinning = false;  ///< true if the last slice ended in a spin-wait loop
    /// A hash of all changes to the warp's local memory since Watch::is_on() became true (see
    /// note_local_store).
    u64 local_state = 0;
    u8* kernel_registers = nullptr;  ///< the kernel's own register file, even during a call
    /// The parameter memory for calls that the kernel itself makes.
    u8* kernel_parameters = nullptr;
    /// `cluster_arrived` contains the lanes that have arrived at the cluster's barrier in the
    /// current phase. `cluster_completed` contains the lanes that may pass the barrier but have not
    /// executed the wait yet (cluster_barrier.cpp).
    Mask cluster_arrived = 0, cluster_completed = 0;
    const Op* cluster_arrival = nullptr;  ///< the last arrival at the cluster's barrier
    /// The undefined bytes in the warp's registers (execute/undefined.h), or null if there are
    /// none.
    UndefinedBytes* undefined_bytes = nullptr;
    /// The tracker of undefined shuffle results (execute/shuffled_values.h), or null if there are
    /// no such results.
    ShuffledValues* shuffled_values = nullptr;
    u8* local_memory = nullptr;  ///< the lanes' local memory, with `local_bytes` bytes per lane
    /// The shadow of `local_memory`, with a bit per written byte (execute/local_memory.h), or null.
    u8* local_shadow = nullptr;
    u32 local_bytes = 0;
    u32 first_pending_site = 0;  ///< the site of the oldest pending load
    /// A bit for each load from global memory that the warp has not waited for yet
    /// (ptxas/load_waits.h).
    u64 pending_loads = 0;

    /// Returns a pointer to the values of a slot for the 32 lanes.
    template <class Lane>
    Lane* lanes(Slot slot) const {
        return reinterpret_cast<Lane*>(
            __builtin_assume_aligned(register_files[slot.uniform] + slot.offset, 64));
    }
    Mask& predicate(Slot slot) const {
        return *reinterpret_cast<Mask*>(register_files[slot.uniform] + slot.offset);
    }

    bool is_active(int lane) const { return active >> lane & 1; }
    int first_active() const { return std::countr_zero(active); }

    /// Sets lane l of the destination to value(l) for every active lane l. The destination may be
    /// the same slot as a source. Therefore, `value(l)` may read only lane l of a source. A caller
    /// that needs other lanes must copy the slot first.
    template <class Lane, class Value>
    void write(Slot slot, Value value) {
        Lane* d = lanes<Lane>(slot);
        if (active == kAllLanes) [[likely]] {
#pragma GCC ivdep
            for (int l = 0; l < kLanes; ++l) d[l] = value(l);
        } else {
            const Mask mask = active;
#pragma GCC ivdep
            for (int l = 0; l < kLanes; ++l) {
                const Lane v = value(l);
                d[l] = (mask & (1u << l)) ? v : d[l];
            }
        }
    }
    void write_predicate(Slot slot, Mask value) {
        Mask& p = predicate(slot);
        p = (p & ~active) | (value & active);
    }

    Dim3 thread_index(int lane) const;

    /// Switches to the registers of the call `entered_frame`, or to those of the kernel itself if
    /// `entered_frame` is null.
    void enter_frame(Frame* entered_frame);

    /// Records that the warp has executed the run of straight-line code that ends with `op`.
    void count_straight_line_run(const Op* op) {
        executed_instructions += op->instruction_count;
        ++straight_line_counts[op->site];
    }
    /// Records that a load from global memory has been issued.
    void note_issued_load(const Op* op) {
        if (!pending_loads) first_pending_site = op->site;
        pending_loads |= u64{1} << op->load_bit;
    }
    /// Waits until all issued loads have arrived.
    void wait_for_loads() {
        ++site_counters[first_pending_site].wait_count;
        pending_loads = 0;
    }
    /// Updates `lane_instructions` with the instructions that the active lanes have executed since
    /// the previous call. Must be called before `active` changes.
    void update_lane_instructions() {
        lane_instructions += (executed_instructions - included_instructions) *
                             static_cast<u64>(std::popcount(active));
        included_instructions = executed_instructions;
    }

    /// Ends the launch with `status`, and reports the cause unless an error was already reported.
    Failed fail_launch(const Op* op, Status status, const char* check, const char* kind,
                       const std::string& message, int lane, u64 address = 0);
    /// Ends the launch with a report that the caller has created. The launch ends even if the
    /// report's check is disabled.
    Failed fail_with_report(Status status, const Report& report);

    /// Returns a report that contains these texts, the source location of `op`, the kernel, the
    /// block and the thread.
    Report describe(const Op* op, const char* check, const char* kind, int lane,
                    const std::string& message = "", const std::string& cure = "") const;
};

/// Reports whether the compiler has inlined an instruction from a file whose path contains `path`.
bool is_inlined_from(std::string_view path, const Kernel& kernel, const FunctionCode& code,
                     const Op& op);

}  // namespace coalesce::simulator
