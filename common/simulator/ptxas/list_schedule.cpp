#include "simulator/ptxas/list_schedule.h"

#include <algorithm>

#include "base/ranges.h"

namespace coalesce::simulator {
namespace {

/// The maximum number of instructions to consider together when looking for a group that frees more
/// words than it needs. For example, up to this many instructions may compute the address of a
/// store before the store frees the stored value.
constexpr u32 kMaxInstructionsAhead = 20;
/// The number of instructions in each part of a long piece. No instruction moves from one part to
/// another, so that the running time is linear.
constexpr u32 kInstructionsPerWindow = 512;
/// The number of predicate registers.
constexpr u32 kPredicateRegisters = 7;

struct DependenceEdge {
    u32 successor = 0, cycles = 0;
};

/// The dependences between instructions, as edges from earlier to later instructions.
class Dependences {
public:
    explicit Dependences(const StraightCode& straight_code)
        : code_(straight_code.code),
          last_writers_(straight_code.words.size(), kNone),
          readers_since_write_(straight_code.words.size()),
          accessed_memory_(straight_code.code.size()),
          predecessors_(straight_code.code.size()),
          successor_edges_(straight_code.code.size()) {
        for (u32 v = 0; v < straight_code.words.size(); ++v) origins_.push_back({v, 0});
        for (u32 k = 0; k < code_.size(); ++k) {
            add_register_dependences(k);
            if (code_[k].is_fixed || k % kInstructionsPerWindow == kInstructionsPerWindow - 1)
                add_order_edges(k);
            else
                add_memory_dependences(k);
        }
    }
    /// Returns the edges from instruction `k` to later instructions.
    const std::vector<DependenceEdge>& successor_edges(u32 k) const { return successor_edges_[k]; }
    /// Returns the instructions that have an edge to `k`.
    const std::vector<u32>& predecessors(u32 k) const { return predecessors_[k]; }

private:
    void add_register_dependences(u32 k) {
        const MachineInstruction& i = code_[k];
        for (u32 v : i.reads)
            if (last_writers_[v] != kNone)
                add_dependence_edge(last_writers_[v], k, code_[last_writers_[v]].latency);
        for (u32 v : i.writes) {
            for (u32 reader : readers_since_write_[v]) add_dependence_edge(reader, k, 1);
            if (last_writers_[v] != kNone) add_dependence_edge(last_writers_[v], k, 1);
        }
        find_address(k);
        for (u32 v : i.reads) readers_since_write_[v].push_back(k);
        for (u32 v : i.writes) {
            last_writers_[v] = k;
            readers_since_write_[v].clear();
        }
        if (last_fixed_ != kNone) add_dependence_edge(last_fixed_, k, 1);
    }
    /// Expresses the address of an access as an origin plus a constant. Two addresses have the same
    /// origin if their difference is a constant.
    void find_address(u32 k) {
        const MachineInstruction& i = code_[k];
        accessed_memory_[k] = i.address;
        if (i.address.value != kNone) {
            accessed_memory_[k].value = origins_[i.address.value].value;
            accessed_memory_[k].offset += origins_[i.address.value].offset;
        }
        Origin origin{static_cast<u32>(origins_.size()) + k, 0};
        if (i.added_constant && !i.is_guarded && i.reads.size() == 1) {
            origin = origins_[i.reads[0]];
            origin.offset += *i.added_constant;
        }
        for (u32 v : i.writes) origins_[v] = origin;
    }
    static bool cannot_overlap(const AccessAddress& a, const AccessAddress& b) {
        if (a.bytes == 0 || b.bytes == 0) return false;
        if (a.is_variable && b.is_variable && a.name != b.name) return true;
        if (a.value != b.value || a.name != b.name) return false;
        return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
    }
    void add_order_edges(u32 k) {
        for (u32 earlier_index = last_fixed_ == kNone ? 0 : last_fixed_; earlier_index < k;
             ++earlier_index)
            add_dependence_edge(earlier_index, k, 1);
        last_fixed_ = k;
        accesses_.clear();
    }
    void add_memory_dependences(u32 k) {
        const MachineInstruction& i = code_[k];
        if (i.memory == MemoryEffect::none) return;
        for (u32 earlier_index : accesses_) {
            const MachineInstruction& other_access = code_[earlier_index];
            if (!may_overlap(i.space, other_access.space)) continue;
            // Stores keep their order, even if their addresses differ.
            const bool is_memory_change = changes_memory(i.memory);
            const bool is_load_and_store = is_memory_change != changes_memory(other_access.memory);
            const bool can_be_reordered =
                is_load_and_store
                    ? cannot_overlap(accessed_memory_[k], accessed_memory_[earlier_index])
                    : !is_memory_change;
            if (!can_be_reordered) add_dependence_edge(earlier_index, k, 1);
        }
        accesses_.push_back(k);
    }
    void add_dependence_edge(u32 predecessor, u32 successor, u32 cycles) {
        if (predecessor == successor) return;
        predecessors_[successor].push_back(predecessor);
        successor_edges_[predecessor].push_back({successor, cycles});
    }

    /// An address, as the sum of a value and a constant.
    struct Origin {
        u32 value = 0;
        i64 offset = 0;
    };

    const std::vector<MachineInstruction>& code_;
    std::vector<u32> last_writers_;  ///< for each value, its last writer so far
    /// For each value, its readers since its last write.
    std::vector<std::vector<u32>> readers_since_write_;
    std::vector<Origin> origins_;  ///< for each value, its origin
    /// For each instruction, the memory that it accesses.
    std::vector<AccessAddress> accessed_memory_;
    std::vector<u32> accesses_;  ///< memory accesses since `last_fixed_`
    u32 last_fixed_ = kNone;     ///< the last instruction that no instruction may move across
    std::vector<std::vector<u32>> predecessors_;
    std::vector<std::vector<DependenceEdge>> successor_edges_;
};

class ListScheduler {
public:
    ListScheduler(const StraightCode& straight_code, u32 max_live_words)
        : max_live_words_(max_live_words),
          straight_code_(straight_code),
          code_(straight_code.code),
          dependences_(straight_code),
          critical_path_lengths_(code_.size(), 1),
          missing_predecessors_(code_.size(), 0),
          remaining_uses_(straight_code.words.size(), 0),
          is_live_(straight_code.words.size(), false),
          is_issued_(code_.size(), false),
          live_words_(straight_code.live_through_words) {
        for (u32 k = static_cast<u32>(code_.size()); k-- > 0;) {
            if (loads_for_later_piece(code_[k])) critical_path_lengths_[k] = code_[k].latency;
            for (const DependenceEdge& e : dependences_.successor_edges(k)) {
                critical_path_lengths_[k] = std::max(
                    critical_path_lengths_[k], e.cycles + critical_path_lengths_[e.successor]);
                ++missing_predecessors_[e.successor];
            }
            for (u32 v : code_[k].reads) ++remaining_uses_[v];
        }
        for (u32 v = 0; v < remaining_uses_.size(); ++v) {
            remaining_uses_[v] += straight_code.is_read_later[v];
            if (straight_code.is_written_earlier[v]) begin_lifetime(v);
        }
        begin_partially_written_values();
    }

    std::vector<u32> order_instructions() {
        for (u32 k = 0; k < code_.size(); ++k)
            if (missing_predecessors_[k] == 0) open_steps_.push_back(k);
        while (!open_steps_.empty()) {
            const auto next_step = choose_step();
            const u32 k = *next_step;
            *next_step = open_steps_.back();
            open_steps_.pop_back();
            issue_step(k);
        }
        return std::move(order_);
    }

private:
    /// Reports whether an instruction loads a value that is needed only after the piece. ptxas
    /// issues such loads before the computations of the piece.
    bool loads_for_later_piece(const MachineInstruction& i) const {
        return i.is_access &&
               any_of(i.writes, [&](u32 v) { return straight_code_.is_read_later[v]; });
    }

    /// Marks a value as live from the start if lanes that skip its write keep its old contents.
    void begin_partially_written_values() {
        std::vector<bool> is_written(remaining_uses_.size(), false);
        for (const MachineInstruction& i : code_)
            for (u32 v : i.writes) {
                if (i.is_guarded && !is_written[v] && remaining_uses_[v]) begin_lifetime(v);
                is_written[v] = true;
            }
    }

    std::vector<u32>::iterator choose_step() {
        if (live_words_ >= max_live_words_) return choose_when_many_words_live();
        return std::min_element(open_steps_.begin(), open_steps_.end(), [&](u32 a, u32 b) {
            if (live_predicates_ >= kPredicateRegisters &&
                begins_predicate_lifetime(a) != begins_predicate_lifetime(b))
                return begins_predicate_lifetime(b);
            return critical_path_lengths_[a] != critical_path_lengths_[b]
                       ? critical_path_lengths_[a] > critical_path_lengths_[b]
                       : a < b;
        });
    }
    bool begins_predicate_lifetime(u32 k) const {
        const std::vector<u32>& writes = code_[k].writes;
        return any_of(writes, [&](u32 v) {
            return straight_code_.is_predicate[v] && !is_live_[v] && remaining_uses_[v];
        });
    }

    /// Chooses the next instruction when many words are live. Loads that free words (for example,
    /// the words of their address) come first, because loads have a long latency. The next choice
    /// is the first instruction in program order. If it would increase the number of live words,
    /// but other instructions of the same part can reduce this number, chooses one of these.
    std::vector<u32>::iterator choose_when_many_words_live() {
        const auto first_open = std::min_element(open_steps_.begin(), open_steps_.end());
        for (u32 k = *first_open; k < window_end(*first_open); ++k) {
            if (!is_load(code_[k])) continue;
            if (const auto step = find_step_that_frees_words(k, true); step != open_steps_.end())
                return step;
        }
        if (change_of_live_words({*first_open}) <= 0) return first_open;
        for (u32 k = *first_open; k < window_end(*first_open); ++k) {
            if (code_[k].part_index > code_[*first_open].part_index) continue;
            if (const auto step = find_step_that_frees_words(k, false); step != open_steps_.end())
                return step;
        }
        return first_open;
    }
    u32 window_end(u32 first_open) const {
        return std::min(first_open + kInstructionsPerWindow, static_cast<u32>(code_.size()));
    }
    static bool is_load(const MachineInstruction& i) {
        return i.memory == MemoryEffect::load && i.space != ptx::StateSpace::shared;
    }
    /// Returns the first open instruction among `k` and the instructions that must be issued before
    /// it. Returns the end iterator if these instructions would not reduce the number of live
    /// words, or if there are too many of them. If `is_only_access` is true, also returns the end
    /// iterator if they contain an access other than `k`.
    std::vector<u32>::iterator find_step_that_frees_words(u32 k, bool is_only_access) {
        std::vector<u32> steps_ahead;
        if (is_issued_[k] || !collect_steps(k, steps_ahead)) return open_steps_.end();
        const auto is_other_access = [&](u32 a) { return a != k && code_[a].is_access; };
        if (is_only_access && any_of(steps_ahead, is_other_access)) return open_steps_.end();
        std::sort(steps_ahead.begin(), steps_ahead.end());
        if (change_of_live_words_after(steps_ahead) >= 0) return open_steps_.end();
        for (u32 a : steps_ahead)
            if (const auto open_entry = std::find(open_steps_.begin(), open_steps_.end(), a);
                open_entry != open_steps_.end())
                return open_entry;
        return open_steps_.end();
    }
    /// Collects in `steps_ahead` the instruction `k` and the instructions that must be issued
    /// before it. Returns false if there are too many of them.
    bool collect_steps(u32 k, std::vector<u32>& steps_ahead) const {
        if (is_issued_[k] ||
            std::find(steps_ahead.begin(), steps_ahead.end(), k) != steps_ahead.end())
            return true;
        if (steps_ahead.size() == kMaxInstructionsAhead) return false;
        steps_ahead.push_back(k);
        const std::vector<u32>& predecessors = dependences_.predecessors(k);
        return all_of(predecessors, [&](u32 b) { return collect_steps(b, steps_ahead); });
    }
    /// Returns the total change in the number of live words if the instructions in `steps_ahead`
    /// are issued in this order.
    int change_of_live_words_after(const std::vector<u32>& steps_ahead) const {
        std::vector<u32> issued_steps;
        int added_words = 0;
        for (u32 k : steps_ahead) {
            issued_steps.push_back(k);
            added_words += change_of_live_words(issued_steps);
        }
        return added_words;
    }
    /// Returns the change in the number of live words caused by the last instruction in
    /// `steps_ahead`, if the instructions are issued in this order.
    int change_of_live_words(const std::vector<u32>& steps_ahead) const {
        const MachineInstruction& last_instruction = code_[steps_ahead.back()];
        int added_words = 0;
        for (std::size_t r = 0; r < last_instruction.reads.size(); ++r) {
            const u32 v = last_instruction.reads[r];
            const auto read_entry = last_instruction.reads.begin() + static_cast<std::ptrdiff_t>(r);
            if (std::find(last_instruction.reads.begin(), read_entry, v) != read_entry) continue;
            u32 use_count = 0;
            for (u32 k : steps_ahead) use_count += count_occurrences(code_[k].reads, v);
            if (use_count == remaining_uses_[v] &&
                (is_live_[v] || is_written_before_last(steps_ahead, v)))
                added_words -= static_cast<int>(straight_code_.words[v]);
        }
        for (u32 v : last_instruction.writes)
            if (!is_live_[v] && !is_written_before_last(steps_ahead, v))
                added_words += static_cast<int>(straight_code_.words[v]);
        return added_words;
    }
    bool is_written_before_last(const std::vector<u32>& steps_ahead, u32 value) const {
        return std::any_of(steps_ahead.begin(), steps_ahead.end() - 1,
                           [&](u32 k) { return count_occurrences(code_[k].writes, value) > 0; });
    }
    static u32 count_occurrences(const std::vector<u32>& values, u32 value) {
        return static_cast<u32>(std::count(values.begin(), values.end(), value));
    }

    void issue_step(u32 k) {
        order_.push_back(k);
        is_issued_[k] = true;
        for (u32 v : code_[k].reads)
            if (--remaining_uses_[v] == 0) end_lifetime(v);
        for (u32 v : code_[k].writes)
            if (remaining_uses_[v]) begin_lifetime(v);
        for (const DependenceEdge& e : dependences_.successor_edges(k))
            if (--missing_predecessors_[e.successor] == 0) open_steps_.push_back(e.successor);
    }
    void begin_lifetime(u32 v) {
        if (is_live_[v]) return;
        live_words_ += straight_code_.words[v];
        live_predicates_ += straight_code_.is_predicate[v];
        is_live_[v] = true;
    }
    void end_lifetime(u32 v) {
        if (!is_live_[v]) return;
        live_words_ -= straight_code_.words[v];
        live_predicates_ -= straight_code_.is_predicate[v];
        is_live_[v] = false;
    }

    const u32 max_live_words_;
    const StraightCode& straight_code_;
    const std::vector<MachineInstruction>& code_;
    const Dependences dependences_;
    std::vector<u32>
        critical_path_lengths_;  ///< for each instruction, the cycles to the end of the piece
    std::vector<u32>
        missing_predecessors_;  ///< for each instruction, the number of edges from unissued ones
    std::vector<u32> remaining_uses_;  ///< for each value, the number of reads still to come
    std::vector<bool> is_live_;
    std::vector<bool> is_issued_;
    std::vector<u32> open_steps_;               ///< instructions that can be issued now
    u32 live_words_ = 0, live_predicates_ = 0;  ///< live words and predicates
    std::vector<u32> order_;
};

}  // namespace

std::vector<u32> list_schedule(const StraightCode& straight_code, u32 max_live_words) {
    return ListScheduler(straight_code, max_live_words).order_instructions();
}

}  // namespace coalesce::simulator
