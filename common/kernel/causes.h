// From what was seen of a launch to the one mistake behind it.
//
// A kernel that is wrong shows many symptoms: a missing barrier leaves wrong cells, reports of
// races and of memory that nothing wrote. The rules here say which of them names the cause.
#pragma once

#include <functional>
#include <optional>

#include "kernel/failure.h"
#include "kernel/trial.h"

namespace coalesce {

/// What is known besides the launch that failed.
struct Surroundings {
    std::string file_name;
    /// Whether the kernel was right, before, on a matrix of whole tiles.
    bool was_right_on_whole_tiles = false;
    /// Whether it is right on a matrix of whole tiles of any size: tried now.
    std::function<bool()> is_right_on_large_tiles;
    /// The result when accesses outside do not stop the kernel; nothing when it can not be had.
    std::function<std::optional<Comparison>()> result_without_checks;
};

/// The mistake behind a launch that was not good.
Failure cause_of(const Trial& trial, const Surroundings& surroundings);

/// Whether a matrix consists of whole tiles, of any usual side.
bool has_whole_tiles(Shape shape);

}  // namespace coalesce
