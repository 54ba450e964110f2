/// \file
/// Records what one block of a learner's kernel does, step by step, on the simulated GPU. If the
/// kernel is wrong, the block is the one in which the mistake shows.
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
    /// The shape. Without one, the exercise's shapes are tried in order until the kernel fails, and
    /// the first one is recorded if it fails on none.
    std::optional<Shape> shape = {};
    /// The block, counted with x fastest. Without one, it is the one in which the mistake shows.
    std::optional<std::uint64_t> block = {};
};

/// The recorded steps.
struct BlockSteps {
    Failure problem = {};      ///< why there are none; kind none if there are
    Shape shape{0, 0};         ///< of the launch
    std::string mistake = "";  ///< the first wrong element, or what a check reports; "" if right
    std::string json = "";     ///< the steps (docs/guide/trace.md)

    /// Reports whether there are any.
    bool ok() const { return problem.kind == FailureKind::none; }
};

/// Compiles the kernel and records a block. The runner must keep the kernel's variables
/// (LocalRunner::Options::keeps_variables).
BlockSteps record_steps(const Source& source, const Exercise& exercise, Runner& runner,
                        const StepsRequest& request);

}  // namespace coalesce
