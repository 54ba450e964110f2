// What one warp asks of memory, access by access: what a picture of its lanes is drawn from.
//
// Idea   Somebody who wants to see a warp names it before the launch; its loads and stores of global
//        and shared memory are then written down as they happen.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/code/kernel.h"
#include "simulator/execute/access_listener.h"

namespace coalesce::simulator {

struct TracedAccess {
    Place place;
    bool shared = false, store = false;
    u32 bytes_per_lane = 0;
    Mask active = 0;
    u64 addresses[kLanes] = {};  ///< of active lanes; in shared memory the offset
    u32 cost = 0, ideal = 0;     ///< sectors, or wavefronts of shared memory
};

class Trace : public AccessListener {
public:
    /// From now on, of every launch: this warp's first `limit` accesses, all launches together.
    void begin(u64 block, u32 warp, std::size_t limit);
    void end() { limit_ = 0; }

    bool wants(u64 block, u32 warp) const {
        return accesses_.size() < limit_ && block == block_ && warp == warp_;
    }
    void note(const Warp& w, const Op* op, const HeardAccess& heard) override;
    const std::vector<TracedAccess>& accesses() const { return accesses_; }

private:
    u64 block_ = 0;
    u32 warp_ = 0;
    std::size_t limit_ = 0;  ///< 0: nothing is traced
    std::vector<TracedAccess> accesses_;
};

/// The one of the process. Between launches it is the caller's; during one it belongs to the worker
/// that runs the traced block.
Trace& trace();

}  // namespace coalesce::simulator
