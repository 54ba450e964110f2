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
constexpr auto kShrinkTimeLimit = std::chrono::seconds(90);
constexpr u64 kMaxWarpInstructions = 300'000;

/// Reports whether a line may be removed, because it is a whole instruction or a source location.
/// Stores to local memory stay, because no check detects reads of uninitialized local memory.
bool is_removable(const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == line.npos) return true;
    if (line[first] == '.') return line.substr(first, 4) == ".loc";
    const bool is_instruction = line.back() == ';' && line[first] != '{' && line[first] != '}' &&
                                line.find(".callprototype") == line.npos &&
                                line.find(".branchtargets") == line.npos;
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
    Shrinker(const CampaignRunner& runner, const std::string& text, const SimulatorSettings& a,
             const SimulatorSettings& b)
        : runner_(runner), a_(a), b_(b), lines_(lines_of(text)) {
        a_.limit = b_.limit =
            kMaxWarpInstructions;  // a shrunk kernel may loop forever, so use a lower limit
        const KernelToRun whole{.name = "whole", .ptx = text};
        reports_ = runner_.run({whole}, a_)[0].reports;
        difference_kind_ = difference_kind_of(differences({whole})[0]);
    }

    std::string find_smallest() {
        if (difference_kind_.empty()) return join_lines(lines_);
        for (std::size_t chunk = std::max<std::size_t>(1, removable_lines().size() / 2); chunk > 0;
             chunk /= 2)
            while (Clock::now() < end_ && remove_chunks_of_size(chunk)) {
            }
        return join_lines(lines_);
    }

private:
    std::vector<std::size_t> removable_lines() const {
        std::vector<std::size_t> at;
        for (std::size_t k = 1; k < lines_.size(); ++k)
            if (is_removable(lines_[k])) at.push_back(k);
        return at;
    }

    /// Returns the difference for each case. A case that the first side cannot run counts as equal,
    /// and is not run on the second side, which may be a GPU and might hang.
    std::vector<std::string> differences(const std::vector<KernelToRun>& cases) const {
        const std::vector<Outcome> first = runner_.run(cases, a_);
        std::vector<KernelToRun> run;
        for (std::size_t k = 0; k < cases.size(); ++k)
            if (is_comparable(first[k])) run.push_back(cases[k]);
        const std::vector<Outcome> second = runner_.run(run, b_);
        std::vector<std::string> all;
        for (std::size_t k = 0, other = 0; k < cases.size(); ++k)
            all.push_back(is_comparable(first[k])
                              ? describe_difference(first[k], second[other++], a_.seed == b_.seed)
                              : "");
        return all;
    }

    bool is_comparable(const Outcome& outcome) const {
        return outcome.status == Outcome::Status::done && outcome.reports <= reports_;
    }

    std::vector<std::string> remove_lines(const std::vector<bool>& gone) const {
        std::vector<std::string> left;
        for (std::size_t k = 0; k < lines_.size(); ++k)
            if (!gone[k]) left.push_back(lines_[k]);
        return left;
    }

    bool still_differs(const std::vector<std::string>& lines) const {
        const std::string text = join_lines(lines);
        if (!find_undefined_read(text).empty()) return false;
        return difference_kind_of(differences({{.name = "one", .ptx = text}})[0]) ==
               difference_kind_;
    }

    /// Tries to remove each chunk of `chunk` lines by itself, and then removes as many of these
    /// chunks as can be removed together. Returns false if none can be removed.
    bool remove_chunks_of_size(std::size_t chunk) {
        const std::vector<std::size_t> places = removable_lines();
        std::vector<KernelToRun> cases;
        std::vector<std::vector<bool>> removed;
        for (std::size_t from = 0; from < places.size(); from += chunk) {
            std::vector<bool> gone(lines_.size(), false);
            for (std::size_t k = from; k < std::min(from + chunk, places.size()); ++k)
                gone[places[k]] = true;
            const std::string text = join_lines(remove_lines(gone));
            if (!find_undefined_read(text).empty()) continue;
            cases.push_back({.name = std::to_string(cases.size()), .ptx = text});
            removed.push_back(std::move(gone));
        }
        if (cases.empty()) return false;
        const std::vector<std::string> found = differences(cases);
        std::vector<std::vector<bool>> may_go;
        for (std::size_t k = 0; k < cases.size(); ++k)
            if (difference_kind_of(found[k]) == difference_kind_)
                may_go.push_back(std::move(removed[k]));
        return !may_go.empty() && remove_chunks(may_go);
    }

    /// Removes chunks that can each be removed alone. First tries to remove all of them together.
    /// If the difference then disappears, removes the chunks greedily, one after another.
    bool remove_chunks(const std::vector<std::vector<bool>>& may_go) {
        const auto with = [](std::vector<bool> gone, const std::vector<bool>& more) {
            for (std::size_t k = 0; k < gone.size(); ++k) gone[k] = gone[k] || more[k];
            return gone;
        };
        std::vector<bool> together = may_go[0];
        for (const auto& more : may_go) together = with(together, more);
        if (may_go.size() > 1 && !still_differs(remove_lines(together))) {
            together = may_go[0];
            for (const auto& more : may_go) {
                const std::vector<bool> both = with(together, more);
                if (still_differs(remove_lines(both))) together = both;
            }
        }
        lines_ = remove_lines(together);
        return true;
    }

    const CampaignRunner& runner_;
    SimulatorSettings a_, b_;
    std::vector<std::string> lines_;
    std::string difference_kind_;
    /// Number of reports for the original kernel. If a smaller kernel produces more reports, making
    /// it smaller has introduced undefined behaviour.
    u64 reports_ = 0;
    const Clock::time_point end_ = Clock::now() + kShrinkTimeLimit;
};

}  // namespace

std::string shrink(const CampaignRunner& runner, const std::string& ptx, const SimulatorSettings& a,
                   const SimulatorSettings& b) {
    return Shrinker(runner, ptx, a, b).find_smallest();
}

}  // namespace coalesce::campaign
