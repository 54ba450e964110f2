// From what was seen of a launch to the one mistake behind it.
//
// A kernel that is wrong shows many symptoms: a missing barrier leaves wrong cells, reports of
// races and of memory that nothing wrote. The rules here say which of them names the cause.
#pragma once

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/trial.h"

namespace coalesce {

/// What can be looked at beside the launch that failed.
struct Evidence {
    const Source& source;
    const Exercise& exercise;
    /// Whether the kernel was right, before, on a matrix of whole tiles.
    bool was_right_on_whole_tiles = false;
    /// Launches it again, on another shape, or watched in another way. What comes back is empty where nothing can be
    /// launched any more: what broke a real GPU's context ends all that a process can do with it.
    TryAgain try_again;

    /// Once more, to its end, whatever it does on its way.
    Trial seen_with(Shape shape, const TracedWarp& traced = {}) const {
        return try_again({.shape = shape,
                          .watch = Watch::result_alone,
                          .wants_counters = true,
                          .traced = traced});
    }
};

/// The mistake that made a launch fail.
Failure cause_of(const Trial& trial, const Evidence& evidence);

/// Whether a matrix consists of whole tiles, of any usual side.
bool has_whole_tiles(Shape shape);

}  // namespace coalesce
