// Declares the loads and stores that can still be merged with later ones.
#pragma once

#include <optional>
#include <vector>

#include "simulator/ptx/ast.h"
#include "simulator/ptxas/access_groups.h"
#include "simulator/ptxas/address_facts.h"

namespace coalesce::simulator {

/// A PTX load or store, with the properties that the merging rules use.
struct PtxAccess {
    u32 instruction_index = 0;
    bool is_store = false;
    ptx::StateSpace space = ptx::StateSpace::shared;
    u32 bytes_of_word = 0;
    u32 words = 0;
    std::vector<u32> needed_words;  ///< the indices of the words that the program needs
    KnownValue address;

    u32 bytes() const { return bytes_of_word * words; }
    u64 first_position() const { return address.sum.constant; }
    u64 word_position(u32 word) const { return first_position() + u64{word} * bytes_of_word; }
    bool has_word_at(u64 checked_position) const {
        const u64 from_begin = checked_position - first_position();
        return from_begin < bytes() && from_begin % bytes_of_word == 0;
    }
};

inline AddressBase find_address_base(const PtxAccess& access) {
    return {access.space, access.address.sum.terms};
}

/// A store in the machine code.
struct MachineStore {
    u32 instruction_index = 0;  ///< the index of the first PTX access that the store replaces
    AddressBase base;
    u64 position = 0;
    u32 bytes = 0;

    bool overwrites_exactly(const MachineStore& other) const {
        return base == other.base && position == other.position && bytes == other.bytes;
    }
};

/// The accesses to one kind of memory that can still be merged with later accesses. `open_loads`
/// and `reusable_loads` contain indices into the function's list of load groups (MergedGroup).
struct OpenAccesses {
    std::vector<u32> open_loads;  ///< groups with which later loads may merge
    /// Groups whose words later loads can reuse, although these loads can no longer be merged with
    /// the group.
    std::vector<u32> reusable_loads;
    std::optional<PtxAccess> last_stored;    ///< the last store; later loads can reuse its words
    std::optional<MergedGroup> open_stores;  ///< the stores with which later stores may merge
    /// The last store in the machine code. Empty if another access has followed that store.
    std::optional<MachineStore> last_store;
    /// True if the memory has been changed in the current straight-line piece of code.
    bool is_changed = false;
};

}  // namespace coalesce::simulator
