#include "program/merged_accesses.h"

#include <algorithm>
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

/// The widest access.
constexpr u32 kWidest = 16;

/// What ptxas neither widens nor narrows.
bool is_left_alone(const Instruction& i) {
    return i.guard || i.has("volatile") || i.has("acquire") || i.has("release") || i.has("mmio");
}

/// Part of an access: 4 or 8 bytes that one instruction may move together with others.
struct MergedWord {
    u32 at = 0;        ///< index into the body
    u32 position = 0;  ///< bytes; behind a multiple of the widest access where that is known
};

/// Accesses whose addresses differ by constants.
struct MergedGroup {
    std::vector<std::pair<u32, u32>> base;  ///< LinearSum::terms of their addresses
    u32 bytes_of_word = 0;
    u32 aligned_to = 0;  ///< bytes; the base and `phase` are a multiple
    u32 phase = 0;
    std::vector<MergedWord> words;  ///< positions without the phase
    std::vector<std::pair<u32, u32>>
        firsts;  ///< index into the body, its position without the phase
};

/// A load or store, as the rules want to know it.
struct PtxAccess {
    u32 at = 0;
    u32 bytes_of_word = 0;
    std::vector<u32> wanted;  ///< words, by number
    u32 words = 0;
    KnownValue address;

    u32 bytes() const { return bytes_of_word * words; }
    u32 aligned_to() const { return address.zeros >= 4 ? kWidest : u32{1} << address.zeros; }
    u32 phase() const { return address.offset - address.sum.constant; }
};

class AccessMerger {
public:
    AccessMerger(const ptx::Function& function, const ControlFlow& flow,
                 const std::map<std::string, u32>& shared)
        : function_(function), flow_(flow), facts_(function, shared) {
        find_wanted();
    }

    MergedAccesses run() {
        for (const BasicBlock& block : flow_.blocks()) {
            facts_.begin_block();
            for (u32 at = block.begin; at < block.end; ++at) {
                visit(at);
                facts_.pass(function_.body[at]);
            }
            close_loads();
            close_stores();
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

    void visit(u32 at) {
        const Instruction& i = function_.body[at];
        if (is_one_of(i.opcode, {"ld", "st"})) {
            const StateSpace space = space_of_access(i);
            if (space == StateSpace::shared) return visit_shared(at);
            if (space == StateSpace::global && i.opcode == "ld") return visit_global(at);
        }
        if (has_branches_inside(i) || memory_effect(i) == MemoryEffect::fence) {
            close_loads();
            close_stores();
            return;
        }
        const MemoryEffect effect = memory_effect(i);
        const bool may_be_shared = space_of(i) == StateSpace::shared ||
                                   space_of(i) == StateSpace::generic || i.opcode == "cp";
        if (effect == MemoryEffect::none || !may_be_shared || reads_special(i)) return;
        close_stores();
        if (effect != MemoryEffect::load) close_loads();
    }

    /// `mov` from a clock orders nothing here.
    static bool reads_special(const Instruction& i) { return i.opcode == "mov"; }

    std::optional<PtxAccess> access_at(u32 at) const {
        const Instruction& i = function_.body[at];
        const bool store = i.opcode == "st";
        if (is_left_alone(i) || i.operands.size() < 2) return {};
        const Operand& value = i.operands[store ? 1 : 0];
        const u32 element = size_of(ptx::type_of(i)), count = ptx::vector_length(i);
        PtxAccess access;
        access.at = at;
        access.bytes_of_word = std::max(element, 4u);
        const u32 in_word = access.bytes_of_word / std::max(1u, element);
        if (element == 0 || element > 8 || count % in_word != 0) return {};
        access.words = count / in_word;
        const std::vector<Operand> elements =
            value.is_vector() ? value.elements : std::vector{value};
        if (elements.size() != count) return {};
        for (u32 k = 0; k < access.words; ++k) {
            const auto is_wanted = [&](const Operand& o) {
                return store || (o.is_register() && wanted_[o.reg]);
            };
            if (std::any_of(elements.begin() + k * in_word, elements.begin() + (k + 1) * in_word,
                            is_wanted))
                access.wanted.push_back(k);
        }
        return access;
    }

    /// Only elements of vectors are left out.
    void visit_global(u32 at) {
        if (const std::optional<PtxAccess> access = access_at(at)) stay_alone(*access);
    }

    void visit_shared(u32 at) {
        const Instruction& i = function_.body[at];
        const bool store = i.opcode == "st";
        std::optional<PtxAccess> access = access_at(at);
        std::optional<KnownValue> address;
        if (access) address = facts_.address(i.operands[store ? 0 : 1]);
        if (store) close_loads();
        if (!access || !address) {
            close_stores();
            return;
        }
        access->address = std::move(*address);
        // A vector's own alignment is that of no other access.
        const bool stays_alone = access->aligned_to() < access->bytes();
        if (!store) {
            close_stores();
            return stays_alone ? stay_alone(*access) : add_load(*access);
        }
        if (stays_alone) return close_stores();
        add_store(*access);
    }

    void stay_alone(const PtxAccess& access) {
        MergedGroup group;
        group.bytes_of_word = access.bytes_of_word;
        group.aligned_to = access.bytes();
        group.firsts.emplace_back(access.at, 0);
        for (u32 k : access.wanted) group.words.push_back({access.at, k * access.bytes_of_word});
        close(group, true);
    }

    static MergedGroup group_of(const PtxAccess& access) {
        MergedGroup group;
        group.base = access.address.sum.terms;
        group.bytes_of_word = access.bytes_of_word;
        return group;
    }

    static void add(MergedGroup& group, const PtxAccess& access) {
        const u32 position = access.address.sum.constant;
        if (access.aligned_to() > group.aligned_to) {
            group.aligned_to = access.aligned_to();
            group.phase = access.phase();
        }
        group.firsts.emplace_back(access.at, position);
        for (u32 k : access.wanted)
            group.words.push_back({access.at, position + k * access.bytes_of_word});
    }

    static bool is_of(const MergedGroup& group, const PtxAccess& access) {
        return group.bytes_of_word == access.bytes_of_word &&
               group.base == access.address.sum.terms;
    }

    void add_load(const PtxAccess& access) {
        for (MergedGroup& group : loads_)
            if (is_of(group, access)) return add(group, access);
        loads_.push_back(group_of(access));
        add(loads_.back(), access);
    }

    void add_store(const PtxAccess& access) {
        if (stores_ && !belongs_to_stores(access)) close_stores();
        if (!stores_) stores_ = group_of(access);
        add(*stores_, access);
    }

    /// In the same multiple of the alignment as the stores before it, and on none of them.
    bool belongs_to_stores(const PtxAccess& access) const {
        if (!is_of(*stores_, access)) return false;
        const bool is_better = access.aligned_to() > stores_->aligned_to;
        const u32 phase = is_better ? access.phase() : stores_->phase;
        const u32 window = is_better ? access.aligned_to() : stores_->aligned_to;
        const u32 first = access.address.sum.constant;
        return all_of(stores_->words, [&](const MergedWord& word) {
            const bool is_apart = word.position + stores_->bytes_of_word <= first ||
                                  first + access.bytes() <= word.position;
            return is_apart && (word.position + phase) / window == (first + phase) / window;
        });
    }

    void close_loads() {
        for (MergedGroup& group : loads_) close(group, true);
        loads_.clear();
    }

    void close_stores() {
        if (stores_) close(*stores_, false);
        stores_.reset();
    }

    /// The machine's accesses to a group's words, each at the first of the PTX's that it stands for.
    void close(const MergedGroup& group, bool load) {
        std::map<u32, std::vector<MergedWord>> windows;
        for (MergedWord word : group.words) {
            word.position += group.phase;
            windows[word.position / kWidest].push_back(word);
        }
        std::map<u32, std::vector<MachineAccess>> made;
        for (const auto& [at, position] : group.firsts) made[at];
        const auto make = [&](const std::vector<MergedWord>& words, u32 position, u32 bytes) {
            const u32 first = std::min_element(words.begin(), words.end(),
                                               [](const MergedWord& a, const MergedWord& b) {
                                                   return a.at < b.at;
                                               })
                                  ->at;
            const u32 own =
                std::find_if(group.firsts.begin(), group.firsts.end(), [&](const auto& known) {
                    return known.first == first;
                })->second;
            made[first].push_back({static_cast<i32>(position - group.phase - own), bytes});
        };
        for (const auto& [window, words] : windows) cover(group, load, kWidest, words, make);
        for (auto& [at, accesses] : made) add_if_changed(at, std::move(accesses));
    }

    /// Covers the words in one multiple of `bytes` by one access if they are enough, or else each half.
    template <class Make>
    static void cover(const MergedGroup& group, bool load, u32 bytes,
                      const std::vector<MergedWord>& words, Make make) {
        if (words.empty()) return;
        std::set<u32> positions;
        for (const MergedWord& word : words) positions.insert(word.position);
        const u32 window = words[0].position / bytes * bytes;
        const auto covered = static_cast<u32>(positions.size()) * group.bytes_of_word;
        // A load of 16 bytes may bring 4 that nobody asks for.
        const u32 enough = load && bytes == kWidest && group.bytes_of_word == 4 ? 12 : bytes;
        const bool is_one = positions.size() == 1 && bytes == group.bytes_of_word;
        if (is_one ||
            (bytes > group.bytes_of_word && bytes <= group.aligned_to && covered >= enough))
            return make(words, window, bytes);
        if (bytes == group.bytes_of_word || bytes / 2 < 4) {
            for (u32 position : positions) make(words_at(words, position), position, bytes);
            return;
        }
        std::vector<MergedWord> halves[2];
        for (const MergedWord& word : words)
            halves[word.position / (bytes / 2) % 2].push_back(word);
        for (const std::vector<MergedWord>& half : halves)
            cover(group, load, bytes / 2, half, make);
    }

    static std::vector<MergedWord> words_at(const std::vector<MergedWord>& words, u32 position) {
        std::vector<MergedWord> at;
        for (const MergedWord& word : words)
            if (word.position == position) at.push_back(word);
        return at;
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
    std::vector<bool> wanted_;        ///< by register
    std::vector<MergedGroup> loads_;  ///< since the last instruction that may change shared memory
    std::optional<MergedGroup> stores_;
    MergedAccesses merged_;
};

}  // namespace

MergedAccesses merged_accesses(const ptx::Function& function, const ControlFlow& flow,
                               const std::map<std::string, u32>& shared) {
    return AccessMerger(function, flow, shared).run();
}

}  // namespace coalesce::sim
