#include "program/register_slots.h"

#include <algorithm>

namespace coalesce::sim {
namespace {

void touch(Lifetime& life, u32 at, bool is_read) {
    if (life.begin == ~0u) {
        life.begin = at;
        life.used_before_written = is_read;
    }
    life.end = at;
}

/// True when the lifetime had to grow.
bool extend_over(Lifetime& life, const LoopRange& loop) {
    if (life.begin > life.end) return false;  // never used
    const bool overlaps = life.begin <= loop.to && life.end >= loop.from;
    if (!overlaps) return false;
    const bool enters = life.begin < loop.from;
    const bool carried = life.begin >= loop.from && life.used_before_written;
    if (!enters && !carried) return false;
    const Lifetime before = life;
    if (carried) life.begin = loop.from;
    life.end = std::max(life.end, loop.to);
    return life.begin != before.begin || life.end != before.end;
}

}  // namespace

std::vector<LoopRange> loops_of(const ptx::Function& function) {
    std::vector<LoopRange> loops;
    const auto add = [&](const std::string& label, u32 at) {
        const auto target = function.labels.find(label);
        if (target != function.labels.end() && target->second <= at)
            loops.push_back({target->second, at});
    };
    for (u32 at = 0; at < function.body.size(); ++at) {
        const ptx::Instruction& i = function.body[at];
        if (i.opcode == "bra" && !i.operands.empty()) add(i.operands[0].name, at);
        if (i.opcode == "brx" && i.operands.size() > 1) {
            const auto list = function.target_lists.find(i.operands[1].name);
            if (list == function.target_lists.end()) continue;
            for (const std::string& label : list->second) add(label, at);
        }
    }
    return loops;
}

std::vector<Lifetime> lifetimes(const ptx::Function& function, const Registers& registers,
                                const std::vector<LoopRange>& loops) {
    std::vector<Lifetime> lives(function.registers.size());
    for (u32 at = 0; at < function.body.size(); ++at) {
        const ptx::Instruction& i = function.body[at];
        for (u32 r : registers_read(i)) touch(lives[registers.root[r]], at, true);
        for (u32 r : registers_written(i)) touch(lives[registers.root[r]], at, i.guard.has_value());
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const LoopRange& loop : loops)
            for (Lifetime& life : lives) changed |= extend_over(life, loop);
    }
    return lives;
}

u32 bytes_of(Width width) {
    switch (width) {
        case Width::w128: return 16 * kLanes;
        case Width::w64: return 8 * kLanes;
        case Width::w32: return 4 * kLanes;
        default:
            return 64;  // predicates too, which keeps every slot aligned for the host's vectors
    }
}

Slot SlotPool::take(Width width) {
    auto& pool = free_[static_cast<int>(width)];
    if (!pool.empty()) {
        const Slot slot = pool.back();
        pool.pop_back();
        return slot;
    }
    return take_for_good(width);
}

Slot SlotPool::take_for_good(Width width) {
    const Slot slot{top_, kOwnFile};
    top_ += bytes_of(width);
    return slot;
}

void SlotPool::give_back(Slot slot, Width width) {
    free_[static_cast<int>(width)].push_back(slot);
}

}  // namespace coalesce::sim
