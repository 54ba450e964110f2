// Finds the one mistake that explains the symptoms of a launch.
//
// A wrong kernel has many symptoms: a missing barrier leaves wrong cells, reports of races, and reports of reads from
// unwritten memory. The rules here decide which of them names the cause.
#pragma once

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/trial.h"

namespace coalesce {

/// The evidence beside the launch that failed.
struct Evidence {
    const Source& source;
    const Exercise& exercise;
    /// Whether the kernel was right on an earlier shape that consists of whole tiles.
    bool was_right_on_whole_tiles = false;
    /// Launches the kernel again, on another shape or with other checks. Returns an empty trial if nothing can be
    /// launched any more, because a kernel has broken the context of a real GPU.
    TryAgain try_again;

    /// Launches the kernel once more and lets it run to its end, even if it makes errors.
    Trial seen_with(Shape shape, const TracedWarp& traced = {}) const {
        return try_again({.shape = shape,
                          .watch = Watch::result_alone,
                          .wants_counters = true,
                          .traced = traced});
    }
};

/// Returns the mistake that made a launch fail.
Failure cause_of(const Trial& trial, const Evidence& evidence);

/// Reports whether the matrix consists of whole tiles, for every usual side of a tile.
bool has_whole_tiles(Shape shape);

}  // namespace coalesce
