#include "simulator/ptxas/merged_accesses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/ranges.h"
#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/address_facts.h"
#include "simulator/ptxas/loop_unroller.h"
#include "simulator/ptxas/machine_instruction.h"

namespace coalesce::simulator {
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
    bool is_changed = false;              ///< since the piece began
};

/// Shared memory, global memory, and global memory that never changes.
enum Memory : std::size_t { kShared, kGlobal, kUnchanging, kMemories };

class AccessMerger {
public:
    AccessMerger(const ptx::Function& function, const ControlFlow& flow,
                 const std::map<std::string, u32>& shared, const std::vector<u32>& unrolled)
        : function_(function), flow_(flow), unrolled_(unrolled), facts_(function, shared) {
        find_wanted();
        find_extended();
    }

    MergedAccesses run() {
        const std::vector<BasicBlock>& blocks = flow_.blocks();
        for (u32 first = 0; first < blocks.size();) {
            u32 last = first;
            while (goes_straight_on(last)) ++last;
            const u32 begin = blocks[first].begin, end = blocks[last].end;
            find_accesses(begin, end);
            for (OpenAccesses& open : open_) open.is_changed = false;
            for (u32 at = begin; at < end; ++at) visit(at);
            if (is_unrolled(first, last))
                for (OpenAccesses& open : open_) merge_turns(open, begin, end);
            for (OpenAccesses& open : open_) close_all(open);
            first = last + 1;
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

    /// The next block of the text follows this one alone, and is the only one to follow it.
    bool goes_straight_on(u32 block) const {
        return block + 1 < flow_.blocks().size() &&
               flow_.blocks()[block].next == std::vector{block + 1} &&
               flow_.ways_in(block + 1).size() == 1;
    }

    /// The blocks are a loop that ptxas carries out several turns at a time.
    bool is_unrolled(u32 first, u32 last) const {
        const auto is_inside = [&](u32 at) {
            return at >= flow_.blocks()[first].begin && at < flow_.blocks()[last].end;
        };
        return is_among(first, flow_.blocks()[last].next) && any_of(unrolled_, is_inside);
    }

    // ---- what a straight piece of the program has ----

    /// The accesses that may be merged, and what they say of their addresses.
    void find_accesses(u32 begin, u32 end) {
        accesses_.clear();
        alignments_.clear();
        facts_.begin_block();
        for (u32 at = begin; at < end; ++at) {
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
        if (effect != MemoryEffect::load) {
            close_loads(open);
            open.is_changed = true;
        }
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
        open.is_changed = true;
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

    // ---- turns of a loop ----

    /// The loads of a loop that stores nothing there.
    void merge_turns(OpenAccesses& open, u32 begin, u32 end) {
        if (open.is_changed) return;
        std::erase_if(open.loads, [&](const MergedGroup& group) {
            const bool is_made = make_turns(group, begin, end);
            if (is_made) keep_made();
            made_.clear();
            return is_made;
        });
    }

    /// Four turns as if they were one, in which an access of each turn has an index of its own. False: their addresses do
    /// not tell the turns apart.
    bool make_turns(const MergedGroup& turn, u32 begin, u32 end) {
        constexpr u32 divisor = MachineAccess::kDivisor;
        const auto count = static_cast<u32>(function_.body.size());
        const auto steps = facts_.steps_of({.terms = turn.base.second}, begin, end);
        if (!steps || steps->step % divisor == 0) return false;
        if (steps->zeros_at_start < kZerosOfWidest) return false;
        MergedGroup turns = turn;
        turns.alignment = {kWidest, 0};
        turns.words.clear();
        turns.accesses.clear();
        for (u32 k = 0; k < kUnrolledTurns; ++k) {
            for (MergedWord word : turn.words)
                turns.words.push_back({word.at + k * count, word.position + k * steps->step});
            for (const auto& [at, position] : turn.accesses)
                turns.accesses.emplace(at + k * count, position + k * steps->step);
        }
        make_accesses(turns);
        std::map<u32, MachineAccesses> by_turn = std::move(made_);
        made_.clear();
        for (const auto& [at, position] : turn.accesses) {
            std::map<u32, std::vector<MachineAccess>> of_remainder;
            for (u32 k = 0; k < kUnrolledTurns; ++k) {
                const u32 remainder = static_cast<u32>((position + k * steps->step) % divisor);
                std::vector<MachineAccess>& list = by_turn[at + k * count].list;
                for (MachineAccess& access : list) access.remainder = remainder;
                const auto [known, is_new] = of_remainder.emplace(remainder, list);
                if (!is_new && known->second != list) return false;
            }
            MachineAccesses& made = made_[at];
            for (const auto& [remainder, list] : of_remainder)
                made.list.insert(made.list.end(), list.begin(), list.end());
            const u32 by = by_turn[at].covered_by;
            if (by != MachineAccesses::kNoAccess) made.covered_by = by % count;
        }
        return true;
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
        for (auto& [at, made] : made_) add_if_changed(at, std::move(made));
        made_.clear();
    }

    /// A store to the same bytes as the one right before it leaves nothing of that.
    void drop_overwritten(OpenAccesses& open) {
        std::optional<MadeStore> only;
        std::size_t count = 0;
        for (const auto& [at, made] : made_)
            for (const MachineAccess& access : made.list) {
                ++count;
                only = {at, open.stores->base,
                        open.stores->accesses.at(at) + static_cast<u64>(i64{access.delta}),
                        access.bytes};
            }
        if (count != 1) only.reset();
        if (only && open.last_store && only->overwrites(*open.last_store))
            merged_[open.last_store->at].list.clear();
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
            made_[first->at].list.push_back({static_cast<i32>(delta), bytes});
            for (const MergedWord& word : words)
                if (word.at != first->at) made_[word.at].covered_by = first->at;
            return;
        }
        std::vector<MergedWord> halves[2];
        for (const MergedWord& word : words)
            halves[word.position / (bytes / 2) % 2].push_back(word);
        for (const std::vector<MergedWord>& half : halves) cover(group, bytes / 2, half);
    }

    void add_if_changed(u32 at, MachineAccesses made) {
        const Instruction& i = function_.body[at];
        const u32 bytes = size_of(ptx::type_of(i)) * ptx::vector_length(i);
        const std::vector<MachineAccess>& list = made.list;
        if (list == std::vector{MachineAccess{.delta = 0, .bytes = bytes}}) return;
        if (!list.empty()) made.covered_by = MachineAccesses::kNoAccess;
        merged_[at] = std::move(made);
    }

    const ptx::Function& function_;
    const ControlFlow& flow_;
    const std::vector<u32>& unrolled_;
    AddressFacts facts_;
    std::vector<bool> wanted_;                     ///< by register
    std::vector<bool> extended_;                   ///< by register, of a half: something extends it
    std::map<u32, PtxAccess> accesses_;            ///< of the piece at hand, by index into the body
    std::map<AddressBase, Alignment> alignments_;  ///< likewise
    std::array<OpenAccesses, kMemories> open_;
    std::map<u32, MachineAccesses> made_;  ///< of the group that is closed
    MergedAccesses merged_;
};

}  // namespace

MergedAccesses merged_accesses(const ptx::Function& function, const ControlFlow& flow,
                               const std::map<std::string, u32>& shared,
                               const std::vector<u32>& unrolled) {
    return AccessMerger(function, flow, shared, unrolled).run();
}

}  // namespace coalesce::simulator
