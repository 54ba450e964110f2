#include "simulator/ptxas/register_estimate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ranges.h"
#include "simulator/base/device_model.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/lifetimes.h"
#include "simulator/ptxas/list_schedule.h"
#include "simulator/ptxas/machine_code.h"
#include "simulator/ptxas/register_assignment.h"
#include "timing/occupancy.h"

namespace coalesce::simulator {
namespace {

constexpr u32 kMaxRegisters = 255, kMinRegisters = 4;
constexpr u32 kWarpsPerMultiprocessor = DeviceModel::max_threads_per_multiprocessor / kLanes;
/// The maximum number of warps in a block.
constexpr u32 kMaxWarpsPerBlock = DeviceModel::max_threads_per_block / kLanes;
/// The number of registers that ptxas adds to those that the code uses.
constexpr u32 kAddedRegisters = 2;
using timing::kRegistersForFullOccupancy;
/// The maximum number of registers that ptxas saves with other optimizations, so that a kernel
/// stays within kRegistersForFullOccupancy.
constexpr u32 kMaxSavedRegisters = 2;
/// The number of registers that must stay free, so that ptxas can save registers with other
/// optimizations when instructions keep their program order.
constexpr u32 kSpareRegisters = 1;
/// Instructions keep their program order as soon as this many words are live.
constexpr u32 kLiveWordsForWrittenOrder = 24;
/// The number of registers for the return address of a called function.
constexpr u32 kReturnAddressRegisters = 1;

/// The number of a kernel's blocks that are resident on a multiprocessor at the same time, as far
/// as ptxas can know it.
class BlockResidency {
public:
    /// Describes blocks of unknown size. In this case, ptxas counts warps instead of blocks.
    BlockResidency() = default;
    /// Describes blocks of `warps` warps and `shared` bytes of shared memory.
    BlockResidency(u32 warps, u64 shared)
        : warps_(warps), max_blocks_(std::max(1u, max_resident_blocks(warps, shared))) {}

    /// Returns the maximum number of registers per thread that allows as many resident blocks as
    /// `registers` does.
    u32 find_max_registers(u32 registers) const {
        u32 steps = (registers + kRegisterStep - 1) / kRegisterStep;
        const u32 fitting_registers = resident_blocks(steps);
        while (steps * kRegisterStep < kMaxRegisters &&
               resident_blocks(steps + 1) == fitting_registers)
            ++steps;
        return steps * kRegisterStep;
    }
    /// Returns the maximum number of registers per thread that does not reduce the number of
    /// resident blocks.
    u32 find_max_registers() const {
        return std::max(find_max_registers(1), kRegistersForFullOccupancy);
    }

private:
    using M = DeviceModel;
    static constexpr u32 kRegisterStep = 8;

    u32 resident_blocks(u32 steps) const {
        return std::min(max_blocks_,
                        timing::max_blocks_by_registers(steps * kRegisterStep, warps_,
                                                        M::registers_per_multiprocessor));
    }

    u32 warps_ = 1, max_blocks_ = kWarpsPerMultiprocessor;
};

/// The machine code of a function, and the registers that it needs for different orders of
/// instructions.
class EstimatedFunction {
public:
    explicit EstimatedFunction(const ptx::Function& function)
        : EstimatedFunction(function, ControlFlow(function)) {}

    /// Returns the number of registers if instructions keep their program order once
    /// `max_live_words` words are live. `count_internal_registers` returns the number of registers
    /// that a called function needs, or nothing if it is unknown. Register banks are taken into
    /// account, unless this would reduce the number of resident blocks. `exceeds_limit` is true if
    /// that number is reduced even if banks are ignored.
    template <class Inside>
    u32 count_registers(u32 max_live_words, Inside count_internal_registers,
                        const BlockResidency& residency, bool exceeds_limit) {
        for (MachinePiece& piece : code_.pieces)
            for (MachineInstruction& i : piece.code) {
                const ptx::Instruction& source = function_.body[i.source];
                if (source.opcode != "call") continue;
                const std::optional<u32> words = count_internal_registers(source);
                i.internal_words = words.value_or(0);
                i.follows_calling_convention = !words;
            }
        std::vector<std::vector<u32>> orders;
        for (std::size_t p = 0; p < code_.pieces.size(); ++p)
            orders.push_back(list_schedule(straight_code(p), max_live_words));
        if (max_live_words == kLiveWordsForWrittenOrder) default_orders_ = orders;
        const Lifetimes lifetimes = find_lifetimes(code_, live_, orders, max_live_words == 0);
        const auto count_assigned = [&](u32 bank_conflict_limit, u32 late_read_limit) {
            return assign_registers(code_, lifetimes, {bank_conflict_limit, late_read_limit}) +
                   kAddedRegisters;
        };
        const bool has_spare_registers = !calls_routine();
        const u32 late_read_limit =
            has_spare_registers ? kRegistersForFullOccupancy - kAddedRegisters : 0;
        const u32 full_occupancy_registers = residency.find_max_registers();
        const u32 registers = count_assigned(
            has_spare_registers ? full_occupancy_registers - kAddedRegisters : 0, late_read_limit);
        if (!exceeds_limit || !has_spare_registers) return registers;
        const u32 max_registers = residency.find_max_registers(
            std::max(count_assigned(0, 0), full_occupancy_registers + 1));
        const u32 registers_without_conflicts =
            count_assigned(max_registers - kAddedRegisters, late_read_limit);
        return registers_without_conflicts <= max_registers ? registers_without_conflicts
                                                            : registers;
    }

    /// Returns the position of each instruction in the final order of the function. If a loop is
    /// unrolled, returns the position of the instruction's first copy. Call `count_registers` with
    /// kLiveWordsForWrittenOrder first.
    std::vector<u32> instruction_positions() const {
        std::vector<u32> instruction_positions(function_.body.size(), kNone);
        u32 position = 0;
        for (std::size_t p = 0; p < default_orders_.size(); ++p)
            for (u32 k : default_orders_[p]) {
                u32& source_position = instruction_positions[code_.pieces[p].code[k].source];
                if (source_position == kNone) source_position = position;
                ++position;
            }
        // An instruction without machine code has the position of the next instruction.
        for (std::size_t k = instruction_positions.size(); k-- > 0;) {
            if (instruction_positions[k] == kNone) instruction_positions[k] = position;
            position = instruction_positions[k];
        }
        return instruction_positions;
    }

    /// Returns, for each instruction that starts an unrolled loop, the number of iterations that
    /// are combined.
    std::vector<u32> unroll_factors() const {
        std::vector<u32> factors(function_.body.size(), 0);
        for (const MachinePiece& piece : code_.pieces)
            for (const MachineInstruction& i : piece.code)
                if (i.loop != kNone) factors[i.loop] = std::max(factors[i.loop], i.iteration + 1);
        return factors;
    }

    /// Reports whether the last call of `count_registers` found calls to unknown functions.
    bool has_calls() const {
        return contains_any(
            [](const MachineInstruction& i) { return i.follows_calling_convention; });
    }

private:
    EstimatedFunction(const ptx::Function& function, const ControlFlow& flow)
        : EstimatedFunction(
              function, flow,
              classify_registers(function, function.is_entry, Liveness(function, flow))) {}
    EstimatedFunction(const ptx::Function& function, const ControlFlow& flow,
                      const Registers& registers)
        : function_(replace_registers_by_roots(function, registers)),
          code_(machine_code(function_, flow, registers)),
          live_(code_) {}

    /// Reports whether the function contains a division or a root that is computed by a routine
    /// with its own registers. ptxas then ignores banks.
    bool calls_routine() const {
        return contains_any([&](const MachineInstruction& i) {
            return simulator::calls_routine(function_.body[i.source]);
        });
    }
    template <class Property>
    bool contains_any(Property property) const {
        return any_of(code_.pieces,
                      [&](const MachinePiece& piece) { return any_of(piece.code, property); });
    }

    /// Returns piece `p` with its values numbered from 0.
    StraightCode straight_code(std::size_t p) const {
        StraightCode result;
        result.code = code_.pieces[p].code;
        const LiveBetweenPieces::Bits begin = live_.live_at_begin(p), end = live_.live_at_end(p);
        for (u32 v : live_.list_values(end)) result.live_through_words += code_.values[v].words;
        std::map<u32, u32> new_numbers;
        const auto renumber_value = [&](u32& value) {
            const auto [number_entry, is_new] =
                new_numbers.try_emplace(value, static_cast<u32>(result.words.size()));
            if (is_new) {
                const u32 words = code_.values[value].words;
                result.words.push_back(words);
                result.is_predicate.push_back(code_.values[value].is_predicate);
                result.is_written_earlier.push_back(live_.has(begin, value));
                result.is_read_later.push_back(live_.has(end, value));
                if (result.is_read_later.back()) result.live_through_words -= words;
            }
            value = number_entry->second;
        };
        for (MachineInstruction& i : result.code) {
            for (u32& v : i.reads) renumber_value(v);
            for (u32& v : i.writes) renumber_value(v);
            const auto number_entry = new_numbers.find(i.address.value);
            i.address.value = number_entry == new_numbers.end() ? kNone : number_entry->second;
        }
        return result;
    }

    const ptx::Function function_;
    MachineCode code_;
    const LiveBetweenPieces live_;
    /// For each piece, the instruction order that count_registers() computed for a limit of
    /// kLiveWordsForWrittenOrder live words.
    std::vector<std::vector<u32>> default_orders_;
};

/// A kernel and the functions that it calls. The registers of a called function are added to the
/// registers that are live in its callers.
class EstimatedProgram {
public:
    EstimatedProgram(const ptx::Module& module, const BlockResidency& residency)
        : module_(module), residency_(residency) {}

    EstimatedFunction& find_or_compile(const ptx::Function& function) {
        return compiled_functions_.try_emplace(&function, function).first->second;
    }

    u32 count_registers(const ptx::Function& function, u32 max_live_words,
                        bool exceeds_limit = false) {
        open_calls_.push_back(&function);
        const u32 registers = find_or_compile(function).count_registers(
            max_live_words,
            [&](const ptx::Instruction& call) -> std::optional<u32> {
                const ptx::Function* callee = find_call_target(call);
                if (!callee || !callee->has_body || is_in_progress(callee)) return {};
                return count_words(*callee, max_live_words);
            },
            residency_, exceeds_limit);
        open_calls_.pop_back();
        return registers;
    }

private:
    /// Returns the number of registers that a function needs in addition to those of its caller.
    u32 count_words(const ptx::Function& function, u32 max_live_words) {
        const auto [number_entry, is_new] =
            word_counts_.try_emplace({&function, max_live_words}, 0);
        if (is_new) {
            const u32 register_count = count_registers(function, max_live_words) - kAddedRegisters;
            // All functions share the stack pointer. If the calling convention is used, the return
            // address already has a register.
            number_entry->second =
                register_count - 1 +
                (compiled_functions_.at(&function).has_calls() ? 0 : kReturnAddressRegisters);
        }
        return number_entry->second;
    }
    bool is_in_progress(const ptx::Function* function) const {
        return std::find(open_calls_.begin(), open_calls_.end(), function) != open_calls_.end();
    }
    const ptx::Function* find_call_target(const ptx::Instruction& call) const {
        const std::string* name = find_callee(call);
        const auto function_entry = name ? module_.functions.find(*name) : module_.functions.end();
        return function_entry == module_.functions.end() ? nullptr : function_entry->second.get();
    }

    const ptx::Module& module_;
    const BlockResidency residency_;
    std::map<const ptx::Function*, EstimatedFunction> compiled_functions_;
    std::map<std::pair<const ptx::Function*, u32>, u32> word_counts_;
    std::vector<const ptx::Function*> open_calls_;  ///< the functions in the current chain of calls
};

/// Returns the maximum number of warps in a block, or 0 if the block size is unknown.
u64 count_block_warps(const ptx::Function& kernel) {
    const u32* shape = kernel.required_threads[0] ? kernel.required_threads : kernel.max_threads;
    const u64 threads = u64{shape[0]} * shape[1] * shape[2];
    return (threads + kLanes - 1) / kLanes;
}

/// Returns the maximum number of registers that the kernel's launch directives allow.
u32 max_allowed_registers(const ptx::Function& kernel) {
    u32 max_registers =
        kernel.max_registers ? std::min(kernel.max_registers, kMaxRegisters) : kMaxRegisters;
    const u64 warps = count_block_warps(kernel) * std::max(kernel.min_blocks, 1u);
    if (warps == 0) return max_registers;
    const u64 registers_per_thread =
        DeviceModel::registers_per_multiprocessor / (warps * kLanes) / 8 * 8;
    return static_cast<u32>(std::clamp<u64>(registers_per_thread, kMinRegisters, max_registers));
}

/// Returns the total size in bytes of the block's shared variables whose size is known.
u64 shared_bytes(const ptx::Module& module, const ptx::Function& kernel) {
    u64 bytes = 0;
    const auto add_variable = [&](const ptx::Variable& v) {
        if (v.space == ptx::StateSpace::shared) bytes += v.size;
    };
    for (const auto& [name, variable] : kernel.variables) add_variable(variable);
    std::set<std::string> mentioned;
    for (const ptx::Instruction& i : kernel.body)
        for (const ptx::Operand& operand : i.operands) mentioned.insert(operand.name);
    for (const auto& [name, variable] : module.variables)
        if (mentioned.contains(name)) add_variable(variable);
    return bytes;
}

BlockResidency find_block_residency(const ptx::Module& module, const ptx::Function& kernel) {
    const u64 warps = count_block_warps(kernel);
    if (warps == 0) return {};
    return {static_cast<u32>(std::min<u64>(warps, kMaxWarpsPerBlock)),
            shared_bytes(module, kernel)};
}

}  // namespace

u32 max_resident_blocks(u32 warps, u64 shared) {
    using M = DeviceModel;
    const u64 blocks_by_shared_memory = timing::max_blocks_by_shared_memory<u64>(
        shared, M::shared_reserved_per_block, M::shared_per_multiprocessor);
    return std::min({M::max_blocks_per_multiprocessor, kWarpsPerMultiprocessor / warps,
                     static_cast<u32>(blocks_by_shared_memory)});
}

std::vector<u32> Estimate::unrolled_loops() const {
    std::vector<u32> loops;
    for (u32 k = 0; k < unroll_factors.size(); ++k)
        if (unroll_factors[k] > 0) loops.push_back(k);
    return loops;
}

Estimate estimate_code(const ptx::Module& module, const ptx::Function& kernel) {
    const BlockResidency residency = find_block_residency(module, kernel);
    EstimatedProgram program(module, residency);
    const auto count_needed_registers = [&](u32 max_live_words) {
        return std::max(kMinRegisters, program.count_registers(kernel, max_live_words));
    };
    u32 registers = count_needed_registers(kLiveWordsForWrittenOrder);
    // ptxas tries to stay within this limit. If program order is sufficient to stay within it,
    // ptxas keeps that order. If ptxas does not know the block size, it saves some registers with
    // other optimizations.
    const u32 full_occupancy_registers = residency.find_max_registers();
    const bool has_known_block_size = kernel.max_threads[0] || kernel.required_threads[0];
    const bool saves_registers =
        !has_known_block_size && registers <= full_occupancy_registers + kMaxSavedRegisters;
    const auto fits_as_written = [&] {
        return count_needed_registers(0) + kSpareRegisters <= full_occupancy_registers;
    };
    if (registers > full_occupancy_registers && (saves_registers || fits_as_written()))
        registers = full_occupancy_registers;
    if (registers > full_occupancy_registers)
        registers = program.count_registers(kernel, kLiveWordsForWrittenOrder, true);
    const EstimatedFunction& compiled = program.find_or_compile(kernel);
    const u32 allowed_registers = std::min(registers, max_allowed_registers(kernel));
    return {allowed_registers, registers - allowed_registers, compiled.instruction_positions(),
            compiled.unroll_factors()};
}

}  // namespace coalesce::simulator
