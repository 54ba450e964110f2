// Computes which values are live at the start and at the end of each block of a program. In basic
// blocks, the values are registers. In blocks of machine code, they are the values that need
// hardware registers.
//
// Idea   A value is live if it may still be read before it is overwritten. The analysis iterates
//        backwards over the control-flow graph until it reaches a fixed point. Most values are live
//        only within a single block, so the sets have bits only for values that are live in several
//        blocks.
#pragma once

#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

class LiveValues {
public:
    using Bits = std::vector<u64>;

    /// A `Piece` is a block of the program. Piece::next lists the blocks that may run after it.
    /// `for_each_access(piece, read, overwrite)` visits the accesses of a piece in program order.
    /// It calls `read(value)` for a read, and `overwrite(value)` for a write in all lanes.
    template <class Piece, class ForEachAccess>
    LiveValues(std::size_t values, const std::vector<Piece>& pieces, ForEachAccess for_each_access)
        : number_(values, kNone) {
        std::vector<u32> written_in(values, kNone);
        for (u32 p = 0; p < pieces.size(); ++p) {
            next_.push_back(pieces[p].next);
            const auto read = [&](u32 v) {
                if (written_in[v] != p) number(v);
            };
            for_each_access(pieces[p], read, [&](u32 v) { written_in[v] = p; });
        }
        begin_.assign(pieces.size(), none());
        std::vector<Bits> overwritten = begin_;
        for (u32 p = 0; p < pieces.size(); ++p) {
            const auto read = [&](u32 v) {
                if (!has(overwritten[p], v)) add(begin_[p], v);
            };
            for_each_access(pieces[p], read, [&](u32 v) { add(overwritten[p], v); });
        }
        follow(overwritten);
    }

    const Bits& at_begin(std::size_t piece) const { return begin_[piece]; }
    Bits at_end(std::size_t piece) const;

    Bits none() const { return Bits((values_.size() + 63) / 64, 0); }
    bool has(const Bits& bits, u32 value) const {
        return number_[value] != kNone && bits[number_[value] / 64] >> (number_[value] % 64) & 1;
    }
    /// Adds the value to the set. Values without a bit are ignored.
    void add(Bits& bits, u32 value) const {
        if (number_[value] != kNone) bits[number_[value] / 64] |= u64{1} << (number_[value] % 64);
    }
    std::vector<u32> list_values(const Bits& bits) const;

private:
    void number(u32 value);
    void follow(const std::vector<Bits>& overwritten);

    /// For each value, the index of its bit in a set. Values that are never live at the start of a
    /// block have no bit (kNone).
    std::vector<u32> number_;
    std::vector<u32> values_;             ///< for each bit of a set, its value
    std::vector<std::vector<u32>> next_;  ///< for each block, its successors
    std::vector<Bits> begin_;             ///< for each block, the values live at its start
};

}  // namespace coalesce::simulator
