/// \file
/// Records what one block of a learner's kernel does, step by step, on the simulated GPU. If the
/// kernel is wrong, records a block in which the mistake occurs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "examiner/course/exercise.h"
#include "examiner/runner.h"
#include "examiner/simulated.h"
#include "examiner/source.h"

namespace coalesce {

/// The launch and the block to record.
struct StepsRequest {
    /// The shape of the input. If no shape is given, the exercise's first shape on which the kernel
    /// fails is used. If the kernel never fails, the first shape that is not tiny is used.
    std::optional<Shape> shape = {};
    /// The linear index of the block to record (x varies fastest). If no index is given, the block
    /// in which the mistake occurs is recorded, or block 0 if the kernel is correct.
    std::optional<std::uint64_t> block = {};
};

/// The recorded steps of a block.
struct BlockSteps {
    Failure problem = {};  ///< the reason why nothing was recorded; its kind is `none` on success
    Shape shape{0, 0};     ///< shape of the input
    /// a description of the mistake in the kernel; "" if the kernel is correct
    std::string mistake = "";
    std::string json = "";  ///< the steps as JSON (docs/guide/trace.md)

    /// Reports whether the steps were recorded.
    bool is_ok() const { return problem.kind == FailureKind::none; }
};

/// Compiles the kernel, and records the steps of one block. The runner must keep the kernel's
/// variables (LocalRunner::Options::keeps_variables).
BlockSteps record_steps(const Source& source, const Exercise& exercise, Runner& runner,
                        const StepsRequest& request);

/// Returns the linear index of the block to which the report's thread belongs.
std::uint64_t block_of_report(const simulated::Report& report, const LaunchShape& launch);
/// Adds the extents of arrays to the recorded steps in `json`, because the debug information lacks
/// some of these extents. The extents of shared arrays come from their declarations in `source`.
/// `arguments` maps the name of each array argument of the kernel to its extents.
void add_known_extents(std::string& json, const Source& source,
                       const std::map<std::string, std::vector<long long>>& arguments);

}  // namespace coalesce
