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
          joined_blocks_(join_blocks(function, flow, values_)) {
        for (u32 v = 0; v < function.registers.size(); ++v)
            machine_code_.values.push_back({values_.words()[v], values_.is_loose(v),
                                            values_.is_half_register(v), values_.is_loaded_pair(v),
                                            function.registers[v].type == ptx::Type::pred});
        machine_code_.consecutive_values = values_.consecutive_values();
        for (u32 v = 0; v < function.registers.size(); ++v)
            if (const auto extended = values_.find_extended_value(v))
                machine_code_.extended_values[v] = *extended;
    }

    MachineCode make_code() {
        if (const u32 words = values_.count_array_words())
            array_value_ = add_value({.words = words, .is_loose = true});
        find_shared_registers();
        examine_graph();
        find_readers();
        piece_of_block_.assign(blocks_.size(), kNone);
        struct Range {
            u32 first, last;  // the indices of the first and last block
        };
        std::vector<Range> ranges;
        for (u32 b = 0; b < blocks_.size(); b = ranges.back().last + 1) {
            MachinePiece piece;
            const u32 last = fill_piece(piece, b);
            for (u32 k = b; k <= last; ++k) piece_of_block_[k] = static_cast<u32>(ranges.size());
            ranges.push_back({b, last});
            machine_code_.pieces.push_back(std::move(piece));
        }
        std::vector<u32> loops;
        for (u32 p = 0; p < ranges.size(); ++p) {
            MachinePiece& piece = machine_code_.pieces[p];
            for (u32 next : blocks_[ranges[p].last].successors)
                piece.successors.push_back(piece_of_block_[next]);
            const u32 begin = blocks_[ranges[p].first].begin, end = blocks_[ranges[p].last].end;
            if (piece.code.empty() || !is_among(p, piece.successors)) continue;
            if (!must_stay_rolled(begin, end)) loops.push_back(p);
        }
        unroll_loops(function_, loops, machine_code_);
        return std::move(machine_code_);
    }

private:
    // ---- pieces ----

    void examine_graph() {
        for (const BasicBlock& block : blocks_) {
            LoopFacts& loop = loops_[block.loop_id];
            ++loop.block_count;
            for (u32 at = block.begin; at < block.end; ++at)
                loop.has_fence |= find_memory_effect(function_.body[at]) == MemoryEffect::fence;
        }
    }

    /// Adds the code of the blocks that form `piece`, beginning with block `first`. Returns the
    /// last of these blocks.
    u32 fill_piece(MachinePiece& piece, u32 first) {
        first_block_ = first;
        add_block(piece, first);
        for (u32 last = first;;) {
            const u32 joined_block = joined_blocks_[last];
            if (joined_block == last) return last;
            const std::size_t first_added = piece.code.size();
            const u32 skip_predicate = function_.body[blocks_[last].end - 1].guard.value_or(kNone);
            for (u32 k = last + 1; k <= joined_block; ++k) {
                drop_branch(piece);
                is_skipped_block_ = joined_block == last + 2 && k == last + 1;
                part_index_ += joined_block == last + 2;
                add_block(piece, k);
                is_skipped_block_ = false;
                if (joined_block == last + 2 && k == last + 1)
                    guard_block(piece, first_added, skip_predicate, k);
            }
            last = joined_block;
        }
    }

    /// Predicates the instructions of a block that lanes may skip. The block's loads and stores
    /// must wait for the predicate. In lanes that skip the block, a value that other blocks read
    /// keeps its old contents.
    void guard_block(MachinePiece& piece, std::size_t first, u32 predicate, u32 block) const {
        for (std::size_t k = first ? first - 1 : 0; k < piece.code.size(); ++k) {
            MachineInstruction& i = piece.code[k];
            for (u32 v : i.writes) i.is_guarded |= is_read_in_other_block(block, v);
            if (i.memory == MemoryEffect::none && !i.reads_late) continue;
            i.reads.push_back(predicate);
            i.is_conditional = true;
        }
    }
    bool is_read_in_other_block(u32 block, u32 value) const {
        return value < reading_blocks_.size() && reading_blocks_[value] != kNone &&
               reading_blocks_[value] != block;
    }
    void find_readers() {
        constexpr u32 kManyReaders = kNone - 1;
        reading_blocks_.assign(function_.registers.size(), kNone);
        for (u32 b = 0; b < blocks_.size(); ++b)
            for (u32 at = blocks_[b].begin; at < blocks_[b].end; ++at) {
                if (values_.produces_no_code(at)) continue;
                for (u32 v : values_.find_read_values(function_.body[at]))
                    reading_blocks_[v] =
                        reading_blocks_[v] == kNone || reading_blocks_[v] == b ? b : kManyReaders;
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
            if (!values_.produces_no_code(at)) add_instruction(piece, at);
    }

    /// Finds values that share a register with another value. If an instruction selects one of two
    /// loaded values, the second load is executed conditionally and overwrites the first value.
    void find_shared_registers() {
        for (u32 at = 0; at < function_.body.size(); ++at) {
            const Instruction& i = function_.body[at];
            const u32 rounded_value = values_.is_rounded_in_place(at) ? i.operands[0].reg : kNone;
            if (rounded_value != kNone) shares_register_with_[i.operands[1].reg] = rounded_value;
            for (const auto& [loaded, known] : values_.find_known_values(at)) {
                shares_register_with_[loaded] = known;
                loads_in_registers_.insert(at);
            }
            const auto conditional_load = values_.find_conditional_load(at);
            if (!conditional_load || shares_register(i.operands[1]) ||
                shares_register(i.operands[2]))
                continue;
            conditional_load_[at] = *conditional_load;
            delayed_loads_.insert(*conditional_load);
            for (std::size_t k = 1; k <= 2; ++k)
                shares_register_with_[i.operands[k].reg] = i.operands[0].reg;
        }
    }
    bool shares_register(const Operand& loaded_operand) const {
        return shares_register_with_.contains(loaded_operand.reg);
    }
    void replace_by_shared_registers(std::vector<u32>& values) const {
        for (u32& v : values)
            for (auto shared_entry = shares_register_with_.find(v);
                 shared_entry != shares_register_with_.end();
                 shared_entry = shares_register_with_.find(v))
                v = shared_entry->second;
    }
    void add_conditional_load(MachinePiece& piece, u32 at) {
        const Operand& condition = function_.body[at].operands[3];
        const u32 condition_value = condition.reg;
        u32 predicate = condition_value;
        if (function_.body[at].opcode == "slct")
            predicate = add_move(piece, at, 0, kPredicateLatency, {condition_value});
        delayed_loads_.erase(conditional_load_[at]);
        add_instruction(piece, conditional_load_[at]);
        piece.code.back().is_guarded = true;
        piece.code.back().reads.push_back(predicate);
    }

    void add_instruction(MachinePiece& piece, u32 at) {
        if (delayed_loads_.contains(at) || loads_in_registers_.contains(at)) return;
        if (conditional_load_.contains(at)) return add_conditional_load(piece, at);
        const Instruction& i = function_.body[at];
        MachineInstruction machine_instruction;
        machine_instruction.source = at;
        machine_instruction.part_index = part_index_;
        machine_instruction.memory = find_memory_effect(i);
        const bool affects_all_spaces =
            machine_instruction.memory == MemoryEffect::fence || i.opcode == "mov";
        machine_instruction.space = affects_all_spaces ? ptx::StateSpace::generic : find_space(i);
        machine_instruction.is_fixed =
            ends_straight_code(i) || has_branches_inside(i) || reads_clock(i);
        machine_instruction.waits_for_reads = waits_for_reads(i);
        machine_instruction.is_guarded = machine_instruction.is_conditional = i.guard.has_value();
        machine_instruction.latency = find_latency(i);
        machine_instruction.is_copy = i.opcode == "cp";
        machine_instruction.is_access = is_access(i) || machine_instruction.is_copy;
        machine_instruction.reads_late =
            machine_instruction.is_access ||
            (machine_instruction.latency > 8 && !is_one_of(i.opcode, {"set", "setp"}));
        machine_instruction.internal_words = values_.has_fixed_stride(i) ? 0 : internal_words(i);
        machine_instruction.odd_internal_words = count_odd_internal_words(i);
        if (machine_instruction.odd_internal_words && values_.divides_by_constant(i))
            machine_instruction.internal_words = kWordsOfDivisionByConstant;
        if (calls_shared_routine(i)) machine_instruction.internal_words += count_result_words(i);
        machine_instruction.reads_texels = is_texel_access(i);
        machine_instruction.is_in_halves = values_.is_in_halves(i);
        machine_instruction.rereads_lower_half = values_.has_folded_operand(i, "shl");
        machine_instruction.address = values_.find_address(i);
        machine_instruction.reads = values_.find_read_values(i);
        machine_instruction.writes = values_.find_written_values(i);
        if (machine_instruction.reads.size() == 1)
            machine_instruction.added_constant = find_added_constant(i);
        replace_by_shared_registers(machine_instruction.reads);
        replace_by_shared_registers(machine_instruction.writes);
        if (array_value_ != kNone && machine_instruction.space == ptx::StateSpace::local)
            use_register_array(machine_instruction);
        const bool is_in_one_lane = machine_instruction.is_access && runs_in_one_lane(i);
        if (values_.adds_once_per_warp(i) && !is_in_one_lane)
            combine_values_of_lanes(piece, machine_instruction);
        move_to_consecutive_registers(piece, machine_instruction);
        for (const Constant& constant : values_.find_constants_to_load(i, is_in_one_lane))
            machine_instruction.reads.push_back(load_constant(piece, at, constant));
        for (const Constant& constant : values_.find_launch_constants(i))
            if (!is_skipped_block_)
                constant_uses_[constant.name].push_back(block_);
            else if (!is_used_before(constant))
                add_if_missing(machine_instruction.reads, load_constant(piece, at, constant));
        const bool compares_signed_half = i.opcode == "set" && i.has("s16");
        if (compares_signed_half)  // the machine compares 32 bits
            for (u32& read_value : machine_instruction.reads)
                if (machine_code_.values[read_value].words)
                    read_value = add_move(piece, at, 1, kMoveLatency, {read_value});
        if (const u32 second_latency = find_second_latency(i)) {
            // The first step of `set` or `redux` writes a predicate or a uniform register, which
            // takes no words.
            const u32 words = is_one_of(i.opcode, {"set", "redux"}) ? 0 : 1;
            machine_instruction.reads = {add_move(piece, at, words, machine_instruction.latency,
                                                  std::move(machine_instruction.reads))};
            piece.code.back().reads_late = machine_instruction.reads_late;
            machine_instruction.reads_late = machine_instruction.is_in_halves = false;
            machine_instruction.latency = second_latency;
            if (compares_signed_half)  // the result is sign-extended and moved
                for (const u32 latency : {second_latency, kArithmeticLatency})
                    machine_instruction.reads = {
                        add_move(piece, at, 1, latency, std::move(machine_instruction.reads))};
        }
        move_offset_into_range(piece, machine_instruction);
        add_steps_of_product(piece, machine_instruction);
        piece.code.push_back(std::move(machine_instruction));
    }

    static std::optional<i64> find_added_constant(const Instruction& i) {
        if (i.opcode != "add" || !i.operands[2].is_immediate()) return {};
        return static_cast<i64>(i.operands[2].bits);
    }

    /// Computes a new address for an asynchronous copy whose offset is too large, or reuses the
    /// address of an earlier copy that is close enough.
    void move_offset_into_range(MachinePiece& piece, MachineInstruction& copy) {
        const auto is_near_offset = [](i64 offset) {
            return offset >= -kMaxCopyOffsetBytes && offset < kMaxCopyOffsetBytes;
        };
        const AccessAddress source_address = values_.find_copy_source(function_.body[copy.source]);
        const auto base = std::find(copy.reads.begin(), copy.reads.end(), source_address.value);
        if (is_near_offset(source_address.offset) || base == copy.reads.end()) return;
        for (const NearAddress& near_address : near_addresses_)
            if (near_address.block == block_ && near_address.base == source_address.value &&
                is_near_offset(source_address.offset - near_address.offset) &&
                values_.is_written_once(source_address.value)) {
                *base = near_address.value;
                return;
            }
        *base = add_move(piece, copy.source, 2, kMoveLatency, {source_address.value});
        near_addresses_.push_back({source_address.value, source_address.offset, block_, *base});
    }

    /// Adds the instructions that compute the summands of the upper half of a 64-bit product.
    void add_steps_of_product(MachinePiece& piece, MachineInstruction& product) {
        const u32 steps = values_.count_product_steps(function_.body[product.source]);
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
    u32 count_result_words(const Instruction& i) const {
        return std::max(1u, size_of(ptx::parse_type(i.modifiers.back())) / 4);
    }

    /// Replaces an access to an array in registers with reads and writes of the array's value.
    /// Every store except the first also reads the value, because the other elements of the array
    /// must be kept.
    void use_register_array(MachineInstruction& access) {
        const bool is_store = access.memory == MemoryEffect::store;
        if (is_store) access.writes.push_back(array_value_);
        if (!is_store || has_array_) access.reads.push_back(array_value_);
        has_array_ |= is_store;
    }

    /// Combines the values of all lanes in a uniform register, and copies the result to a register
    /// for the one lane that executes the atomic.
    void combine_values_of_lanes(MachinePiece& piece, MachineInstruction& atomic) {
        const u32 at = atomic.source;
        const u32 combined_value =
            add_move(piece, at, 0, kLaneReductionLatency, std::move(atomic.reads));
        const u32 lane_index = add_move(piece, at, 1, kLaneIndexLatency, {});
        const u32 first_lane_predicate = add_move(piece, at, 0, kPredicateLatency, {lane_index});
        atomic.reads = {add_move(piece, at, 1, kMoveLatency, {combined_value}),
                        first_lane_predicate};
    }

    /// Reports whether only one lane executes the instruction, because it is predicated on the
    /// thread's index or follows a branch on the thread's index. If so, there are no values to
    /// combine.
    bool runs_in_one_lane(const Instruction& i) const {
        if (i.guard && values_.is_true_in_one_lane(*i.guard, !i.is_guard_negated)) return true;
        for (u32 b = block_, dominator; (dominator = dominators_.immediate_dominator(b)) != kNone;
             b = dominator) {
            const BasicBlock& deciding_block = blocks_[dominator];
            const Instruction& branch = function_.body[deciding_block.end - 1];
            if (flow_.predecessors(b).size() != 1 || !branch.guard ||
                deciding_block.successors.size() != 2 || !is_among(b, deciding_block.successors))
                continue;
            const bool is_taken = b == deciding_block.successors[0];
            if (values_.is_true_in_one_lane(*branch.guard, is_taken != branch.is_guard_negated))
                return true;
        }
        return false;
    }

    bool is_used_before(const Constant& constant) const {
        const auto constant_uses = constant_uses_.find(constant.name);
        return constant_uses != constant_uses_.end() && any_of(constant_uses->second, [&](u32 b) {
                   return dominators_.dominates(b, block_);
               });
    }

    /// Returns a value that holds the constant in a register. Reuses a load of the constant that
    /// dominates this block, or adds such a load. A load that would be inside a loop is placed
    /// before the loop.
    u32 load_constant(MachinePiece& piece, u32 at, const Constant& constant) {
        // If lanes may skip a store, the constant that it stores is loaded in the current block,
        // and not before the loop.
        const bool stays_in_block =
            is_skipped_block_ && find_memory_effect(function_.body[at]) == MemoryEffect::store;
        const u32 block_before_loop =
            constant.name && !stays_in_block ? find_block_before_loop() : kNone;
        const bool is_outside =
            block_before_loop != kNone && piece_of_block_[block_before_loop] != kNone;
        for (const LoadedConstant& b : loaded_constants_)
            if (constant.name && b.constant == constant &&
                dominators_.dominates(
                    is_available_after_skipped_block(b, is_outside ? block_before_loop : block_)
                        ? b.block - 1
                        : b.block,
                    block_))
                return b.value;
        MachinePiece& target_piece =
            is_outside ? machine_code_.pieces[piece_of_block_[block_before_loop]] : piece;
        const u32 value = add_move(target_piece, at, constant.words, kConstantLatency, {});
        machine_code_.values[value].is_half_register = constant.is_half_register;
        const std::size_t last = target_piece.code.size() - 1;
        if (is_outside && last > 0 && target_piece.code[last - 1].is_fixed)
            std::swap(target_piece.code[last - 1], target_piece.code[last]);  // a branch stays last
        loaded_constants_.push_back({constant, is_outside ? block_before_loop : block_, value,
                                     is_skipped_block_ && !is_outside});
        return value;
    }

    struct LoadedConstant {
        Constant constant;
        u32 block = 0, value = 0;
        bool was_in_skipped_block = false;
    };

    /// Reports whether a constant loaded in a block that lanes may skip is also available in the
    /// later block `block` of the same piece.
    bool is_available_after_skipped_block(const LoadedConstant& loaded_constant, u32 block) const {
        if (!loaded_constant.was_in_skipped_block || block <= loaded_constant.block) return false;
        return block == block_ ? !is_skipped_block_ && loaded_constant.block > first_block_
                               : piece_of_block_[block] == piece_of_block_[loaded_constant.block];
    }

    /// Returns the last block before the loop that contains the current block, or kNone if the
    /// constants of the current block must not move out of the loop. In a loop with barriers, lanes
    /// may wait for a long time, so a constant that only some iterations need stays in the loop.
    u32 find_block_before_loop() const {
        const BasicBlock& block = blocks_[block_];
        const bool is_single_block_loop = is_among(block_, block.successors);
        const LoopFacts& loop = loops_.at(block.loop_id);
        if (!is_single_block_loop && loop.block_count == 1) return kNone;
        if (!is_single_block_loop && loop.has_fence && !is_in_every_iteration(block_)) return kNone;
        u32 outer_block = block_;
        while (outer_block != kNone && blocks_[outer_block].loop_id == block.loop_id)
            outer_block = dominators_.immediate_dominator(outer_block);
        return outer_block;
    }
    /// Reports whether every iteration of the loop executes the block.
    bool is_in_every_iteration(u32 block) const {
        for (u32 b = 0; b < blocks_.size(); ++b)
            for (u32 next : blocks_[b].successors)
                if (blocks_[b].loop_id == blocks_[block].loop_id &&
                    dominators_.dominates(next, b) && !dominators_.dominates(block, b) &&
                    dominators_.dominates(next, block))
                    return false;
        return true;
    }

    /// Moves the elements of a stored vector to consecutive registers.
    void move_to_consecutive_registers(MachinePiece& piece, MachineInstruction& store) {
        for (MachineValues::Vector& vector_to_assemble :
             values_.find_vectors_to_assemble(function_.body[store.source])) {
            replace_by_shared_registers(vector_to_assemble.read_values);
            const u32 assembled_vector = add_move(piece, store.source, vector_to_assemble.words,
                                                  kMoveLatency, vector_to_assemble.read_values);
            std::erase_if(store.reads, [&](u32 value) {
                return is_among(value, vector_to_assemble.read_values);
            });
            store.reads.push_back(assembled_vector);
        }
    }

    /// Adds an instruction that writes a new value of `words` words. Returns the new value.
    u32 add_move(MachinePiece& piece, u32 source, u32 words, u32 latency, std::vector<u32> reads) {
        MachineInstruction move;
        move.source = source;
        move.part_index = part_index_;
        move.latency = latency;
        move.reads = std::move(reads);
        move.writes.push_back(add_value({words}));
        piece.code.push_back(move);
        return move.writes[0];
    }
    u32 add_value(MachineValue value) {
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
    /// for each block, the next block of its piece (see joined_blocks.h)
    const std::vector<u32> joined_blocks_;
    struct LoopFacts {
        u32 block_count = 0;
        bool has_fence = false;
    };
    std::map<u32, LoopFacts> loops_;  ///< for each loop, by BasicBlock::loop
    std::vector<LoadedConstant> loaded_constants_;
    struct NearAddress {
        u32 base = 0;
        i64 offset = 0;
        u32 block = 0, value = 0;
    };
    std::vector<NearAddress> near_addresses_;  ///< addresses computed for asynchronous copies
    /// For each constant, identified by its name, the blocks that use the constant directly.
    std::map<u64, std::vector<u32>> constant_uses_;
    /// True if the current block is predicated because lanes may skip it.
    bool is_skipped_block_ = false;
    std::vector<u32> reading_blocks_;  ///< for each value, the only block that reads it, if any
    std::vector<u32> piece_of_block_;  ///< for each block, its piece, once it has one
    std::map<u32, u32>
        shares_register_with_;             ///< for each value, the value whose register it shares
    std::map<u32, u32> conditional_load_;  ///< for each selecting instruction, its conditional load
    std::set<u32> delayed_loads_;          ///< loads that are delayed until the selection
    std::set<u32> loads_in_registers_;     ///< loads whose values are already in registers
    u32 array_value_ = kNone;              ///< the value that represents a small register array
    bool has_array_ = false;               ///< true if any instruction stores to `array_value_`
    u32 part_index_ = 0;                   ///< the index of the current part of the piece
    u32 block_ = 0;                        ///< the index of the current block
    u32 first_block_ = 0;                  ///< the first block of the current piece
    MachineCode machine_code_;
};

}  // namespace

MachineCode machine_code(const ptx::Function& function, const ControlFlow& flow,
                         const Registers& registers) {
    return MachineCodeMaker(function, flow, registers).make_code();
}

}  // namespace coalesce::simulator
