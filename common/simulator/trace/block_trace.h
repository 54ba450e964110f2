// The step-by-step trace of one block, which `simulate --trace` writes and `./learn step` shows.
//
// Builds on  debug_info.h.
// Idea       A step is one line of the source, executed by the active lanes of one warp. A step
//            contains only the values that have changed. The state after a step is the result of
//            all changes up to that step, so a viewer can compute the state after any step.
// Read next  tracer.h records a trace.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/report/reports.h"
#include "simulator/trace/debug_info.h"

namespace coalesce::simulator {

/// A scalar that the trace shows: a part of a source variable or, in a function without debug
/// information, a register.
struct TracedVariable {
    std::string name;  ///< the scalar's name, including its path in the variable: "part[3]"
    u32 function = 0;  ///< the index of the scalar's function in BlockTrace::functions
    ScalarType type;
    /// The first and the last line of the variable's scope. `last_line` is 0 if it is unknown.
    u32 first_line = 0, last_line = 0;
};

/// Memory that the block has accessed: an allocation, or a variable in shared memory.
struct TracedArray {
    std::string name;
    bool is_shared = false;
    u64 address = 0;  ///< the device address, or the offset in shared memory
    u64 bytes = 0;
    ScalarType element = {};        ///< the element type; its name is empty if the type is unknown
    std::vector<u32> extents = {};  ///< the extents of a declared array, outermost first
};

/// The new values of a variable in some lanes of a warp.
struct VariableChange {
    u32 variable = 0;
    Mask lanes = 0;
    /// The index of the change's first value in BlockTrace::values. Each lane in `lanes` has one
    /// value.
    u32 first_value = 0;
    bool is_unset = false;  ///< true if the variable has no value from now on
};

enum class TracedAccessKind : u8 { load, store, atomic };

/// One access to global or shared memory.
struct StepAccess {
    TracedAccessKind kind = TracedAccessKind::load;
    u32 array = kNone;  ///< the index of the accessed array in BlockTrace::arrays
    Mask lanes = 0;
    u32 bytes = 0;  ///< the number of bytes per lane
    /// The index of the access's first value in BlockTrace::values. Each lane in `lanes` has
    /// several values: its offset in the array, followed by the elements that it accessed.
    u32 first_value = 0;
    u32 elements = 0;         ///< the number of elements per lane; 0 if their values are unknown
    u32 cost = 0, ideal = 0;  ///< the actual and the minimum number of sectors or wavefronts
    bool is_asynchronous = false;
};

/// The reason why some lanes of the warp do not take part in a step. `other_path` means that these
/// lanes have diverged, and run at another time.
enum class WaitReason : u8 { other_path, barrier, warp_sync, cluster_barrier, memory, exited };

struct WaitingLanes {
    Mask lanes = 0;
    WaitReason reason = WaitReason::other_path;
    u32 line = 0;  ///< the source line at which the lanes continue
};

/// The arrival of lanes at a barrier of the block.
struct BarrierArrival {
    u32 barrier = 0;
    u32 arrived = 0;   ///< the number of threads that have arrived at the barrier after this step
    u32 expected = 0;  ///< the number of threads that the barrier waits for
    bool is_complete = false;
};

struct Step {
    u32 warp = 0;
    u32 function = 0, file = 0, line = 0;
    Mask active = 0;
    /// The step's first PTX instruction, as an index into the function's body, and the number of
    /// PTX instructions that the step executes.
    u32 first_instruction = 0, instructions = 0;
    /// The number of bytes that asynchronous copies to shared memory still have in flight after the
    /// step.
    u64 bytes_in_flight = 0;
    std::vector<WaitingLanes> waiting;
    std::vector<VariableChange> changes;
    std::vector<StepAccess> accesses;
    std::vector<BarrierArrival> barriers;
};

/// A report of a check, and the step in which the error happened.
struct Moment {
    u32 step = 0;
    Report report;
};

struct BlockTrace {
    std::string kernel;
    Dim3 grid, block, block_index;
    u64 block_number = 0;
    /// True if the trace contains the variables of the source. False if it contains registers
    /// instead.
    bool has_variables = false;
    bool is_complete = true;  ///< false if the block executed more steps than the limit
    std::vector<std::string> files, functions;
    std::vector<std::vector<std::string>> instructions;  ///< the PTX of each function
    std::vector<TracedVariable> variables;
    std::vector<TracedArray> arrays;
    std::vector<Step> steps;
    std::vector<u64> values;  ///< the bits of all values in changes and accesses
    std::vector<Moment> moments;
};

/// The version of the JSON format. The version is incremented if a reader of an earlier version
/// could misinterpret the new format.
inline constexpr int kTraceVersion = 1;
/// Returns the trace as JSON, in the format that docs/guide/trace.md describes.
std::string to_json(const BlockTrace& trace);

}  // namespace coalesce::simulator
