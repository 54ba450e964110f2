// The state of lowering one function: where its registers live, and the Ops made so far.
// Shared by the files lower_*.cpp, each of which knows one group of instructions.
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

/// What all functions of a kernel share while it is lowered: the uniform file and the constants in
/// it.
class UniformFile {
public:
    Slot take(Width width);
    /// 32 lanes of the same bits; one slot for each value.
    Slot constant(u64 bits, Width width, std::vector<Kernel::Code::Constant>& constants);
    u32 bytes() const { return top_; }

private:
    std::map<std::pair<u64, Width>, Slot> constants_;
    u32 top_ = 0;
};

/// Where pointers to a function of the module point to; nothing where it has none of that name.
std::optional<u64> address_of_function(const ptx::Module& module, const std::string& name);

class FunctionLowering {
public:
    /// `code` receives what runs; prologues and constants go to `kernel_code`.
    FunctionLowering(Kernel& kernel, Kernel::Code& kernel_code, UniformFile& uniform,
                     const ptx::Function& function, FunctionCode& code, bool is_kernel);
    void run();
    /// Device functions that are called or whose address is taken.
    const std::set<std::string>& functions_used() const { return functions_used_; }

private:
    using Instruction = ptx::Instruction;
    using Operand = ptx::Operand;

    // ---- lower.cpp: the walk over the body ----
    void place_variables();
    bool address_is_taken(const std::string& parameter) const;
    void move_parameters();
    void lower_instruction();
    bool lower_by_group(OpcodeGroup group);
    void emit_load_wait();
    void put_behind_guard(Op& op);
    void emit_label(const std::string& label);
    void emit_count();
    void resolve_branches();

    // ---- lower_operands.cpp: registers, immediates, symbols -> slots ----
    Slot slot_of_register(u32 reg);
    ValueClass class_of_register(u32 reg) const {
        return registers_.value_class[registers_.root[reg]];
    }
    Width width_of_register(u32 reg) const;
    /// Of an operand that must be a register.
    Width width_of(const Operand& operand) const;
    Slot source(const Operand& operand, Width width);
    Slot destination(const Operand& operand, Width width);
    Slot special_slot(const std::string& name, Width width);
    Slot temporary(Width width);
    Slot constant(u64 bits, Width width);
    u64 immediate_bits(const Operand& operand, Width width) const;
    /// The address of a variable in its space, or of a function; nothing for an unknown name.
    std::optional<u64> symbol_address(const std::string& name);
    Slot symbol_slot(const std::string& name, i64 offset, Width width);
    /// In a launch with clusters: the address differs from block to block.
    Slot shared_address_slot(i64 offset, Width width);
    Slot converted(Slot from, Width have, Width want);
    void expire(u32 at);
    void begin_lifetimes(u32 at);

    // ---- lower_memory.cpp ----
    void find_first_guesses();
    std::vector<Slot> slots_of_elements(const std::vector<Operand>& elements, Width width,
                                        bool store);
    void lower_load_store();
    void lower_parameter_access(bool store, const std::vector<Operand>& elements, ptx::Type type);
    void lower_kernel_parameter(const Operand& address, const std::vector<Operand>& elements,
                                ptx::Type type);
    /// Base register to Op::a, offset to Op::immediate; returns whether the base has 32-bit lanes.
    bool address_operand(Op& op, const Operand& address, ptx::StateSpace space, bool allow_narrow);
    /// An address, its offset added, as 64-bit lanes.
    Slot whole_address(const Operand& address, ptx::StateSpace space);
    u32 add_site(const MemoryUse& use);
    void widen_loaded(const std::vector<Operand>& elements, ptx::Type type,
                      const std::vector<Slot>& loaded);

    // ---- lower_control.cpp: branches, barriers, calls ----
    bool lower_control();
    void lower_branch();
    void lower_indexed_branch();
    void lower_barrier();
    void lower_return();
    void lower_call();
    void lower_device_call(const DeviceCall& call, const std::vector<std::string>& results,
                           const std::vector<std::string>& arguments);
    /// For instructions that a guard cannot simply mask: a branch around them, if there is a guard. Returns that.
    std::optional<u32> begin_guarded_region();
    void end_guarded_region(std::optional<u32> branch);
    void find_waiting_loops();

    // ---- lower_values.cpp: mov, cvta, lane-wise instructions, families ----
    bool lower_move();
    void lower_address_conversion();
    void unpack(const Operand& from, const std::vector<Operand>& to, ptx::Type type);
    void pack(const std::vector<Operand>& from, const Operand& to, ptx::Type type);
    bool lower_lane_instruction();
    bool lower_family_instruction();
    void extend_short_result(const Operand& to, ValueClass value_class);
    ptx::Type destination_type() const;
    static i64 second_offset_of(i64 packed) { return packed >> 32; }
    void place_family_operand(Op& op, const FamilyInstruction& family, const OperandRole& role,
                              const Operand& operand, ptx::StateSpace space);

    void place_in_list(OperandList& list, const OperandRole& role, const Operand& operand,
                       ptx::StateSpace space);
    void place_fragment(MatrixOp& matrix, const OperandRole& role, const Operand& operand);

    // ---- emitting ----
    /// Hands what has gone by since the last Op that counts to this one.
    void take_pending(Op& op);
    /// Appends to the body, or to the prologue that computes `value_class`.
    Op& emit(Op op, ValueClass value_class = ValueClass::thread);
    ValueClass class_of_destination(const Operand& operand) const;
    /// A lane-wise helper instruction of the lowering's own, by its PTX name: "cvt.u64.u32".
    void emit_lane(const std::string& name, Slot d, std::initializer_list<Slot> sources,
                   ValueClass value_class);
    [[noreturn]] void fail(const std::string& why) const;
    const Instruction& now() const {
        static const Instruction nothing;  // the body may be empty
        return at_ < function_.body.size() ? function_.body[at_] : nothing;
    }

    Kernel& kernel_;
    Kernel::Code& kernel_code_;
    UniformFile& uniform_;
    const ptx::Function& function_;
    FunctionCode& code_;
    const bool is_kernel_;
    const bool plain_;

    Registers registers_;
    const ControlFlow flow_;
    const LoadWaits load_waits_;
    const MergedAccesses merged_;
    std::vector<Liveness::Range> lifetimes_;  ///< of root registers
    std::vector<std::optional<Slot>> slots_;  ///< of root registers
    std::multimap<u32, u32> begins_;          ///< body index -> root register that lives from there
    std::multimap<u32, u32> ends_;            ///< body index -> root register that dies there
    std::vector<std::pair<Slot, Width>> temporaries_;  ///< of the current instruction
    SlotPool own_;
    std::optional<Slot> carry_;  ///< the flag of add.cc and its kin
    std::map<std::string, Slot> specials_;
    std::map<std::pair<i64, Width>, Slot> shared_addresses_;
    std::map<std::string, u32> local_offsets_, parameter_offsets_;
    std::vector<bool> waiting_branch_;  ///< per body index
    std::vector<bool> first_guess_;     ///< per body index: see find_first_guesses
    std::set<std::string> functions_used_;

    ValueClass current_class_ =
        ValueClass::thread;   ///< of what the instruction being lowered computes
    u32 at_ = 0;              ///< index of the instruction being lowered
    u32 pending_weight_ = 0;  ///< instructions that no Op stands for yet
    std::map<std::pair<u32, u32>, u32> pending_lines_;  ///< the same by (file, line)
    std::map<Remark, u32> pending_remarks_;             ///< the same by what is to say of them
    std::map<std::string, u32> label_ops_;
    // Ops whose targets have no place yet: what they are called, or where they will be.
    std::vector<std::pair<u32, std::string>> fixups_;
    std::vector<std::pair<u32, std::vector<std::string>>> table_fixups_;
    std::vector<std::pair<u32, u32>> region_fixups_;  ///< op index -> op index
};

}  // namespace coalesce::simulator
