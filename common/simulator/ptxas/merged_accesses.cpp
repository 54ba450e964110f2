#include "simulator/ptxas/merged_accesses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/ranges.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/access_groups.h"
#include "simulator/ptxas/address_facts.h"
#include "simulator/ptxas/constant_guards.h"
#include "simulator/ptxas/loop_unroller.h"
#include "simulator/ptxas/machine_instruction.h"
#include "simulator/ptxas/memory_paths.h"
#include "simulator/ptxas/open_accesses.h"
#include "simulator/ptxas/wanted_values.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;

constexpr u32 kZeroBitsOfWidestAccess = 4;

/// Reports whether ptxas never changes the width of this access.
bool is_never_merged(const Instruction& i) {
    return i.guard || i.has("volatile") || i.has("acquire") || i.has("release") || i.has("mmio");
}

/// A run of basic blocks [first, last], in which each block leads only to the next block of the
/// run.
struct StraightPiece {
    u32 first = 0, last = 0;
    u32 depth = 0;  ///< number of blocks that dominate the first block
};

class AccessMerger {
public:
    AccessMerger(const ptx::Function& function, const ControlFlow& flow,
                 const std::map<std::string, u32>& shared, const std::vector<u32>& unrolled)
        : function_(function),
          flow_(flow),
          dominators_(flow),
          paths_(function, flow),
          unrolled_(unrolled),
          facts_(function, shared),
          needed_values_(function) {}

    MergedAccesses merge_all_accesses() {
        for (const StraightPiece& piece : straight_pieces()) {
            const u32 begin = flow_.blocks()[piece.first].begin;
            const u32 end = flow_.blocks()[piece.last].end;
            find_accesses(begin, end);
            begin_piece(piece.first);
            const std::size_t older_group_count = groups_.size();
            for (u32 at = begin; at < end; ++at) visit_instruction(at);
            if (is_unrolled(piece.first, piece.last))
                for (OpenAccesses& open_accesses : open_accesses_)
                    merge_iterations(open_accesses, older_group_count, begin, end);
            for (OpenAccesses& open : open_accesses_) close_stores(open);
            accesses_at_end_.emplace(piece.last, open_accesses_);
        }
        for (std::size_t k = 0; k < groups_.size(); ++k)
            if (!merged_as_iterations_.contains(k))
                keep_accesses(machine_accesses(groups_[k], dominators_));
        return changed_accesses();
    }

private:
    // ---- pieces ----

    /// Returns the straight-line pieces, ordered so that each piece comes after the pieces that
    /// dominate it.
    std::vector<StraightPiece> straight_pieces() const {
        std::vector<StraightPiece> straight_pieces;
        for (u32 first = 0; first < flow_.blocks().size();) {
            StraightPiece piece{first, first};
            while (falls_through(piece.last)) ++piece.last;
            for (u32 b = dominators_.immediate_dominator(first); b < flow_.blocks().size();
                 b = dominators_.immediate_dominator(b))
                ++piece.depth;
            straight_pieces.push_back(piece);
            first = piece.last + 1;
        }
        std::stable_sort(
            straight_pieces.begin(), straight_pieces.end(),
            [](const StraightPiece& a, const StraightPiece& b) { return a.depth < b.depth; });
        return straight_pieces;
    }

    /// Starts a piece with the accesses left open by the immediate dominator, unless an instruction
    /// between the dominator and the piece closes them. A load from shared memory may be merged
    /// with loads before a branch, because it cannot fault. A load from global memory can only
    /// reuse words that have already been loaded.
    void begin_piece(u32 first) {
        open_accesses_ = {};
        const auto open_before = accesses_at_end_.find(dominators_.immediate_dominator(first));
        if (open_before == accesses_at_end_.end()) return;
        const std::array<MemoryTouch, kMemoryKinds> strongest_touches =
            paths_.strongest_touch_between(open_before->first, first);
        for (std::size_t memory = 0; memory < kMemoryKinds; ++memory) {
            if (strongest_touches[memory] == MemoryTouch::changes) continue;
            const OpenAccesses& open_at_end = open_before->second[memory];
            OpenAccesses& open = open_accesses_[memory];
            open.last_stored = open_at_end.last_stored;
            open.reusable_loads = open_at_end.reusable_loads;
            if (memory == kShared)
                open.open_loads = open_at_end.open_loads;
            else
                open.reusable_loads.insert(open.reusable_loads.end(),
                                           open_at_end.open_loads.begin(),
                                           open_at_end.open_loads.end());
        }
    }

    /// Reports whether the next block in program order is the only successor of this block, and
    /// this block is the only predecessor of the next block.
    bool falls_through(u32 block) const {
        return block + 1 < flow_.blocks().size() &&
               flow_.blocks()[block].successors == std::vector{block + 1} &&
               flow_.predecessors(block + 1).size() == 1;
    }

    /// Reports whether the blocks form a loop that ptxas unrolls.
    bool is_unrolled(u32 first, u32 last) const {
        const auto is_inside = [&](u32 at) {
            return at >= flow_.blocks()[first].begin && at < flow_.blocks()[last].end;
        };
        return is_among(first, flow_.blocks()[last].successors) && any_of(unrolled_, is_inside);
    }

    // ---- the accesses of a straight-line piece ----

    /// Finds the accesses that may be merged, and the alignment of their addresses.
    void find_accesses(u32 begin, u32 end) {
        accesses_.clear();
        alignments_.clear();
        facts_.begin_block();
        for (u32 at = begin; at < end; ++at) {
            const Instruction& i = function_.body[at];
            if (std::optional<PtxAccess> access = access_at(at)) {
                const Operand& operand = i.operands[access->is_store ? 0 : 1];
                if (std::optional<KnownValue> address = facts_.evaluate_address(operand)) {
                    access->address = std::move(*address);
                    update_alignment(*access);
                    accesses_.emplace(at, std::move(*access));
                }
            }
            facts_.pass_instruction(i);
        }
    }

    /// Records the known alignment of an address. It follows from the computation of the address,
    /// or from the width of a vector access.
    void update_alignment(const PtxAccess& access) {
        Alignment& alignment = alignments_[find_address_base(access)];
        const u32 zeros = std::min(access.address.low_zero_bits, kZeroBitsOfWidestAccess);
        alignment.merge({u32{1} << zeros, access.address.offset - access.first_position()});
        alignment.merge({access.bytes(), 0 - access.first_position()});
    }

    std::optional<PtxAccess> access_at(u32 at) const {
        const Instruction& i = function_.body[at];
        if (!is_one_of(i.opcode, {"ld", "st"}) || is_never_merged(i) || i.operands.size() < 2)
            return {};
        PtxAccess access;
        access.instruction_index = at;
        access.is_store = i.opcode == "st";
        access.space = ptx::access_space(i);
        if (access.space != StateSpace::shared && access.space != StateSpace::global) return {};
        const Operand& value = i.operands[access.is_store ? 1 : 0];
        const std::vector<Operand> elements =
            value.is_vector() ? value.elements : std::vector{value};
        const u32 element = size_of(ptx::find_type(i)), count = ptx::vector_length(i);
        if (element == 0 || element > 8 || elements.size() != count) return {};
        // A vector of bytes or halves is accessed in 32-bit words.
        access.bytes_of_word = count == 1 ? element : std::max(element, 4u);
        const u32 offset_in_word = access.bytes_of_word / element;
        if (access.bytes_of_word < 2 || count % offset_in_word != 0) return {};
        const bool loads_half = access.bytes_of_word == 2 && !access.is_store;
        if (loads_half && !(value.is_register() && !needed_values_.is_extended(value.reg)))
            return {};
        access.words = count / offset_in_word;
        const auto is_needed = [&](const Operand& o) {
            return access.is_store || (o.is_register() && needed_values_.is_needed(o.reg));
        };
        for (u32 k = 0; k < access.words; ++k) {
            const auto first = elements.begin() + k * offset_in_word;
            if (std::any_of(first, first + offset_in_word, is_needed))
                access.needed_words.push_back(k);
        }
        return access;
    }

    // ---- merging accesses in program order ----

    void visit_instruction(u32 at) {
        const auto found = accesses_.find(at);
        const PtxAccess* access = found == accesses_.end() ? nullptr : &found->second;
        for (MemoryKind memory : {kShared, kGlobal, kReadOnly}) {
            OpenAccesses& open = open_accesses_[memory];
            const MemoryTouch touch = find_touch(function_.body[at], memory);
            if (touch == MemoryTouch::none) continue;
            if (touch == MemoryTouch::orders)
                close_loads(open);
            else if (access)
                visit_access(open, *access);
            else
                visit_other_instruction(open, touch);
        }
    }

    void visit_other_instruction(OpenAccesses& open, MemoryTouch touch) {
        if (touch == MemoryTouch::changes) forget_accesses(open);
        close_stores(open);
        open.last_store.reset();
    }

    void visit_access(OpenAccesses& open, const PtxAccess& access) {
        if (!access.is_store) return visit_load(open, access);
        forget_accesses(open);
        if (open.open_stores && !can_join_stores(*open.open_stores, access)) close_stores(open);
        if (!open.open_stores) open.open_stores = make_group(access);
        add_words(*open.open_stores, access, access.needed_words);
        open.last_stored = access;
    }

    void visit_load(OpenAccesses& open, const PtxAccess& access) {
        std::vector<u32> missing_words;  // words that must still be loaded
        for (u32 word : access.needed_words)
            if (!is_in_last_store(open, access, word) && !reuse_earlier_load(open, access, word))
                missing_words.push_back(word);
        if (missing_words.empty() && !access.needed_words.empty()) {
            keep_accesses({{access.instruction_index, {}}});
        } else {
            close_stores(open);
            open.last_store.reset();
            add_words(find_or_create_group(open, access), access, missing_words);
        }
    }

    /// Reports whether the last store wrote this word. If so, the load is not needed, because the
    /// value is still in the stored register.
    static bool is_in_last_store(const OpenAccesses& open, const PtxAccess& access, u32 word) {
        const std::optional<PtxAccess>& last_stored = open.last_stored;
        return last_stored && last_stored->bytes_of_word == access.bytes_of_word &&
               find_address_base(*last_stored) == find_address_base(access) &&
               last_stored->has_word_at(access.word_position(word));
    }

    /// If an earlier load has loaded this word, adds the access to the group of that load and
    /// returns true.
    bool reuse_earlier_load(const OpenAccesses& open, const PtxAccess& access, u32 word) {
        for (u32 k : open.reusable_loads) {
            MergedGroup& group = groups_[k];
            if (!matches_group(group, access) || !group.has_word_at(access.word_position(word)))
                continue;
            add_words(group, access, {word});
            return true;
        }
        return false;
    }

    MergedGroup& find_or_create_group(OpenAccesses& open, const PtxAccess& access) {
        for (u32 k : open.open_loads)
            if (matches_group(groups_[k], access)) return groups_[k];
        open.open_loads.push_back(static_cast<u32>(groups_.size()));
        return groups_.emplace_back(make_group(access));
    }

    MergedGroup make_group(const PtxAccess& access) const {
        MergedGroup group;
        group.base = find_address_base(access);
        group.bytes_of_word = access.bytes_of_word;
        group.is_load = !access.is_store;
        group.alignment = alignments_.at(group.base);
        return group;
    }

    void add_words(MergedGroup& group, const PtxAccess& access,
                   const std::vector<u32>& words) const {
        const auto block =
            static_cast<u32>(&flow_.block_at(access.instruction_index) - flow_.blocks().data());
        group.accesses.emplace(access.instruction_index, access.first_position());
        for (u32 word : words)
            group.words.push_back({access.instruction_index, block, access.word_position(word)});
    }

    static bool matches_group(const MergedGroup& group, const PtxAccess& access) {
        return group.bytes_of_word == access.bytes_of_word &&
               group.base == find_address_base(access);
    }

    /// Reports whether the store may join earlier stores: it must be in the same aligned range and
    /// must not overlap them.
    static bool can_join_stores(const MergedGroup& stores, const PtxAccess& access) {
        if (!matches_group(stores, access)) return false;
        const u64 first = access.first_position();
        const auto window_index = [&](u64 position) {
            return (position + stores.alignment.address_shift) /
                   std::min(stores.alignment.bytes, stores.widest_access_bytes());
        };
        return all_of(stores.words, [&](const MergedWord& word) {
            const bool is_outside_window = word.position + stores.bytes_of_word <= first ||
                                           first + access.bytes() <= word.position;
            return is_outside_window && window_index(word.position) == window_index(first);
        });
    }

    /// Ensures that later loads are not merged with earlier ones. Later loads can still reuse words
    /// that have been loaded.
    void close_loads(OpenAccesses& open) {
        open.reusable_loads.insert(open.reusable_loads.end(), open.open_loads.begin(),
                                   open.open_loads.end());
        open.open_loads.clear();
        open.is_changed = true;
        close_stores(open);
        open.last_store.reset();
    }
    static void forget_accesses(OpenAccesses& open) {
        open.open_loads.clear();
        open.reusable_loads.clear();
        open.last_stored.reset();
        open.is_changed = true;
    }
    void close_stores(OpenAccesses& open) {
        if (!open.open_stores) return;
        const std::map<u32, MachineAccesses> machine_accesses_made =
            machine_accesses(*open.open_stores, dominators_);
        drop_overwritten(open, machine_accesses_made);
        keep_accesses(machine_accesses_made);
        open.open_stores.reset();
    }

    // ---- merging accesses across iterations of a loop ----

    /// Merges loads from one state space across iterations of a loop that does not store to it.
    /// Skips groups whose index is below `older_group_count`, because they belong to earlier
    /// pieces.
    void merge_iterations(OpenAccesses& open, std::size_t older_group_count, u32 begin, u32 end) {
        if (open.is_changed) return;
        for (u32 k : open.open_loads) {
            if (k < older_group_count) continue;
            const auto machine_accesses_made = merge_unrolled_iterations(groups_[k], begin, end);
            if (!machine_accesses_made) continue;
            keep_accesses(*machine_accesses_made);
            merged_as_iterations_.insert(k);
        }
        std::erase_if(open.open_loads, [&](u32 k) { return merged_as_iterations_.contains(k); });
    }

    /// Merges the accesses of four iterations, which are numbered separately. Returns nothing if
    /// the addresses do not show which access belongs to which iteration.
    std::optional<std::map<u32, MachineAccesses>> merge_unrolled_iterations(
        const MergedGroup& iteration, u32 begin, u32 end) const {
        constexpr u32 divisor = MachineAccess::kRemainderDivisor;
        const auto count = static_cast<u32>(function_.body.size());
        const auto loop_change =
            facts_.find_loop_change({.terms = iteration.base.second}, begin, end);
        if (!loop_change || loop_change->change_per_iteration % divisor == 0) return {};
        if (loop_change->zero_bits_at_start < kZeroBitsOfWidestAccess) return {};
        MergedGroup all_iterations = iteration;
        all_iterations.alignment = {kMaxAccessBytes, 0};
        all_iterations.words.clear();
        all_iterations.accesses.clear();
        for (u32 k = 0; k < kUnrolledIterations; ++k) {
            for (MergedWord word : iteration.words)
                all_iterations.words.push_back(
                    {word.instruction_index + k * count, word.block,
                     word.position + k * loop_change->change_per_iteration});
            for (const auto& [at, position] : iteration.accesses)
                all_iterations.accesses.emplace(at + k * count,
                                                position + k * loop_change->change_per_iteration);
        }
        std::map<u32, MachineAccesses> accesses_by_iteration =
            machine_accesses(all_iterations, dominators_);
        std::map<u32, MachineAccesses> accesses_of_iterations;
        for (const auto& [at, position] : iteration.accesses) {
            std::map<u32, std::vector<MachineAccess>> accesses_by_remainder;
            for (u32 k = 0; k < kUnrolledIterations; ++k) {
                const u32 remainder =
                    static_cast<u32>((position + k * loop_change->change_per_iteration) % divisor);
                std::vector<MachineAccess>& access_list =
                    accesses_by_iteration[at + k * count].list;
                for (MachineAccess& access : access_list) access.remainder = remainder;
                const auto [known, is_new] = accesses_by_remainder.emplace(remainder, access_list);
                if (!is_new && known->second != access_list) return {};
            }
            MachineAccesses& accesses_of_iteration = accesses_of_iterations[at];
            for (const auto& [remainder, access_list] : accesses_by_remainder)
                accesses_of_iteration.list.insert(accesses_of_iteration.list.end(),
                                                  access_list.begin(), access_list.end());
            const u32 covering_access = accesses_by_iteration[at].covering_access;
            if (covering_access != MachineAccesses::kNoAccess)
                accesses_of_iteration.covering_access = covering_access % count;
        }
        return accesses_of_iterations;
    }

    // ---- the machine's accesses ----

    /// Adds machine accesses to the result. A PTX access may already have machine accesses, because
    /// its words may be in several groups.
    void keep_accesses(const std::map<u32, MachineAccesses>& machine_accesses_made) {
        for (const auto& [at, accesses] : machine_accesses_made) {
            MachineAccesses& kept_accesses = machine_accesses_[at];
            kept_accesses.list.insert(kept_accesses.list.end(), accesses.list.begin(),
                                      accesses.list.end());
            if (accesses.covering_access != MachineAccesses::kNoAccess)
                kept_accesses.covering_access = accesses.covering_access;
        }
    }

    /// Drops the previous store if this store overwrites exactly the same bytes.
    void drop_overwritten(OpenAccesses& open, const std::map<u32, MachineAccesses>& made_stores) {
        std::optional<MachineStore> only_store;
        std::size_t count = 0;
        for (const auto& [at, accesses] : made_stores)
            for (const MachineAccess& access : accesses.list) {
                ++count;
                only_store = {
                    at, open.open_stores->base,
                    open.open_stores->accesses.at(at) + static_cast<u64>(i64{access.byte_offset}),
                    access.bytes};
            }
        if (count != 1) only_store.reset();
        if (only_store && open.last_store && only_store->overwrites_exactly(*open.last_store))
            machine_accesses_[open.last_store->instruction_index].list.clear();
        open.last_store = std::move(only_store);
    }

    MergedAccesses changed_accesses() {
        std::set<u32> covering_accesses;
        for (const auto& [at, accesses] : machine_accesses_)
            covering_accesses.insert(accesses.covering_access);
        MergedAccesses changed;
        for (auto& [at, accesses] : machine_accesses_) {
            const Instruction& i = function_.body[at];
            const u32 bytes = size_of(ptx::find_type(i)) * ptx::vector_length(i);
            if (i.opcode == "ld" && !covering_accesses.contains(at))
                halve_accesses(i, accesses.list);
            if (accesses.list == std::vector{MachineAccess{.byte_offset = 0, .bytes = bytes}})
                continue;
            if (!accesses.list.empty()) accesses.covering_access = MachineAccesses::kNoAccess;
            changed[at] = std::move(accesses);
        }
        return changed;
    }

    /// Reduces a single 64-bit load to the half that is needed.
    void halve_accesses(const Instruction& load, std::vector<MachineAccess>& list) const {
        if (size_of(ptx::find_type(load)) != 8) return;
        for (MachineAccess& access : list) {
            if (access.bytes != 8 || access.byte_offset % 8 != 0) continue;
            const Operand& value = load.operands[0];
            const auto element = static_cast<u32>(access.byte_offset / 8);
            const Operand& word = value.is_vector() ? value.elements.at(element) : value;
            const WordHalf needed_half = needed_values_.needed_half(word.reg);
            if (needed_half == kBothHalves || needed_half == kNoHalf) continue;
            access.bytes = 4;
            access.byte_offset += needed_half == kHighHalf ? 4 : 0;
        }
    }

    const ptx::Function& function_;
    const ControlFlow& flow_;
    const Dominators dominators_;
    const MemoryPaths paths_;
    const std::vector<u32>& unrolled_;
    AddressFacts facts_;
    const NeededValues needed_values_;
    /// The accesses of the current piece, by index into the body.
    std::map<u32, PtxAccess> accesses_;
    /// The alignment of each base in the current piece.
    std::map<AddressBase, Alignment> alignments_;
    std::array<OpenAccesses, kMemoryKinds> open_accesses_;
    /// For each piece, the value of open_accesses_ at its end. The key is the last block of the
    /// piece.
    std::map<u32, std::array<OpenAccesses, kMemoryKinds>> accesses_at_end_;
    std::vector<MergedGroup> groups_;             ///< the groups of loads
    std::set<std::size_t> merged_as_iterations_;  ///< indices into groups_
    std::map<u32, MachineAccesses>
        machine_accesses_;  ///< the accesses found so far, by index into the body
};

/// Drops accesses whose guard is never true.
void drop_never_executed(const ptx::Function& function, const ptx::Function& simplified,
                         MergedAccesses& merged) {
    for (u32 at = 0; at < function.body.size(); ++at)
        if (is_one_of(function.body[at].opcode, {"ld", "st"}) && simplified.body[at].opcode.empty())
            merged[at] = {};
}

}  // namespace

MergedAccesses merged_accesses(const ptx::Function& function, const ControlFlow& flow,
                               const std::map<std::string, u32>& shared,
                               const std::vector<u32>& unrolled) {
    const std::optional<ptx::Function> simplified = remove_constant_guards(function);
    if (!simplified) return AccessMerger(function, flow, shared, unrolled).merge_all_accesses();
    const ControlFlow simplified_flow(*simplified);
    MergedAccesses merged =
        AccessMerger(*simplified, simplified_flow, shared, unrolled).merge_all_accesses();
    drop_never_executed(function, *simplified, merged);
    return merged;
}

}  // namespace coalesce::simulator
