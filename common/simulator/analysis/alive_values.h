// Computes which values are live at the start and at the end of each block of a program. A block is
// either a basic block, whose values are registers, or a block of machine code, whose values are
// those that need hardware registers.
//
// Idea   A value is live if it may still be read before it is overwritten. The analysis iterates
//        backwards over the control-flow graph until it reaches a fixed point. Most values are live
//        only within a single block. Therefore, the sets have bits only for values that are live at
//        the start of some block.
#pragma once

#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

class LiveValues {
public:
    using Bits = std::vector<u64>;

    /// Computes which of the values 0 to `value_count` - 1 are live at the start and at the end of
    /// each block. `Block::successors` must list the blocks that may run after a block.
    /// `for_each_access(block, read, overwrite)` must visit the accesses of a block in program
    /// order. It must call `read(value)` for each read, and `overwrite(value)` for each write that
    /// changes the value in all lanes.
    template <class Block, class ForEachAccess>
    LiveValues(std::size_t value_count, const std::vector<Block>& blocks,
               ForEachAccess for_each_access)
        : bit_index_(value_count, kNone) {
        std::vector<u32> last_writing_block(value_count, kNone);
        for (u32 p = 0; p < blocks.size(); ++p) {
            successors_.push_back(blocks[p].successors);
            const auto read = [&](u32 v) {
                if (last_writing_block[v] != p) assign_bit(v);
            };
            for_each_access(blocks[p], read, [&](u32 v) { last_writing_block[v] = p; });
        }
        live_at_begin_.assign(blocks.size(), empty_set());
        std::vector<Bits> overwritten = live_at_begin_;
        for (u32 p = 0; p < blocks.size(); ++p) {
            const auto read = [&](u32 v) {
                if (!has(overwritten[p], v)) add(live_at_begin_[p], v);
            };
            for_each_access(blocks[p], read, [&](u32 v) { add(overwritten[p], v); });
        }
        propagate_liveness(overwritten);
    }

    const Bits& live_at_begin(std::size_t block) const { return live_at_begin_[block]; }
    Bits live_at_end(std::size_t block) const;

    Bits empty_set() const { return Bits((bit_values_.size() + 63) / 64, 0); }
    bool has(const Bits& bits, u32 value) const {
        return bit_index_[value] != kNone &&
               bits[bit_index_[value] / 64] >> (bit_index_[value] % 64) & 1;
    }
    /// Adds `value` to the set `bits`. Does nothing if the value has no bit.
    void add(Bits& bits, u32 value) const {
        if (bit_index_[value] != kNone)
            bits[bit_index_[value] / 64] |= u64{1} << (bit_index_[value] % 64);
    }
    std::vector<u32> list_values(const Bits& bits) const;

private:
    void assign_bit(u32 value);
    void propagate_liveness(const std::vector<Bits>& overwritten);

    /// For each value, the index of its bit in a set. Values that are never live at the start of a
    /// block have no bit (kNone).
    std::vector<u32> bit_index_;
    std::vector<u32> bit_values_;  ///< for each bit of a set, the value that it stands for
    std::vector<std::vector<u32>> successors_;  ///< for each block, its successors
    std::vector<Bits> live_at_begin_;           ///< for each block, the values live at its start
};

}  // namespace coalesce::simulator
