#include "simulator/lowering/register_slots.h"

#include "simulator/execute/warp.h"

namespace coalesce::simulator {

std::vector<Liveness::Range> lifetimes(const Registers& registers, const Liveness& liveness) {
    std::vector<Liveness::Range> lives(registers.root.size());
    for (u32 r = 0; r < registers.root.size(); ++r) lives[registers.root[r]].add(liveness.range(r));
    return lives;
}

Slot SlotPool::take(Width width) {
    auto& pool = free_[static_cast<int>(width)];
    if (!pool.empty()) {
        const Slot slot = pool.back();
        pool.pop_back();
        return slot;
    }
    return take_permanently(width);
}

Slot SlotPool::take_permanently(Width width) {
    const Slot slot{top_, kOwnFile};
    all_slots_.push_back({top_, bytes_of(width)});
    top_ += bytes_of(width);
    return slot;
}

void SlotPool::give_back(Slot slot, Width width) {
    if (reuses_) free_[static_cast<int>(width)].push_back(slot);
}

}  // namespace coalesce::simulator
