// Records the memory accesses of one warp, so that they can be shown lane by lane.
//
// Idea   The caller selects a warp before the launch. The warp's loads and stores of global and
//        shared memory are then recorded as they are executed.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/code/kernel.h"
#include "simulator/execute/access_listener.h"

namespace coalesce::simulator {

struct TracedAccess {
    Place place;
    bool is_shared = false, is_store = false;
    u32 bytes_per_lane = 0;
    Mask active = 0;
    /// The address that each active lane accesses. For shared memory, an offset in the block's
    /// shared memory.
    u64 addresses[kLanes] = {};
    /// The number of sectors (for global memory) or wavefronts (for shared memory) that the access
    /// takes, and the smallest number that an access of this size can take.
    u32 cost = 0, ideal_cost = 0;
};

class Trace : public AccessListener {
public:
    /// Starts to record the accesses of a warp. Recording stops when `max_accesses` accesses have
    /// been recorded, over all launches.
    void begin(u64 block, u32 warp, std::size_t max_accesses);
    void end() { max_accesses_ = 0; }

    bool is_enabled(u64 block, u32 warp) const {
        return accesses_.size() < max_accesses_ && block == traced_block_ && warp == traced_warp_;
    }
    void note_access(const Warp& w, const Op* op, const ObservedAccess& access) override;
    const std::vector<TracedAccess>& accesses() const { return accesses_; }

private:
    u64 traced_block_ = 0;
    u32 traced_warp_ = 0;
    std::size_t max_accesses_ = 0;  ///< the maximum number of accesses; 0 if no warp is traced
    std::vector<TracedAccess> accesses_;
};

/// Returns the trace of the process. During a launch, only the worker that runs the traced block
/// may use the trace.
Trace& trace();

}  // namespace coalesce::simulator
