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
          is_load_independent_(end - begin, false),
          stages_(end - begin, 0),
          ranks_(end - begin, kLastRank) {
        find_stages();
        defer_uses_of_loads();
        find_ranks();
        if (is_short_of_registers) divide_into_iterations();
    }

    /// Returns the indices of the drafts in their new order.
    std::vector<std::size_t> sorted_drafts() const {
        std::vector<std::size_t> order = order_by_stage([&](std::size_t k) { return ranks_[k]; });
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
        for (std::size_t k = 0; k < stages_.size(); ++k) {
            const Draft& d = draft(k);
            bool is_load_independent =
                d.operation.kind == Kind::arithmetic && !d.is_scheduling_barrier;
            for (const std::uint32_t a : d.operation.dependences)
                if (a >= begin_) is_load_independent &= is_load_independent_[a - begin_];
            is_load_independent_[k] = is_load_independent;
            stages_[k] = is_load_independent ? 0 : stage;
            if (d.is_scheduling_barrier) {
                stages_[k] = stage + 1;
                stage += 2;
            }
        }
    }

    /// Moves each operation that uses loaded values to the stage that needs its result, so that an
    /// earlier barrier need not wait for the loads.
    void defer_uses_of_loads() {
        const int last_stage =
            stages_.empty() ? 0 : *std::max_element(stages_.begin(), stages_.end());
        std::vector<int> latest_stage(stages_.size(), last_stage);
        for (std::size_t k = stages_.size(); k-- > 0;) {
            const Draft& d = draft(k);
            const bool can_move_later = d.operation.kind == Kind::arithmetic &&
                                        !d.is_scheduling_barrier && !is_load_independent_[k] &&
                                        !d.ends_iteration;
            if (can_move_later) stages_[k] = latest_stage[k];
            for (const std::uint32_t a : d.operation.dependences)
                if (a >= begin_)
                    latest_stage[a - begin_] = std::min(latest_stage[a - begin_], stages_[k]);
        }
    }

    /// Lowers the rank of the operation to at most `rank`. Does the same for operations of the same
    /// stage on which it depends.
    void lower_rank(std::size_t k, int rank) {
        if (ranks_[k] <= rank) return;
        ranks_[k] = rank;
        for (const std::uint32_t a : draft(k).operation.dependences)
            if (a >= begin_ && stages_[a - begin_] >= stages_[k]) lower_rank(a - begin_, rank);
    }
    /// Gives rank 0 to all operations, in any stage, on which the operation depends.
    void lower_producer_ranks(std::size_t k) {
        for (const std::uint32_t a : draft(k).operation.dependences) {
            if (a < begin_ || ranks_[a - begin_] == 0) continue;
            ranks_[a - begin_] = 0;
            lower_producer_ranks(a - begin_);
        }
    }
    void find_ranks() {
        const auto lower_ranks = [&](Priority priority) {
            for (std::size_t k = 0; k < ranks_.size(); ++k) {
                const bool has_priority = priority == Priority::arithmetic
                                              ? static_cast<bool>(is_load_independent_[k])
                                              : draft(k).priority == priority;
                if (has_priority) lower_rank(k, static_cast<int>(priority));
            }
        };
        lower_ranks(Priority::load);
        lower_ranks(Priority::arithmetic);
        lower_ranks(Priority::shared_load);
        for (std::size_t k = 0; k < ranks_.size(); ++k)
            if (draft(k).priority == Priority::load && stages_[k] == 0) lower_producer_ranks(k);
    }

    bool is_load(std::size_t k) const { return draft(k).operation.kind == Kind::load; }
    bool waits_for_load(std::size_t k) const {
        const auto& after = draft(k).operation.dependences;
        return std::any_of(after.begin(), after.end(),
                           [&](std::uint32_t a) { return a >= begin_ && is_load(a - begin_); });
    }
    /// Returns the indices of the drafts, sorted by stage and, within each stage, by
    /// `sort_key(index)`.
    template <class SortKey>
    std::vector<std::size_t> order_by_stage(SortKey sort_key) const {
        std::vector<std::size_t> sorted_indices(stages_.size());
        std::iota(sorted_indices.begin(), sorted_indices.end(), std::size_t{0});
        std::stable_sort(
            sorted_indices.begin(), sorted_indices.end(), [&](std::size_t a, std::size_t b) {
                return std::pair(stages_[a], sort_key(a)) < std::pair(stages_[b], sort_key(b));
            });
        return sorted_indices;
    }
    /// Divides each stage into iterations. A load starts a new iteration if ptxas puts it after an
    /// operation that waits for earlier loads. All later operations that depend on loads belong to
    /// the new iteration. Each iteration has at least two loads, which stay in flight together.
    void divide_into_iterations() {
        constexpr int min_loads = 2;
        int stage = 0, iteration = 0, loads = 0;
        bool has_waiting_operation = false;
        for (const std::size_t k :
             order_by_stage([&](std::size_t d) { return draft(d).schedule_position; })) {
            if (std::exchange(stage, stages_[k]) != stages_[k]) {
                iteration = loads = 0;
                has_waiting_operation = false;
            }
            const bool is_waiting = waits_for_load(k);
            if (is_load(k) && !is_waiting && has_waiting_operation && loads >= min_loads) {
                ++iteration;
                loads = 0;
                has_waiting_operation = false;
            }
            loads += is_load(k);
            has_waiting_operation |= is_waiting;
            if (!is_load_independent_[k]) ranks_[k] += iteration * kRanks;
        }
        // An operation must come after the operations that compute its operands.
        for (std::size_t k = ranks_.size(); k-- > 0;)
            for (const std::uint32_t a : draft(k).operation.dependences)
                if (a >= begin_ && stages_[a - begin_] >= stages_[k])
                    ranks_[a - begin_] = std::min(ranks_[a - begin_], ranks_[k]);
    }

    const std::vector<Draft>& drafts_;
    const std::size_t begin_;
    std::vector<bool> is_load_independent_;
    std::vector<int> stages_, ranks_;
};

/// Orders arithmetic and shared memory accesses like a list scheduler. Of the operations whose
/// operands are available, the next one is that with the longest chain of latencies to the end.
/// This interleaves independent chains, as ptxas does.
class Interleaver {
public:
    explicit Interleaver(const std::vector<Draft>& drafts)
        : drafts_(drafts), node_indices_(drafts.size(), kNotScheduled) {}

    /// Reorders the operations in `order`, except those that must keep their positions. Changes
    /// nothing if any operation accesses global memory, because ScheduledRange orders such
    /// operations better.
    void interleave_chains(std::vector<std::size_t>& order) {
        const auto accesses_global_memory = [&](std::size_t k) {
            const Kind kind = drafts_[k].operation.kind;
            return kind == Kind::load || kind == Kind::store || kind == Kind::async_copy ||
                   kind == Kind::bulk_load || kind == Kind::bulk_store;
        };
        if (std::any_of(order.begin(), order.end(), accesses_global_memory)) return;
        for (std::size_t begin = 0; begin < order.size();) {
            std::size_t end = begin;
            while (end < order.size() && is_movable(drafts_[order[end]])) ++end;
            if (end - begin > 2) interleave_range(order, begin, end);
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
        return !d.is_scheduling_barrier && !d.ends_iteration &&
               (kind == Kind::arithmetic || kind == Kind::shared_load ||
                kind == Kind::shared_store);
    }
    static float operation_latency(const Operation& o) {
        switch (o.kind) {
            case Kind::arithmetic: return std::max(o.latency_cycles, o.issue_slots);
            case Kind::shared_load: return kSharedLatency;
            case Kind::load:
            case Kind::async_copy: return kGlobalLatency;
            default: return 1;
        }
    }

    struct DependenceNode {
        float path_cycles = 0;  ///< cycles of the longest chain from here to the end of the range
        float ready_cycle = 0;  ///< when its operands are available
        std::uint32_t missing_operands = 0;
        std::vector<std::uint32_t> dependents;
    };
    /// An operation whose operands are available. Ready operations are ordered by their longest
    /// chain, and then by position.
    struct ReadyOperation {
        float path_cycles = 0;
        std::uint32_t node_index = 0;
        bool operator<(const ReadyOperation& other) const {
            return path_cycles != other.path_cycles ? path_cycles < other.path_cycles
                                                    : node_index > other.node_index;
        }
    };
    /// An operation that waits for its operands. Pending operations are ordered by the time at
    /// which the operands are available.
    struct PendingOperation {
        float ready_cycle = 0;
        std::uint32_t node_index = 0;
        bool operator<(const PendingOperation& other) const {
            return ready_cycle != other.ready_cycle ? ready_cycle > other.ready_cycle
                                                    : node_index > other.node_index;
        }
    };

    void find_nodes(const std::vector<std::size_t>& order, std::size_t begin, std::size_t end) {
        const std::size_t count = end - begin;
        nodes_.assign(count, {});
        for (std::size_t k = 0; k < count; ++k)
            node_indices_[order[begin + k]] = static_cast<std::uint32_t>(k);
        for (std::size_t k = 0; k < count; ++k)
            for (const std::uint32_t a : drafts_[order[begin + k]].operation.dependences) {
                const std::uint32_t producer = node_indices_[a];
                if (producer == kNotScheduled) {
                    const Kind kind = drafts_[a].operation.kind;
                    const bool is_global_load = kind == Kind::load || kind == Kind::async_copy;
                    if (is_global_load) nodes_[k].ready_cycle = kGlobalLatency;
                } else if (producer < k) {
                    nodes_[producer].dependents.push_back(static_cast<std::uint32_t>(k));
                    ++nodes_[k].missing_operands;
                }
            }
        for (std::size_t k = count; k-- > 0;) {
            DependenceNode& node = nodes_[k];
            for (const std::uint32_t dependent : node.dependents)
                node.path_cycles = std::max(node.path_cycles, nodes_[dependent].path_cycles);
            node.path_cycles += operation_latency(drafts_[order[begin + k]].operation);
        }
    }

    void interleave_range(std::vector<std::size_t>& order, std::size_t begin, std::size_t end) {
        find_nodes(order, begin, end);
        const std::vector<std::size_t> ordered_indices(
            order.begin() + static_cast<std::ptrdiff_t>(begin),
            order.begin() + static_cast<std::ptrdiff_t>(end));
        std::priority_queue<ReadyOperation> ready;
        std::priority_queue<PendingOperation> pending_operations;
        std::vector<bool> is_done(nodes_.size(), false);
        std::uint32_t first_unscheduled = 0, window_end = 0;
        const auto extend_window = [&] {
            while (first_unscheduled < nodes_.size() && is_done[first_unscheduled])
                ++first_unscheduled;
            const auto node_count = static_cast<std::uint32_t>(nodes_.size());
            for (; window_end < std::min(node_count, first_unscheduled + kMaxOvertakenOperations);
                 ++window_end)
                if (nodes_[window_end].missing_operands == 0)
                    pending_operations.push({nodes_[window_end].ready_cycle, window_end});
        };
        extend_window();
        float current_cycle = 0;
        for (std::size_t position = begin; position < end; ++position) {
            if (ready.empty())
                current_cycle = std::max(current_cycle, pending_operations.top().ready_cycle);
            while (!pending_operations.empty() &&
                   pending_operations.top().ready_cycle <= current_cycle) {
                ready.push({nodes_[pending_operations.top().node_index].path_cycles,
                            pending_operations.top().node_index});
                pending_operations.pop();
            }
            const std::uint32_t k = ready.top().node_index;
            ready.pop();
            order[position] = ordered_indices[k];
            const Operation& o = drafts_[ordered_indices[k]].operation;
            for (const std::uint32_t dependent : nodes_[k].dependents) {
                DependenceNode& node = nodes_[dependent];
                node.ready_cycle = std::max(node.ready_cycle, current_cycle + operation_latency(o));
                if (--node.missing_operands == 0 && dependent < window_end)
                    pending_operations.push({node.ready_cycle, dependent});
            }
            is_done[k] = true;
            extend_window();
            current_cycle += o.issue_slots;
        }
        for (const std::size_t k : ordered_indices) node_indices_[k] = kNotScheduled;
    }

    const std::vector<Draft>& drafts_;
    std::vector<std::uint32_t> node_indices_;  ///< index of each draft in the reordered range
    std::vector<DependenceNode> nodes_;
};

/// Reports whether an operation has no cost. Such an operation is omitted, and the users of its
/// result depend on its operands instead.
bool has_no_cost(const Draft& d) {
    return d.operation.kind == Kind::arithmetic && d.operation.issue_slots == 0 &&
           !d.is_scheduling_barrier;
}

}  // namespace

std::vector<Operation> schedule_operations(std::vector<Draft> drafts, bool is_short_of_registers) {
    std::vector<std::size_t> order;
    Interleaver interleaver(drafts);
    for (std::size_t begin = 0; begin < drafts.size();) {
        std::size_t end = begin;
        while (end < drafts.size() && !drafts[end++].ends_iteration) {
        }
        std::vector<std::size_t> iteration_order =
            ScheduledRange(drafts, begin, end, is_short_of_registers).sorted_drafts();
        interleaver.interleave_chains(iteration_order);
        order.insert(order.end(), iteration_order.begin(), iteration_order.end());
        begin = end;
    }
    constexpr std::uint32_t no_position = ~0u;
    std::vector<Operation> operations;
    operations.reserve(drafts.size());
    // For each draft, its index in `operations`.
    std::vector<std::uint32_t> final_positions(drafts.size(), no_position);
    // For each omitted draft, its substitutes: the operations on which the users of its result
    // depend instead.
    std::vector<std::vector<std::uint32_t>> replaced_dependences(drafts.size());
    std::vector<std::uint32_t> final_dependences;
    for (const std::size_t k : order) {
        final_dependences.clear();
        for (const std::uint32_t a : drafts[k].operation.dependences) {
            if (final_positions[a] != no_position)
                final_dependences.push_back(final_positions[a]);
            else
                final_dependences.insert(final_dependences.end(), replaced_dependences[a].begin(),
                                         replaced_dependences[a].end());
        }
        std::sort(final_dependences.begin(), final_dependences.end());
        final_dependences.erase(std::unique(final_dependences.begin(), final_dependences.end()),
                                final_dependences.end());
        if (has_no_cost(drafts[k])) {
            replaced_dependences[k] = final_dependences;
            continue;
        }
        final_positions[k] = static_cast<std::uint32_t>(operations.size());
        operations.push_back(std::move(drafts[k].operation));
        operations.back().dependences.assign(final_dependences.begin(), final_dependences.end());
    }
    return operations;
}

}  // namespace coalesce::timing
