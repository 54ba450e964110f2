// Declares the properties of PTX instructions that determine how instructions can be reordered.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The way in which an instruction accesses memory. An instruction with the effect `both` loads and
/// stores. Two instructions cannot be swapped if their effects conflict.
enum class MemoryEffect : u8 { none, load, store, both, fence };

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list);

/// Reports whether `numbers`, the indices of values or pieces, contains `number`.
inline bool is_among(u32 number, const std::vector<u32>& numbers) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}
inline void add_if_missing(std::vector<u32>& list, u32 number) {
    if (!is_among(number, list)) list.push_back(number);
}

/// Reports whether the instruction operates on 64-bit integers or untyped 64-bit values (.b64).
bool is_64_bit(const ptx::Instruction& instruction);
MemoryEffect find_memory_effect(const ptx::Instruction& instruction);
/// Reports whether an instruction with this effect stores to memory or is a fence.
inline bool changes_memory(MemoryEffect effect) {
    return effect != MemoryEffect::none && effect != MemoryEffect::load;
}
/// Reports whether accesses to the two state spaces may refer to the same memory.
inline bool may_overlap(ptx::StateSpace a, ptx::StateSpace b) {
    return a == b || a == ptx::StateSpace::generic || b == ptx::StateSpace::generic;
}
/// Reports whether the instruction is a `mov` from a special register.
bool reads_special_register(const ptx::Instruction& instruction);
/// Reports whether the instruction is a load, store or atomic.
bool is_access(const ptx::Instruction& instruction);
/// Reports whether the instruction is a load from global memory.
bool loads_global_memory(const ptx::Instruction& instruction);
/// Reports whether the instruction is a texture fetch or surface access.
bool is_texel_access(const ptx::Instruction& instruction);
/// Reports whether the instruction runs on the special function unit, which also computes
/// reciprocals and conversions.
bool uses_special_function_unit(const ptx::Instruction& instruction);
/// Reports whether the instruction is a branch, call or exit. Other instructions cannot move past
/// it.
bool ends_straight_code(const ptx::Instruction& instruction);
/// Reports whether the instruction is a branch, a call, an exit, or a label that lanes may branch
/// to.
bool may_diverge(const ptx::Instruction& instruction);
/// Reports whether the instruction waits until all earlier instructions have read their sources.
/// Examples are fences, calls, and instructions with internal branches.
bool waits_for_reads(const ptx::Instruction& instruction);
/// Returns the latency that ptxas assumes: the number of cycles until another instruction may read
/// the result.
u32 find_latency(const ptx::Instruction& instruction);
/// Reports whether the instruction is compiled to machine code that contains branches. No other
/// instruction moves past such an instruction. Examples are divisions, roots, and the search for
/// the highest set bit of a 64-bit value.
bool has_branches_inside(const ptx::Instruction& instruction);
/// Reports whether the instruction is a division or root that branches to a routine.
bool calls_routine(const ptx::Instruction& instruction);
/// Returns the latency of the instruction's second step in cycles, or 0 if the instruction has only
/// one step. (Some instructions run in two steps. The first step passes a 32-bit value to the
/// second.)
u32 find_second_latency(const ptx::Instruction& instruction);
/// Returns the number of registers that an instruction needs for intermediate results. For example,
/// a division is expanded to a dozen instructions.
u32 internal_words(const ptx::Instruction& instruction);
/// Returns how many of the instruction's internal words (internal_words()) should be in odd
/// registers, because each of them is read together with a register pair.
u32 count_odd_internal_words(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
