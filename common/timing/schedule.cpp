#include "timing/schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace coalesce::timing {

namespace {

using Kind = Operation::Kind;

/// The drafts from `begin` to `end`, between which nothing moves out.
class Piece {
public:
    Piece(const std::vector<Draft>& drafts, std::size_t begin, std::size_t end,
          bool is_short_of_registers)
        : drafts_(drafts),
          begin_(begin),
          free_(end - begin, false),
          stage_(end - begin, 0),
          rank_(end - begin, kLastRank) {
        find_stages();
        put_off();
        find_ranks();
        if (is_short_of_registers) find_turns();
    }

    /// Places of the drafts, in their new order.
    std::vector<std::size_t> order() const {
        std::vector<std::size_t> order = in_stages([&](std::size_t k) { return rank_[k]; });
        for (std::size_t& k : order) k += begin_;
        return order;
    }

private:
    static constexpr int kLastRank = static_cast<int>(Priority::none), kRanks = kLastRank + 1;

    const Draft& draft(std::size_t k) const { return drafts_[begin_ + k]; }

    /// Stages lie between what nothing moves across. What waits for nothing goes to the first.
    void find_stages() {
        int stage = 0;
        for (std::size_t k = 0; k < stage_.size(); ++k) {
            const Draft& d = draft(k);
            bool is_free = d.operation.kind == Kind::arithmetic && !d.fixed;
            for (const std::uint32_t a : d.operation.after)
                if (a >= begin_) is_free &= free_[a - begin_];
            free_[k] = is_free;
            stage_[k] = is_free ? 0 : stage;
            if (d.fixed) {
                stage_[k] = stage + 1;
                stage += 2;
            }
        }
    }

    /// What is made of loaded values comes as late as it is wanted: a barrier before that need not wait for it.
    void put_off() {
        const int last = stage_.empty() ? 0 : *std::max_element(stage_.begin(), stage_.end());
        std::vector<int> wanted(stage_.size(), last);
        for (std::size_t k = stage_.size(); k-- > 0;) {
            const Draft& d = draft(k);
            const bool can_wait =
                d.operation.kind == Kind::arithmetic && !d.fixed && !free_[k] && !d.ends_piece;
            if (can_wait) stage_[k] = wanted[k];
            for (const std::uint32_t a : d.operation.after)
                if (a >= begin_) wanted[a - begin_] = std::min(wanted[a - begin_], stage_[k]);
        }
    }

    /// The operation, and what leads to it in its stage, come no later than `rank`.
    void pull(std::size_t k, int rank) {
        if (rank_[k] <= rank) return;
        rank_[k] = rank;
        for (const std::uint32_t a : draft(k).operation.after)
            if (a >= begin_ && stage_[a - begin_] >= stage_[k]) pull(a - begin_, rank);
    }
    /// What leads to it, in whatever stage.
    void pull_producers(std::size_t k) {
        for (const std::uint32_t a : draft(k).operation.after) {
            if (a < begin_ || rank_[a - begin_] == 0) continue;
            rank_[a - begin_] = 0;
            pull_producers(a - begin_);
        }
    }
    void find_ranks() {
        const auto pull_all = [&](Priority priority) {
            for (std::size_t k = 0; k < rank_.size(); ++k) {
                const bool wanted = priority == Priority::arithmetic
                                        ? static_cast<bool>(free_[k])
                                        : draft(k).priority == priority;
                if (wanted) pull(k, static_cast<int>(priority));
            }
        };
        pull_all(Priority::load);
        pull_all(Priority::arithmetic);
        pull_all(Priority::shared_load);
        for (std::size_t k = 0; k < rank_.size(); ++k)
            if (draft(k).priority == Priority::load && stage_[k] == 0) pull_producers(k);
    }

    bool is_load(std::size_t k) const { return draft(k).operation.kind == Kind::load; }
    bool waits_for_load(std::size_t k) const {
        const auto& after = draft(k).operation.after;
        return std::any_of(after.begin(), after.end(),
                           [&](std::uint32_t a) { return a >= begin_ && is_load(a - begin_); });
    }
    /// Stage by stage, and in each the least first.
    template <class Of>
    std::vector<std::size_t> in_stages(Of of) const {
        std::vector<std::size_t> order(stage_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(stage_[a], of(a)) < std::pair(stage_[b], of(b));
        });
        return order;
    }
    /// Loads that ptxas puts behind what waits for others have a later turn, with what depends on loads from there
    /// on. So many at least it lets be under way together.
    void find_turns() {
        constexpr int least = 2;
        int stage = 0, turn = 0, loads = 0;
        bool somebody_waits = false;
        for (const std::size_t k : in_stages([&](std::size_t d) { return draft(d).place; })) {
            if (std::exchange(stage, stage_[k]) != stage_[k]) {
                turn = loads = 0;
                somebody_waits = false;
            }
            const bool waits = waits_for_load(k);
            if (is_load(k) && !waits && somebody_waits && loads >= least) {
                ++turn;
                loads = 0;
                somebody_waits = false;
            }
            loads += is_load(k);
            somebody_waits |= waits;
            if (!free_[k]) rank_[k] += turn * kRanks;
        }
        // What leads to something comes no later.
        for (std::size_t k = rank_.size(); k-- > 0;)
            for (const std::uint32_t a : draft(k).operation.after)
                if (a >= begin_ && stage_[a - begin_] >= stage_[k])
                    rank_[a - begin_] = std::min(rank_[a - begin_], rank_[k]);
    }

    const std::vector<Draft>& drafts_;
    const std::size_t begin_;
    std::vector<bool> free_;
    std::vector<int> stage_, rank_;
};

/// What costs nothing is left out; who waits for it waits for what it waited for.
bool costs_nothing(const Draft& d) {
    return d.operation.kind == Kind::arithmetic && d.operation.slots == 0 && !d.fixed;
}

}  // namespace

std::vector<Operation> in_order(std::vector<Draft> drafts, bool is_short_of_registers) {
    std::vector<std::size_t> order;
    for (std::size_t begin = 0; begin < drafts.size();) {
        std::size_t end = begin;
        while (end < drafts.size() && !drafts[end++].ends_piece) {
        }
        const auto piece = Piece(drafts, begin, end, is_short_of_registers).order();
        order.insert(order.end(), piece.begin(), piece.end());
        begin = end;
    }
    constexpr std::uint32_t nowhere = ~0u;
    std::vector<Operation> operations;
    operations.reserve(drafts.size());
    std::vector<std::uint32_t> place(drafts.size(), nowhere);           // of a draft, in the result
    std::vector<std::vector<std::uint32_t>> stands_for(drafts.size());  // what is left out
    std::vector<std::uint32_t> after;
    for (const std::size_t k : order) {
        after.clear();
        for (const std::uint32_t a : drafts[k].operation.after) {
            if (place[a] != nowhere)
                after.push_back(place[a]);
            else
                after.insert(after.end(), stands_for[a].begin(), stands_for[a].end());
        }
        std::sort(after.begin(), after.end());
        after.erase(std::unique(after.begin(), after.end()), after.end());
        if (costs_nothing(drafts[k])) {
            stands_for[k] = after;
            continue;
        }
        place[k] = static_cast<std::uint32_t>(operations.size());
        operations.push_back(std::move(drafts[k].operation));
        operations.back().after.assign(after.begin(), after.end());
    }
    return operations;
}

}  // namespace coalesce::timing
