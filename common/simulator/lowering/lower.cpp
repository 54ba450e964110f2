#include "simulator/lowering/lower.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "simulator/analysis/early_end.h"
#include "simulator/analysis/written_memory.h"
#include "simulator/base/device_model.h"
#include "simulator/base/options.h"
#include "simulator/execute/barriers.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/memory_handlers.h"
#include "simulator/execute/special_registers.h"
#include "simulator/lowering/lowering.h"
#include "simulator/lowering/move_handlers.h"
#include "simulator/memory/device_memory.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/register_estimate.h"
#include "simulator/ptxas/shared_layout.h"

namespace coalesce::simulator {

using ptx::Operand;
using ptx::StateSpace;

/// The maximum local memory per thread, and the maximum parameter memory per frame, in bytes.
static constexpr u32 kMaxLocalBytes = 512 * 1024;
static constexpr u32 kMaxParameterBytes = 512 * 1024;

FunctionLowering::FunctionLowering(Kernel& kernel, Kernel::Code& kernel_code,
                                   UniformFile& uniform_file, const ptx::Function& function,
                                   FunctionCode& code, bool is_kernel)
    : kernel_(kernel),
      kernel_code_(kernel_code),
      uniform_file_(uniform_file),
      function_(function),
      code_(code),
      is_kernel_(is_kernel),
      is_plain_(kernel_code.is_plain),
      flow_(function),
      load_waits_(load_waits(function, flow_)),
      merged_accesses_(merged_accesses(function, flow_, kernel.shared_offsets,
                                       is_kernel ? kernel.unrolled_loops : std::vector<u32>())),
      own_slots_(!is_plain_) {
    const Liveness liveness(function, flow_);
    registers_ =
        is_plain_ ? make_separate_registers(function)
                  : classify_registers(function, is_kernel, liveness,
                                       kernel_code.is_clustered ? &kernel.shared_offsets : nullptr);
    code_.roots = registers_.root;
    lifetimes_ = find_lifetimes(registers_, liveness);
    register_slots_.resize(function.registers.size());
    for (u32 r = 0; r < lifetimes_.size(); ++r)
        if (!lifetimes_[r].is_empty()) starting_registers_.emplace(lifetimes_[r].begin, r);
    code_.name = function.name;
    code_.ast = &function;
    place_variables();
    find_waiting_loops();
    find_first_reads_of_cas_loops();
}

/// Assigns offsets to local variables and to the parameters of the frame.
void FunctionLowering::place_variables() {
    const auto place_variable = [](u32& end_offset, const ptx::Variable& variable) {
        return place_variable_after(
            end_offset, variable,
            variable.space == StateSpace::local ? kMaxLocalBytes : kMaxParameterBytes);
    };
    const auto place_in_frame = [&](const ptx::Variable& variable,
                                    std::vector<ParameterSlot>& slots) {
        const u32 offset = parameter_offsets_[variable.name] =
            place_variable(code_.parameter_bytes, variable);
        slots.push_back({variable.name, offset, static_cast<u32>(variable.size)});
    };
    if (!is_kernel_) {
        for (const ptx::Variable& variable : function_.parameters) {
            place_in_frame(variable, code_.parameters);
            if (is_address_taken(variable.name))
                local_offsets_[variable.name] =
                    place_variable_after(code_.local_bytes, variable, kMaxLocalBytes);
        }
        for (const ptx::Variable& variable : function_.returns)
            place_in_frame(variable, code_.results);
    }
    for (const auto& [name, variable] : function_.variables) {
        if (variable.space == StateSpace::param)
            parameter_offsets_[name] = place_variable(code_.parameter_bytes, variable);
        if (variable.space == StateSpace::local)
            local_offsets_[name] = place_variable(code_.local_bytes, variable);
    }
    code_.parameter_bytes = static_cast<u32>(round_up(code_.parameter_bytes, 16));
    code_.local_bytes = static_cast<u32>(round_up(code_.local_bytes, 16));
    code_.local_offsets = local_offsets_;
}

/// Reports whether the function takes the address of a parameter (`mov %rd1, f_param_0`). Such a
/// parameter can be read and written like other memory.
bool FunctionLowering::is_address_taken(const std::string& parameter) const {
    for (const Instruction& i : function_.body) {
        if (i.opcode == "call") continue;  // a call passes the parameter's value, not its address
        for (const Operand& operand : i.operands)
            if (operand.is_symbol() && operand.name == parameter) return true;
    }
    return false;
}

/// Copies to the frame's local memory all parameters whose address is taken.
void FunctionLowering::move_parameters() {
    for (const ParameterSlot& parameter : code_.parameters) {
        const auto local_entry = local_offsets_.find(parameter.name);
        if (local_entry == local_offsets_.end()) continue;
        emit({.run = op_move_parameter,
              .d = {.offset = parameter.bytes},
              .immediate = pack_offsets(parameter.offset, local_entry->second)});
    }
}

void FunctionLowering::lower_body() {
    move_parameters();
    for (current_index_ = 0; current_index_ < function_.body.size(); ++current_index_) {
        free_expired_slots(current_index_);
        allocate_starting_slots(current_index_);
        if (!current_instruction().label.empty()) {
            emit_label(current_instruction().label);
            continue;
        }
        ++pending_instructions_;
        ++pending_lines_[{current_instruction().where.file, current_instruction().where.line}];
        for (const Remark& remark : find_remarks(current_instruction())) ++pending_remarks_[remark];
        if (is_plain_) emit_instruction_count();
        if (registers_.is_copy[current_index_]) continue;
        current_value_class_ = current_instruction().operands.empty()
                                   ? ValueClass::thread
                                   : find_destination_class(current_instruction().operands[0]);
        try {
            lower_instruction();
        } catch (const std::out_of_range&) {
            fail("the number of operands is wrong");
        }
        current_value_class_ = ValueClass::thread;
    }
    current_index_ = function_.body.empty() ? 0 : static_cast<u32>(function_.body.size() - 1);
    emit({.run = is_kernel_ ? op_exit : op_return});
    resolve_branches();
    code_.register_file_bytes = own_slots_.bytes();
    code_.slots = own_slots_.all_slots();
}

/// Makes an emitted Op run only for the lanes whose guard is true.
void FunctionLowering::add_guard(Op& op) {
    op.guarded_handler = op.run;
    op.run = op_guarded;
    op.guard = find_register_slot(*current_instruction().guard);
    op.is_guard_negated = current_instruction().is_guard_negated;
}

/// Emits an Op that waits for the loads that must be complete before this instruction.
void FunctionLowering::emit_load_wait() {
    const u64 pending_loads = load_waits_.loads_to_wait_for[current_index_];
    if (pending_loads == 0) return;
    Op op{.run = op_wait_for_loads, .immediate = static_cast<i64>(pending_loads)};
    if (current_instruction().guard) add_guard(op);
    emit(op);
}

/// Lowers the current instruction, whose opcode belongs to `group`. Returns false if the group has
/// no such instruction.
bool FunctionLowering::lower_by_group(OpcodeGroup group) {
    switch (group) {
        case OpcodeGroup::control: return lower_control();
        case OpcodeGroup::access:
            if (current_instruction().has("async")) return lower_family_instruction();
            lower_load_store();
            return true;
        case OpcodeGroup::move: return lower_move();
        case OpcodeGroup::lanes: return lower_lane_instruction();
        default: return lower_family_instruction();
    }
}

void FunctionLowering::lower_instruction() {
    if (current_instruction().guard &&
        register_width(*current_instruction().guard) != Width::predicate)
        fail("the guard is not a predicate");
    emit_load_wait();
    const auto first_op = static_cast<u32>(code_.ops.size());
    const OpcodeEntry* opcode = find_opcode(current_instruction().opcode);
    if (!opcode || !lower_by_group(opcode->group)) fail("unknown instruction");
    if (!current_instruction().guard || opcode->group == OpcodeGroup::control) return;
    for (std::size_t k = first_op; k < code_.ops.size(); ++k) {
        Op& op = code_.ops[k];
        // These Ops run for all lanes, including those whose guard is false. For example, an Op
        // that reads a special register writes a temporary, and counts the preceding instructions.
        if (op.run == op_warp_sync || op.run == op_branch_if || op.run == op_label ||
            op.run == run_read_special_register)
            continue;
        add_guard(op);
    }
}

namespace {

/// Reports whether a handler adds Op::instruction_count to the number of instructions that the warp
/// has executed. In straight-line code, only the last Op does so, and counts for all of them, so
/// that the other Ops run faster.
bool counts_instructions(Handler run) {
    static const std::set<Handler> counting_handlers = {op_branch,
                                                        op_branch_if,
                                                        op_branch_indexed,
                                                        op_exit,
                                                        op_return,
                                                        op_call,
                                                        op_call_indirect,
                                                        op_barrier_sync,
                                                        op_barrier_arrive,
                                                        op_barrier_reduce,
                                                        op_warp_sync,
                                                        op_nothing,
                                                        run_read_special_register,
                                                        op_cluster_arrive,
                                                        op_cluster_wait};
    return counting_handlers.contains(run);
}

}  // namespace

void FunctionLowering::attach_pending_counts(Op& op) {
    op.instruction_count = static_cast<u16>(std::min(pending_instructions_, 65535u));
    if (pending_instructions_ == 0) return;
    op.site = static_cast<u32>(kernel_code_.straight_line_runs.size());
    kernel_code_.straight_line_runs.push_back(std::move(pending_lines_));
    pending_lines_.clear();
    kernel_code_.remarks_of_runs.push_back(std::move(pending_remarks_));
    pending_remarks_.clear();
    pending_instructions_ = 0;
}

Op& FunctionLowering::emit(Op op, ValueClass value_class) {
    op.source = current_index_;
    op.where = current_instruction().where;
    if (value_class == ValueClass::thread && counts_instructions(op.run)) attach_pending_counts(op);
    auto& ops = value_class == ValueClass::thread   ? code_.ops
                : value_class == ValueClass::launch ? kernel_code_.launch_prologue
                : value_class == ValueClass::block  ? kernel_code_.block_prologue
                                                    : kernel_code_.position_prologue;
    ops.push_back(op);
    return ops.back();
}

void FunctionLowering::emit_lane_op(const std::string& name, Slot d,
                                    std::initializer_list<Slot> sources, ValueClass value_class) {
    Op op{.run = find_move_handler(name), .d = d};
    if (!op.run) {
        std::istringstream name_stream(name);
        std::string opcode;
        std::getline(name_stream, opcode, '.');
        std::vector<std::string> modifiers;
        for (std::string word; std::getline(name_stream, word, '.');) modifiers.push_back(word);
        const LaneInstruction* lane_instruction = find_lane_instruction(opcode, modifiers);
        if (!lane_instruction) fail("no handler for " + name);
        op.run = lane_instruction->run;
        op.immediate = lane_instruction->constant;
    }
    Slot* const slots[] = {&op.a, &op.b, &op.c, &op.v[0]};
    std::size_t k = 0;
    for (Slot s : sources) *slots[k++] = s;
    emit(op, value_class);
}

void FunctionLowering::emit_label(const std::string& label) {
    // Lanes that branch to the label do not execute the instructions before it. Therefore, count
    // the instructions that have not produced an Op before the label is emitted.
    if (pending_instructions_) emit_instruction_count();
    Op op{.run = op_label, .source = current_index_};
    if (current_index_ + 1 < function_.body.size())
        op.where = function_.body[current_index_ + 1].where;
    label_ops_[label] = static_cast<u32>(code_.ops.size());
    code_.ops.push_back(op);
}

/// Emits an Op that only counts instructions.
void FunctionLowering::emit_instruction_count() {
    Op count_op{.run = op_nothing, .source = current_index_};
    attach_pending_counts(count_op);
    code_.ops.push_back(count_op);
}

void FunctionLowering::resolve_branches() {
    const auto find_label = [&](const std::string& label) -> const Op* {
        const auto found = label_ops_.find(label);
        if (found == label_ops_.end()) throw LoweringError("unknown label " + label);
        return &code_.ops[found->second];
    };
    for (const auto& [op, label] : branch_fixups_) code_.ops[op].target = find_label(label);
    for (const auto& [op, target] : region_fixups_) code_.ops[op].target = &code_.ops[target];
    for (const auto& [op, labels] : table_fixups_) {
        auto table = std::make_unique<std::vector<const Op*>>();
        for (const std::string& label : labels) table->push_back(find_label(label));
        code_.ops[op].targets = table.get();
        code_.jump_tables.push_back(std::move(table));
    }
}

void FunctionLowering::fail(const std::string& reason) const {
    const Place place = kernel_.place(current_instruction().where);
    std::string text =
        reason + ": `" + std::string(kernel_.module->ast->find_text(current_instruction())) + "`";
    throw LoweringError(text, place);
}

// ---- a kernel ----

namespace {

void place_parameters(Kernel& kernel) {
    kernel.parameter_offsets.clear();
    u32 end_offset = 0;
    for (const ptx::Variable& variable : kernel.ast->parameters)
        kernel.parameter_offsets.push_back(
            place_variable_after(end_offset, variable, DeviceModel::parameter_bytes_max));
    kernel.parameter_bytes = end_offset;
}

u32 count_local_bytes(const ptx::Function& function) {
    u32 bytes = 0;
    for (const auto& [name, variable] : function.variables)
        if (variable.space == StateSpace::local)
            place_variable_after(bytes, variable, kMaxLocalBytes);
    return static_cast<u32>(round_up(bytes, 16));
}

}  // namespace

void lay_out_kernel(Kernel& kernel) {
    try {
        place_parameters(kernel);
        SharedLayout layout = make_shared_layout(*kernel.module->ast, *kernel.ast);
        kernel.shared_offsets = std::move(layout.offsets);
        kernel.static_shared_bytes = layout.bytes;
        kernel.local_bytes = count_local_bytes(*kernel.ast);
    } catch (const LoweringError& error) {
        throw LoweringError("kernel " + kernel.display_name + ": " + error.what());
    }
}

namespace {

void lower_functions(Kernel& kernel, Kernel::Code& code) {
    UniformFile uniform_file;
    std::set<std::string> wanted_functions, lowered_functions;
    const auto lower_function = [&](const ptx::Function& function, FunctionCode& function_code,
                                    bool is_kernel) {
        FunctionLowering lowering(kernel, code, uniform_file, function, function_code, is_kernel);
        lowering.lower_body();
        wanted_functions.insert(lowering.used_functions().begin(), lowering.used_functions().end());
    };
    lower_function(*kernel.ast, code.kernel_function, true);
    while (lowered_functions.size() != wanted_functions.size()) {
        std::set<std::string> new_functions;
        std::set_difference(wanted_functions.begin(), wanted_functions.end(),
                            lowered_functions.begin(), lowered_functions.end(),
                            std::inserter(new_functions, new_functions.end()));
        for (const std::string& name : new_functions) {
            lowered_functions.insert(name);
            const ptx::Function& function = *kernel.module->ast->functions.at(name);
            if (!function.has_body) continue;
            auto& function_code =
                code.functions.try_emplace(name, std::make_unique<FunctionCode>()).first->second;
            lower_function(function, *function_code, false);
        }
    }
    for (const auto& [name, function] : code.functions) {
        function->address = *find_function_address(*kernel.module->ast, name);
        code.function_pointers[function->address] = function.get();
    }
    code.uniform_bytes = uniform_file.file_bytes();
}

/// Reports whether loop unrolling changes which accesses ptxas merges. If so, the kernel must be
/// lowered again, because the unrolled loops are known only after the first lowering: the estimate
/// of ptxas's choices needs the lowered function.
bool merges_across_iterations(const Kernel& kernel, const std::vector<u32>& unrolled_loops) {
    if (unrolled_loops.empty()) return false;
    const ControlFlow flow(*kernel.ast);
    return merged_accesses(*kernel.ast, flow, kernel.shared_offsets, unrolled_loops) !=
           merged_accesses(*kernel.ast, flow, kernel.shared_offsets);
}

}  // namespace

void lower_kernel(Kernel& kernel) {
    if (kernel.code || !kernel.error.empty()) return;
    auto code = std::make_shared<Kernel::Code>();
    code->is_plain = options().is_plain;
    try {
        lower_functions(kernel, *code);
    } catch (const std::exception& error) {
        kernel.error = error.what();
        if (const auto* lowering_error = dynamic_cast<const LoweringError*>(&error))
            kernel.error_place = lowering_error->where;
        kernel.sites.clear();
        return;
    }
    if (code->is_plain)
        kernel.written_memory.may_be_anywhere = true;
    else
        kernel.written_memory = find_written_memory(kernel);
    Estimate estimate = estimate_code(*kernel.module->ast, *kernel.ast);
    kernel.estimated_registers = estimate.registers;
    kernel.estimated_spilled_registers = estimate.spilled_registers;
    kernel.estimated_code_addresses = std::move(estimate.instruction_positions);
    if (std::vector<u32> unrolled_loops = estimate.unrolled_loops();
        merges_across_iterations(kernel, unrolled_loops)) {
        kernel.unrolled_loops = std::move(unrolled_loops);
        kernel.sites.clear();
        code = std::make_shared<Kernel::Code>();
        code->is_plain = options().is_plain;
        lower_functions(kernel, *code);
    }
    set_pointer_offsets(kernel);
    kernel.unroll_factors = std::move(estimate.unroll_factors);
    kernel.ends_early_without_work = ends_early_without_work(*kernel.ast);
    kernel.totals.sites.resize(kernel.sites.size());
    kernel.uninitialised_reads = std::vector<UninitialisedReads>(kernel.sites.size());
    kernel.code = std::move(code);
}

namespace {

/// Lowers the kernel again with the settings in `code`. Returns null if the accesses of the new
/// code differ from those of the old code.
std::shared_ptr<Kernel::Code> lower_again(Kernel& kernel, std::shared_ptr<Kernel::Code> code) {
    const std::vector<Site> sites = std::exchange(kernel.sites, {});
    try {
        lower_functions(kernel, *code);
    } catch (const std::exception&) {
        code = nullptr;
    }
    const auto is_same_site = [](const Site& a, const Site& b) {
        return a.instruction == b.instruction && a.function == b.function;
    };
    const bool has_same_sites = std::equal(sites.begin(), sites.end(), kernel.sites.begin(),
                                           kernel.sites.end(), is_same_site);
    kernel.sites = sites;
    return has_same_sites ? code : nullptr;
}

}  // namespace

std::shared_ptr<Kernel::Code> lower_for_recording(Kernel& kernel) {
    if (kernel.code->is_plain) return kernel.code;
    auto code = std::make_shared<Kernel::Code>();
    code->is_plain = code->is_recorded = true;
    return lower_again(kernel, std::move(code));
}

std::shared_ptr<Kernel::Code> lower_for_clusters(Kernel& kernel) {
    auto code = std::make_shared<Kernel::Code>();
    code->is_plain = kernel.code->is_plain;
    code->is_clustered = true;
    code->has_repeatable_shared_steps = false;
    return lower_again(kernel, std::move(code));
}

}  // namespace coalesce::simulator
