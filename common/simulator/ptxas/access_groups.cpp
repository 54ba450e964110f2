#include "simulator/ptxas/access_groups.h"

#include <set>

#include "base/ranges.h"

namespace coalesce::simulator {

bool MergedGroup::has_word_at(u64 position) const {
    return any_of(words, [&](const MergedWord& word) { return word.position == position; });
}

namespace {

class GroupAccessChooser {
public:
    GroupAccessChooser(const MergedGroup& group, const Dominators& dominators)
        : group_(group), dominators_(dominators) {}

    std::map<u32, MachineAccesses> choose_accesses() {
        std::map<u64, std::vector<MergedWord>> words_by_window;
        for (MergedWord word : group_.words) {
            word.position += group_.alignment.address_shift;
            words_by_window[word.position / group_.widest_access_bytes()].push_back(word);
        }
        for (const auto& [at, position] : group_.accesses) machine_accesses_[at];
        for (const auto& [window, words] : words_by_window)
            cover_range(group_.widest_access_bytes(), words);
        return std::move(machine_accesses_);
    }

private:
    /// Covers the words in an aligned range of `bytes` bytes with one access if enough of the range
    /// is used. Otherwise, covers each half of the range separately. Words in blocks that the first
    /// word's block does not dominate, such as the other branch of an if, are also covered
    /// separately.
    void cover_range(u32 bytes, const std::vector<MergedWord>& words) {
        if (words.empty()) return;
        std::vector<MergedWord> after_first, separate_words;
        for (const MergedWord& word : words) {
            const bool is_dominated = dominators_.dominates(words.front().block, word.block);
            (is_dominated ? after_first : separate_words).push_back(word);
        }
        cover_after_first(bytes, after_first);
        cover_range(bytes, separate_words);
    }

    void cover_after_first(u32 bytes, const std::vector<MergedWord>& words) {
        if (can_be_one_access(bytes, words)) {
            add_access(words.front(), bytes);
            for (const MergedWord& word : words) include_word(word, words.front());
            return;
        }
        std::vector<MergedWord> halves[2];
        for (const MergedWord& word : words)
            halves[word.position / (bytes / 2) % 2].push_back(word);
        for (const std::vector<MergedWord>& half_words : halves) cover_range(bytes / 2, half_words);
    }

    bool can_be_one_access(u32 bytes, const std::vector<MergedWord>& words) const {
        if (bytes == group_.bytes_of_word) return true;
        std::set<u64> positions;
        for (const MergedWord& word : words) positions.insert(word.position);
        const u64 covered_bytes = positions.size() * group_.bytes_of_word;
        // A load of four elements may include one element that the PTX does not load.
        const bool may_be_wider = group_.is_load && bytes == kMaxAccessWords * group_.bytes_of_word;
        const u64 required_bytes = may_be_wider ? bytes - group_.bytes_of_word : bytes;
        return bytes <= group_.alignment.bytes && covered_bytes >= required_bytes;
    }

    /// Adds an access of `bytes` bytes that includes the word. The new access counts for the PTX
    /// access that contains the word.
    void add_access(const MergedWord& word, u32 bytes) {
        const u64 begin = word.position / bytes * bytes - group_.alignment.address_shift;
        const u64 distance_from_access = begin - group_.accesses.at(word.instruction_index);
        machine_accesses_[word.instruction_index].list.push_back(
            {static_cast<i32>(distance_from_access), bytes});
    }

    void include_word(const MergedWord& word, const MergedWord& covering_word) {
        if (word.instruction_index != covering_word.instruction_index)
            machine_accesses_[word.instruction_index].covering_access =
                covering_word.instruction_index;
    }

    const MergedGroup& group_;
    const Dominators& dominators_;
    std::map<u32, MachineAccesses> machine_accesses_;
};

}  // namespace

std::map<u32, MachineAccesses> machine_accesses(const MergedGroup& group,
                                                const Dominators& dominators) {
    return GroupAccessChooser(group, dominators).choose_accesses();
}

}  // namespace coalesce::simulator
