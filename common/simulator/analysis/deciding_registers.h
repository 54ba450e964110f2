// Which registers decide how a piece of program goes on, while it runs in circles?
//
// Idea   Where a warp goes, what it loads and stores, follows from the registers that branches,
//        memory instructions and the like read, and from those that these were computed from. A
//        count of turns that nobody looks at before the loop ends is none of them.
// Time   Sums and differences of a clock are left out as well: they change with time, and time
//        alone. A predicate made from them is a decision, and counts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulator/code/function_code.h"

namespace coalesce::simulator {

struct DecidingRegisters {
    std::vector<bool> decides;  ///< by root register (FunctionCode::roots)
    bool reads_clock = false;
};

/// Among the instructions of the function's body for which `executed` is set.
DecidingRegisters deciding_registers(const ptx::Module& module, const FunctionCode& code,
                                     const std::vector<bool>& executed);

/// The instruction does nothing but compute its destination from its sources.
bool only_computes(const ptx::Instruction& instruction);
/// It reads what other threads may change at any time.
bool asks_memory(const ptx::Instruction& instruction);
/// By register: it holds an address of the thread's own memory, which nobody else changes.
std::vector<bool> own_addresses(const ptx::Function& function);
/// It reads a clock.
bool reads_clock(const ptx::Instruction& instruction);

/// The .param variables of a function that hold results of calls in which `does` is true of an
/// instruction, however deep. Without optimisation every atomic and every clock is such a call.
std::set<std::string> results_of_calls(const ptx::Module& module, const ptx::Function& function,
                                       bool (*does)(const ptx::Instruction&));
/// The instruction loads one of these results.
bool loads_result(const ptx::Instruction& instruction, const std::set<std::string>& results);

}  // namespace coalesce::simulator
