#include "simulator/lowering/register_slots.h"

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

std::vector<Liveness::Range> find_lifetimes(const Registers& registers, const Liveness& liveness) {
    std::vector<Liveness::Range> live_ranges(registers.root.size());
    for (u32 r = 0; r < registers.root.size(); ++r)
        live_ranges[registers.root[r]].add(liveness.range(r));
    return live_ranges;
}

Slot SlotPool::allocate(Width width) {
    auto& free_slots = free_slots_[static_cast<int>(width)];
    if (!free_slots.empty()) {
        const Slot slot = free_slots.back();
        free_slots.pop_back();
        return slot;
    }
    return allocate_permanently(width);
}

Slot SlotPool::allocate_permanently(Width width) {
    const Slot slot{end_offset_, kOwnFile};
    all_slots_.push_back({end_offset_, slot_bytes(width)});
    end_offset_ += slot_bytes(width);
    return slot;
}

void SlotPool::release(Slot slot, Width width) {
    if (reuses_slots_) free_slots_[static_cast<int>(width)].push_back(slot);
}

}  // namespace coalesce::simulator
