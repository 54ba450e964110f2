#include "simulator/ptxas/list_schedule.h"

#include <algorithm>

#include "base/ranges.h"

namespace coalesce::simulator {
namespace {

/// The maximum number of instructions to consider together when looking for a group that frees more
/// words than it needs. For example, up to this many instructions may compute the address of a
/// store before the store frees the stored value.
constexpr u32 kMaxLookAhead = 20;
/// The size of the parts into which a long piece is divided. No instruction moves from one part to
/// another, so that the running time is linear.
constexpr u32 kWindow = 512;
/// The number of predicate registers.
constexpr u32 kPredicates = 7;

struct DependenceEdge {
    u32 to = 0, cycles = 0;
};

/// The dependences between instructions, as edges from earlier to later instructions.
class Dependences {
public:
    explicit Dependences(const StraightCode& straight)
        : code_(straight.code),
          writer_(straight.words.size(), kNone),
          readers_(straight.words.size()),
          places_(straight.code.size()),
          edges_to_(straight.code.size()),
          edges_from_(straight.code.size()) {
        for (u32 v = 0; v < straight.words.size(); ++v) origins_.push_back({v, 0});
        for (u32 k = 0; k < code_.size(); ++k) {
            add_values(k);
            if (code_[k].is_fixed || k % kWindow == kWindow - 1)
                add_order_edges(k);
            else
                add_memory(k);
        }
    }
    /// Returns the edges from instruction `k` to later instructions.
    const std::vector<DependenceEdge>& edges_from(u32 k) const { return edges_from_[k]; }
    /// Returns the instructions that have an edge to `k`.
    const std::vector<u32>& edges_to(u32 k) const { return edges_to_[k]; }

private:
    void add_values(u32 k) {
        const MachineInstruction& i = code_[k];
        for (u32 v : i.reads)
            if (writer_[v] != kNone) add_edge(writer_[v], k, code_[writer_[v]].latency);
        for (u32 v : i.writes) {
            for (u32 reader : readers_[v]) add_edge(reader, k, 1);
            if (writer_[v] != kNone) add_edge(writer_[v], k, 1);
        }
        find_address(k);
        for (u32 v : i.reads) readers_[v].push_back(k);
        for (u32 v : i.writes) {
            writer_[v] = k;
            readers_[v].clear();
        }
        if (last_fixed_ != kNone) add_edge(last_fixed_, k, 1);
    }
    /// Expresses the address of an access as an origin plus a constant. Two addresses have the same
    /// origin if their difference is a constant.
    void find_address(u32 k) {
        const MachineInstruction& i = code_[k];
        places_[k] = i.place;
        if (i.place.value != kNone) {
            places_[k].value = origins_[i.place.value].value;
            places_[k].offset += origins_[i.place.value].offset;
        }
        Origin origin{static_cast<u32>(origins_.size()) + k, 0};
        if (i.step && !i.is_guarded && i.reads.size() == 1) {
            origin = origins_[i.reads[0]];
            origin.offset += *i.step;
        }
        for (u32 v : i.writes) origins_[v] = origin;
    }
    static bool cannot_overlap(const AccessPlace& a, const AccessPlace& b) {
        if (a.bytes == 0 || b.bytes == 0) return false;
        if (a.is_variable && b.is_variable && a.name != b.name) return true;
        if (a.value != b.value || a.name != b.name) return false;
        return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
    }
    void add_order_edges(u32 k) {
        for (u32 edges_to = last_fixed_ == kNone ? 0 : last_fixed_; edges_to < k; ++edges_to)
            add_edge(edges_to, k, 1);
        last_fixed_ = k;
        accesses_.clear();
    }
    void add_memory(u32 k) {
        const MachineInstruction& i = code_[k];
        if (i.memory == MemoryEffect::none) return;
        for (u32 edges_to : accesses_) {
            const MachineInstruction& other = code_[edges_to];
            if (!may_overlap(i.space, other.space)) continue;
            // Stores keep their order, even if their addresses differ.
            const bool changes = changes_memory(i.memory);
            const bool is_one_store = changes != changes_memory(other.memory);
            const bool may_pass =
                is_one_store ? cannot_overlap(places_[k], places_[edges_to]) : !changes;
            if (!may_pass) add_edge(edges_to, k, 1);
        }
        accesses_.push_back(k);
    }
    void add_edge(u32 from, u32 to, u32 cycles) {
        if (from == to) return;
        edges_to_[to].push_back(from);
        edges_from_[from].push_back({to, cycles});
    }

    /// An address, as the sum of a value and a constant.
    struct Origin {
        u32 value = 0;
        i64 offset = 0;
    };

    const std::vector<MachineInstruction>& code_;
    std::vector<u32> writer_;                ///< for each value, its last writer so far
    std::vector<std::vector<u32>> readers_;  ///< for each value, its readers since its last write
    std::vector<Origin> origins_;            ///< for each value, its origin
    std::vector<AccessPlace> places_;        ///< for each instruction, the memory that it accesses
    std::vector<u32> accesses_;              ///< memory accesses since `last_fixed_`
    u32 last_fixed_ = kNone;  ///< the last instruction that no instruction may move across
    std::vector<std::vector<u32>> edges_to_;
    std::vector<std::vector<DependenceEdge>> edges_from_;
};

class ListScheduler {
public:
    ListScheduler(const StraightCode& straight, u32 max_live_words)
        : max_live_words_(max_live_words),
          straight_(straight),
          code_(straight.code),
          dependences_(straight),
          height_(code_.size(), 1),
          waits_for_(code_.size(), 0),
          uses_(straight.words.size(), 0),
          is_live_(straight.words.size(), false),
          is_issued_(code_.size(), false),
          words_(straight.live_through_words) {
        for (u32 k = static_cast<u32>(code_.size()); k-- > 0;) {
            if (loads_for_later_piece(code_[k])) height_[k] = code_[k].latency;
            for (const DependenceEdge& e : dependences_.edges_from(k)) {
                height_[k] = std::max(height_[k], e.cycles + height_[e.to]);
                ++waits_for_[e.to];
            }
            for (u32 v : code_[k].reads) ++uses_[v];
        }
        for (u32 v = 0; v < uses_.size(); ++v) {
            uses_[v] += straight.is_read_later[v];
            if (straight.is_written_earlier[v]) begin(v);
        }
        begin_partially_written_values();
    }

    std::vector<u32> run() {
        for (u32 k = 0; k < code_.size(); ++k)
            if (waits_for_[k] == 0) open_.push_back(k);
        while (!open_.empty()) {
            const auto next = choose();
            const u32 k = *next;
            *next = open_.back();
            open_.pop_back();
            issue(k);
        }
        return std::move(order_);
    }

private:
    /// Reports whether an instruction loads a value that is needed only after the piece. ptxas
    /// issues such loads before the computations of the piece.
    bool loads_for_later_piece(const MachineInstruction& i) const {
        return i.is_access && any_of(i.writes, [&](u32 v) { return straight_.is_read_later[v]; });
    }

    /// Marks a value as live from the start if lanes that skip its write keep its old contents.
    void begin_partially_written_values() {
        std::vector<bool> is_written(uses_.size(), false);
        for (const MachineInstruction& i : code_)
            for (u32 v : i.writes) {
                if (i.is_guarded && !is_written[v] && uses_[v]) begin(v);
                is_written[v] = true;
            }
    }

    std::vector<u32>::iterator choose() {
        if (words_ >= max_live_words_) return choose_when_many_words_live();
        return std::min_element(open_.begin(), open_.end(), [&](u32 a, u32 b) {
            if (predicates_ >= kPredicates && begins_predicate(a) != begins_predicate(b))
                return begins_predicate(b);
            return height_[a] != height_[b] ? height_[a] > height_[b] : a < b;
        });
    }
    bool begins_predicate(u32 k) const {
        const std::vector<u32>& writes = code_[k].writes;
        return any_of(writes,
                      [&](u32 v) { return straight_.is_predicate[v] && !is_live_[v] && uses_[v]; });
    }

    /// Chooses the next instruction when many words are live. Loads that free words (for example,
    /// the words of their address) come first, because loads have a long latency. The next choice
    /// is the first instruction in program order. If it would increase the number of live words,
    /// but other instructions of the same part can reduce this number, chooses one of these.
    std::vector<u32>::iterator choose_when_many_words_live() {
        const auto first = std::min_element(open_.begin(), open_.end());
        for (u32 k = *first; k < window_end(*first); ++k) {
            if (!is_load(code_[k])) continue;
            if (const auto step = find_step_that_frees_words(k, true); step != open_.end())
                return step;
        }
        if (change_of_live_words({*first}) <= 0) return first;
        for (u32 k = *first; k < window_end(*first); ++k) {
            if (code_[k].part > code_[*first].part) continue;
            if (const auto step = find_step_that_frees_words(k, false); step != open_.end())
                return step;
        }
        return first;
    }
    u32 window_end(u32 first) const {
        return std::min(first + kWindow, static_cast<u32>(code_.size()));
    }
    static bool is_load(const MachineInstruction& i) {
        return i.memory == MemoryEffect::load && i.space != ptx::StateSpace::shared;
    }
    /// Returns the first open instruction among `k` and the instructions that must be issued before
    /// it. Returns the end iterator if these instructions would not reduce the number of live
    /// words, or if there are too many of them. If `is_only_access` is true, also returns the end
    /// iterator if they contain an access other than `k`.
    std::vector<u32>::iterator find_step_that_frees_words(u32 k, bool is_only_access) {
        std::vector<u32> ahead;
        if (is_issued_[k] || !collect(k, ahead)) return open_.end();
        const auto is_other = [&](u32 a) { return a != k && code_[a].is_access; };
        if (is_only_access && any_of(ahead, is_other)) return open_.end();
        std::sort(ahead.begin(), ahead.end());
        if (change_of_live_words_after(ahead) >= 0) return open_.end();
        for (u32 a : ahead)
            if (const auto at = std::find(open_.begin(), open_.end(), a); at != open_.end())
                return at;
        return open_.end();
    }
    /// Collects in `ahead` the instruction `k` and the instructions that must be issued before it.
    /// Returns false if there are too many of them.
    bool collect(u32 k, std::vector<u32>& ahead) const {
        if (is_issued_[k] || std::find(ahead.begin(), ahead.end(), k) != ahead.end()) return true;
        if (ahead.size() == kMaxLookAhead) return false;
        ahead.push_back(k);
        const std::vector<u32>& edges_to = dependences_.edges_to(k);
        return all_of(edges_to, [&](u32 b) { return collect(b, ahead); });
    }
    /// Returns the total change in the number of live words if the instructions in `ahead` are
    /// issued in this order.
    int change_of_live_words_after(const std::vector<u32>& ahead) const {
        std::vector<u32> issued;
        int more = 0;
        for (u32 k : ahead) {
            issued.push_back(k);
            more += change_of_live_words(issued);
        }
        return more;
    }
    /// Returns the change in the number of live words caused by the last instruction in `ahead`, if
    /// the instructions are issued in this order.
    int change_of_live_words(const std::vector<u32>& ahead) const {
        const MachineInstruction& last = code_[ahead.back()];
        int more = 0;
        for (std::size_t r = 0; r < last.reads.size(); ++r) {
            const u32 v = last.reads[r];
            const auto here = last.reads.begin() + static_cast<std::ptrdiff_t>(r);
            if (std::find(last.reads.begin(), here, v) != here) continue;
            u32 uses = 0;
            for (u32 k : ahead) uses += count(code_[k].reads, v);
            if (uses == uses_[v] && (is_live_[v] || is_written_before_last(ahead, v)))
                more -= static_cast<int>(straight_.words[v]);
        }
        for (u32 v : last.writes)
            if (!is_live_[v] && !is_written_before_last(ahead, v))
                more += static_cast<int>(straight_.words[v]);
        return more;
    }
    bool is_written_before_last(const std::vector<u32>& ahead, u32 value) const {
        return std::any_of(ahead.begin(), ahead.end() - 1,
                           [&](u32 k) { return count(code_[k].writes, value) > 0; });
    }
    static u32 count(const std::vector<u32>& values, u32 value) {
        return static_cast<u32>(std::count(values.begin(), values.end(), value));
    }

    void issue(u32 k) {
        order_.push_back(k);
        is_issued_[k] = true;
        for (u32 v : code_[k].reads)
            if (--uses_[v] == 0) end(v);
        for (u32 v : code_[k].writes)
            if (uses_[v]) begin(v);
        for (const DependenceEdge& e : dependences_.edges_from(k))
            if (--waits_for_[e.to] == 0) open_.push_back(e.to);
    }
    void begin(u32 v) {
        if (is_live_[v]) return;
        words_ += straight_.words[v];
        predicates_ += straight_.is_predicate[v];
        is_live_[v] = true;
    }
    void end(u32 v) {
        if (!is_live_[v]) return;
        words_ -= straight_.words[v];
        predicates_ -= straight_.is_predicate[v];
        is_live_[v] = false;
    }

    const u32 max_live_words_;
    const StraightCode& straight_;
    const std::vector<MachineInstruction>& code_;
    const Dependences dependences_;
    std::vector<u32> height_;     ///< for each instruction, the cycles to the end of the piece
    std::vector<u32> waits_for_;  ///< for each instruction, the number of edges from unissued ones
    std::vector<u32> uses_;       ///< for each value, the number of reads still to come
    std::vector<bool> is_live_;
    std::vector<bool> is_issued_;
    std::vector<u32> open_;           ///< instructions that can be issued now
    u32 words_ = 0, predicates_ = 0;  ///< live words and predicates
    std::vector<u32> order_;
};

}  // namespace

std::vector<u32> list_schedule(const StraightCode& straight, u32 max_live_words) {
    return ListScheduler(straight, max_live_words).run();
}

}  // namespace coalesce::simulator
