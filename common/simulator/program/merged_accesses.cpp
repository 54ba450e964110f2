#include "program/merged_accesses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "analysis/register_use.h"
#include "base/ranges.h"
#include "program/address_facts.h"
#include "program/machine_instruction.h"
#include "ptx/instruction_parts.h"

namespace coalesce::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;

/// The widest access, and the most elements of a vector.
constexpr u32 kWidest = 16, kMostElements = 4;
constexpr u32 kZerosOfWidest = 4;

/// What ptxas neither widens nor narrows.
bool is_left_alone(const Instruction& i) {
    return i.guard || i.has("volatile") || i.has("acquire") || i.has("release") || i.has("mmio");
}

/// Part of an access, which one instruction may move together with others.
struct MergedWord {
    u32 at = 0;        ///< index into the body
    u64 position = 0;  ///< in bytes, among those of its group
};

/// A load or store, as the rules want to know it.
struct PtxAccess {
    u32 at = 0;
    bool is_store = false;
    StateSpace space = StateSpace::shared;
    u32 bytes_of_word = 0;
    u32 words = 0;
    std::vector<u32> wanted;  ///< words, by number
    KnownValue address;

    u32 bytes() const { return bytes_of_word * words; }
    u64 position() const { return address.sum.constant; }
};

/// What is known of addresses that differ by constants: position + phase is a multiple of `bytes`.
struct Alignment {
    u32 bytes = 1;
    u64 phase = 0;

    void add(const Alignment& other) {
        if (other.bytes > bytes) *this = other;
    }
};

/// LinearSum::terms of addresses, and the space that they lie in.
using AddressBase = std::pair<StateSpace, std::vector<std::pair<u32, u64>>>;

AddressBase base_of(const PtxAccess& access) {
    return {access.space, access.address.sum.terms};
}

/// Accesses whose addresses differ by constants.
struct MergedGroup {
    AddressBase base;
    u32 bytes_of_word = 0;
    bool is_load = false;
    Alignment alignment;
    std::vector<MergedWord> words;
    std::map<u32, u64> accesses;  ///< index into the body -> position

    u32 widest() const { return std::min(kWidest, kMostElements * bytes_of_word); }
};

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

/// Accesses of one kind of memory that nothing has ended yet.
struct OpenAccesses {
    std::vector<MergedGroup> loads;
    std::optional<MergedGroup> stores;
    std::optional<MadeStore> last_store;  ///< nothing has touched the memory since
};

/// Shared memory, global memory, and global memory that never changes.
enum Memory : std::size_t { kShared, kGlobal, kUnchanging, kMemories };

class AccessMerger {
public:
    AccessMerger(const ptx::Function& function, const ControlFlow& flow,
                 const std::map<std::string, u32>& shared)
        : function_(function), flow_(flow), facts_(function, shared) {
        find_wanted();
        find_extended();
    }

    MergedAccesses run() {
        for (const BasicBlock& block : flow_.blocks()) {
            find_accesses(block);
            for (u32 at = block.begin; at < block.end; ++at) visit(at);
            for (OpenAccesses& open : open_) close_all(open);
        }
        return std::move(merged_);
    }

private:
    /// By register: some instruction that leaves a trace reads it, or what is computed from it.
    void find_wanted() {
        wanted_.assign(function_.registers.size(), false);
        for (bool changed = true; changed;) {
            changed = false;
            for (auto i = function_.body.rbegin(); i != function_.body.rend(); ++i) {
                const std::vector<u32> written = registers_written(*i);
                const bool leaves_trace = written.empty() || ends_straight_code(*i) ||
                                          changes_memory(memory_effect(*i)) || i->has("cc");
                if (leaves_trace || has_any(wanted_, written))
                    changed |= add_to(wanted_, registers_read(*i));
            }
        }
    }

    /// ptxas loads a half right into a register of 32 bits if it is extended with zeros, and then leaves it alone.
    void find_extended() {
        extended_.assign(function_.registers.size(), false);
        for (u32 r = 0; r < extended_.size(); ++r)
            extended_[r] = size_of(function_.registers[r].type) > 2;
        for (const Instruction& i : function_.body)
            if (i.opcode == "cvt" && (i.has("u32") || i.has("s32")) && i.modifiers.back() == "u16")
                add_to(extended_, registers_read(i));
    }

    // ---- what a block has ----

    /// The accesses of a block that may be merged, and what they say of their addresses.
    void find_accesses(const BasicBlock& block) {
        accesses_.clear();
        alignments_.clear();
        facts_.begin_block();
        for (u32 at = block.begin; at < block.end; ++at) {
            const Instruction& i = function_.body[at];
            if (std::optional<PtxAccess> access = access_at(at)) {
                const Operand& operand = i.operands[access->is_store ? 0 : 1];
                if (std::optional<KnownValue> address = facts_.address(operand)) {
                    access->address = std::move(*address);
                    note_alignment(*access);
                    accesses_.emplace(at, std::move(*access));
                }
            }
            facts_.pass(i);
        }
    }

    /// From the way the address is computed; and an access to a vector has an address that fits it.
    void note_alignment(const PtxAccess& access) {
        Alignment& alignment = alignments_[base_of(access)];
        const u32 zeros = std::min(access.address.zeros, kZerosOfWidest);
        alignment.add({u32{1} << zeros, access.address.offset - access.position()});
        alignment.add({access.bytes(), 0 - access.position()});
    }

    std::optional<PtxAccess> access_at(u32 at) const {
        const Instruction& i = function_.body[at];
        if (!is_one_of(i.opcode, {"ld", "st"}) || is_left_alone(i) || i.operands.size() < 2)
            return {};
        PtxAccess access;
        access.at = at;
        access.is_store = i.opcode == "st";
        access.space = ptx::space_of_access(i);
        if (access.space != StateSpace::shared && access.space != StateSpace::global) return {};
        const Operand& value = i.operands[access.is_store ? 1 : 0];
        const std::vector<Operand> elements =
            value.is_vector() ? value.elements : std::vector{value};
        const u32 element = size_of(ptx::type_of(i)), count = ptx::vector_length(i);
        if (element == 0 || element > 8 || elements.size() != count) return {};
        // A vector of bytes or halves is words of 32 bits.
        access.bytes_of_word = count == 1 ? element : std::max(element, 4u);
        const u32 in_word = access.bytes_of_word / element;
        if (access.bytes_of_word < 2 || count % in_word != 0) return {};
        const bool loads_half = access.bytes_of_word == 2 && !access.is_store;
        if (loads_half && !(value.is_register() && !extended_[value.reg])) return {};
        access.words = count / in_word;
        const auto is_wanted = [&](const Operand& o) {
            return access.is_store || (o.is_register() && wanted_[o.reg]);
        };
        for (u32 k = 0; k < access.words; ++k) {
            const auto first = elements.begin() + k * in_word;
            if (std::any_of(first, first + in_word, is_wanted)) access.wanted.push_back(k);
        }
        return access;
    }

    // ---- in the order of the program ----

    void visit(u32 at) {
        const Instruction& i = function_.body[at];
        const MemoryEffect effect = memory_effect(i);
        if (has_branches_inside(i) || effect == MemoryEffect::fence) {
            close_all(open_[kShared]);
            close_all(open_[kGlobal]);
            return;
        }
        const auto found = accesses_.find(at);
        const bool is_unchanging = i.opcode == "ld" && effect == MemoryEffect::none;
        if (found != accesses_.end() && is_unchanging)
            return add_load(open_[kUnchanging], found->second);
        // `mov` from a clock orders nothing here.
        if (effect == MemoryEffect::none || i.opcode == "mov") return;
        const StateSpace space = space_of(i);
        const bool is_everywhere = space == StateSpace::generic || i.opcode == "cp";
        for (const auto& [memory, is_there] :
             {std::pair{kShared, space == StateSpace::shared || is_everywhere},
              std::pair{kGlobal, space == StateSpace::global || is_everywhere}})
            if (is_there)
                visit_memory(open_[memory], effect,
                             found == accesses_.end() ? nullptr : &found->second);
    }

    void visit_memory(OpenAccesses& open, MemoryEffect effect, const PtxAccess* access) {
        if (effect != MemoryEffect::load) close_loads(open);
        const bool goes_on =
            access && access->is_store && open.stores && belongs_to(*open.stores, *access);
        if (!goes_on) close_stores(open);
        if (!access || !access->is_store) open.last_store.reset();
        if (!access) return;
        if (!access->is_store) return add_load(open, *access);
        if (!open.stores) open.stores = group_of(*access);
        add(*open.stores, *access);
    }

    MergedGroup group_of(const PtxAccess& access) const {
        MergedGroup group;
        group.base = base_of(access);
        group.bytes_of_word = access.bytes_of_word;
        group.is_load = !access.is_store;
        group.alignment = alignments_.at(group.base);
        return group;
    }

    static void add(MergedGroup& group, const PtxAccess& access) {
        group.accesses.emplace(access.at, access.position());
        for (u32 k : access.wanted)
            group.words.push_back({access.at, access.position() + k * access.bytes_of_word});
    }

    static bool is_of(const MergedGroup& group, const PtxAccess& access) {
        return group.bytes_of_word == access.bytes_of_word && group.base == base_of(access);
    }

    void add_load(OpenAccesses& open, const PtxAccess& access) {
        for (MergedGroup& group : open.loads)
            if (is_of(group, access)) return add(group, access);
        open.loads.push_back(group_of(access));
        add(open.loads.back(), access);
    }

    /// To the same multiple of the alignment as the stores before it, and to none of their bytes.
    static bool belongs_to(const MergedGroup& stores, const PtxAccess& access) {
        if (!is_of(stores, access)) return false;
        const u64 first = access.position();
        const auto window = [&](u64 position) {
            return (position + stores.alignment.phase) /
                   std::min(stores.alignment.bytes, stores.widest());
        };
        return all_of(stores.words, [&](const MergedWord& word) {
            const bool is_apart = word.position + stores.bytes_of_word <= first ||
                                  first + access.bytes() <= word.position;
            return is_apart && window(word.position) == window(first);
        });
    }

    void close_all(OpenAccesses& open) {
        close_loads(open);
        close_stores(open);
        open.last_store.reset();
    }
    void close_loads(OpenAccesses& open) {
        for (const MergedGroup& group : open.loads) {
            make_accesses(group);
            keep_made();
        }
        open.loads.clear();
    }
    void close_stores(OpenAccesses& open) {
        if (!open.stores) return;
        make_accesses(*open.stores);
        drop_overwritten(open);
        keep_made();
        open.stores.reset();
    }

    // ---- the machine's accesses ----

    /// Those to a group's words, each at the first of the PTX's that it stands for.
    void make_accesses(const MergedGroup& group) {
        std::map<u64, std::vector<MergedWord>> windows;
        for (MergedWord word : group.words) {
            word.position += group.alignment.phase;
            windows[word.position / group.widest()].push_back(word);
        }
        for (const auto& [at, position] : group.accesses) made_[at];
        for (const auto& [window, words] : windows) cover(group, group.widest(), words);
    }

    void keep_made() {
        for (auto& [at, accesses] : made_) add_if_changed(at, std::move(accesses));
        made_.clear();
    }

    /// A store to the same bytes as the one right before it leaves nothing of that.
    void drop_overwritten(OpenAccesses& open) {
        std::optional<MadeStore> only;
        std::size_t count = 0;
        for (const auto& [at, accesses] : made_)
            for (const MachineAccess& access : accesses) {
                ++count;
                only = {at, open.stores->base,
                        open.stores->accesses.at(at) + static_cast<u64>(i64{access.delta}),
                        access.bytes};
            }
        if (count != 1) only.reset();
        if (only && open.last_store && only->overwrites(*open.last_store))
            merged_[open.last_store->at].clear();
        open.last_store = std::move(only);
    }

    /// Covers words in one multiple of `bytes` by one access if they are enough, or else each half.
    void cover(const MergedGroup& group, u32 bytes, const std::vector<MergedWord>& words) {
        if (words.empty()) return;
        std::set<u64> positions;
        for (const MergedWord& word : words) positions.insert(word.position);
        const u64 covered = positions.size() * group.bytes_of_word;
        // A load of four elements may bring one that nobody asks for.
        const bool may_be_wider = group.is_load && bytes == kMostElements * group.bytes_of_word;
        const u64 enough = may_be_wider ? bytes - group.bytes_of_word : bytes;
        const bool is_one_word = bytes == group.bytes_of_word;
        if (is_one_word || (bytes <= group.alignment.bytes && covered >= enough)) {
            const auto first = std::min_element(
                words.begin(), words.end(),
                [](const MergedWord& a, const MergedWord& b) { return a.at < b.at; });
            const u64 begin = *positions.begin() / bytes * bytes - group.alignment.phase;
            const u64 delta = begin - group.accesses.at(first->at);
            made_[first->at].push_back({static_cast<i32>(delta), bytes});
            return;
        }
        std::vector<MergedWord> halves[2];
        for (const MergedWord& word : words)
            halves[word.position / (bytes / 2) % 2].push_back(word);
        for (const std::vector<MergedWord>& half : halves) cover(group, bytes / 2, half);
    }

    void add_if_changed(u32 at, std::vector<MachineAccess> accesses) {
        const Instruction& i = function_.body[at];
        const u32 bytes = size_of(ptx::type_of(i)) * ptx::vector_length(i);
        if (accesses.size() == 1 && accesses[0].delta == 0 && accesses[0].bytes == bytes) return;
        merged_[at] = std::move(accesses);
    }

    const ptx::Function& function_;
    const ControlFlow& flow_;
    AddressFacts facts_;
    std::vector<bool> wanted_;                     ///< by register
    std::vector<bool> extended_;                   ///< by register, of a half: something extends it
    std::map<u32, PtxAccess> accesses_;            ///< of the block at hand, by index into the body
    std::map<AddressBase, Alignment> alignments_;  ///< likewise
    std::array<OpenAccesses, kMemories> open_;
    std::map<u32, std::vector<MachineAccess>> made_;  ///< of the group that is closed
    MergedAccesses merged_;
};

}  // namespace

MergedAccesses merged_accesses(const ptx::Function& function, const ControlFlow& flow,
                               const std::map<std::string, u32>& shared) {
    return AccessMerger(function, flow, shared).run();
}

}  // namespace coalesce::sim
