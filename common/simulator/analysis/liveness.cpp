#include "analysis/liveness.h"

#include <algorithm>
#include <bit>
#include <set>

#include "analysis/register_use.h"

namespace coalesce::sim {
namespace {

constexpr u32 kNone = ~0u;

bool has(const std::vector<u64>& bits, u32 k) {
    return bits[k / 64] >> (k % 64) & 1;
}
void add(std::vector<u64>& bits, u32 k) {
    bits[k / 64] |= u64{1} << (k % 64);
}

}  // namespace

void Liveness::Range::add(u32 at) {
    begin = std::min(begin, at);
    end = std::max(end, at);
}

void Liveness::Range::add(const Range& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
}

Liveness::Liveness(const ptx::Function& function, const ControlFlow& flow)
    : function_(function), flow_(flow), ranges_(function.registers.size()) {
    number_registers();
    look_at_each_block();
    follow_the_graph();
    find_ranges();
}

/// Most registers live and die within one block; only the others get a bit in every set.
void Liveness::number_registers() {
    number_.assign(function_.registers.size(), kNone);
    std::vector<u32> written_in(function_.registers.size(), kNone);
    for (u32 b = 0; b < flow_.blocks().size(); ++b) {
        const BasicBlock& block = flow_.blocks()[b];
        for (u32 at = block.begin; at < block.end; ++at) {
            const ptx::Instruction& i = function_.body[at];
            for (u32 r : registers_read(i)) {
                if (written_in[r] == b || number_[r] != kNone) continue;
                number_[r] = static_cast<u32>(registers_.size());
                registers_.push_back(r);
            }
            if (i.guard) continue;
            for (u32 r : registers_written(i)) written_in[r] = b;
        }
    }
}

void Liveness::look_at_each_block() {
    const Bits none((registers_.size() + 63) / 64, 0);
    blocks_.assign(flow_.blocks().size(), {none, none});
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const BasicBlock& block = flow_.blocks()[b];
        for (u32 at = block.begin; at < block.end; ++at) {
            const ptx::Instruction& i = function_.body[at];
            for (u32 r : registers_read(i))
                if (number_[r] != kNone && !has(blocks_[b].overwritten, number_[r]))
                    add(blocks_[b].alive_at_begin, number_[r]);
            if (i.guard) continue;
            for (u32 r : registers_written(i))
                if (number_[r] != kNone) add(blocks_[b].overwritten, number_[r]);
        }
    }
}

void Liveness::follow_the_graph() {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = blocks_.size(); b-- > 0;) {
            const Bits at_end = alive_at_end(b);
            for (std::size_t k = 0; k < at_end.size(); ++k) {
                u64& at_begin = blocks_[b].alive_at_begin[k];
                const u64 more = at_end[k] & ~blocks_[b].overwritten[k] & ~at_begin;
                at_begin |= more;
                changed |= more != 0;
            }
        }
    }
}

Liveness::Bits Liveness::alive_at_end(std::size_t block) const {
    Bits alive((registers_.size() + 63) / 64, 0);
    for (u32 next : flow_.blocks()[block].next)
        for (std::size_t k = 0; k < alive.size(); ++k) alive[k] |= blocks_[next].alive_at_begin[k];
    return alive;
}

void Liveness::find_ranges() {
    for (u32 at = 0; at < function_.body.size(); ++at) {
        for (u32 r : registers_read(function_.body[at])) ranges_[r].add(at);
        for (u32 r : registers_written(function_.body[at])) ranges_[r].add(at);
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const BasicBlock& block = flow_.blocks()[b];
        const auto add_all = [&](const Bits& bits, u32 at) {
            for (u32 word = 0; word < bits.size(); ++word)
                for (u64 rest = bits[word]; rest; rest &= rest - 1)
                    ranges_[registers_[64 * word + static_cast<u32>(std::countr_zero(rest))]].add(
                        at);
        };
        add_all(blocks_[b].alive_at_begin, block.begin);
        add_all(alive_at_end(b), block.end - 1);
    }
}

std::vector<u32> Liveness::alive_behind(u32 instruction, const std::vector<u32>& candidates) const {
    std::vector<u32> alive;
    std::set<u32> open(candidates.begin(), candidates.end());  // used or written next?
    const BasicBlock& block = flow_.block_at(instruction);
    for (u32 at = instruction + 1; at < block.end && !open.empty(); ++at) {
        const ptx::Instruction& i = function_.body[at];
        for (u32 r : registers_read(i))
            if (open.erase(r)) alive.push_back(r);
        if (i.guard) continue;
        for (u32 r : registers_written(i)) open.erase(r);
    }
    const Bits at_end = alive_at_end(static_cast<std::size_t>(&block - flow_.blocks().data()));
    for (u32 r : open)
        if (number_[r] != kNone && has(at_end, number_[r])) alive.push_back(r);
    return alive;
}

}  // namespace coalesce::sim
