#include "simulator/analysis/alive_values.h"

#include <bit>

namespace coalesce::simulator {

LiveValues::Bits LiveValues::live_at_end(std::size_t block) const {
    Bits live_values = empty_set();
    for (u32 successor : successors_[block])
        for (std::size_t k = 0; k < live_values.size(); ++k)
            live_values[k] |= live_at_begin_[successor][k];
    return live_values;
}

std::vector<u32> LiveValues::list_values(const Bits& bits) const {
    std::vector<u32> values;
    for (std::size_t k = 0; k < bits.size(); ++k)
        for (u64 remaining_bits = bits[k]; remaining_bits; remaining_bits &= remaining_bits - 1)
            values.push_back(
                bit_values_[64 * k + static_cast<u32>(std::countr_zero(remaining_bits))]);
    return values;
}

void LiveValues::assign_bit(u32 value) {
    if (bit_index_[value] != kNone) return;
    bit_index_[value] = static_cast<u32>(bit_values_.size());
    bit_values_.push_back(value);
}

void LiveValues::propagate_liveness(const std::vector<Bits>& overwritten) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t p = live_at_begin_.size(); p-- > 0;) {
            const Bits values_at_end = live_at_end(p);
            for (std::size_t k = 0; k < values_at_end.size(); ++k) {
                const u64 added_bits =
                    values_at_end[k] & ~overwritten[p][k] & ~live_at_begin_[p][k];
                live_at_begin_[p][k] |= added_bits;
                changed |= added_bits != 0;
            }
        }
    }
}

}  // namespace coalesce::simulator
