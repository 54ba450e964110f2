// Declares the state of lowering one function: the slots of its registers, and the Ops created so
// far. Each of the files lower_*.cpp handles one group of instructions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulator/code/lowering_error.h"
#include "simulator/code/opcodes.h"
#include "simulator/execute/calls.h"
#include "simulator/execute/device_calls.h"
#include "simulator/execute/families.h"
#include "simulator/execute/scheduler.h"
#include "simulator/instructions/lanes.h"
#include "simulator/lowering/lower.h"
#include "simulator/lowering/register_slots.h"
#include "simulator/ptx/ast.h"
#include "simulator/ptxas/load_waits.h"
#include "simulator/ptxas/merged_accesses.h"
#include "simulator/ptxas/value_classes.h"

namespace coalesce::simulator {

/// The layout of the uniform register file, which all functions of a kernel share.
class UniformFile {
public:
    Slot allocate(Width width);
    /// Returns a slot in which all 32 lanes contain `bits`. Equal constants share a slot.
    Slot lower_constant(u64 bits, Width width, std::vector<Kernel::Code::Constant>& constants);
    u32 file_bytes() const { return end_offset_; }

private:
    std::map<std::pair<u64, Width>, Slot> constant_slots_;
    u32 end_offset_ = 0;
};

/// Returns the function pointer of the module's function `name`, or nothing if the module has no
/// such function.
std::optional<u64> find_function_address(const ptx::Module& module, const std::string& name);

class FunctionLowering {
public:
    /// Prepares to lower `function`. The body is stored in `code`, and prologues and constants are
    /// stored in `kernel_code`.
    FunctionLowering(Kernel& kernel, Kernel::Code& kernel_code, UniformFile& uniform_file,
                     const ptx::Function& function, FunctionCode& code, bool is_kernel);
    void lower_body();
    /// Returns the device functions that this function calls or whose addresses it takes.
    const std::set<std::string>& used_functions() const { return used_functions_; }

private:
    using Instruction = ptx::Instruction;
    using Operand = ptx::Operand;

    // ---- lower.cpp: lowers the body instruction by instruction ----
    void place_variables();
    bool is_address_taken(const std::string& parameter) const;
    void move_parameters();
    void lower_instruction();
    bool lower_by_group(OpcodeGroup group);
    void emit_load_wait();
    void add_guard(Op& op);
    void emit_label(const std::string& label);
    void emit_instruction_count();
    void resolve_branches();

    // ---- lower_operands.cpp: converts registers, immediates and symbols to slots ----
    Slot find_register_slot(u32 reg);
    ValueClass value_class_of_register(u32 reg) const {
        return registers_.value_class[registers_.root[reg]];
    }
    Width register_width(u32 reg) const;
    /// Returns the width of an operand that must be a register.
    Width operand_width(const Operand& operand) const;
    Slot lower_source(const Operand& operand, Width width);
    Slot lower_destination(const Operand& operand, Width width);
    Slot lower_special_register(const std::string& name, Width width);
    Slot allocate_temporary(Width width);
    Slot lower_constant(u64 bits, Width width);
    u64 immediate_bits(const Operand& operand, Width width) const;
    /// Returns the address of a function or a variable. Returns nothing if there is no such
    /// function or variable.
    std::optional<u64> find_symbol_address(const std::string& name);
    Slot lower_symbol(const std::string& name, i64 offset, Width width);
    /// Returns a slot with the shared-memory address of the byte at `offset`. In launches with
    /// clusters, this address is not a constant, because it differs from block to block.
    Slot lower_shared_address(i64 offset, Width width);
    Slot convert_slot(Slot source_slot, Width actual_width, Width wanted_width);
    void free_expired_slots(u32 at);
    void allocate_starting_slots(u32 at);

    // ---- lower_memory.cpp ----
    void find_first_reads_of_cas_loops();
    std::vector<Slot> find_element_slots(const std::vector<Operand>& elements, Width width,
                                         bool store);
    void lower_load_store();
    void lower_parameter_access(bool store, const std::vector<Operand>& elements, ptx::Type type);
    void lower_kernel_parameter(const Operand& address, const std::vector<Operand>& elements,
                                ptx::Type type);
    /// Stores the base register of `address` in Op::a, and the offset of `address` in
    /// Op::immediate. Returns true if the base has 32-bit lanes. This is possible only if
    /// `allows_narrow` is true.
    bool lower_address(Op& op, const Operand& address, ptx::StateSpace space, bool allows_narrow);
    /// Returns a slot with the sum of the address's base and offset, in 64-bit lanes.
    Slot lower_complete_address(const Operand& address, ptx::StateSpace space);
    u32 add_site(const MemoryUse& use);
    void extend_loaded(const std::vector<Operand>& elements, ptx::Type type,
                       const std::vector<Slot>& loaded_slots);

    // ---- lower_control.cpp: branches, barriers, calls ----
    bool lower_control();
    void lower_branch();
    void lower_indexed_branch();
    void lower_barrier();
    void lower_return();
    void lower_call();
    void lower_device_call(const DeviceCall& call, const std::vector<std::string>& results,
                           const std::vector<std::string>& arguments);
    /// Emits a branch that skips a guarded instruction whose handler ignores guards, and returns
    /// the index of the branch. Does nothing if the instruction has no guard.
    std::optional<u32> begin_guarded_region();
    void end_guarded_region(std::optional<u32> branch);
    void find_waiting_loops();

    // ---- lower_values.cpp: mov, cvta, lane-wise instructions, families ----
    bool lower_move();
    void lower_address_conversion();
    void lower_unpack(const Operand& from, const std::vector<Operand>& to, ptx::Type type);
    void lower_pack(const std::vector<Operand>& from, const Operand& to, ptx::Type type);
    bool lower_lane_instruction();
    bool lower_family_instruction();
    void extend_short_result(const Operand& to, ValueClass value_class);
    ptx::Type find_destination_type() const;
    static i64 extract_second_offset(i64 packed_offsets) { return packed_offsets >> 32; }
    void set_family_operand(Op& op, const FamilyInstruction& family, const OperandRole& role,
                            const Operand& operand, ptx::StateSpace space);

    void set_list_operand(OperandList& list, const OperandRole& role, const Operand& operand,
                          ptx::StateSpace space);
    void set_fragment_operand(MatrixOp& matrix, const OperandRole& role, const Operand& operand);

    // ---- emitting ----

    /// Makes `op` count all instructions that no Op counts yet.
    void attach_pending_counts(Op& op);
    /// Appends an Op to the body, or to the prologue that computes `value_class`.
    Op& emit(Op op, ValueClass value_class = ValueClass::thread);
    ValueClass find_destination_class(const Operand& operand) const;
    /// Emits a lane-wise helper instruction by its PTX name, such as "cvt.u64.u32".
    void emit_lane_op(const std::string& name, Slot d, std::initializer_list<Slot> sources,
                      ValueClass value_class);
    [[noreturn]] void fail(const std::string& reason) const;
    const Instruction& current_instruction() const {
        static const Instruction empty_instruction;  // the body may be empty
        return current_index_ < function_.body.size() ? function_.body[current_index_]
                                                      : empty_instruction;
    }

    Kernel& kernel_;
    Kernel::Code& kernel_code_;
    UniformFile& uniform_file_;
    const ptx::Function& function_;
    FunctionCode& code_;
    const bool is_kernel_;
    const bool is_plain_;

    Registers registers_;
    const ControlFlow flow_;
    const LoadWaits load_waits_;
    const MergedAccesses merged_accesses_;
    std::vector<Liveness::Range> lifetimes_;           ///< the live range of each root register
    std::vector<std::optional<Slot>> register_slots_;  ///< the current slot of each root register
    /// The root registers that become live at an instruction, keyed by the instruction's index.
    std::multimap<u32, u32> starting_registers_;
    /// The root registers whose last use is at an instruction, keyed by the instruction's index.
    std::multimap<u32, u32> expiring_registers_;
    /// The temporary slots of the current instruction.
    std::vector<std::pair<Slot, Width>> temporary_slots_;
    SlotPool own_slots_;
    std::optional<Slot> carry_slot_;  ///< the carry flag of add.cc and similar instructions
    std::map<std::string, Slot> special_slots_;
    std::map<std::pair<i64, Width>, Slot> shared_address_slots_;
    std::map<std::string, u32> local_offsets_, parameter_offsets_;
    /// For each instruction, whether it is the backward branch of a spin-wait loop.
    std::vector<bool> is_waiting_branch_;
    /// For each instruction of the body, whether it is the first read of a compare-and-swap loop.
    std::vector<bool> is_first_read_of_cas_loop_;
    std::set<std::string> used_functions_;

    /// The class of the values that the current instruction computes.
    ValueClass current_value_class_ = ValueClass::thread;
    u32 current_index_ = 0;         ///< the index of the current instruction
    u32 pending_instructions_ = 0;  ///< the number of instructions that no Op counts yet
    /// For each source line (file and line), how many of the instructions in
    /// `pending_instructions_` it has.
    std::map<std::pair<u32, u32>, u32> pending_lines_;
    /// For each remark, how many of the instructions in `pending_instructions_` have it.
    std::map<Remark, u32> pending_remarks_;
    std::map<std::string, u32> label_ops_;
    // The branches whose targets are not known yet: the index of each branch, and the name of its
    // target.
    std::vector<std::pair<u32, std::string>> branch_fixups_;
    std::vector<std::pair<u32, std::vector<std::string>>> table_fixups_;
    /// The index of each branch around a guarded region, and the index of its target.
    std::vector<std::pair<u32, u32>> region_fixups_;
};

}  // namespace coalesce::simulator
