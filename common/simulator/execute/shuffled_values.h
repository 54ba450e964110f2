// Finds uses of values that a lane has read, in a shuffle, from another lane that does not take
// part in this shuffle.
//
// Idea   Such a value is undefined, but many correct programs read undefined values. For example,
//        in a sum over half a warp, the upper lanes add values whose results are never used. The
//        simulator therefore tracks the undefined values through the registers, and reports an
//        error only if a lane stores an undefined value to global memory. Tracking ends at the next
//        barrier, or when no undefined value has been read for a while.
// Watch  The simulator does not track values in memory, the effects of undefined conditions, or
//        values that a selection (selp) may discard.
// Cost   There is no cost until a shuffle reads from a lane that does not take part.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

class ShuffledValues {
public:
    /// Records a shuffle. sources[l] is the lane from which active lane l has read. The lanes in
    /// `outside_lanes` have read an undefined value.
    void note_shuffle(const Warp& w, const Op* op, const std::array<int, kLanes>& sources,
                      Mask outside_lanes);
    /// Executes Ops, starting at `op`, as long as there are undefined values to track. Returns the
    /// next Op, or null if the warp cannot continue.
    const Op* run_with_tracking(Warp& w, const Op* op);
    bool is_tracking() const { return is_tracking_; }

private:
    /// Updates the set of tracked values for the effect of `op`. `is_next` is true if the warp
    /// executes `op` next, and false if the warp executes other Ops before `op`.
    void update_for_op(Warp& w, const Op* op, bool is_next);
    Mask undefined_lanes_of_register(u32 reg) const;
    void set_undefined(u32 reg, Mask lanes, Mask undefined_lanes);
    void report_store(Warp& w, const Op* store, Mask lanes);

    std::map<u32, Mask>
        undefined_lanes_;          ///< for each root register, the lanes whose value is undefined
    const Op* shuffle_ = nullptr;  ///< the last shuffle that read an undefined value
    std::array<int, kLanes> sources_{};
    const Frame* frame_ = nullptr;
    u32 idle_steps_ = 0;
    bool is_tracking_ = false;
};

/// note_shuffle must be called by every shuffle. If there are undefined values to track, it calls
/// note_shuffle_slowly, which calls ShuffledValues::note_shuffle().
void note_shuffle_slowly(Warp& w, const Op* op, const std::array<int, kLanes>& sources,
                         Mask outside_lanes);
inline void note_shuffle(Warp& w, const Op* op, const std::array<int, kLanes>& sources,
                         Mask outside_lanes) {
    if (outside_lanes || w.shuffled_values) [[unlikely]]
        note_shuffle_slowly(w, op, sources, outside_lanes);
}

/// Must be called after an instruction that may have been a shuffle. Returns the Op at which the
/// warp continues.
inline const Op* continue_after_shuffle(Warp& w, const Op* next) {
    if (w.shuffled_values && !w.shuffled_values->is_tracking()) [[unlikely]]
        return w.shuffled_values->run_with_tracking(w, next);
    return next;
}

}  // namespace coalesce::simulator
