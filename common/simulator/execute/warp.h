// The state of a running warp: its registers, its active lanes, and the groups of lanes that wait.
//
// Divergence   When lanes diverge at a branch, each group becomes a Fragment: a position in the
//              program and a mask. The fragment with the lowest position runs first, so that groups
//              reconverge where their paths join. Fragments at the same position in the same call
//              merge. A fragment that spins on memory lets the other fragments run after a while
//              (execute/scheduler.cpp).
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "simulator/base/options.h"
#include "simulator/base/types.h"
#include "simulator/code/kernel.h"
#include "simulator/code/launch_config.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {

struct Block;
struct LaneAccess;
class AccessListener;
class MarkedReads;
class StepListener;
class ShuffledValues;
class UndefinedBytes;
/// The allocation that an instruction last accessed. The next access of the instruction is probably
/// in the same allocation.
struct SiteCache {
    /// The device addresses of the allocation. With the initial values, no address is in the
    /// allocation. Compare with `end - size`, because `address + size` could overflow.
    u64 begin = ~u64{0}, end = 1024;
    std::ptrdiff_t to_host = 0;
    u8* shadow = nullptr;    ///< the shadow of `begin`; null if all bytes are initialized
    bool read_only = false;  ///< true if no writes to the allocation are expected (see GlobalRace)
    MarkedReads* reads = nullptr;  ///< receives the launch's reads of the allocation, or null
};

struct Frame;  ///< the registers of a call (execute/calls.h); null in the kernel itself

/// The type of a register lane that contains a T: 64 bits wide for 64-bit types, otherwise 32 bits.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == 8, u64, u32>;

/// The register file that a Slot refers to (see kernel.h).
enum : int { kOwnFile = 0, kUniformFile = 1 };

struct Fragment {
    const Op* at = nullptr;
    Mask lanes = 0;
    Frame* frame = nullptr;
    enum class State : u8 {
        ready,
        at_barrier,    ///< waits at bar.sync until the block's barrier `barrier` completes
        at_warp_sync,  ///< waits at a .sync instruction for all lanes of `wanted`
        /// Waits at barrier.cluster.wait until all threads of the cluster have arrived.
        at_cluster_barrier,
        /// Waits for something outside the warp: a grid barrier, an mbarrier, a memory location.
        waiting,
    } state = State::ready;
    u8 barrier = 0;
    /// If the fragment spins, the instruction that reads memory, if known.
    const Op* polling_op = nullptr;
    /// True if the fragment has been spinning for a long time, so that other fragments run first.
    bool resting = false;
    Mask wanted = 0;
};

/// The return value of functions that have ended the launch. Converts to a null Op, to an empty
/// optional, and to false.
struct Failed {
    operator bool() const { return false; }
    template <class T>
    operator T*() const {
        return nullptr;
    }
};

struct Warp {
    u8* file[2] = {nullptr, nullptr};
    Mask active = 0;  ///< the lanes of the running fragment
    Frame* frame = nullptr;
    Block* block = nullptr;
    u32 index = 0;                 ///< the warp's number within the block
    Mask existing = 0;             ///< the lanes that have a thread
    Mask live = 0;                 ///< the existing lanes that have not exited
    bool has_met_barrier = false;  ///< true if the warp has waited at a barrier of the block
    std::vector<Fragment> others;  ///< all fragments except the running fragment

    SiteCounters* counters = nullptr;  ///< the worker's counters, parallel to Kernel::sites
    SiteCache* caches = nullptr;       ///< the worker's caches, parallel to Kernel::sites
    /// For each site, the address at which the last row of the warp began.
    u64* last_rows = nullptr;
    Checks checks;  ///< the checks of this launch

    AccessListener* listener = nullptr;  ///< receives the warp's accesses; may be null
    /// The same object as `listener` if it also receives every instruction, otherwise null.
    StepListener* step_listener = nullptr;
    /// True if accesses are only recorded, and the listener needs no more accesses.
    mutable bool has_recorded_enough = false;
    /// True if accesses must be examined, because there is a listener or Watch::on() is true.
    bool observed = false;
    /// True if accesses to shared memory must be examined as well.
    bool observed_shared = false;
    /// The number of times that this worker has executed each straight-line piece of code, parallel
    /// to Kernel::Code::straight_line_runs.
    u64* straight_line_counts = nullptr;
    u64 executed = 0;  ///< the number of PTX instructions executed since the warp began
    u64 included_instructions = 0;  ///< the part of `executed` that `lane_instructions` includes
    u64 lane_instructions = 0;      ///< the executed instructions times the active lanes
    u64 branches = 0, divergent_branches = 0;
    /// The instructions charged for printf, which count towards the instruction limit but are not
    /// included in the counters.
    u64 uncounted_instructions = 0;
    /// The number of backward branches left before the warp's slice ends and the scheduler takes
    /// over.
    i64 fuel = 0;
    u32 spins = 0;  ///< the weighted iterations of a waiting loop since the last rest
    /// The value of `spins` after which other fragments of the warp run first.
    u32 spin_limit = 0;
    u32 waiting_iterations = 0;  ///< the iterations of waiting loops in this slice
    /// The value of Watch::changes() at the last iteration of a waiting loop.
    u64 changes_seen = 0;
    /// The consecutive slices that ended without an iteration of a waiting loop.
    u32 full_slices = 0;
    /// The last instruction that read memory in a waiting loop, set while Watch::on() is true.
    const Op* polling_op = nullptr;
    const Frame* polling_frame = nullptr;  ///< the call that executed `polling_op`
    bool slice_ended_spinning = false;     ///< true if the last slice ended in a waiting loop
    /// A hash of the changes to local memory since Watch::on() became true (see note_local_store).
    u64 local_state = 0;
    u8* kernel_file = nullptr;        ///< the kernel's own register file, even during a call
    u8* kernel_parameters = nullptr;  ///< parameter memory for calls made by the kernel itself
    /// `cluster_arrived` contains the lanes that have arrived at the cluster's barrier in this
    /// phase, and `cluster_completed` the lanes that have not yet waited for a completed phase
    /// (cluster_barrier.cpp).
    Mask cluster_arrived = 0, cluster_completed = 0;
    const Op* cluster_arrival = nullptr;  ///< the last arrival at the cluster's barrier
    /// The undefined bytes in registers (execute/undefined.h), or null if there are none.
    UndefinedBytes* undefined = nullptr;
    /// Follows undefined results of shuffles (execute/shuffled_values.h). Null if there are none.
    ShuffledValues* shuffled = nullptr;
    u8* local = nullptr;         ///< the lanes' local memory, with `local_bytes` bytes per lane
    u8* local_shadow = nullptr;  ///< the written bytes of `local` (execute/local_memory.h), or null
    u32 local_bytes = 0;
    u32 first_pending = 0;  ///< the site of the oldest pending load
    /// A bit for each load from global memory that has not been waited for (ptxas/load_waits.h).
    u64 pending_loads = 0;

    /// Returns the values of a slot for the 32 lanes.
    template <class Lane>
    Lane* lanes(Slot slot) const {
        return reinterpret_cast<Lane*>(
            __builtin_assume_aligned(file[slot.uniform] + slot.offset, 64));
    }
    Mask& predicate(Slot slot) const {
        return *reinterpret_cast<Mask*>(file[slot.uniform] + slot.offset);
    }

    bool is_active(int lane) const { return active >> lane & 1; }
    int first_active() const { return std::countr_zero(active); }

    /// Sets lane l of the destination to value(l) for every active lane. The destination may also
    /// be the slot of a source, so `value` may read only lane l of that slot. A caller that needs
    /// other lanes must copy the slot first.
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

    Dim3 thread_of(int lane) const;

    /// Switches to the registers of a call, or of the kernel itself if `of` is null.
    void enter(Frame* of);

    /// Counts the straight-line piece of code that ends with this Op.
    void count(const Op* op) {
        executed += op->weight;
        ++straight_line_counts[op->site];
    }
    /// Records that a load from global memory has been issued.
    void load_issued(const Op* op) {
        if (!pending_loads) first_pending = op->site;
        pending_loads |= u64{1} << op->load_bit;
    }
    /// Waits until all issued loads have arrived.
    void wait_for_loads() {
        ++counters[first_pending].waits;
        pending_loads = 0;
    }
    /// Adds the instructions executed since the last call to `lane_instructions`. Must be called
    /// before `active` changes.
    void update_lane_instructions() {
        lane_instructions +=
            (executed - included_instructions) * static_cast<u64>(std::popcount(active));
        included_instructions = executed;
    }

    /// Ends the launch with `status`, and reports why unless an error has already been reported.
    Failed fail(const Op* op, Status status, const char* check, const char* kind,
                const std::string& message, int lane, u64 address = 0);
    /// Ends the launch with a report that the caller has created. The launch ends even if the
    /// report's check is disabled.
    Failed fail(Status status, const Report& report);

    /// Returns a report with place, kernel, block and thread filled in.
    Report describe(const Op* op, const char* check, const char* kind, int lane,
                    const std::string& message = "", const std::string& cure = "") const;
};

}  // namespace coalesce::simulator
