#include "program/machine_code.h"

#include <algorithm>
#include <map>
#include <set>

#include "execute/describe.h"
#include "program/machine_values.h"

namespace coalesce::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// Instructions of a block that becomes guarded ones.
constexpr u32 kGuardedMost = 8;
/// Instructions of a loop that is unrolled, and how many turns then follow each other.
constexpr std::size_t kUnrolledMost = 40;
constexpr int kTurns = 4;
/// From reading a constant to the first instruction that may use it.
constexpr u32 kConstantLatency = 20;
constexpr u32 kMoveLatency = 5;

class MachineCodeMaker {
public:
    MachineCodeMaker(const ptx::Function& function, const ControlFlow& flow,
                     const Registers& registers)
        : function_(function),
          blocks_(flow.blocks()),
          registers_(registers),
          values_(function, registers) {
        made_.words = values_.words();
    }

    MachineCode run() {
        count_ways_in();
        std::vector<u32> piece_of(blocks_.size(), 0);
        struct Range {
            u32 first, last;  // blocks
        };
        std::vector<Range> ranges;
        for (u32 b = 0; b < blocks_.size(); b = ranges.back().last + 1) {
            MachinePiece piece;
            const u32 last = fill(piece, b);
            for (u32 k = b; k <= last; ++k) piece_of[k] = static_cast<u32>(ranges.size());
            ranges.push_back({b, last});
            made_.pieces.push_back(std::move(piece));
        }
        for (u32 p = 0; p < ranges.size(); ++p) {
            MachinePiece& piece = made_.pieces[p];
            for (u32 next : blocks_[ranges[p].last].next) piece.next.push_back(piece_of[next]);
            const u32 begin = blocks_[ranges[p].first].begin, end = blocks_[ranges[p].last].end;
            if (piece.code.empty() || !is_among(p, piece.next)) continue;
            if (may_be_unrolled(piece) && !is_kept_rolled(begin, end)) unroll(piece);
        }
        return std::move(made_);
    }

private:
    static bool is_among(u32 number, const std::vector<u32>& numbers) {
        return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    }

    // ---- pieces ----

    void count_ways_in() {
        ways_in_.assign(blocks_.size(), 0);
        for (const BasicBlock& block : blocks_)
            for (u32 next : block.next) ++ways_in_[next];
    }

    /// The piece that begins with a block; returns its last block.
    u32 fill(MachinePiece& piece, u32 first) {
        add_block(piece, first);
        for (u32 last = first;;) {
            const u32 joined = goes_on_to(last);
            if (joined == last) return last;
            for (u32 k = last + 1; k <= joined; ++k) {
                drop_branch(piece);
                add_block(piece, k);
            }
            last = joined;
        }
    }

    /// The block up to which a piece that has come to block `b` goes on: `b` itself, where it ends.
    u32 goes_on_to(u32 b) const {
        const std::vector<u32>& next = blocks_[b].next;
        if (next.size() == 1 && next[0] == b + 1 && ways_in_[b + 1] == 1) return b + 1;
        const bool skips_one = next.size() == 2 && next[0] == b + 2 && next[1] == b + 1;
        if (!skips_one || ways_in_[b + 1] != 1 || ways_in_[b + 2] != 2) return b;
        const std::vector<u32>& then = blocks_[b + 1].next;
        if (then.size() != 1 || then[0] != b + 2) return b;
        // Lanes that skip what is left of a kernel just end.
        return is_end(blocks_[b + 2]) || !is_short(blocks_[b + 1]) ? b : b + 2;
    }
    bool is_end(const BasicBlock& block) const {
        for (u32 at = block.begin; at < block.end; ++at) {
            const Instruction& i = function_.body[at];
            if (i.label.empty()) return i.opcode == "ret" || i.opcode == "exit";
        }
        return false;
    }
    bool is_short(const BasicBlock& block) const {
        u32 count = 0;
        for (u32 at = block.begin; at < block.end; ++at) {
            if (values_.leaves_nothing(at)) continue;
            const Instruction& i = function_.body[at];
            if (memory_effect(i) == MemoryEffect::fence) return false;
            if (ends_straight_code(i) && at + 1 != block.end) return false;
            ++count;
        }
        return count <= kGuardedMost;
    }
    void drop_branch(MachinePiece& piece) const {
        if (!piece.code.empty() && function_.body[piece.code.back().source].opcode == "bra")
            piece.code.pop_back();
    }

    // ---- instructions ----

    void add_block(MachinePiece& piece, u32 b) {
        for (u32 at = blocks_[b].begin; at < blocks_[b].end; ++at)
            if (!values_.leaves_nothing(at)) add_instruction(piece, at);
    }

    void add_instruction(MachinePiece& piece, u32 at) {
        const Instruction& i = function_.body[at];
        MachineInstruction made;
        made.source = at;
        made.memory = memory_effect(i);
        made.space = space_of(i);
        made.is_fixed = ends_straight_code(i) || made.memory == MemoryEffect::fence;
        made.is_guarded = i.guard.has_value();
        made.latency = latency_of(i);
        made.reads_late = is_access(i) || i.opcode == "cp" || made.latency > 8;
        made.words_inside = words_inside(i);
        made.reads = values_.read_by(i);
        made.writes = values_.written_by(i);
        put_together(piece, made);
        for (u32 words : values_.brought_for(i)) {
            if (is_access(i))
                made.words_inside += words;  // put there at the last moment
            else
                made.reads.push_back(add_move(piece, at, words, kConstantLatency, {}));
        }
        piece.code.push_back(std::move(made));
    }

    /// Moves the elements of a vector that is stored to registers side by side.
    void put_together(MachinePiece& piece, MachineInstruction& store) {
        const std::vector<u32> elements = values_.put_together_for(function_.body[store.source]);
        if (elements.empty()) return;
        u32 words = 0;
        for (const Operand& operand : function_.body[store.source].operands)
            if (operand.kind == Operand::Kind::vector)
                words += static_cast<u32>(operand.elements.size());
        // The first of those that are made of the same vectors takes their place.
        if (taken_apart_.insert(elements).second) words = 0;
        const u32 vector = add_move(piece, store.source, words, kMoveLatency, elements);
        piece.code.back().is_urgent = true;
        std::erase_if(store.reads, [&](u32 value) { return is_among(value, elements); });
        store.reads.push_back(vector);
    }

    /// An instruction that writes a new value of so many words, which it returns.
    u32 add_move(MachinePiece& piece, u32 source, u32 words, u32 latency, std::vector<u32> reads) {
        MachineInstruction move;
        move.source = source;
        move.latency = latency;
        move.reads = std::move(reads);
        move.writes.push_back(new_value(words));
        piece.code.push_back(move);
        return move.writes[0];
    }
    u32 new_value(u32 words) {
        made_.words.push_back(words);
        return static_cast<u32>(made_.words.size() - 1);
    }

    // ---- loops ----

    /// A piece that goes back to its own beginning, for a number of turns that is counted by a constant.
    bool may_be_unrolled(const MachinePiece& piece) const {
        if (piece.code.size() > kUnrolledMost) return false;
        for (const MachineInstruction& i : piece.code)
            if (i.is_fixed && &i != &piece.code.back()) return false;
        const Instruction& branch = function_.body[piece.code.back().source];
        if (branch.opcode != "bra" || !branch.guard) return false;
        const Instruction* decides = writer(piece, registers_.root[*branch.guard]);
        if (!decides || decides->opcode != "setp") return false;
        return std::any_of(decides->operands.begin(), decides->operands.end(),
                           [&](const Operand& operand) {
                               return operand.kind == Operand::Kind::reg &&
                                      steps_by_constant(piece, registers_.root[operand.reg]);
                           });
    }
    const Instruction* writer(const MachinePiece& piece, u32 value) const {
        for (const MachineInstruction& i : piece.code)
            if (is_among(value, i.writes)) return &function_.body[i.source];
        return nullptr;
    }
    /// NVIDIA's compiler adds to the counter itself, clang to a copy of it.
    bool steps_by_constant(const MachinePiece& piece, u32 value) const {
        const Instruction* writes = writer(piece, value);
        if (writes && writes->opcode == "mov" && writes->operands.size() > 1 &&
            writes->operands[1].kind == Operand::Kind::reg)
            writes = writer(piece, registers_.root[writes->operands[1].reg]);
        return writes && writes->opcode == "add" &&
               std::any_of(writes->operands.begin(), writes->operands.end(),
                           [](const Operand& o) { return o.kind == Operand::Kind::immediate; });
    }
    bool is_kept_rolled(u32 begin, u32 end) const {
        return std::any_of(function_.not_unrolled.begin(), function_.not_unrolled.end(),
                           [&](u32 at) { return at >= begin && at < end; });
    }

    /// Some turns one after the other. What one turn leaves to the next has a name for each turn.
    void unroll(MachinePiece& piece) {
        std::vector<MachineInstruction> turn = std::move(piece.code);
        const MachineInstruction branch = std::move(turn.back());
        turn.pop_back();
        piece.code.clear();
        std::map<u32, u32> names;
        for (int k = 0; k < kTurns; ++k) {
            for (MachineInstruction i : turn) {
                for (u32& value : i.reads)
                    if (const auto name = names.find(value); name != names.end())
                        value = name->second;
                for (u32& value : i.writes) {
                    if (k + 1 == kTurns) {
                        names.erase(value);
                        continue;
                    }
                    const u32 name = new_value(made_.words[value]);
                    names[value] = name;
                    value = name;
                }
                piece.code.push_back(std::move(i));
            }
        }
        piece.code.push_back(branch);
    }

    const ptx::Function& function_;
    const std::vector<BasicBlock>& blocks_;
    const Registers& registers_;
    const MachineValues values_;
    std::vector<u32> ways_in_;  ///< to each block
    std::set<std::vector<u32>> taken_apart_;
    MachineCode made_;
};

}  // namespace

MachineCode machine_code(const ptx::Function& function, const ControlFlow& flow,
                         const Registers& registers) {
    return MachineCodeMaker(function, flow, registers).run();
}

}  // namespace coalesce::sim
