#include "simulator/analysis/alive_values.h"

#include <bit>

namespace coalesce::simulator {

LiveValues::Bits LiveValues::at_end(std::size_t piece) const {
    Bits alive = none();
    for (u32 next : next_[piece])
        for (std::size_t k = 0; k < alive.size(); ++k) alive[k] |= begin_[next][k];
    return alive;
}

std::vector<u32> LiveValues::list_values(const Bits& bits) const {
    std::vector<u32> values;
    for (std::size_t k = 0; k < bits.size(); ++k)
        for (u64 rest = bits[k]; rest; rest &= rest - 1)
            values.push_back(values_[64 * k + static_cast<u32>(std::countr_zero(rest))]);
    return values;
}

void LiveValues::number(u32 value) {
    if (number_[value] != kNone) return;
    number_[value] = static_cast<u32>(values_.size());
    values_.push_back(value);
}

void LiveValues::follow(const std::vector<Bits>& overwritten) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t p = begin_.size(); p-- > 0;) {
            const Bits end = at_end(p);
            for (std::size_t k = 0; k < end.size(); ++k) {
                const u64 more = end[k] & ~overwritten[p][k] & ~begin_[p][k];
                begin_[p][k] |= more;
                changed |= more != 0;
            }
        }
    }
}

}  // namespace coalesce::simulator
