#include "simulator/ptxas/loop_unroller.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ranges.h"
#include "simulator/analysis/deciding_registers.h"
#include "simulator/analysis/register_use.h"
#include "simulator/execute/special_registers.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;

/// The maximum number of instructions per iteration at which ptxas unrolls a loop. The limit is
/// higher for loops with loads, because the latencies of the unrolled loads overlap. An access
/// counts as two instructions. (Measured by adding instructions, loads and stores to a loop until
/// ptxas stopped unrolling it.)
constexpr u32 kMaxUnrolledInstructions = 22, kMaxUnrolledInstructionsWithLoad = 51,
              kInstructionsPerAccess = 2;
/// Limits for loops that load from shared memory. These loads have a short latency, so each of them
/// raises the limit by only kInstructionsPerSharedLoad, up to a maximum.
constexpr u32 kBaseInstructionsWithSharedLoads = 23, kInstructionsPerSharedLoad = 5,
              kMaxUnrolledInstructionsWithSharedLoads = 101;

/// Reports whether the instruction orders memory accesses as seen by other threads. ptxas does not
/// unroll a loop that contains such an instruction. (Found by inserting single instructions into a
/// loop. A block barrier, a volatile access or a copy does not prevent unrolling.)
bool orders_memory(const Instruction& i) {
    const bool is_fence = i.opcode == "membar" || (i.opcode == "fence" && !i.has("proxy"));
    return is_fence || (i.opcode == "barrier" && i.has("cluster"));
}

/// Reports whether the instruction is a barrier. ptxas does not unroll a loop with a barrier if
/// some threads skip part of the iteration.
bool is_barrier(const Instruction& i) {
    return is_one_of(i.opcode, {"bar", "barrier"});
}

/// Reports whether the threads of a warp or block execute the instruction together.
bool is_collective(const Instruction& i) {
    return is_one_of(i.opcode, {"shfl", "vote", "match", "redux", "activemask", "bar", "barrier",
                                "ldmatrix", "stmatrix", "movmatrix", "mma", "wmma", "atom", "red"});
}

bool is_load_from(const Instruction& i, StateSpace space) {
    if (i.opcode != "ld" || i.has("param")) return false;
    const StateSpace accessed_space = find_space(i);
    return accessed_space == space || accessed_space == StateSpace::generic ||
           space == StateSpace::generic;
}

/// Renames the elements of the first `first_vector` vectors. If all elements of a vector have new
/// names, appends the renamed vector to the list.
void rename_vectors(std::vector<std::vector<u32>>& vectors, std::size_t first_vector,
                    const std::map<u32, u32>& names) {
    for (std::size_t k = 0; k < first_vector; ++k) {
        std::vector<u32> renamed_vector;
        for (u32 value : vectors[k])
            if (const auto new_name = names.find(value); new_name != names.end())
                renamed_vector.push_back(new_name->second);
        if (renamed_vector.size() == vectors[k].size())
            vectors.push_back(std::move(renamed_vector));
    }
}

/// Reports whether the result of the instruction differs between threads, regardless of the
/// operands.
bool differs_between_threads(const Instruction& i) {
    if (is_one_of(i.opcode, {"ld", "ldu"}))
        return !i.has("param") && find_space(i) != StateSpace::constant;
    if (is_one_of(i.opcode, {"atom", "shfl", "call", "tex", "tld4", "suld"})) return true;
    return any_of(i.operands, [](const Operand& o) {
        if (!o.is_special()) return false;
        const SpecialRegister* special_register = find_special_register(o.name);
        return !special_register || (special_register->scope != ValueScope::launch &&
                                     special_register->scope != ValueScope::block);
    });
}

/// Returns, for each register, whether its value may differ between the threads of a block. All
/// other registers are uniform across the block, even if they change in each iteration of a loop.
///
/// Idea   value_classes.h determines where a value can be computed once, so it does not classify
///        values that are written twice. A loop counter is uniform if its start value and its
///        increments are. In general, a value is uniform if it depends neither on the thread's
///        index nor on memory.
/// Watch  The analysis ignores which threads reach the instruction that writes a value.
std::vector<bool> find_values_differing_in_block(const ptx::Function& function) {
    std::vector<bool> differing_values(function.registers.size(), !function.is_entry);
    repeat_until_stable(function, [&](const Instruction& i) {
        return (differs_between_threads(i) ||
                contains_any_register(differing_values, list_read_registers(i))) &&
               add_registers(differing_values, list_written_registers(i));
    });
    return differing_values;
}

class LoopUnroller {
public:
    explicit LoopUnroller(const ptx::Function& function)
        : function_(function), differs_in_block_(find_values_differing_in_block(function)) {}

    void unroll_loop(MachinePiece& piece, MachineCode& code) const {
        if (!may_be_unrolled(piece)) return;
        std::vector<MachineInstruction> iteration = std::move(piece.code);
        const MachineInstruction branch = std::move(iteration.back());
        iteration.pop_back();
        piece.code.clear();
        std::map<u32, u32> names;
        std::map<u32, i64> offsets;  // for each address, the sum of its increments so far
        const std::size_t vectors = code.consecutive_values.size();
        const u32 part_count =
            iteration.empty() ? 0 : iteration.back().part_index - iteration.front().part_index;
        for (u32 k = 0; k < kUnrolledIterations; ++k) {
            const bool is_last = k + 1 == kUnrolledIterations;
            for (MachineInstruction i : iteration) {
                // The copies of the iteration share a single addition to each address, and a single
                // check of the loop's condition.
                if (can_become_offset(iteration, i)) {
                    offsets[i.writes[0]] += *i.added_constant;
                    if (!is_last) continue;
                    i.added_constant = std::exchange(offsets[i.writes[0]], 0);
                }
                if (!is_last && i.writes == branch.reads) continue;
                if (compares_loop_invariants(iteration, i)) {
                    if (k == 0) piece.code.push_back(std::move(i));
                    continue;
                }
                if (const auto offset = offsets.find(i.address.value); offset != offsets.end())
                    i.address.offset += offset->second;
                if (const auto new_name = names.find(i.address.value); new_name != names.end())
                    i.address.value = new_name->second;
                for (u32& value : i.reads)
                    if (const auto new_name = names.find(value); new_name != names.end())
                        value = new_name->second;
                for (u32& value : i.writes) {
                    if (is_last) {
                        names.erase(value);
                        continue;
                    }
                    code.values.push_back(MachineValue(code.values[value]));
                    const u32 new_value = static_cast<u32>(code.values.size() - 1);
                    names[value] = new_value;
                    value = new_value;
                }
                i.part_index += k * part_count;
                i.loop = iteration.front().source;
                i.iteration = k;
                piece.code.push_back(std::move(i));
            }
            if (!is_last) rename_vectors(code.consecutive_values, vectors, names);
        }
        piece.code.push_back(branch);
    }

private:
    /// Reports whether an instruction compares loop-invariant values.
    bool compares_loop_invariants(const std::vector<MachineInstruction>& iteration,
                                  const MachineInstruction& comparison) const {
        if (function_.body[comparison.source].opcode != "setp" || comparison.is_guarded)
            return false;
        return none_of(iteration, [&](const MachineInstruction& i) {
            const auto writes = [&](u32 v) { return is_among(v, i.writes); };
            return any_of(comparison.reads, writes) ||
                   (i.source != comparison.source && any_of(comparison.writes, writes));
        });
    }

    bool may_be_unrolled(const MachinePiece& piece) const {
        if (!is_short(piece)) return false;
        const Instruction& branch = function_.body[piece.code.back().source];
        if (branch.opcode != "bra" || !branch.guard) return false;
        const Instruction* deciding_comparison = find_writer(piece, *branch.guard);
        if (!deciding_comparison || deciding_comparison->opcode != "setp") return false;
        if (contains_any_register(differs_in_block_, list_read_registers(*deciding_comparison)) &&
            needs_converged_threads(piece))
            return false;
        bool is_counter = false, knows_end = true;
        for (const Operand& operand : deciding_comparison->operands) {
            if (!operand.is_register() || &operand == &deciding_comparison->operands[0]) continue;
            if (has_constant_step(piece, operand.reg))
                is_counter = true;
            else
                knows_end &= !find_writer(piece, operand.reg);
        }
        return is_counter && knows_end;
    }

    bool is_short(const MachinePiece& piece) const {
        u32 instruction_count =
            piece.dropped_branches;  // ptxas drops these branches only after unrolling
        u32 max_instructions = kMaxUnrolledInstructions, shared_load_count = 0;
        for (const MachineInstruction& i : piece.code) {
            if (i.is_fixed && &i != &piece.code.back() && !reads_clock(function_.body[i.source]))
                return false;
            if (orders_memory(function_.body[i.source])) return false;
            if (piece.dropped_branches && is_barrier(function_.body[i.source])) return false;
            const bool is_memory_access = is_access(function_.body[i.source]);
            instruction_count += is_memory_access ? kInstructionsPerAccess : 1;
            if (!is_memory_access || i.memory == MemoryEffect::store) continue;
            if (i.memory == MemoryEffect::load && i.space == StateSpace::shared)
                ++shared_load_count;
            else
                max_instructions = kMaxUnrolledInstructionsWithLoad;
        }
        if (shared_load_count)
            max_instructions = std::clamp(
                kBaseInstructionsWithSharedLoads + kInstructionsPerSharedLoad * shared_load_count,
                max_instructions, kMaxUnrolledInstructionsWithSharedLoads);
        return instruction_count <= max_instructions;
    }

    /// Reports whether threads must stay converged in the loop, because they execute a collective
    /// instruction, or because some of them skip a store to memory that the loop also loads from.
    /// ptxas unrolls such a loop only if all threads leave it in the same iteration. (A store to a
    /// state space from which the loop does not load is predicated, and the loop is unrolled.)
    bool needs_converged_threads(const MachinePiece& piece) const {
        const auto is_load_in_space = [&](StateSpace space) {
            return any_of(piece.code, [&](const MachineInstruction& i) {
                return is_load_from(function_.body[i.source], space);
            });
        };
        return any_of(piece.code, [&](const MachineInstruction& i) {
            if (is_collective(function_.body[i.source])) return true;
            return i.is_conditional && i.memory == MemoryEffect::store && is_load_in_space(i.space);
        });
    }

    const Instruction* find_writer(const MachinePiece& piece, u32 value) const {
        for (const MachineInstruction& i : piece.code)
            if (is_among(value, i.writes)) return &function_.body[i.source];
        return nullptr;
    }

    /// Reports whether each iteration adds a constant to the value. NVIDIA's compiler adds the
    /// constant to the counter itself, whereas clang adds it to a copy of the counter. If the
    /// counter is the result of several additions, ptxas does not recognize the step.
    bool has_constant_step(const MachinePiece& piece, u32 value) const {
        const Instruction* writes = find_writer(piece, value);
        if (writes && writes->opcode == "mov" && writes->operands.size() > 1 &&
            writes->operands[1].is_register())
            writes = find_writer(piece, writes->operands[1].reg);
        if (!writes || !is_one_of(writes->opcode, {"add", "sub"})) return false;
        bool adds_constant = false, adds_to_itself = false;
        for (const Operand& o : writes->operands) {
            adds_constant |= o.is_immediate();
            adds_to_itself |= &o != &writes->operands[0] && o.is_register() && o.reg == value;
        }
        return adds_constant && adds_to_itself;
    }

    /// Reports whether the instruction adds a constant to an address that only loads and stores
    /// use, so that their offsets can include the increments of all iterations.
    bool can_become_offset(const std::vector<MachineInstruction>& iteration,
                           const MachineInstruction& addition) const {
        if (addition.writes.size() != 1 || addition.reads != addition.writes || addition.is_guarded)
            return false;
        const Instruction& source = function_.body[addition.source];
        if (source.opcode != "add" || source.operands.size() != 3 ||
            !source.operands[2].is_immediate())
            return false;
        const u32 value = addition.writes[0];
        return all_of(iteration, [&](const MachineInstruction& i) {
            return i.source == addition.source ||
                   (!is_among(value, i.writes) &&
                    (!is_among(value, i.reads) || is_used_only_as_address(i, value)));
        });
    }

    /// Reports whether an access uses the value only as its address, and does not store it.
    bool is_used_only_as_address(const MachineInstruction& access, u32 value) const {
        if (!access.is_access) return false;
        const auto is_same_value = [&](const Operand& o) {
            return o.is_register() && o.reg == value;
        };
        const std::vector<Operand>& operands = function_.body[access.source].operands;
        return none_of(operands, [&](const Operand& o) {
            return is_same_value(o) || any_of(o.elements, is_same_value);
        });
    }

    const ptx::Function& function_;
    const std::vector<bool>
        differs_in_block_;  ///< for each value, whether it differs between threads of a block
};

}  // namespace

void unroll_loops(const ptx::Function& function, const std::vector<u32>& loops, MachineCode& code) {
    const LoopUnroller unroller(function);
    for (u32 piece : loops) unroller.unroll_loop(code.pieces[piece], code);
}

}  // namespace coalesce::simulator
