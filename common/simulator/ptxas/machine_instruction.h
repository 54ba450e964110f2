// Properties of single PTX instructions, for code that reorders them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The kind of memory access, which determines what an instruction cannot be exchanged with.
enum class MemoryEffect : u8 { none, load, store, both, fence };

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list);

/// Reports whether a value or a piece is in a list.
inline bool is_among(u32 number, const std::vector<u32>& numbers) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}
inline void add_once(std::vector<u32>& to, u32 number) {
    if (!is_among(number, to)) to.push_back(number);
}

/// Reports whether it operates on 64-bit integers or bits.
bool is_of_64_bits(const ptx::Instruction& instruction);
MemoryEffect memory_effect(const ptx::Instruction& instruction);
/// Reports whether it has a memory effect other than a load.
inline bool changes_memory(MemoryEffect effect) {
    return effect != MemoryEffect::none && effect != MemoryEffect::load;
}
/// Reports whether accesses to these spaces may be to the same place.
inline bool may_overlap(ptx::StateSpace a, ptx::StateSpace b) {
    return a == b || a == ptx::StateSpace::generic || b == ptx::StateSpace::generic;
}
/// Reports whether it is a `mov` from a special register.
bool moves_special(const ptx::Instruction& instruction);
/// Reports whether it is a load, a store or an atomic.
bool is_access(const ptx::Instruction& instruction);
/// Reports whether it is a load from global memory.
bool is_far_load(const ptx::Instruction& instruction);
/// Reports whether it is a texture fetch or a surface access.
bool is_texel_access(const ptx::Instruction& instruction);
/// Reports whether the unit for functions, reciprocals and conversions executes it.
bool is_slow(const ptx::Instruction& instruction);
/// Reports whether it is a branch, a call or an exit, past which nothing moves.
bool ends_straight_code(const ptx::Instruction& instruction);
/// Reports whether it is one of those, or a label, at which lanes may arrive from elsewhere.
bool may_part_ways(const ptx::Instruction& instruction);
/// Reports whether it is a fence, a call, or has internal branches. After it, all earlier
/// instructions have read their sources.
bool waits_for_reads(const ptx::Instruction& instruction);
/// Returns the cycles until another instruction may read the result, as ptxas would assume.
u32 latency_of(const ptx::Instruction& instruction);
/// Reports whether it is a division or a root that branches to a routine, even if only in rare
/// cases, or a 64-bit search, which branches to the half where it ends. Nothing moves past it.
bool has_branches_inside(const ptx::Instruction& instruction);
/// Reports whether it is a division or a root that branches to a routine.
bool calls_routine(const ptx::Instruction& instruction);
/// If there is no such machine instruction, and a 32-bit value is computed first and then the
/// result: returns the cycles of the second step. Otherwise returns 0.
u32 latency_of_second_step(const ptx::Instruction& instruction);
/// Returns the words that an instruction needs in addition to its sources and its result. A
/// division becomes a dozen instructions, for example.
u32 words_inside(const ptx::Instruction& instruction);
/// Returns those of them that are read together with a pair, and so should be in an odd register.
u32 odd_words_inside(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
