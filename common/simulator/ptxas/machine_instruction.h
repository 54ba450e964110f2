// What is known of single PTX instructions to those who put them in another order.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// What an instruction may not change places with.
enum class MemoryEffect : u8 { none, load, store, both, fence };

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list);

/// A value or a piece, among those that an instruction or a piece names.
inline bool is_among(u32 number, const std::vector<u32>& numbers) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}
inline void add_once(std::vector<u32>& to, u32 number) {
    if (!is_among(number, to)) to.push_back(number);
}

/// On integers or bits.
bool is_of_64_bits(const ptx::Instruction& instruction);
MemoryEffect memory_effect(const ptx::Instruction& instruction);
/// More than a load does.
inline bool changes_memory(MemoryEffect effect) {
    return effect != MemoryEffect::none && effect != MemoryEffect::load;
}
/// Of accesses to these spaces: they may be to one place.
inline bool may_overlap(ptx::StateSpace a, ptx::StateSpace b) {
    return a == b || a == ptx::StateSpace::generic || b == ptx::StateSpace::generic;
}
/// A `mov` from a special register.
bool moves_special(const ptx::Instruction& instruction);
/// A load, a store or an atomic.
bool is_access(const ptx::Instruction& instruction);
/// A load from global memory.
bool is_far_load(const ptx::Instruction& instruction);
/// A fetch from a texture, or an access to a surface.
bool is_texel_access(const ptx::Instruction& instruction);
/// Carried out by the unit for functions, reciprocals and conversions.
bool is_slow(const ptx::Instruction& instruction);
/// A branch, a call, the end: nothing moves past it.
bool ends_straight_code(const ptx::Instruction& instruction);
/// That, or a label: lanes may come to it from elsewhere.
bool may_part_ways(const ptx::Instruction& instruction);
/// A fence, a call, or branches inside: behind it, all that came before has read its sources.
bool waits_for_reads(const ptx::Instruction& instruction);
/// Cycles from an instruction to the first that may read its result, as a compiler would assume.
u32 latency_of(const ptx::Instruction& instruction);
/// A division or a root that branches to a routine, if only for what is rare, or a search in 64 bits, which
/// branches to the half where it ends: nothing moves past it.
bool has_branches_inside(const ptx::Instruction& instruction);
/// The former.
bool calls_routine(const ptx::Instruction& instruction);
/// Where the machine has no such instruction, but computes a value of 32 bits first and the result from that:
/// cycles of what comes second. 0: there is one.
u32 latency_of_second_step(const ptx::Instruction& instruction);
/// Words that an instruction needs beside its sources and its result: a division becomes a dozen instructions.
u32 words_inside(const ptx::Instruction& instruction);
/// Those of them that are read together with a pair, and so want an odd register.
u32 odd_words_inside(const ptx::Instruction& instruction);

}  // namespace coalesce::simulator
