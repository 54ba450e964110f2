// Finds the one mistake that explains the symptoms of a launch.
//
// An incorrect kernel has many symptoms. For example, a missing barrier leads to incorrect cells,
// reports of races, and reports of reads from unwritten memory. The rules here decide which symptom
// reveals the cause.
#pragma once

#include "examiner/course/exercise.h"
#include "examiner/source.h"
#include "examiner/trial.h"

namespace coalesce {

class ElementTrials;

/// The evidence about a failed launch, in addition to its Trial.
struct Evidence {
    const Source& source;
    const Exercise& exercise;
    /// Whether the kernel was correct on an earlier shape that consists of whole tiles.
    bool was_correct_on_whole_tiles = false;
    /// Whether the kernel was correct on an earlier shape.
    bool was_correct_before = false;
    /// Launches the kernel again, on another shape or with other checks. On a real GPU, returns an
    /// empty trial, because the GPU may be unusable after a failed launch.
    RelaunchFunction relaunch;
    /// The trials of an exercise with an ElementTask, or null for any other exercise.
    ElementTrials* elements = nullptr;

    /// Launches the kernel again without checks, so that errors do not stop the kernel.
    Trial launch_without_checks(Shape shape, const TracedWarp& traced = {}) const {
        return relaunch({.shape = shape,
                         .watch = Watch::result_alone,
                         .needs_counters = true,
                         .traced = traced});
    }
};

/// Returns the mistake that caused a launch to fail.
Failure find_cause(const Trial& trial, const Evidence& evidence);

/// Reports whether both sides of the matrix are multiples of 64, so that tiles of every usual size
/// cover the matrix exactly.
bool has_whole_tiles(Shape shape);

}  // namespace coalesce
