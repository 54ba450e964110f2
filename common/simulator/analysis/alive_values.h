// Computes which values are live at the beginning and at the end of each piece of a program:
// registers at basic blocks, and future registers at pieces of machine code.
//
// Idea   A value is live if a path leads to a use of it without meeting a write first. The
//        computation goes backwards over the graph of pieces until nothing changes. Most values
//        live and die within one piece. Only the others have a bit in the sets.
#pragma once

#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

class AliveValues {
public:
    using Bits = std::vector<u64>;

    /// A piece lists its possible successors as `next`. `go_over(piece, read, overwrite)` calls the
    /// two functions with each value that the piece reads, or writes in all lanes, in order.
    template <class Piece, class GoOver>
    AliveValues(std::size_t values, const std::vector<Piece>& pieces, GoOver go_over)
        : number_(values, kNone) {
        std::vector<u32> written_in(values, kNone);
        for (u32 p = 0; p < pieces.size(); ++p) {
            next_.push_back(pieces[p].next);
            const auto read = [&](u32 v) {
                if (written_in[v] != p) number(v);
            };
            go_over(pieces[p], read, [&](u32 v) { written_in[v] = p; });
        }
        begin_.assign(pieces.size(), none());
        std::vector<Bits> overwritten = begin_;
        for (u32 p = 0; p < pieces.size(); ++p) {
            const auto read = [&](u32 v) {
                if (!has(overwritten[p], v)) add(begin_[p], v);
            };
            go_over(pieces[p], read, [&](u32 v) { add(overwritten[p], v); });
        }
        follow(overwritten);
    }

    const Bits& at_begin(std::size_t piece) const { return begin_[piece]; }
    Bits at_end(std::size_t piece) const;

    Bits none() const { return Bits((values_.size() + 63) / 64, 0); }
    bool has(const Bits& bits, u32 value) const {
        return number_[value] != kNone && bits[number_[value] / 64] >> (number_[value] % 64) & 1;
    }
    /// Does nothing if the value has no bit.
    void add(Bits& bits, u32 value) const {
        if (number_[value] != kNone) bits[number_[value] / 64] |= u64{1} << (number_[value] % 64);
    }
    std::vector<u32> values_in(const Bits& bits) const;

private:
    void number(u32 value);
    void follow(const std::vector<Bits>& overwritten);

    /// For a value that some piece reads before it writes it, the number of its bit; otherwise
    /// kNone.
    std::vector<u32> number_;
    std::vector<u32> values_;             ///< the value of each bit
    std::vector<std::vector<u32>> next_;  ///< by piece
    std::vector<Bits> begin_;             ///< by piece
};

}  // namespace coalesce::simulator
