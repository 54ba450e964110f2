#include "simulator/ptxas/machine_code.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/ranges.h"
#include "simulator/analysis/deciding_registers.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/joined_blocks.h"
#include "simulator/ptxas/loop_unroller.h"
#include "simulator/ptxas/machine_values.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

/// The number of register words that an unsigned division by a constant needs in addition to its
/// operands and result. The constant itself is read from the constant bank and needs no register.
constexpr u32 kWordsOfDivisionByConstant = 5;
/// The number of cycles from the load of a constant to the first instruction that may use it.
constexpr u32 kConstantLatency = 8;
constexpr u32 kArithmeticLatency = 4, kMoveLatency = 5, kPredicateLatency = 13;
/// The numbers of cycles that it takes to combine the values of all lanes into one, and to read the
/// lane index. The second number is higher than the real latency, so that the model reads the index
/// as early as ptxas's code does.
constexpr u32 kLaneReductionLatency = 30, kLaneIndexLatency = 200;

/// The offset of an asynchronous copy in global memory must be at least -2048 and less than 2048.
constexpr i64 kMaxCopyOffsetBytes = 2048;

class MachineCodeMaker {
public:
    MachineCodeMaker(const ptx::Function& function, const ControlFlow& flow,
                     const Registers& registers)
        : function_(function),
          flow_(flow),
          blocks_(flow.blocks()),
          values_(function, registers),
          dominators_(flow),
          joined_(joined_blocks(function, flow, values_)) {
        for (u32 v = 0; v < function.registers.size(); ++v)
            machine_code_.values.push_back({values_.words()[v], values_.is_loose(v),
                                            values_.is_half(v), values_.is_loaded_pair(v),
                                            function.registers[v].type == ptx::Type::pred});
        machine_code_.consecutive_values = values_.consecutive_values();
        for (u32 v = 0; v < function.registers.size(); ++v)
            if (const auto extended = values_.find_extended_value(v))
                machine_code_.extends[v] = *extended;
    }

    MachineCode run() {
        if (const u32 words = values_.count_array_words())
            array_value_ = new_value({.words = words, .is_loose = true});
        find_shared_registers();
        examine_graph();
        find_readers();
        piece_of_.assign(blocks_.size(), kNone);
        struct Range {
            u32 first, last;  // the indices of the first and last block
        };
        std::vector<Range> ranges;
        for (u32 b = 0; b < blocks_.size(); b = ranges.back().last + 1) {
            MachinePiece piece;
            const u32 last = fill(piece, b);
            for (u32 k = b; k <= last; ++k) piece_of_[k] = static_cast<u32>(ranges.size());
            ranges.push_back({b, last});
            machine_code_.pieces.push_back(std::move(piece));
        }
        std::vector<u32> loops;
        for (u32 p = 0; p < ranges.size(); ++p) {
            MachinePiece& piece = machine_code_.pieces[p];
            for (u32 next : blocks_[ranges[p].last].next) piece.next.push_back(piece_of_[next]);
            const u32 begin = blocks_[ranges[p].first].begin, end = blocks_[ranges[p].last].end;
            if (piece.code.empty() || !is_among(p, piece.next)) continue;
            if (!must_stay_rolled(begin, end)) loops.push_back(p);
        }
        unroll_loops(function_, loops, machine_code_);
        return std::move(machine_code_);
    }

private:
    // ---- pieces ----

    void examine_graph() {
        for (const BasicBlock& block : blocks_) {
            Loop& loop = loops_[block.loop];
            ++loop.blocks;
            for (u32 at = block.begin; at < block.end; ++at)
                loop.has_fence |= memory_effect(function_.body[at]) == MemoryEffect::fence;
        }
    }

    /// Adds the code of the blocks that form `piece`, beginning with block `first`. Returns the last
    /// of these blocks.
    u32 fill(MachinePiece& piece, u32 first) {
        first_ = first;
        add_block(piece, first);
        for (u32 last = first;;) {
            const u32 joined = joined_[last];
            if (joined == last) return last;
            const std::size_t before = piece.code.size();
            const u32 skips = function_.body[blocks_[last].end - 1].guard.value_or(kNone);
            for (u32 k = last + 1; k <= joined; ++k) {
                drop_branch(piece);
                is_skipped_ = joined == last + 2 && k == last + 1;
                part_ += joined == last + 2;
                add_block(piece, k);
                is_skipped_ = false;
                if (joined == last + 2 && k == last + 1) guard(piece, before, skips, k);
            }
            last = joined;
        }
    }

    /// Predicates the instructions of a block that lanes may skip. The block's loads and stores
    /// must wait for the predicate. In lanes that skip the block, a value that other blocks read
    /// keeps its old contents.
    void guard(MachinePiece& piece, std::size_t first, u32 predicate, u32 block) const {
        for (std::size_t k = first ? first - 1 : 0; k < piece.code.size(); ++k) {
            MachineInstruction& i = piece.code[k];
            for (u32 v : i.writes) i.is_guarded |= is_read_in_other_block(block, v);
            if (i.memory == MemoryEffect::none && !i.reads_late) continue;
            i.reads.push_back(predicate);
            i.is_conditional = true;
        }
    }
    bool is_read_in_other_block(u32 block, u32 value) const {
        return value < reading_block_.size() && reading_block_[value] != kNone &&
               reading_block_[value] != block;
    }
    void find_readers() {
        constexpr u32 kMany = kNone - 1;
        reading_block_.assign(function_.registers.size(), kNone);
        for (u32 b = 0; b < blocks_.size(); ++b)
            for (u32 at = blocks_[b].begin; at < blocks_[b].end; ++at) {
                if (values_.leaves_nothing(at)) continue;
                for (u32 v : values_.find_read_values(function_.body[at]))
                    reading_block_[v] =
                        reading_block_[v] == kNone || reading_block_[v] == b ? b : kMany;
            }
    }

    void drop_branch(MachinePiece& piece) const {
        if (piece.code.empty() || function_.body[piece.code.back().source].opcode != "bra") return;
        piece.code.pop_back();
        ++piece.dropped_branches;
    }

    // ---- instructions ----

    void add_block(MachinePiece& piece, u32 b) {
        block_ = b;
        for (u32 at = blocks_[b].begin; at < blocks_[b].end; ++at)
            if (!values_.leaves_nothing(at)) add_instruction(piece, at);
    }

    /// Finds values that share a register with another value. If an instruction selects one of two
    /// loaded values, the second load is executed conditionally and overwrites the first value.
    void find_shared_registers() {
        for (u32 at = 0; at < function_.body.size(); ++at) {
            const Instruction& i = function_.body[at];
            const u32 to = values_.is_rounded_in_place(at) ? i.operands[0].reg : kNone;
            if (to != kNone) shares_register_with_[i.operands[1].reg] = to;
            for (const auto& [loaded, known] : values_.find_known_values(at)) {
                shares_register_with_[loaded] = known;
                loads_in_registers_.insert(at);
            }
            const auto load = values_.find_conditional_load(at);
            if (!load || is_known(i.operands[1]) || is_known(i.operands[2])) continue;
            conditional_load_[at] = *load;
            delayed_loads_.insert(*load);
            for (std::size_t k = 1; k <= 2; ++k)
                shares_register_with_[i.operands[k].reg] = i.operands[0].reg;
        }
    }
    bool is_known(const Operand& loaded) const {
        return shares_register_with_.contains(loaded.reg);
    }
    void replace_by_shared_registers(std::vector<u32>& values) const {
        for (u32& v : values)
            for (auto same = shares_register_with_.find(v); same != shares_register_with_.end();
                 same = shares_register_with_.find(v))
                v = same->second;
    }
    void add_conditional_load(MachinePiece& piece, u32 at) {
        const Operand& by = function_.body[at].operands[3];
        const u32 chooses = by.reg;
        u32 predicate = chooses;
        if (function_.body[at].opcode == "slct")
            predicate = add_move(piece, at, 0, kPredicateLatency, {chooses});
        delayed_loads_.erase(conditional_load_[at]);
        add_instruction(piece, conditional_load_[at]);
        piece.code.back().is_guarded = true;
        piece.code.back().reads.push_back(predicate);
    }

    void add_instruction(MachinePiece& piece, u32 at) {
        if (delayed_loads_.contains(at) || loads_in_registers_.contains(at)) return;
        if (conditional_load_.contains(at)) return add_conditional_load(piece, at);
        const Instruction& i = function_.body[at];
        MachineInstruction made;
        made.source = at;
        made.part = part_;
        made.memory = memory_effect(i);
        const bool is_everywhere = made.memory == MemoryEffect::fence || i.opcode == "mov";
        made.space = is_everywhere ? ptx::StateSpace::generic : space_of(i);
        made.is_fixed = ends_straight_code(i) || has_branches_inside(i) || reads_clock(i);
        made.waits_for_reads = waits_for_reads(i);
        made.is_guarded = made.is_conditional = i.guard.has_value();
        made.latency = latency_of(i);
        made.is_copy = i.opcode == "cp";
        made.is_access = is_access(i) || made.is_copy;
        made.reads_late =
            made.is_access || (made.latency > 8 && !is_one_of(i.opcode, {"set", "setp"}));
        made.internal_words = values_.has_fixed_stride(i) ? 0 : internal_words(i);
        made.odd_internal_words = count_odd_internal_words(i);
        if (made.odd_internal_words && values_.divides_by_constant(i))
            made.internal_words = kWordsOfDivisionByConstant;
        if (calls_shared_routine(i)) made.internal_words += words_of_result(i);
        made.reads_texels = is_texel_access(i);
        made.is_in_halves = values_.is_in_halves(i);
        made.rereads_lower_half = values_.has_folded_operand(i, "shl");
        made.place = values_.place_of(i);
        made.reads = values_.find_read_values(i);
        made.writes = values_.written_by(i);
        if (made.reads.size() == 1) made.step = constant_added_by(i);
        replace_by_shared_registers(made.reads);
        replace_by_shared_registers(made.writes);
        if (array_value_ != kNone && made.space == ptx::StateSpace::local) use_register_array(made);
        const bool in_one_lane = made.is_access && runs_in_one_lane(i);
        if (values_.adds_for_warp(i) && !in_one_lane) combine_values_of_lanes(piece, made);
        move_to_consecutive_registers(piece, made);
        for (const Constant& constant : values_.find_constants_to_load(i, in_one_lane))
            made.reads.push_back(load_constant(piece, at, constant));
        for (const Constant& constant : values_.find_launch_constants(i))
            if (!is_skipped_)
                used_[constant.name].push_back(block_);
            else if (!is_used_before(constant))
                add_once(made.reads, load_constant(piece, at, constant));
        const bool compares_signed_half = i.opcode == "set" && i.has("s16");
        if (compares_signed_half)  // the machine compares 32 bits
            for (u32& read : made.reads)
                if (machine_code_.values[read].words)
                    read = add_move(piece, at, 1, kMoveLatency, {read});
        if (const u32 second = latency_of_second_step(i)) {
            // The first step of `set` or `redux` writes a predicate or a uniform register, which
            // takes no words.
            const u32 words = is_one_of(i.opcode, {"set", "redux"}) ? 0 : 1;
            made.reads = {add_move(piece, at, words, made.latency, std::move(made.reads))};
            piece.code.back().reads_late = made.reads_late;
            made.reads_late = made.is_in_halves = false;
            made.latency = second;
            if (compares_signed_half)  // the result is sign-extended and moved
                for (const u32 latency : {second, kArithmeticLatency})
                    made.reads = {add_move(piece, at, 1, latency, std::move(made.reads))};
        }
        move_offset_into_range(piece, made);
        add_steps_of_product(piece, made);
        piece.code.push_back(std::move(made));
    }

    static std::optional<i64> constant_added_by(const Instruction& i) {
        if (i.opcode != "add" || !i.operands[2].is_immediate()) return {};
        return static_cast<i64>(i.operands[2].bits);
    }

    /// Computes a new address for an asynchronous copy whose offset is too large, or reuses the
    /// address of an earlier copy that is close enough.
    void move_offset_into_range(MachinePiece& piece, MachineInstruction& copy) {
        const auto is_near = [](i64 offset) {
            return offset >= -kMaxCopyOffsetBytes && offset < kMaxCopyOffsetBytes;
        };
        const AccessPlace from = values_.source_of_copy(function_.body[copy.source]);
        const auto base = std::find(copy.reads.begin(), copy.reads.end(), from.value);
        if (is_near(from.offset) || base == copy.reads.end()) return;
        for (const NearAddress& near : near_addresses_)
            if (near.block == block_ && near.base == from.value &&
                is_near(from.offset - near.offset) && values_.is_written_once(from.value)) {
                *base = near.value;
                return;
            }
        *base = add_move(piece, copy.source, 2, kMoveLatency, {from.value});
        near_addresses_.push_back({from.value, from.offset, block_, *base});
    }

    /// Adds the instructions that compute the summands of the upper half of a 64-bit product.
    void add_steps_of_product(MachinePiece& piece, MachineInstruction& product) {
        const u32 steps = values_.steps_of_product(function_.body[product.source]);
        std::vector<u32> sources = product.reads;
        for (u32 k = 0; k < steps; ++k)
            sources.push_back(add_move(piece, product.source, 1, kArithmeticLatency, sources));
        if (steps) product.reads.push_back(sources.back());
    }

    /// Reports whether the instruction calls a routine that has several callers. Such a routine
    /// returns its result in a fixed register, and each caller moves the result from there.
    bool calls_shared_routine(const Instruction& i) const {
        return calls_routine(i) && std::count_if(function_.body.begin(), function_.body.end(),
                                                 [&](const Instruction& other) {
                                                     return other.opcode == i.opcode &&
                                                            other.modifiers == i.modifiers;
                                                 }) > 1;
    }
    u32 words_of_result(const Instruction& i) const {
        return std::max(1u, size_of(ptx::parse_type(i.modifiers.back())) / 4);
    }

    /// Replaces an access to an array in registers with reads and writes of the array's value.
    /// Every store except the first also reads the value, because the other elements of the array
    /// must be kept.
    void use_register_array(MachineInstruction& access) {
        const bool stores = access.memory == MemoryEffect::store;
        if (stores) access.writes.push_back(array_value_);
        if (!stores || has_array_) access.reads.push_back(array_value_);
        has_array_ |= stores;
    }

    /// Combines the values of all lanes in a uniform register, and copies the result to a register
    /// for the one lane that executes the atomic.
    void combine_values_of_lanes(MachinePiece& piece, MachineInstruction& atomic) {
        const u32 at = atomic.source;
        const u32 together = add_move(piece, at, 0, kLaneReductionLatency, std::move(atomic.reads));
        const u32 lane = add_move(piece, at, 1, kLaneIndexLatency, {});
        const u32 is_first = add_move(piece, at, 0, kPredicateLatency, {lane});
        atomic.reads = {add_move(piece, at, 1, kMoveLatency, {together}), is_first};
    }

    /// Reports whether only one lane executes the instruction, because it is predicated on the
    /// thread's index or follows a branch on the thread's index. If so, there are no values to
    /// combine.
    bool runs_in_one_lane(const Instruction& i) const {
        if (i.guard && values_.is_true_in_one_lane(*i.guard, !i.guard_negated)) return true;
        for (u32 b = block_, before; (before = dominators_.immediate_dominator(b)) != kNone;
             b = before) {
            const BasicBlock& decides = blocks_[before];
            const Instruction& branch = function_.body[decides.end - 1];
            if (flow_.predecessors(b).size() != 1 || !branch.guard || decides.next.size() != 2 ||
                !is_among(b, decides.next))
                continue;
            const bool is_taken = b == decides.next[0];
            if (values_.is_true_in_one_lane(*branch.guard, is_taken != branch.guard_negated))
                return true;
        }
        return false;
    }

    bool is_used_before(const Constant& constant) const {
        const auto known = used_.find(constant.name);
        return known != used_.end() &&
               any_of(known->second, [&](u32 b) { return dominators_.dominates(b, block_); });
    }

    /// Returns a value that holds the constant in a register. Reuses a load of the constant that
    /// dominates this block, or adds such a load. A load that would be inside a loop is placed
    /// before the loop.
    u32 load_constant(MachinePiece& piece, u32 at, const Constant& constant) {
        // If lanes may skip a store, its constant is loaded in the current block.
        const bool stays = is_skipped_ && memory_effect(function_.body[at]) == MemoryEffect::store;
        const u32 before = constant.name && !stays ? before_loop() : kNone;
        const bool is_outside = before != kNone && piece_of_[before] != kNone;
        for (const LoadedConstant& b : loaded_constants_)
            if (constant.name && b.constant == constant &&
                dominators_.dominates(
                    is_available_after_skipped_block(b, is_outside ? before : block_) ? b.block - 1
                                                                                      : b.block,
                    block_))
                return b.value;
        MachinePiece& where = is_outside ? machine_code_.pieces[piece_of_[before]] : piece;
        const u32 value = add_move(where, at, constant.words, kConstantLatency, {});
        machine_code_.values[value].is_half = constant.is_half;
        const std::size_t last = where.code.size() - 1;
        if (is_outside && last > 0 && where.code[last - 1].is_fixed)
            std::swap(where.code[last - 1], where.code[last]);  // a branch stays last
        loaded_constants_.push_back(
            {constant, is_outside ? before : block_, value, is_skipped_ && !is_outside});
        return value;
    }

    struct LoadedConstant {
        Constant constant;
        u32 block = 0, value = 0;
        bool was_in_skipped_block = false;
    };

    /// Reports whether a constant loaded in a block that lanes may skip is also available in the
    /// later block `block` of the same piece.
    bool is_available_after_skipped_block(const LoadedConstant& brought, u32 block) const {
        if (!brought.was_in_skipped_block || block <= brought.block) return false;
        return block == block_ ? !is_skipped_ && brought.block > first_
                               : piece_of_[block] == piece_of_[brought.block];
    }

    /// Returns the last block before the loop that contains the current block, or kNone if the
    /// constants of the current block must not move out of the loop. In a loop with barriers, lanes
    /// may wait for a long time, so a constant that only some iterations need stays in the loop.
    u32 before_loop() const {
        const BasicBlock& block = blocks_[block_];
        const bool turns_by_itself = is_among(block_, block.next);
        const Loop& loop = loops_.at(block.loop);
        if (!turns_by_itself && loop.blocks == 1) return kNone;
        if (!turns_by_itself && loop.has_fence && !is_in_every_iteration(block_)) return kNone;
        u32 before = block_;
        while (before != kNone && blocks_[before].loop == block.loop)
            before = dominators_.immediate_dominator(before);
        return before;
    }
    /// Reports whether every iteration of the loop executes the block.
    bool is_in_every_iteration(u32 block) const {
        for (u32 b = 0; b < blocks_.size(); ++b)
            for (u32 next : blocks_[b].next)
                if (blocks_[b].loop == blocks_[block].loop && dominators_.dominates(next, b) &&
                    !dominators_.dominates(block, b) && dominators_.dominates(next, block))
                    return false;
        return true;
    }

    /// Moves the elements of a stored vector to consecutive registers.
    void move_to_consecutive_registers(MachinePiece& piece, MachineInstruction& store) {
        for (MachineValues::Vector& together :
             values_.find_vectors_to_assemble(function_.body[store.source])) {
            replace_by_shared_registers(together.read);
            const u32 vector =
                add_move(piece, store.source, together.words, kMoveLatency, together.read);
            std::erase_if(store.reads, [&](u32 value) { return is_among(value, together.read); });
            store.reads.push_back(vector);
        }
    }

    /// Adds an instruction that writes a new value of `words` words. Returns the new value.
    u32 add_move(MachinePiece& piece, u32 source, u32 words, u32 latency, std::vector<u32> reads) {
        MachineInstruction move;
        move.source = source;
        move.part = part_;
        move.latency = latency;
        move.reads = std::move(reads);
        move.writes.push_back(new_value({words}));
        piece.code.push_back(move);
        return move.writes[0];
    }
    u32 new_value(MachineValue value) {
        machine_code_.values.push_back(value);
        return static_cast<u32>(machine_code_.values.size() - 1);
    }

    bool must_stay_rolled(u32 begin, u32 end) const {
        return any_of(function_.not_unrolled, [&](u32 at) { return at >= begin && at < end; });
    }

    const ptx::Function& function_;
    const ControlFlow& flow_;
    const std::vector<BasicBlock>& blocks_;
    const MachineValues values_;
    const Dominators dominators_;
    const std::vector<u32> joined_;  ///< for each block: see joined_blocks.h
    struct Loop {
        u32 blocks = 0;
        bool has_fence = false;
    };
    std::map<u32, Loop> loops_;  ///< for each loop, by BasicBlock::loop
    std::vector<LoadedConstant> loaded_constants_;
    struct NearAddress {
        u32 base = 0;
        i64 offset = 0;
        u32 block = 0, value = 0;
    };
    std::vector<NearAddress> near_addresses_;  ///< addresses computed for asynchronous copies
    /// For each constant, identified by its name, the blocks that use the constant directly.
    std::map<u64, std::vector<u32>> used_;
    /// true if the current block is predicated because lanes may skip it
    bool is_skipped_ = false;
    std::vector<u32> reading_block_;  ///< for each value, the only block that reads it, if any
    std::vector<u32> piece_of_;       ///< for each block, its piece, once it has one
    std::map<u32, u32>
        shares_register_with_;             ///< for each value, the value whose register it shares
    std::map<u32, u32> conditional_load_;  ///< for each selecting instruction, its conditional load
    std::set<u32> delayed_loads_;          ///< loads that are delayed until the selection
    std::set<u32> loads_in_registers_;     ///< loads whose values are already in registers
    u32 array_value_ = kNone;              ///< the value that represents a small register array
    bool has_array_ = false;               ///< true if any instruction stores to `array_value_`
    u32 part_ = 0;                         ///< the index of the current part of the piece
    u32 block_ = 0;                        ///< the index of the current block
    u32 first_ = 0;                        ///< the first block of the current piece
    MachineCode machine_code_;
};

}  // namespace

MachineCode machine_code(const ptx::Function& function, const ControlFlow& flow,
                         const Registers& registers) {
    return MachineCodeMaker(function, flow, registers).run();
}

}  // namespace coalesce::simulator
