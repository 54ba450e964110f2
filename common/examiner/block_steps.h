/// \file
/// Records what one block of a learner's kernel does, step by step, on the simulated GPU. If the
/// kernel is wrong, records a block in which the mistake occurs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "examiner/course/exercise.h"
#include "examiner/runner.h"
#include "examiner/source.h"

namespace coalesce {

/// The launch and the block to record.
struct StepsRequest {
    /// The shape of the input. If empty, the exercise's shapes are tried in order, and the first
    /// shape on which the kernel fails is recorded. If the kernel fails on none, the first shape is
    /// recorded.
    std::optional<Shape> shape = {};
    /// The linear index of the block to record (x varies fastest). If empty, the block in which the
    /// mistake occurs is recorded.
    std::optional<std::uint64_t> block = {};
};

/// The recorded steps of a block.
struct BlockSteps {
    Failure problem = {};  ///< the reason why nothing was recorded; its kind is `none` on success
    Shape shape{0, 0};     ///< shape of the input
    /// the first wrong element, or a check's report; "" if the kernel is correct
    std::string mistake = "";
    std::string json = "";  ///< the steps as JSON (docs/guide/trace.md)

    /// Reports whether the steps were recorded.
    bool ok() const { return problem.kind == FailureKind::none; }
};

/// Compiles the kernel and records a block. The runner must keep the kernel's variables
/// (LocalRunner::Options::keeps_variables).
BlockSteps record_steps(const Source& source, const Exercise& exercise, Runner& runner,
                        const StepsRequest& request);

}  // namespace coalesce
