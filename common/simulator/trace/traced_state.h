// Declares the data about functions, variables and warps that the tracer needs while it records.
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

/// The location of a scalar part of a variable while the program executes the instructions [begin,
/// end).
struct PartPlace {
    enum class Kind : u8 { reg, predicate, local, parameter, kernel_parameter } kind = Kind::local;
    u64 offset = 0;              ///< the offset in the register file, local memory, or parameters
    u32 begin = 0, end = kNone;  ///< the instructions [begin, end) of Function::body
};

/// A scalar part of a variable.
struct TracedPart {
    u32 variable = 0;  ///< the index of the variable in BlockTrace::variables
    u32 bytes = 0;
    /// The variable's scope: the instructions [begin, end) of Function::body.
    u32 begin = 0, end = kNone;
    std::vector<PartPlace> places;
};

struct TracedFunction {
    const FunctionCode* code = nullptr;
    u32 function_index = 0;  ///< the index of the function in BlockTrace::functions
    /// The index of the first instruction that a warp executes in the function.
    u32 first_executed_instruction = 0;
    bool has_debug_info = false;
    std::vector<TracedPart> parts = {};
    /// For each instruction of Function::body, the indices of the parts that the instruction
    /// changes by writing a register.
    std::vector<std::vector<u32>> assigned_parts = {};
    /// For each instruction of Function::body, its source line. An instruction that only computes,
    /// and has no other effect, gets the line of the instructions around it.
    std::vector<ptx::SourceLine> lines = {};
};

/// The state of a variable in one warp, as recorded in the trace so far.
struct KnownVariable {
    Mask assigned_lanes = 0;  ///< the lanes that have assigned a value to the variable
    Mask known_lanes = 0;     ///< the lanes whose current value is in the trace
    u64 values[kLanes] = {};
};

/// Returns the host address of a part's bytes in a lane, or null for a predicate, which has none.
const u8* find_address(const PartPlace& place, const Warp& w, const Frame* frame, int lane);
/// Returns the bits of a part's value in a lane.
u64 read_part(const PartPlace& place, u32 bytes, const Warp& w, const Frame* frame, int lane);

/// Finds the locations of a function's variables, and adds the variables to the trace. For a
/// function without debug information, adds its registers instead.
TracedFunction trace_function(const FunctionCode& code, const Kernel& kernel,
                              const std::vector<SourceVariable>* variables, BlockTrace& trace);

/// Adds the arrays that the kernel's parameters point to, and the kernel's shared variables, to the
/// trace.
void add_arrays(const Launch& launch, const DebugInfo& debug_info, BlockTrace& trace);
/// Returns the index in BlockTrace::arrays of the array that contains the address or is closest to
/// it. If the trace has no array for this memory, adds one.
u32 find_array(const Launch& launch, bool is_shared, u64 address, BlockTrace& trace);

}  // namespace coalesce::simulator
