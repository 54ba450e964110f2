#include "program/work_meanwhile.h"

#include <algorithm>

#include "program/machine_instruction.h"
#include "ptx/instruction_parts.h"

namespace coalesce::sim {

using ptx::Instruction;

namespace {

/// Fewer instructions than that do not pay.
constexpr u32 kLeastSteps = 3;

bool is_any_among(const std::vector<u32>& values, const std::set<u32>& among) {
    return std::any_of(values.begin(), values.end(), [&](u32 v) { return among.contains(v); });
}

}  // namespace

u32 steps_of(const Instruction& i, const MachineValues& values) {
    constexpr u32 kProduct = 4, kHalves = 2;
    if (!is_of_64_bits(i) || is_one_of(i.opcode, {"cvt", "cvta"})) return 1;
    if (is_one_of(i.opcode, {"mul", "mad"})) return kProduct;
    return values.is_in_halves(i) ? kHalves : 1;
}

bool WorkMeanwhile::is_enough(const BasicBlock& block, u32 first, u32 end) {
    look_at(block);
    count_before(first, block);
    count_behind(block, end);
    return is_found();
}

void WorkMeanwhile::look_at(const BasicBlock& block) {
    for (u32 at = block.begin; at < block.end; ++at) {
        if (values_.leaves_nothing(at)) continue;
        const Instruction& i = function_.body[at];
        const std::vector<u32> read = values_.read_by(i), written = values_.written_by(i);
        needed_.insert(read.begin(), read.end());
        const bool loads = is_far_load(i);
        if (!loads && !is_any_among(read, late_)) continue;
        late_.insert(written.begin(), written.end());
        if (!loads && memory_effect(i) != MemoryEffect::none) accesses_.push_back(&i);
    }
}

void WorkMeanwhile::count_before(u32 first, const BasicBlock& block) {
    bool is_before_fence = false;
    for (u32 at = block.begin; at-- > first && !is_found();) {
        if (values_.leaves_nothing(at)) continue;
        const Instruction& i = function_.body[at];
        const MemoryEffect effect = memory_effect(i);
        is_before_fence |= effect == MemoryEffect::fence;
        const bool is_done_before =
            effect != MemoryEffect::none && (effect != MemoryEffect::load || is_before_fence);
        if (is_done_before || ends_straight_code(i) ||
            is_any_among(values_.written_by(i), needed_)) {
            const std::vector<u32> read = values_.read_by(i);
            needed_.insert(read.begin(), read.end());
        } else {
            count(i);
        }
    }
}

void WorkMeanwhile::count_behind(const BasicBlock& block, u32 end) {
    bool is_behind_fence = false;
    for (u32 at = block.end; at < end && !is_found(); ++at) {
        const Instruction& i = function_.body[at];
        if (values_.leaves_nothing(at) || ends_straight_code(i)) continue;
        const MemoryEffect effect = memory_effect(i);
        if (effect == MemoryEffect::fence) {
            is_behind_fence |= !accesses_.empty();
        } else if (waits(i) || (is_behind_fence && effect != MemoryEffect::none)) {
            const std::vector<u32> written = values_.written_by(i);
            late_.insert(written.begin(), written.end());
            if (effect != MemoryEffect::none) accesses_.push_back(&i);
        } else {
            count(i);
        }
    }
}

/// For a load, or for an access that it must not pass and that does.
bool WorkMeanwhile::waits(const Instruction& i) const {
    if (is_any_among(values_.read_by(i), late_)) return true;
    const MemoryEffect effect = memory_effect(i);
    return effect != MemoryEffect::none &&
           std::any_of(accesses_.begin(), accesses_.end(), [&](const Instruction* other) {
               const bool both_load =
                   effect == MemoryEffect::load && memory_effect(*other) == MemoryEffect::load;
               return !both_load && may_overlap(space_of(i), space_of(*other));
           });
}

void WorkMeanwhile::count(const Instruction& i) {
    loads_ |= is_far_load(i);
    steps_ += steps_of(i, values_) + static_cast<u32>(values_.brought_for(i).size());
}
bool WorkMeanwhile::is_found() const {
    return loads_ || steps_ >= kLeastSteps;
}

}  // namespace coalesce::sim
