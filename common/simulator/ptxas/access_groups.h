// Declares groups of loads or stores whose addresses differ by constants, and a function that
// chooses the accesses in the machine code that replace the loads or stores of a group.
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

/// The maximum size of an access in the machine code, in bytes, and the maximum number of words
/// that it reads or writes.
constexpr u32 kMaxAccessBytes = 16, kMaxAccessWords = 4;

/// A word that a PTX instruction loads or stores. A machine instruction may access it together with
/// other words.
struct MergedWord {
    u32 instruction_index = 0;  ///< the index of the instruction in the body
    u32 block = 0;              ///< the basic block that contains the instruction
    u64 position = 0;           ///< the offset of the word in its group, in bytes
};

/// The known alignment of a group. For each word of the group, the difference between its address
/// and (MergedWord::position + address_shift) is a multiple of `bytes`.
struct Alignment {
    u32 bytes = 1;
    u64 address_shift = 0;

    void merge(const Alignment& other) {
        if (other.bytes > bytes) *this = other;
    }
};

/// The variable part of an address: the state space and the terms (LinearSum::terms).
using AddressBase = std::pair<ptx::StateSpace, std::vector<std::pair<u32, u64>>>;

/// A group of loads or stores whose addresses differ by constants. In `words`, each access comes
/// after the accesses that dominate it.
struct MergedGroup {
    AddressBase base;
    u32 bytes_of_word = 0;
    bool is_load = false;
    Alignment alignment;
    std::vector<MergedWord> words;
    /// Maps the index of an access in the body to the access's offset in the group.
    std::map<u32, u64> accesses;

    u32 widest_access_bytes() const {
        return std::min(kMaxAccessBytes, kMaxAccessWords * bytes_of_word);
    }
    bool has_word_at(u64 position) const;
};

/// Returns the accesses that the machine code makes for the words of a group. They are keyed by the
/// index in the body of the PTX access that they replace.
std::map<u32, MachineAccesses> machine_accesses(const MergedGroup& group,
                                                const Dominators& dominators);

}  // namespace coalesce::simulator
