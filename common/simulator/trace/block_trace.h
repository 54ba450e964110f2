// What one block has done, step by step: what `simulate --trace` writes and `./learn step` shows.
//
// Builds on  debug_info.h.
// Idea       A step is one line of the source, executed by the active lanes of one warp. It has the
//            values that have changed, so the state after any step is the sum of the changes up to
//            it, and going back is as simple as going forward.
// Read next  tracer.h records a trace.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/report/reports.h"
#include "simulator/trace/debug_info.h"

namespace coalesce::simulator {

/// A scalar of a variable, or a register of a function without debug information.
struct TracedVariable {
    std::string name;  ///< with its path: "part[3]"
    u32 function = 0;  ///< index into BlockTrace::functions
    ScalarType type;
    /// The first and the last line of the variable's scope. The last line is 0 if it is unknown.
    u32 first_line = 0, last_line = 0;
};

/// Memory that the block has accessed: an allocation, or a variable in shared memory.
struct TracedArray {
    std::string name;
    bool is_shared = false;
    u64 address = 0;  ///< in shared memory, the offset
    u64 bytes = 0;
    ScalarType element = {};        ///< without a name as long as it is unknown
    std::vector<u32> extents = {};  ///< of a declared array, outermost first
};

/// New values of a variable, in the lanes of `lanes`.
struct VariableChange {
    u32 variable = 0;
    Mask lanes = 0;
    u32 first_value = 0;  ///< index into BlockTrace::values; one value for each lane
};

enum class TracedAccessKind : u8 { load, store, atomic };

/// One access to global or shared memory.
struct StepAccess {
    TracedAccessKind kind = TracedAccessKind::load;
    u32 array = kNone;  ///< index into BlockTrace::arrays
    Mask lanes = 0;
    u32 bytes = 0;            ///< for each lane
    u32 first_value = 0;      ///< values: for each lane, its offset in the array and its elements
    u32 elements = 0;         ///< elements for each lane; 0 if their values are unknown
    u32 cost = 0, ideal = 0;  ///< sectors, or wavefronts of shared memory
    bool is_asynchronous = false;
};

/// Why lanes of the warp do not take part in a step.
enum class WaitReason : u8 { other_path, barrier, warp_sync, cluster_barrier, memory, exited };

struct WaitingLanes {
    Mask lanes = 0;
    WaitReason reason = WaitReason::other_path;
    u32 line = 0;  ///< where they continue
};

/// Lanes that have arrived at a barrier of the block.
struct BarrierArrival {
    u32 barrier = 0;
    u32 arrived = 0;  ///< threads of the block that wait there after this step
    u32 expected = 0;
    bool is_complete = false;
};

struct Step {
    u32 warp = 0;
    u32 function = 0, file = 0, line = 0;
    Mask active = 0;
    u32 first_instruction = 0, instructions = 0;  ///< of the function's PTX; the number executed
    u64 bytes_in_flight = 0;  ///< of asynchronous copies to shared memory, after the step
    std::vector<WaitingLanes> waiting;
    std::vector<VariableChange> changes;
    std::vector<StepAccess> accesses;
    std::vector<BarrierArrival> barriers;
};

/// What a check has reported, and the step in which it happened.
struct Moment {
    u32 step = 0;
    Report report;
};

struct BlockTrace {
    std::string kernel;
    Dim3 grid, block, block_index;
    u64 block_number = 0;
    bool has_variables = false;  ///< whether variables of the source are known, or only registers
    bool is_complete = true;     ///< false if there were more steps than the limit
    std::vector<std::string> files, functions;
    std::vector<std::vector<std::string>> instructions;  ///< the PTX of each function
    std::vector<TracedVariable> variables;
    std::vector<TracedArray> arrays;
    std::vector<Step> steps;
    std::vector<u64> values;  ///< the bits that changes and accesses refer to
    std::vector<Moment> moments;
};

/// The version of the JSON. It grows when a reader of an earlier version would misread it.
inline constexpr int kTraceVersion = 1;
/// Returns the trace as JSON, as docs/guide/trace.md describes it.
std::string to_json(const BlockTrace& trace);

}  // namespace coalesce::simulator
