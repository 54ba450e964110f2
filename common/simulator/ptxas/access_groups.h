// Groups of loads or stores whose addresses differ by constants, and the machine's accesses that cover their words.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/code/kernel.h"
#include "simulator/ptx/ast.h"
#include "simulator/ptxas/address_facts.h"

namespace coalesce::simulator {

/// The most bytes of an access, and the most elements of a vector.
constexpr u32 kWidestAccess = 16, kMostElements = 4;

/// Part of an access, which one instruction of the machine may move together with other words.
struct MergedWord {
    u32 at = 0;        ///< index into the body
    u32 block = 0;     ///< the basic block of that instruction
    u64 position = 0;  ///< in bytes, among the words of its group
};

/// What is known of addresses that differ by constants: position + phase is a multiple of `bytes`.
struct Alignment {
    u32 bytes = 1;
    u64 phase = 0;

    void add(const Alignment& other) {
        if (other.bytes > bytes) *this = other;
    }
};

/// The terms of an address (LinearSum::terms), and its state space.
using AddressBase = std::pair<ptx::StateSpace, std::vector<std::pair<u32, u64>>>;

/// Accesses whose addresses differ by constants, in an order in which each comes behind those that dominate it.
struct MergedGroup {
    AddressBase base;
    u32 bytes_of_word = 0;
    bool is_load = false;
    Alignment alignment;
    std::vector<MergedWord> words;
    std::map<u32, u64> accesses;  ///< index into the body -> position

    u32 widest() const { return std::min(kWidestAccess, kMostElements * bytes_of_word); }
    bool has_word_at(u64 position) const;
};

/// Covers the words of a group: returns, by index into the body, the machine's accesses that stand for each access of
/// the group.
std::map<u32, MachineAccesses> machine_accesses(const MergedGroup& group,
                                                const Dominators& dominators);

}  // namespace coalesce::simulator
