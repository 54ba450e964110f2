#include "timing/schedule.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace coalesce::timing {

namespace {

using Kind = Operation::Kind;

/// A range of draft operations, from `begin` to `end`. The scheduler never moves an operation out
/// of it.
class ScheduledRange {
public:
    ScheduledRange(const std::vector<Draft>& drafts, std::size_t begin, std::size_t end,
                   bool is_short_of_registers)
        : drafts_(drafts),
          begin_(begin),
          free_(end - begin, false),
          stage_(end - begin, 0),
          rank_(end - begin, kLastRank) {
        find_stages();
        defer_uses_of_loads();
        find_ranks();
        if (is_short_of_registers) divide_into_iterations();
    }

    /// Returns the indices of the drafts in their new order.
    std::vector<std::size_t> order() const {
        std::vector<std::size_t> order = in_stages([&](std::size_t k) { return rank_[k]; });
        for (std::size_t& k : order) k += begin_;
        return order;
    }

private:
    static constexpr int kLastRank = static_cast<int>(Priority::none), kRanks = kLastRank + 1;

    const Draft& draft(std::size_t k) const { return drafts_[begin_ + k]; }

    /// Divides the range into stages. Each stage ends at an operation across which no other
    /// operation moves. Operations that do not depend on loads go to the first stage.
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

    /// Moves each operation that uses loaded values to the stage that needs its result, so that an
    /// earlier barrier need not wait for the loads.
    void defer_uses_of_loads() {
        const int last = stage_.empty() ? 0 : *std::max_element(stage_.begin(), stage_.end());
        std::vector<int> wanted(stage_.size(), last);
        for (std::size_t k = stage_.size(); k-- > 0;) {
            const Draft& d = draft(k);
            const bool can_wait =
                d.operation.kind == Kind::arithmetic && !d.fixed && !free_[k] && !d.ends_iteration;
            if (can_wait) stage_[k] = wanted[k];
            for (const std::uint32_t a : d.operation.after)
                if (a >= begin_) wanted[a - begin_] = std::min(wanted[a - begin_], stage_[k]);
        }
    }

    /// Lowers the rank of the operation to at most `rank`. Does the same for operations of the same
    /// stage on which it depends.
    void lower_rank(std::size_t k, int rank) {
        if (rank_[k] <= rank) return;
        rank_[k] = rank;
        for (const std::uint32_t a : draft(k).operation.after)
            if (a >= begin_ && stage_[a - begin_] >= stage_[k]) lower_rank(a - begin_, rank);
    }
    /// Gives rank 0 to all operations, in any stage, on which the operation depends.
    void lower_producer_ranks(std::size_t k) {
        for (const std::uint32_t a : draft(k).operation.after) {
            if (a < begin_ || rank_[a - begin_] == 0) continue;
            rank_[a - begin_] = 0;
            lower_producer_ranks(a - begin_);
        }
    }
    void find_ranks() {
        const auto pull_all = [&](Priority priority) {
            for (std::size_t k = 0; k < rank_.size(); ++k) {
                const bool wanted = priority == Priority::arithmetic
                                        ? static_cast<bool>(free_[k])
                                        : draft(k).priority == priority;
                if (wanted) lower_rank(k, static_cast<int>(priority));
            }
        };
        pull_all(Priority::load);
        pull_all(Priority::arithmetic);
        pull_all(Priority::shared_load);
        for (std::size_t k = 0; k < rank_.size(); ++k)
            if (draft(k).priority == Priority::load && stage_[k] == 0) lower_producer_ranks(k);
    }

    bool is_load(std::size_t k) const { return draft(k).operation.kind == Kind::load; }
    bool waits_for_load(std::size_t k) const {
        const auto& after = draft(k).operation.after;
        return std::any_of(after.begin(), after.end(),
                           [&](std::uint32_t a) { return a >= begin_ && is_load(a - begin_); });
    }
    /// Returns the indices of the drafts, sorted by stage and, within each stage, by `of(index)`.
    template <class Of>
    std::vector<std::size_t> in_stages(Of of) const {
        std::vector<std::size_t> order(stage_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(stage_[a], of(a)) < std::pair(stage_[b], of(b));
        });
        return order;
    }
    /// Divides each stage into turns. A load starts a new turn if ptxas puts it after an operation
    /// that waits for earlier loads. All later operations that depend on loads belong to the new
    /// turn. Each turn has at least two loads, which stay in flight together.
    void divide_into_iterations() {
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
        // An operation must come after the operations that compute its operands.
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

/// Orders arithmetic and shared memory accesses like a list scheduler. Of the operations whose
/// operands are available, the next one is that with the longest chain of latencies to the end.
/// This interleaves independent chains, as ptxas does.
class Interleaver {
public:
    explicit Interleaver(const std::vector<Draft>& drafts)
        : drafts_(drafts), place_(drafts.size(), kNotScheduled) {}

    /// Reorders the operations in `order`, except those that must keep their positions. Changes
    /// nothing if any operation accesses global memory, because ScheduledRange orders such
    /// operations better.
    void interleave(std::vector<std::size_t>& order) {
        const auto is_global = [&](std::size_t k) {
            const Kind kind = drafts_[k].operation.kind;
            return kind == Kind::load || kind == Kind::store || kind == Kind::async_copy ||
                   kind == Kind::bulk_load || kind == Kind::bulk_store;
        };
        if (std::any_of(order.begin(), order.end(), is_global)) return;
        for (std::size_t begin = 0; begin < order.size();) {
            std::size_t end = begin;
            while (end < order.size() && is_movable(drafts_[order[end]])) ++end;
            if (end - begin > 2) schedule(order, begin, end);
            begin = end + 1;
        }
    }

private:
    static constexpr std::uint32_t kNotScheduled = ~0u;
    /// The latency in cycles of a load from shared memory, and the latency that ptxas assumes for a
    /// load from global memory.
    static constexpr float kSharedLatency = 24, kGlobalLatency = 300;
    /// The number of operations that an operation may overtake. ptxas limits this number, because
    /// interleaved chains need more registers.
    static constexpr std::uint32_t kMaxOvertakenOperations = 18;

    static bool is_movable(const Draft& d) {
        const Kind kind = d.operation.kind;
        return !d.fixed && !d.ends_iteration &&
               (kind == Kind::arithmetic || kind == Kind::shared_load ||
                kind == Kind::shared_store);
    }
    static float operation_latency(const Operation& o) {
        switch (o.kind) {
            case Kind::arithmetic: return std::max(o.latency, o.slots);
            case Kind::shared_load: return kSharedLatency;
            case Kind::load:
            case Kind::async_copy: return kGlobalLatency;
            default: return 1;
        }
    }

    struct DependenceNode {
        float height = 0;  ///< cycles of the longest chain from here to the end of the range
        float ready = 0;   ///< when its operands are available
        std::uint32_t waits_for = 0;
        std::vector<std::uint32_t> users;
    };
    /// An operation whose operands are available. Ready operations are ordered by their longest
    /// chain, and then by position.
    struct ReadyOperation {
        float height = 0;
        std::uint32_t node = 0;
        bool operator<(const ReadyOperation& other) const {
            return height != other.height ? height < other.height : node > other.node;
        }
    };
    /// An operation that waits for its operands. Pending operations are ordered by the time at
    /// which the operands are available.
    struct PendingOperation {
        float ready = 0;
        std::uint32_t node = 0;
        bool operator<(const PendingOperation& other) const {
            return ready != other.ready ? ready > other.ready : node > other.node;
        }
    };

    void find_nodes(const std::vector<std::size_t>& order, std::size_t begin, std::size_t end) {
        const std::size_t count = end - begin;
        nodes_.assign(count, {});
        for (std::size_t k = 0; k < count; ++k)
            place_[order[begin + k]] = static_cast<std::uint32_t>(k);
        for (std::size_t k = 0; k < count; ++k)
            for (const std::uint32_t a : drafts_[order[begin + k]].operation.after) {
                const std::uint32_t from = place_[a];
                if (from == kNotScheduled) {
                    const Kind kind = drafts_[a].operation.kind;
                    const bool is_far = kind == Kind::load || kind == Kind::async_copy;
                    if (is_far) nodes_[k].ready = kGlobalLatency;
                } else if (from < k) {
                    nodes_[from].users.push_back(static_cast<std::uint32_t>(k));
                    ++nodes_[k].waits_for;
                }
            }
        for (std::size_t k = count; k-- > 0;) {
            DependenceNode& node = nodes_[k];
            for (const std::uint32_t user : node.users)
                node.height = std::max(node.height, nodes_[user].height);
            node.height += operation_latency(drafts_[order[begin + k]].operation);
        }
    }

    void schedule(std::vector<std::size_t>& order, std::size_t begin, std::size_t end) {
        find_nodes(order, begin, end);
        const std::vector<std::size_t> before(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                              order.begin() + static_cast<std::ptrdiff_t>(end));
        std::priority_queue<ReadyOperation> ready;
        std::priority_queue<PendingOperation> pending;
        std::vector<bool> is_done(nodes_.size(), false);
        std::uint32_t first_open = 0, limit = 0;
        const auto move_window = [&] {
            while (first_open < nodes_.size() && is_done[first_open]) ++first_open;
            const auto all = static_cast<std::uint32_t>(nodes_.size());
            for (; limit < std::min(all, first_open + kMaxOvertakenOperations); ++limit)
                if (nodes_[limit].waits_for == 0) pending.push({nodes_[limit].ready, limit});
        };
        move_window();
        float now = 0;
        for (std::size_t at = begin; at < end; ++at) {
            if (ready.empty()) now = std::max(now, pending.top().ready);
            while (!pending.empty() && pending.top().ready <= now) {
                ready.push({nodes_[pending.top().node].height, pending.top().node});
                pending.pop();
            }
            const std::uint32_t k = ready.top().node;
            ready.pop();
            order[at] = before[k];
            const Operation& o = drafts_[before[k]].operation;
            for (const std::uint32_t user : nodes_[k].users) {
                DependenceNode& node = nodes_[user];
                node.ready = std::max(node.ready, now + operation_latency(o));
                if (--node.waits_for == 0 && user < limit) pending.push({node.ready, user});
            }
            is_done[k] = true;
            move_window();
            now += o.slots;
        }
        for (const std::size_t k : before) place_[k] = kNotScheduled;
    }

    const std::vector<Draft>& drafts_;
    std::vector<std::uint32_t> place_;  ///< index of each draft in the reordered range
    std::vector<DependenceNode> nodes_;
};

/// Reports whether an operation has no cost. Such an operation is omitted, and the users of its
/// result depend on its operands instead.
bool has_no_cost(const Draft& d) {
    return d.operation.kind == Kind::arithmetic && d.operation.slots == 0 && !d.fixed;
}

}  // namespace

std::vector<Operation> schedule_operations(std::vector<Draft> drafts, bool is_short_of_registers) {
    std::vector<std::size_t> order;
    Interleaver interleaver(drafts);
    for (std::size_t begin = 0; begin < drafts.size();) {
        std::size_t end = begin;
        while (end < drafts.size() && !drafts[end++].ends_iteration) {
        }
        std::vector<std::size_t> piece =
            ScheduledRange(drafts, begin, end, is_short_of_registers).order();
        interleaver.interleave(piece);
        order.insert(order.end(), piece.begin(), piece.end());
        begin = end;
    }
    constexpr std::uint32_t nowhere = ~0u;
    std::vector<Operation> operations;
    operations.reserve(drafts.size());
    // For each draft, its index in `operations`.
    std::vector<std::uint32_t> place(drafts.size(), nowhere);
    // For each omitted draft, its substitutes: the operations on which the users of its result
    // depend instead.
    std::vector<std::vector<std::uint32_t>> stands_for(drafts.size());
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
        if (has_no_cost(drafts[k])) {
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
