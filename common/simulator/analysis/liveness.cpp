#include "simulator/analysis/liveness.h"

#include <algorithm>
#include <set>

#include "simulator/analysis/register_use.h"

namespace coalesce::simulator {
void Liveness::Range::add(u32 instruction) {
    begin = std::min(begin, instruction);
    end = std::max(end, instruction);
}

void Liveness::Range::add(const Range& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
}

Liveness::Liveness(const ptx::Function& function, const ControlFlow& flow)
    : function_(function),
      flow_(flow),
      live_values_(function.registers.size(), flow.blocks(),
                   [&](const BasicBlock& block, auto read, auto overwrite) {
                       for (u32 at = block.begin; at < block.end; ++at) {
                           const ptx::Instruction& i = function.body[at];
                           for (u32 r : list_read_registers(i)) read(r);
                           if (i.guard) continue;
                           for (u32 r : list_written_registers(i)) overwrite(r);
                       }
                   }),
      live_ranges_(function.registers.size()) {
    for (u32 at = 0; at < function.body.size(); ++at) {
        for (u32 r : list_read_registers(function.body[at])) live_ranges_[r].add(at);
        for (u32 r : list_written_registers(function.body[at])) live_ranges_[r].add(at);
    }
    for (std::size_t b = 0; b < flow.blocks().size(); ++b) {
        const BasicBlock& block = flow.blocks()[b];
        for (u32 r : live_values_.list_values(live_values_.live_at_begin(b)))
            live_ranges_[r].add(block.begin);
        for (u32 r : live_values_.list_values(live_values_.live_at_end(b)))
            live_ranges_[r].add(block.end - 1);
    }
}

std::vector<u32> Liveness::live_after(u32 instruction, const std::vector<u32>& candidates) const {
    std::vector<u32> live_registers;
    // The candidates that have so far been neither read nor written.
    std::set<u32> undecided(candidates.begin(), candidates.end());
    const BasicBlock& block = flow_.block_at(instruction);
    for (u32 at = instruction + 1; at < block.end && !undecided.empty(); ++at) {
        const ptx::Instruction& i = function_.body[at];
        for (u32 r : list_read_registers(i))
            if (undecided.erase(r)) live_registers.push_back(r);
        if (i.guard) continue;
        for (u32 r : list_written_registers(i)) undecided.erase(r);
    }
    const auto at_end =
        live_values_.live_at_end(static_cast<std::size_t>(&block - flow_.blocks().data()));
    for (u32 r : undecided)
        if (live_values_.has(at_end, r)) live_registers.push_back(r);
    return live_registers;
}

}  // namespace coalesce::simulator
