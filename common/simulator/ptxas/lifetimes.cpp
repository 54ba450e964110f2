#include "simulator/ptxas/lifetimes.h"

#include <algorithm>

#include "base/ranges.h"

namespace coalesce::simulator {
namespace {

/// Returns the number of following instructions during which ptxas does not reuse the source
/// registers of a load, a store or a slow instruction. The number is smaller for a store if ptxas
/// keeps instructions in program order to save registers. It is also smaller for a load that is
/// conditional or reads shared memory.
u32 read_delay(const MachineInstruction& i, bool keeps_written_order) {
    constexpr u32 kLoadDelay = 8, kQuickLoadDelay = 6, kStoreDelay = 11,
                  kStoreDelayInWrittenOrder = 8, kSlowUnitDelay = 12;
    if (i.memory == MemoryEffect::store)
        return keeps_written_order ? kStoreDelayInWrittenOrder : kStoreDelay;
    if (!i.is_access || i.is_copy) return kSlowUnitDelay;
    const bool is_quick = i.is_conditional || i.space == ptx::StateSpace::shared;
    return is_quick ? kQuickLoadDelay : kLoadDelay;
}

/// Finds the live ranges of values. Visits the instructions of each piece in reverse order.
class LifetimeFinder {
public:
    LifetimeFinder(const MachineCode& code, bool keeps_written_order)
        : code_(code), keeps_written_order_(keeps_written_order), open_spans_(code.values.size()) {
        lifetimes_.spans_of_values.resize(code.values.size());
    }

    void add_piece(const MachinePiece& piece, const std::vector<u32>& order,
                   const std::vector<u32>& is_read_later) {
        const u32 first_position = static_cast<u32>(lifetimes_.instructions_in_order.size());
        for (u32 k : order) lifetimes_.instructions_in_order.push_back(&piece.code[k]);
        end_index_ = static_cast<u32>(lifetimes_.instructions_in_order.size());
        for (u32 v : is_read_later) end_lifetime(v, 2 * end_index_);
        last_read_position_ = 2 * end_index_;
        for (u32 n = end_index_; n-- > first_position;) {
            if (lifetimes_.instructions_in_order[n]->waits_for_reads) last_read_position_ = 2 * n;
            add_accesses(*lifetimes_.instructions_in_order[n], n);
        }
        while (!live_values_.empty()) begin_lifetime(live_values_.back(), 2 * first_position);
    }
    Lifetimes take_lifetimes() {
        for (std::vector<Span>& spans : lifetimes_.spans_of_values)
            std::sort(spans.begin(), spans.end(),
                      [](const Span& a, const Span& b) { return a.begin < b.begin; });
        return std::move(lifetimes_);
    }

private:
    void add_accesses(const MachineInstruction& i, u32 n) {
        for (u32 v : i.writes) {
            end_lifetime(
                v, 2 * n + 2);  // the range ends here unless a later instruction reads the value
            if (!i.is_guarded) begin_lifetime(v, 2 * n + 1);
        }
        for (u32 v : i.reads) {
            // The result may use the register of a source, if no later instruction reads this
            // source.
            const u32 last_position = 2 * n + 1 + (is_pair(v) && must_outlive_write(i, v));
            const bool is_last = end_lifetime(v, last_position);
            if (!i.reads_late) continue;
            const u32 end_position =
                std::min(2 * n + 1 + 2 * read_delay(i, keeps_written_order_), last_read_position_);
            Span& span = open_spans_[v];
            span.read_until = std::max(span.read_until, end_position);
            if (!is_last)
                span.read_by_others_until = std::max(span.read_by_others_until, end_position);
        }
    }
    bool is_pair(u32 value) const {
        return code_.values[value].words == 2 && !code_.values[value].is_loose;
    }
    /// Reports whether `pair`, which instruction `i` reads, must stay live until `i` has written
    /// its result. An instruction that computes its result in two halves must not overwrite a pair
    /// that it reads. The exception is a pair that comes from a load: each half of the result may
    /// then reuse the register of the corresponding half of the pair. Products never overwrite a
    /// pair that they read. (Observed with ptxas.)
    bool must_outlive_write(const MachineInstruction& i, u32 pair) const {
        const bool is_in_place = code_.values[pair].is_loaded && !i.rereads_lower_half &&
                                 any_of(i.writes, [&](u32 v) { return is_pair(v); });
        return i.is_in_halves && !is_in_place;
    }
    /// Sets the end of the value's live range to `position`, unless a later end is already known.
    /// Returns true if it has set the end.
    bool end_lifetime(u32 value, u32 position) {
        if (open_spans_[value].end != 0) return false;
        open_spans_[value].end = position;
        live_values_.push_back(value);
        return true;
    }
    /// Starts the value's live range at `position`.
    void begin_lifetime(u32 value, u32 position) {
        open_spans_[value].begin = position;
        lifetimes_.spans_of_values[value].push_back(open_spans_[value]);
        open_spans_[value] = {};
        live_values_.erase(std::find(live_values_.begin(), live_values_.end(), value));
    }

    const MachineCode& code_;
    const bool keeps_written_order_;
    Lifetimes lifetimes_;
    std::vector<Span>
        open_spans_;  ///< for each value, the live range whose start has not been found yet
    std::vector<u32> live_values_;  ///< the values in `open_spans_`
    u32 end_index_ = 0;             ///< the index just after the last instruction of the piece
    /// the last possible position of a late read of a source
    u32 last_read_position_ = 0;
};

}  // namespace

LiveBetweenPieces::LiveBetweenPieces(const MachineCode& code)
    : live_(code.values.size(), code.pieces,
            [](const MachinePiece& piece, auto read, auto overwrite) {
                for (const MachineInstruction& i : piece.code) {
                    for (u32 v : i.reads) read(v);
                    if (i.is_guarded) continue;
                    for (u32 v : i.writes) overwrite(v);
                }
            }),
      maybe_written_before_(code.pieces.size(), live_.empty_set()),
      maybe_written_after_(maybe_written_before_) {
    find_written_values(code.pieces);
}

LiveBetweenPieces::Bits LiveBetweenPieces::intersect(Bits a, const Bits& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] &= b[k];
    return a;
}

/// Finds, at each piece, the values that some path from the function's start has written. A value
/// that no path has written is not live even if it is read later, because only lanes that write it
/// will read it. (Observed in ptxas with loads that lanes can skip by a branch, after code that
/// needs as many registers as the loaded values. If the loads are predicated instead, they are in
/// the same piece as that code, and their results occupy registers from the start of the piece.)
void LiveBetweenPieces::find_written_values(const std::vector<MachinePiece>& pieces) {
    for (std::size_t p = 0; p < pieces.size(); ++p)
        for (const MachineInstruction& i : pieces[p].code)
            for (u32 v : i.writes) live_.add(maybe_written_after_[p], v);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t p = 0; p < pieces.size(); ++p)
            for (u32 next : pieces[p].successors)
                for (std::size_t k = 0; k < maybe_written_after_[p].size(); ++k) {
                    const u64 added_bits =
                        maybe_written_after_[p][k] & ~maybe_written_before_[next][k];
                    maybe_written_before_[next][k] |= added_bits;
                    maybe_written_after_[next][k] |= added_bits;
                    changed |= added_bits != 0;
                }
    }
}

Lifetimes find_lifetimes(const MachineCode& code, const LiveBetweenPieces& live_between_pieces,
                         const std::vector<std::vector<u32>>& orders, bool keeps_written_order) {
    LifetimeFinder finder(code, keeps_written_order);
    for (std::size_t p = 0; p < orders.size(); ++p)
        finder.add_piece(code.pieces[p], orders[p],
                         live_between_pieces.list_values(live_between_pieces.live_at_end(p)));
    return finder.take_lifetimes();
}

}  // namespace coalesce::simulator
