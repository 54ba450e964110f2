#include "lab/campaign/driver/shrink.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/text.h"
#include "lab/campaign/check/definedness.h"

namespace coalesce::campaign {
namespace {

std::string join_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

using Clock = std::chrono::steady_clock;
constexpr auto kShrinkingTimeLimit = std::chrono::seconds(90);
constexpr u64 kMaxInstructionsOfShrunkKernel = 300'000;

/// Reports whether a line may be removed, because it is a whole instruction or a source location.
/// Stores to local memory stay, because no check detects reads of uninitialized local memory.
bool is_removable_line(const std::string& line) {
    const std::size_t first_letter = line.find_first_not_of(" \t");
    if (first_letter == line.npos) return true;
    if (line[first_letter] == '.') return line.substr(first_letter, 4) == ".loc";
    const bool is_instruction =
        line.back() == ';' && line[first_letter] != '{' && line[first_letter] != '}' &&
        line.find(".callprototype") == line.npos && line.find(".branchtargets") == line.npos;
    // A call can be removed only together with its braces.
    const bool is_call = line.find(')') != line.npos;
    return is_instruction && !is_call && line.find("st.local") == line.npos;
}

/// Returns the kind of a difference, such as "results" or "counters". Shrinking must not change it.
std::string difference_kind_of(const std::string& difference) {
    return difference.substr(0, difference.find(':'));
}

class Shrinker {
public:
    Shrinker(const CampaignRunner& runner, const std::string& text,
             const SimulatorSettings& settings_a, const SimulatorSettings& settings_b)
        : runner_(runner),
          settings_a_(settings_a),
          settings_b_(settings_b),
          lines_(lines_of(text)) {
        // A shrunk kernel may loop forever, so use a lower limit.
        settings_a_.max_warp_instructions = settings_b_.max_warp_instructions =
            kMaxInstructionsOfShrunkKernel;
        const KernelToRun original_kernel{.name = "whole", .ptx = text};
        original_report_count_ = runner_.run({original_kernel}, settings_a_)[0].report_count;
        difference_kind_ = difference_kind_of(describe_differences({original_kernel})[0]);
    }

    std::string shrink_and_join() {
        if (difference_kind_.empty()) return join_lines(lines_);
        for (std::size_t lines_per_chunk =
                 std::max<std::size_t>(1, list_removable_lines().size() / 2);
             lines_per_chunk > 0; lines_per_chunk /= 2)
            while (Clock::now() < time_limit_ && remove_chunks_of_size(lines_per_chunk)) {
            }
        return join_lines(lines_);
    }

private:
    std::vector<std::size_t> list_removable_lines() const {
        std::vector<std::size_t> removable_lines;
        for (std::size_t k = 1; k < lines_.size(); ++k)
            if (is_removable_line(lines_[k])) removable_lines.push_back(k);
        return removable_lines;
    }

    /// Returns the difference for each case. A case that the first side cannot run counts as equal,
    /// and is not run on the second side, which may be a GPU and might hang.
    std::vector<std::string> describe_differences(const std::vector<KernelToRun>& cases) const {
        const std::vector<Outcome> outcomes_a = runner_.run(cases, settings_a_);
        std::vector<KernelToRun> run;
        for (std::size_t k = 0; k < cases.size(); ++k)
            if (is_comparable(outcomes_a[k])) run.push_back(cases[k]);
        const std::vector<Outcome> outcomes_b = runner_.run(run, settings_b_);
        std::vector<std::string> differences;
        for (std::size_t k = 0, compared_index = 0; k < cases.size(); ++k)
            differences.push_back(is_comparable(outcomes_a[k])
                                      ? describe_difference(outcomes_a[k],
                                                            outcomes_b[compared_index++],
                                                            settings_a_.seed == settings_b_.seed)
                                      : "");
        return differences;
    }

    bool is_comparable(const Outcome& outcome) const {
        return outcome.status == Outcome::Status::done &&
               outcome.report_count <= original_report_count_;
    }

    std::vector<std::string> list_remaining_lines(const std::vector<bool>& is_removed) const {
        std::vector<std::string> remaining_lines;
        for (std::size_t k = 0; k < lines_.size(); ++k)
            if (!is_removed[k]) remaining_lines.push_back(lines_[k]);
        return remaining_lines;
    }

    bool still_differs(const std::vector<std::string>& lines) const {
        const std::string text = join_lines(lines);
        if (!find_undefined_read(text).empty()) return false;
        return difference_kind_of(describe_differences({{.name = "one", .ptx = text}})[0]) ==
               difference_kind_;
    }

    /// Tries to remove each chunk of `lines_per_chunk` lines by itself, and then removes as many of
    /// these chunks as can be removed together. Returns false if none can be removed.
    bool remove_chunks_of_size(std::size_t lines_per_chunk) {
        const std::vector<std::size_t> removable_line_numbers = list_removable_lines();
        std::vector<KernelToRun> cases;
        std::vector<std::vector<bool>> removed_lines_by_case;
        for (std::size_t from = 0; from < removable_line_numbers.size(); from += lines_per_chunk) {
            std::vector<bool> is_removed(lines_.size(), false);
            for (std::size_t k = from;
                 k < std::min(from + lines_per_chunk, removable_line_numbers.size()); ++k)
                is_removed[removable_line_numbers[k]] = true;
            const std::string text = join_lines(list_remaining_lines(is_removed));
            if (!find_undefined_read(text).empty()) continue;
            cases.push_back({.name = std::to_string(cases.size()), .ptx = text});
            removed_lines_by_case.push_back(std::move(is_removed));
        }
        if (cases.empty()) return false;
        const std::vector<std::string> differences = describe_differences(cases);
        std::vector<std::vector<bool>> removable_chunks;
        for (std::size_t k = 0; k < cases.size(); ++k)
            if (difference_kind_of(differences[k]) == difference_kind_)
                removable_chunks.push_back(std::move(removed_lines_by_case[k]));
        return !removable_chunks.empty() && remove_chunks(removable_chunks);
    }

    /// Removes chunks that can each be removed alone. First tries to remove all of them together.
    /// If the difference then disappears, removes the chunks greedily, one after another.
    bool remove_chunks(const std::vector<std::vector<bool>>& removable_chunks) {
        const auto unite_removals = [](std::vector<bool> is_removed,
                                       const std::vector<bool>& is_also_removed) {
            for (std::size_t k = 0; k < is_removed.size(); ++k)
                is_removed[k] = is_removed[k] || is_also_removed[k];
            return is_removed;
        };
        std::vector<bool> is_removed = removable_chunks[0];
        for (const auto& removal : removable_chunks)
            is_removed = unite_removals(is_removed, removal);
        if (removable_chunks.size() > 1 && !still_differs(list_remaining_lines(is_removed))) {
            is_removed = removable_chunks[0];
            for (const auto& removal : removable_chunks) {
                const std::vector<bool> is_removed_with_more = unite_removals(is_removed, removal);
                if (still_differs(list_remaining_lines(is_removed_with_more)))
                    is_removed = is_removed_with_more;
            }
        }
        lines_ = list_remaining_lines(is_removed);
        return true;
    }

    const CampaignRunner& runner_;
    SimulatorSettings settings_a_, settings_b_;
    std::vector<std::string> lines_;
    std::string difference_kind_;
    /// Number of reports for the original kernel. If a smaller kernel produces more reports, making
    /// it smaller has introduced undefined behaviour.
    u64 original_report_count_ = 0;
    const Clock::time_point time_limit_ = Clock::now() + kShrinkingTimeLimit;
};

}  // namespace

std::string shrink(const CampaignRunner& runner, const std::string& ptx, const SimulatorSettings& a,
                   const SimulatorSettings& b) {
    return Shrinker(runner, ptx, a, b).shrink_and_join();
}

}  // namespace coalesce::campaign
