// Finds the registers that affect what a loop does next: which branches it takes, and which memory
// it accesses.
//
// Idea   A register is a deciding register if a branch, a memory instruction or a similar
//        instruction reads the register, or reads a value computed from it. A counter that is read
//        only after the loop is not a deciding register.
// Time   A register that contains a sum or difference of clock readings is not a deciding register,
//        because its value differs in every iteration. However, a predicate that is computed from
//        clock readings is a deciding register, because it affects control flow.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/code/function_code.h"

namespace coalesce::simulator {

struct DecidingRegisters {
    /// For each root register (FunctionCode::roots), true if its value affects the branches or the
    /// memory accesses of a loop.
    std::vector<bool> is_deciding;
    bool contains_clock_read = false;
};

/// Finds the registers that affect the branches and memory accesses of loops. Ignores the
/// instructions for which `is_executed` is false.
DecidingRegisters find_deciding_registers(const ptx::Module& module, const FunctionCode& code,
                                          const std::vector<bool>& is_executed);

/// Reports whether the instruction computes its destination from its sources and has no other
/// effect.
bool has_no_side_effects(const ptx::Instruction& instruction);
/// Reports whether the instruction reads memory that other threads may change at any time.
bool reads_changeable_memory(const ptx::Instruction& instruction);
/// Returns one flag per register. The flag is set if the register contains an address in the
/// thread's local memory, which no other thread can change.
std::vector<bool> find_local_addresses(const ptx::Function& function);
bool reads_clock(const ptx::Instruction& instruction);

/// Returns the .param variables that receive the result of a call, if the callee may execute an
/// instruction for which `has_property` is true. In unoptimized PTX, for example, every atomic and
/// every clock read is in a function of its own.
std::set<std::string> find_call_results(const ptx::Module& module, const ptx::Function& function,
                                        bool (*has_property)(const ptx::Instruction&));
bool loads_call_result(const ptx::Instruction& instruction,
                       const std::set<std::string>& result_names);

}  // namespace coalesce::simulator
