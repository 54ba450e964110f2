// The accesses that may still merge with those that follow, at a place in a function.
#pragma once

#include <optional>
#include <vector>

#include "simulator/ptx/ast.h"
#include "simulator/ptxas/access_groups.h"
#include "simulator/ptxas/address_facts.h"

namespace coalesce::simulator {

/// A load or store, as the rules want to know it.
struct PtxAccess {
    u32 at = 0;
    bool is_store = false;
    ptx::StateSpace space = ptx::StateSpace::shared;
    u32 bytes_of_word = 0;
    u32 words = 0;
    std::vector<u32> wanted;  ///< words, by number
    KnownValue address;

    u32 bytes() const { return bytes_of_word * words; }
    u64 position() const { return address.sum.constant; }
    u64 position_of(u32 word) const { return position() + u64{word} * bytes_of_word; }
    bool has_word_at(u64 position_of_word) const {
        const u64 from_begin = position_of_word - position();
        return from_begin < bytes() && from_begin % bytes_of_word == 0;
    }
};

inline AddressBase base_of(const PtxAccess& access) {
    return {access.space, access.address.sum.terms};
}

/// A store of the machine.
struct MadeStore {
    u32 at = 0;  ///< the first of the PTX's that it stands for
    AddressBase base;
    u64 position = 0;
    u32 bytes = 0;

    bool overwrites(const MadeStore& other) const {
        return base == other.base && position == other.position && bytes == other.bytes;
    }
};

/// Accesses of one kind of memory that nothing has ended yet. Groups of loads are indices into a list of groups.
struct OpenAccesses {
    std::vector<u32> loads;  ///< more loads may merge with these
    std::vector<u32>
        loaded;  ///< their words are known and not loaded again, but nothing merges with them
    std::optional<PtxAccess> stored;      ///< the last store: its words are known, too
    std::optional<MergedGroup> stores;    ///< more stores may merge with these
    std::optional<MadeStore> last_store;  ///< nothing has touched the memory since
    bool is_changed = false;              ///< since the piece began
};

}  // namespace coalesce::simulator
