// Finds the registers that determine how a loop continues.
//
// Idea   The path of a warp, and its loads and stores, depend on the registers that branches,
//        memory instructions and similar instructions read, and on the registers from which those
//        values were computed. A loop counter that nothing reads before the loop ends is not a
//        deciding register.
// Time   Sums and differences of clock readings are not deciding registers either. They differ in
//        every iteration, even if the loop continues in the same way. A predicate that is computed
//        from clock readings affects control flow, so it is a deciding register.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/code/function_code.h"

namespace coalesce::simulator {

struct DecidingRegisters {
    /// For each root register (FunctionCode::roots), whether it is a deciding register.
    std::vector<bool> decides;
    bool reads_clock = false;
};

/// Finds the deciding registers. Ignores the instructions of the function's body for which
/// `executed` is false.
DecidingRegisters deciding_registers(const ptx::Module& module, const FunctionCode& code,
                                     const std::vector<bool>& executed);

/// Reports whether the instruction has no effect other than computing its destination from its
/// sources.
bool only_computes(const ptx::Instruction& instruction);
/// Reports whether the instruction reads memory that other threads may change at any time.
bool reads_changeable_memory(const ptx::Instruction& instruction);
/// Returns, for each register, whether it contains an address in the thread's own local memory,
/// which no other thread can change.
std::vector<bool> find_local_addresses(const ptx::Function& function);
/// Reports whether the instruction reads a clock.
bool reads_clock(const ptx::Instruction& instruction);

/// Finds the calls that may execute, directly or in a nested call, an instruction for which `does`
/// is true. Returns the .param variables that receive the results of these calls. In unoptimized
/// PTX, every atomic and every clock read is in a function of its own.
std::set<std::string> results_of_calls(const ptx::Module& module, const ptx::Function& function,
                                       bool (*does)(const ptx::Instruction&));
/// Reports whether the instruction loads one of `results`.
bool loads_result(const ptx::Instruction& instruction, const std::set<std::string>& results);

}  // namespace coalesce::simulator
