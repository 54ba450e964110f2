// What the tracer knows about functions and warps while it records.
//
// Builds on  block_trace.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/code/function_code.h"
#include "simulator/execute/block.h"
#include "simulator/trace/block_trace.h"

namespace coalesce::simulator {

/// The memory that holds a part of a variable, while the program is between two instructions.
struct PartPlace {
    enum class Kind : u8 { reg, predicate, local, parameter, kernel_parameter } kind = Kind::local;
    u64 offset = 0;  ///< in the register file, the frame's local memory, or the parameters
    u32 begin = 0, end = kNone;  ///< indices into Function::body; end is exclusive
};

/// A scalar of a variable.
struct TracedPart {
    u32 variable = 0;  ///< index into BlockTrace::variables
    u32 bytes = 0;
    u32 begin = 0, end = kNone;  ///< its scope, as indices into Function::body
    std::vector<PartPlace> places;
};

struct TracedFunction {
    const FunctionCode* code = nullptr;
    u32 number = 0;        ///< index into BlockTrace::functions
    u32 first_source = 0;  ///< its first instruction, after the labels
    bool has_debug_info = false;
    std::vector<TracedPart> parts = {};
    /// The parts that each instruction assigns by writing a register, by index into Function::body.
    std::vector<std::vector<u32>> assigned = {};
};

/// What is known about a variable of a warp.
struct KnownVariable {
    Mask assigned = 0;  ///< lanes that have given it a value
    Mask known = 0;     ///< lanes whose value the trace has
    u64 values[kLanes] = {};
};

/// Returns the host address of a lane's bytes in a part's place, and null for a predicate.
const u8* address_of(const PartPlace& place, const Warp& w, const Frame* frame, int lane);
/// Returns the bits of a part in a lane.
u64 read_part(const PartPlace& place, u32 bytes, const Warp& w, const Frame* frame, int lane);

/// Finds where the variables of a function are kept, and adds them to the trace. A function without
/// debug information has its registers in their place.
TracedFunction trace_function(const FunctionCode& code, const Kernel& kernel,
                              const std::vector<SourceVariable>* variables, BlockTrace& trace);

/// Adds the memory that the kernel's parameters point to, and its shared variables.
void add_arrays(const Launch& launch, const DebugInfo& debug_info, BlockTrace& trace);
/// Returns the array that contains an address or is closest to it, as an index into
/// BlockTrace::arrays. Adds one if nothing is known about this memory.
u32 find_array(const Launch& launch, bool shared, u64 address, BlockTrace& trace);

}  // namespace coalesce::simulator
