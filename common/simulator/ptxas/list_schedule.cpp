#include "simulator/ptxas/list_schedule.h"

#include <algorithm>

#include "base/ranges.h"

namespace coalesce::simulator {
namespace {

/// The maximum number of instructions to consider together when looking for a group that frees more
/// words than it needs. For example, an address may be computed by up to this many instructions
/// before its store frees the stored value.
constexpr u32 kLookAhead = 20;
/// In a long piece no instruction moves past one whose index is a multiple of this, which keeps the
/// work linear.
constexpr u32 kWindow = 512;
/// The number of predicate registers.
constexpr u32 kPredicates = 7;

struct Edge {
    u32 to = 0, cycles = 0;
};

/// The dependences between instructions, as edges from an earlier to a later one.
class Dependences {
public:
    explicit Dependences(const StraightCode& straight)
        : code_(straight.code),
          writer_(straight.words.size(), kNone),
          readers_(straight.words.size()),
          places_(straight.code.size()),
          before_(straight.code.size()),
          after_(straight.code.size()) {
        for (u32 v = 0; v < straight.words.size(); ++v) origins_.push_back({v, 0});
        for (u32 k = 0; k < code_.size(); ++k) {
            add_values(k);
            if (code_[k].is_fixed || k % kWindow == kWindow - 1)
                fix(k);
            else
                add_memory(k);
        }
    }
    /// Returns the edges from instruction `k` to later ones.
    const std::vector<Edge>& after(u32 k) const { return after_[k]; }
    /// Returns the instructions that have an edge to `k`.
    const std::vector<u32>& before(u32 k) const { return before_[k]; }

private:
    void add_values(u32 k) {
        const MachineInstruction& i = code_[k];
        for (u32 v : i.reads)
            if (writer_[v] != kNone) edge(writer_[v], k, code_[writer_[v]].latency);
        for (u32 v : i.writes) {
            for (u32 reader : readers_[v]) edge(reader, k, 1);
            if (writer_[v] != kNone) edge(writer_[v], k, 1);
        }
        find_place(k);
        for (u32 v : i.reads) readers_[v].push_back(k);
        for (u32 v : i.writes) {
            writer_[v] = k;
            readers_[v].clear();
        }
        if (fixed_ != kNone) edge(fixed_, k, 1);
    }
    /// Describes the address of an access relative to its origin. Addresses that differ by a
    /// constant have the same origin.
    void find_place(u32 k) {
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
    static bool are_apart(const AccessPlace& a, const AccessPlace& b) {
        if (a.bytes == 0 || b.bytes == 0) return false;
        if (a.is_variable && b.is_variable && a.name != b.name) return true;
        if (a.value != b.value || a.name != b.name) return false;
        return a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
    }
    void fix(u32 k) {
        for (u32 before = fixed_ == kNone ? 0 : fixed_; before < k; ++before) edge(before, k, 1);
        fixed_ = k;
        accesses_.clear();
    }
    void add_memory(u32 k) {
        const MachineInstruction& i = code_[k];
        if (i.memory == MemoryEffect::none) return;
        for (u32 before : accesses_) {
            const MachineInstruction& other = code_[before];
            if (!may_overlap(i.space, other.space)) continue;
            // Stores keep their order, even at different addresses.
            const bool changes = changes_memory(i.memory);
            const bool is_one_store = changes != changes_memory(other.memory);
            const bool may_pass = is_one_store ? are_apart(places_[k], places_[before]) : !changes;
            if (!may_pass) edge(before, k, 1);
        }
        accesses_.push_back(k);
    }
    void edge(u32 from, u32 to, u32 cycles) {
        if (from == to) return;
        before_[to].push_back(from);
        after_[from].push_back({to, cycles});
    }

    /// A value with a constant added to it.
    struct Origin {
        u32 value = 0;
        i64 offset = 0;
    };

    const std::vector<MachineInstruction>& code_;
    std::vector<u32> writer_;                ///< for each value, its last writer so far
    std::vector<std::vector<u32>> readers_;  ///< for each value, its readers since then
    std::vector<Origin> origins_;            ///< by value
    std::vector<AccessPlace> places_;        ///< by instruction
    std::vector<u32> accesses_;              ///< memory accesses since the last fixed instruction
    u32 fixed_ = kNone;
    std::vector<std::vector<u32>> before_;
    std::vector<std::vector<Edge>> after_;
};

class Scheduler {
public:
    Scheduler(const StraightCode& straight, u32 words_most)
        : words_most_(words_most),
          straight_(straight),
          code_(straight.code),
          dependences_(straight),
          height_(code_.size(), 1),
          waits_for_(code_.size(), 0),
          uses_(straight.words.size(), 0),
          is_alive_(straight.words.size(), false),
          is_issued_(code_.size(), false),
          words_(straight.words_through) {
        for (u32 k = static_cast<u32>(code_.size()); k-- > 0;) {
            if (loads_for_later(code_[k])) height_[k] = code_[k].latency;
            for (const Edge& e : dependences_.after(k)) {
                height_[k] = std::max(height_[k], e.cycles + height_[e.to]);
                ++waits_for_[e.to];
            }
            for (u32 v : code_[k].reads) ++uses_[v];
        }
        for (u32 v = 0; v < uses_.size(); ++v) {
            uses_[v] += straight.wanted_behind[v];
            if (straight.from_before[v]) begin(v);
        }
        begin_what_may_be_kept();
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
    /// issues such a load before computing anything.
    bool loads_for_later(const MachineInstruction& i) const {
        return i.is_access && any_of(i.writes, [&](u32 v) { return straight_.wanted_behind[v]; });
    }

    /// Marks values as live from the start if lanes that skip a write keep the old value.
    void begin_what_may_be_kept() {
        std::vector<bool> is_written(uses_.size(), false);
        for (const MachineInstruction& i : code_)
            for (u32 v : i.writes) {
                if (i.is_guarded && !is_written[v] && uses_[v]) begin(v);
                is_written[v] = true;
            }
    }

    std::vector<u32>::iterator choose() {
        if (words_ >= words_most_) return choose_among_many_words();
        return std::min_element(open_.begin(), open_.end(), [&](u32 a, u32 b) {
            if (predicates_ >= kPredicates && begins_predicate(a) != begins_predicate(b))
                return begins_predicate(b);
            return height_[a] != height_[b] ? height_[a] > height_[b] : a < b;
        });
    }
    bool begins_predicate(u32 k) const {
        const std::vector<u32>& writes = code_[k].writes;
        return any_of(
            writes, [&](u32 v) { return straight_.is_predicate[v] && !is_alive_[v] && uses_[v]; });
    }

    /// Chooses the next instruction when many words are live. A load that frees words (of its
    /// address, for example) comes first, because loads have a long latency. Otherwise chooses the
    /// first instruction in written order, unless it increases the number of live words while
    /// others in its part can reduce it.
    std::vector<u32>::iterator choose_among_many_words() {
        const auto first = std::min_element(open_.begin(), open_.end());
        for (u32 k = *first; k < end_of_window(*first); ++k) {
            if (!is_load(code_[k])) continue;
            if (const auto step = step_to_fewer_words(k, true); step != open_.end()) return step;
        }
        if (more_words({*first}) <= 0) return first;
        for (u32 k = *first; k < end_of_window(*first); ++k) {
            if (code_[k].part > code_[*first].part) continue;
            if (const auto step = step_to_fewer_words(k, false); step != open_.end()) return step;
        }
        return first;
    }
    u32 end_of_window(u32 first) const {
        return std::min(first + kWindow, static_cast<u32>(code_.size()));
    }
    static bool is_load(const MachineInstruction& i) {
        return i.memory == MemoryEffect::load && i.space != ptx::StateSpace::shared;
    }
    /// Returns the first instruction to issue on the way to `k`. Returns the end iterator if `k`
    /// and the instructions that must be issued before it would not reduce the number of live
    /// words, or if there are too many of them. With `is_only_access`, also returns the end
    /// iterator if they contain another access.
    std::vector<u32>::iterator step_to_fewer_words(u32 k, bool is_only_access) {
        std::vector<u32> ahead;
        if (is_issued_[k] || !collect(k, ahead)) return open_.end();
        const auto is_other = [&](u32 a) { return a != k && code_[a].is_access; };
        if (is_only_access && any_of(ahead, is_other)) return open_.end();
        std::sort(ahead.begin(), ahead.end());
        if (more_words_after(ahead) >= 0) return open_.end();
        for (u32 a : ahead)
            if (const auto at = std::find(open_.begin(), open_.end(), a); at != open_.end())
                return at;
        return open_.end();
    }
    /// Collects the instruction and those that must be issued before it. Returns false if there are
    /// too many.
    bool collect(u32 k, std::vector<u32>& ahead) const {
        if (is_issued_[k] || std::find(ahead.begin(), ahead.end(), k) != ahead.end()) return true;
        if (ahead.size() == kLookAhead) return false;
        ahead.push_back(k);
        const std::vector<u32>& before = dependences_.before(k);
        return all_of(before, [&](u32 b) { return collect(b, ahead); });
    }
    /// Returns the change in the number of live words after these instructions are issued in this
    /// order.
    int more_words_after(const std::vector<u32>& ahead) const {
        std::vector<u32> issued;
        int more = 0;
        for (u32 k : ahead) {
            issued.push_back(k);
            more += more_words(issued);
        }
        return more;
    }
    /// Returns how much the last of these instructions changes the number of live words when they
    /// are issued one after the other.
    int more_words(const std::vector<u32>& ahead) const {
        const MachineInstruction& last = code_[ahead.back()];
        int more = 0;
        for (std::size_t r = 0; r < last.reads.size(); ++r) {
            const u32 v = last.reads[r];
            const auto here = last.reads.begin() + static_cast<std::ptrdiff_t>(r);
            if (std::find(last.reads.begin(), here, v) != here) continue;
            u32 uses = 0;
            for (u32 k : ahead) uses += count(code_[k].reads, v);
            if (uses == uses_[v] && (is_alive_[v] || is_written_before_last(ahead, v)))
                more -= static_cast<int>(straight_.words[v]);
        }
        for (u32 v : last.writes)
            if (!is_alive_[v] && !is_written_before_last(ahead, v))
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
        for (const Edge& e : dependences_.after(k))
            if (--waits_for_[e.to] == 0) open_.push_back(e.to);
    }
    void begin(u32 v) {
        if (is_alive_[v]) return;
        words_ += straight_.words[v];
        predicates_ += straight_.is_predicate[v];
        is_alive_[v] = true;
    }
    void end(u32 v) {
        if (!is_alive_[v]) return;
        words_ -= straight_.words[v];
        predicates_ -= straight_.is_predicate[v];
        is_alive_[v] = false;
    }

    const u32 words_most_;
    const StraightCode& straight_;
    const std::vector<MachineInstruction>& code_;
    const Dependences dependences_;
    std::vector<u32> height_;     ///< cycles from the instruction to the end of the piece
    std::vector<u32> waits_for_;  ///< the number of edges from instructions not issued yet
    std::vector<u32> uses_;       ///< for each value, the reads still to come
    std::vector<bool> is_alive_;
    std::vector<bool> is_issued_;
    std::vector<u32> open_;           ///< instructions that can be issued now
    u32 words_ = 0, predicates_ = 0;  ///< live words and predicates
    std::vector<u32> order_;
};

}  // namespace

std::vector<u32> list_schedule(const StraightCode& straight, u32 words_most) {
    return Scheduler(straight, words_most).run();
}

}  // namespace coalesce::simulator
