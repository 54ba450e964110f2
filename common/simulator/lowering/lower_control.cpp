// Lowers branches, barriers, returns and calls.
#include <map>
#include <string_view>

#include "base/kernel_name.h"
#include "base/ranges.h"
#include "simulator/analysis/deciding_registers.h"
#include "simulator/analysis/register_use.h"
#include "simulator/base/options.h"
#include "simulator/base/subjects.h"
#include "simulator/execute/barriers.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/device_calls.h"
#include "simulator/lowering/lowering.h"

namespace coalesce::simulator {

using ptx::Operand;

bool FunctionLowering::lower_control() {
    static const std::map<std::string_view, void (FunctionLowering::*)()> kLoweringFunctions = {
        {"brx", &FunctionLowering::lower_indexed_branch}, {"bar", &FunctionLowering::lower_barrier},
        {"barrier", &FunctionLowering::lower_barrier},    {"ret", &FunctionLowering::lower_return},
        {"exit", &FunctionLowering::lower_return},        {"call", &FunctionLowering::lower_call}};
    if (current_instruction().opcode == "bra") {
        lower_branch();
        return true;
    }
    const auto lower_function = kLoweringFunctions.find(current_instruction().opcode);
    if (lower_function == kLoweringFunctions.end()) return false;
    const std::optional<u32> branch = begin_guarded_region();
    (this->*lower_function->second)();
    end_guarded_region(branch);
    return true;
}

/// Reports whether a taken branch leads back to itself through other branches only, so that its
/// lanes loop forever.
static bool is_endless_branch(const ptx::Function& function, u32 at) {
    constexpr int kMaxFollowedBranches = 8;
    u32 next_instruction = at;
    for (int k = 0; k < kMaxFollowedBranches; ++k) {
        const ptx::Instruction& i = function.body[next_instruction];
        if (i.opcode != "bra" || (i.guard && next_instruction != at)) return false;
        const auto target = function.labels.find(i.operands.at(0).name);
        if (target == function.labels.end()) return false;
        next_instruction = target->second;
        while (next_instruction < function.body.size() &&
               !function.body[next_instruction].label.empty())
            ++next_instruction;
        if (next_instruction >= function.body.size()) return false;
        if (next_instruction == at) return true;
    }
    return false;
}

/// Returns the source line of another branch that leads to the branch at `branch_index`. In a loop
/// that the compiler has emptied, the branch at `branch_index` may have the line of the code before
/// the loop, whereas the other branch has a line of the loop.
static ptx::SourceLine find_line_of_entry(const ptx::Function& function, u32 branch_index) {
    u32 label = branch_index;
    while (label > 0 && !function.body[label - 1].label.empty()) --label;
    for (u32 at = 0; at < function.body.size(); ++at) {
        if (at == branch_index) continue;
        for (const u32 target : branch_targets(function, function.body[at]))
            if (target >= label && target <= branch_index) return function.body[at].where;
    }
    return function.body[branch_index].where;
}

void FunctionLowering::lower_branch() {
    if (is_endless_branch(function_, current_index_)) {
        const std::optional<u32> branch = begin_guarded_region();
        emit({.run = op_endless_loop});
        code_.ops.back().where = find_line_of_entry(function_, current_index_);
        end_guarded_region(branch);
        return;
    }
    Op op{.run = current_instruction().guard ? op_branch_if : op_branch,
          .detail = kProgramBranch,
          .is_spin_branch = is_waiting_branch_[current_index_]};
    if (current_instruction().guard) {
        op.guard = find_register_slot(*current_instruction().guard);
        op.is_guard_negated = current_instruction().is_guard_negated;
    }
    emit(op);
    branch_fixups_.push_back(
        {static_cast<u32>(code_.ops.size() - 1), current_instruction().operands.at(0).name});
}

void FunctionLowering::lower_indexed_branch() {
    const auto target_list = function_.target_lists.find(current_instruction().operands.at(1).name);
    if (target_list == function_.target_lists.end()) fail("the list of branch targets is unknown");
    const Slot index = lower_source(current_instruction().operands[0], Width::w32);
    // This Op runs once for each target that some lanes take. A separate Op counts the preceding
    // instructions, so that they are counted only once.
    if (pending_instructions_) emit_instruction_count();
    emit({.run = op_branch_indexed,
          .a = index,
          .is_spin_branch = is_waiting_branch_[current_index_]});
    table_fixups_.push_back({static_cast<u32>(code_.ops.size() - 1), target_list->second});
}

/// Emits a branch around a guarded instruction at which lanes may wait or exit. Returns the index
/// of the branch.
std::optional<u32> FunctionLowering::begin_guarded_region() {
    if (!current_instruction().guard) return {};
    emit({.run = op_branch_if,
          .is_guard_negated = !current_instruction().is_guard_negated,
          .guard = find_register_slot(*current_instruction().guard)});
    return static_cast<u32>(code_.ops.size() - 1);
}

void FunctionLowering::end_guarded_region(std::optional<u32> branch) {
    if (!branch) return;
    code_.ops.push_back({.run = op_label, .source = current_index_});
    region_fixups_.emplace_back(*branch, static_cast<u32>(code_.ops.size() - 1));
}

void FunctionLowering::lower_return() {
    emit({.run = is_kernel_ || current_instruction().opcode == "exit" ? op_exit : op_return});
}

/// Lowers the barrier instructions `bar.sync a{, b}`, `bar.arrive a, b`, `bar.red.op d, a{, b}, p`
/// and `bar.warp.sync mask`.
void FunctionLowering::lower_barrier() {
    const auto& operands = current_instruction().operands;
    Op op;
    if (current_instruction().has("warp")) {
        op.run = op_warp_sync;
        op.guarded_handler = op_warp_barrier;
        op.members = lower_source(operands.at(0), Width::w32);
    } else if (current_instruction().has("cluster")) {
        if (!operands.empty()) fail("a cluster barrier takes no operands");
        op.run = current_instruction().has("arrive") ? op_cluster_arrive : op_cluster_wait;
        op.detail = current_instruction().has("relaxed") ? kRelaxedArrival : 0;
        kernel_code_.has_repeatable_shared_steps = false;
    } else if (current_instruction().has("sync") || current_instruction().has("arrive")) {
        op.run = current_instruction().has("sync") ? op_barrier_sync : op_barrier_arrive;
        op.a = lower_source(operands.at(0), Width::w32);
        op.b = operands.size() > 1 ? lower_source(operands[1], Width::w32)
                                   : lower_constant(0, Width::w32);
        const bool is_plain_barrier =
            operands.size() == 1 && operands[0].is_immediate() && operands[0].bits == 0;
        if (!is_plain_barrier) kernel_code_.has_repeatable_shared_steps = false;
    } else if (current_instruction().has("red")) {
        op.run = op_barrier_reduce;
        op.detail = current_instruction().has("popc")  ? kReducePopc
                    : current_instruction().has("and") ? kReduceAnd
                                                       : kReduceOr;
        const Width width = op.detail == kReducePopc ? Width::w32 : Width::predicate;
        op.a = lower_source(operands.at(1), Width::w32);
        op.b = operands.size() > 3 ? lower_source(operands[2], Width::w32)
                                   : lower_constant(0, Width::w32);
        op.c = lower_source(operands.back(), Width::predicate);
        op.d = lower_destination(operands[0], width);
        kernel_code_.has_repeatable_shared_steps = false;
    } else {
        fail("unknown barrier");
    }
    emit(op);
}

// ---- calls ----

/// Lowers a call, which has the form `call (results), function, (arguments)`. The names in
/// parentheses are .param variables.
void FunctionLowering::lower_call() {
    const auto& operands = current_instruction().operands;
    std::size_t at = 0;
    const auto list_names = [](const Operand& list) {
        std::vector<std::string> names;
        for (const Operand& o : list.elements) names.push_back(o.name);
        return names;
    };
    std::vector<std::string> results, arguments;
    if (operands.at(at).is_vector()) results = list_names(operands[at++]);
    const Operand& callee = operands.at(at++);
    if (at < operands.size() && operands[at].is_vector()) arguments = list_names(operands[at]);
    const auto find_offset = [&](const std::string& name) {
        const auto found = parameter_offsets_.find(name);
        if (found == parameter_offsets_.end()) fail("unknown call argument " + name);
        return found->second;
    };

    if (const DeviceCall* device_call =
            callee.is_symbol() ? find_device_call(callee.name) : nullptr) {
        lower_device_call(*device_call, results, arguments);
        return;
    }
    kernel_code_.uses_calls = true;
    auto call_site = std::make_unique<CallSite>();
    for (const std::string& name : arguments)
        call_site->argument_offsets.push_back(find_offset(name));
    for (const std::string& name : results) call_site->result_offsets.push_back(find_offset(name));
    Op op{.run = op_call};
    if (callee.is_symbol()) {
        const auto& functions = kernel_.module->ast->functions;
        const auto found = functions.find(callee.name);
        // Functions with this prefix launch kernels from the device.
        if (callee.name.starts_with("__cudaCDP"))
            throw LoweringError(subjects::not_simulated(subjects::device_launches) + ".",
                                kernel_.place(current_instruction().where));
        if (found == functions.end() || !found->second->has_body)
            fail("the called function " + demangled(callee.name) +
                 " is not defined in any PTX of the program (build every file with -arch=sm_90)");
        used_functions_.insert(callee.name);
        call_site->callee =
            kernel_code_.functions.try_emplace(callee.name, std::make_unique<FunctionCode>())
                .first->second.get();
    } else {
        op.run = op_call_indirect;
        op.a = lower_source(callee, Width::w64);
        if (pending_instructions_) emit_instruction_count();  // count the instructions once
        // The callee may depend on the order of blocks.
        kernel_code_.is_order_sensitive = kernel_code_.reads_other_blocks = true;
        kernel_code_.has_repeatable_shared_steps = false;
        for (const auto& [name, function] : kernel_.module->ast->functions)
            if (!function->is_entry && function->has_body) used_functions_.insert(name);
    }
    op.call_site = call_site.get();
    code_.call_sites.push_back(std::move(call_site));
    emit(op);
}

/// Lowers a call to vprintf or a similar function. Loads the arguments from parameter memory into
/// slots.
void FunctionLowering::lower_device_call(const DeviceCall& call,
                                         const std::vector<std::string>& results,
                                         const std::vector<std::string>& arguments) {
    Op op{.run = call.run};
    Slot* const slots[] = {&op.a, &op.b, &op.c, &op.v[0], &op.v[1]};
    for (std::size_t k = 0; k < arguments.size() && k < 5; ++k) {
        const Width width = call.argument_widths[k];
        *slots[k] = allocate_temporary(width);
        emit({.run = parameter_handler(false, width == Width::w64 ? 8 : 4),
              .immediate = parameter_offsets_.at(arguments[k]),
              .v = {*slots[k]}});
    }
    op.has_destination = !results.empty() && call.result_width != Width::none;
    if (op.has_destination) op.d = allocate_temporary(call.result_width);
    const bool is_silent = call.name == std::string_view("vprintf") && !options().has_printf;
    if (call.is_order_sensitive && !is_silent)
        kernel_code_.is_order_sensitive = kernel_code_.reads_other_blocks = true;
    if (call.needs_heap) kernel_code_.needs_heap = true;
    emit(op);
    if (!op.has_destination) return;
    emit({.run = parameter_handler(true, call.result_width == Width::w64 ? 8 : 4),
          .immediate = parameter_offsets_.at(results[0]),
          .v = {op.d}});
}

// ---- loops that wait ----

/// Updates `answers`, the .param variables whose values depend on memory that other threads can
/// change. If the instruction stores such a value (`reads_dependent`) in a .param variable, adds
/// the variable. If a call has an argument in `answers`, adds the results of the call. Returns true
/// if `answers` has grown.
static bool propagate_changeable_result(const ptx::Instruction& i, bool reads_dependent,
                                        std::set<std::string>& answers) {
    if (i.opcode == "st" && i.has("param") && reads_dependent)
        return answers.insert(i.operands.at(0).name).second;
    if (i.opcode != "call" || i.operands.size() < 3) return false;
    const auto is_answer = [&](const Operand& o) { return answers.contains(o.name); };
    if (none_of(i.operands[2].elements, is_answer)) return false;
    bool has_grown = false;
    for (const Operand& result : i.operands[0].elements)
        has_grown |= answers.insert(result.name).second;
    return has_grown;
}

/// Returns a name for the bytes of the thread's local variables that a load or store accesses at a
/// constant offset, or "" for other accesses. `is_local_address` are the registers that point to
/// local variables.
static std::string name_local_bytes(const ptx::Instruction& i,
                                    const std::vector<bool>& is_local_address) {
    const bool is_load = i.opcode == "ld";
    if ((!is_load && i.opcode != "st") || i.operands.size() < 2) return "";
    const Operand& address_operand = i.operands[is_load ? 1 : 0];
    const std::string offset = "+" + std::to_string(address_operand.offset);
    if (address_operand.has_base_register)
        return is_local_address[address_operand.reg] ? std::to_string(address_operand.reg) + offset
                                                     : "";
    return i.has("local") ? address_operand.name + offset : "";
}

/// Finds the loops that wait for memory: those whose exit depends on a value that other threads can
/// change. Code that is compiled for a debugger keeps such a value in a local variable.
void FunctionLowering::find_waiting_loops() {
    is_waiting_branch_.assign(function_.body.size(), false);
    std::vector<bool> is_dependent(function_.registers.size(), false);
    const std::vector<bool> is_local_address = find_local_addresses(function_);
    std::set<std::string> answers =
        find_call_results(*kernel_.module->ast, function_, reads_changeable_memory);
    std::set<std::string> local_answers;
    repeat_until_stable(function_, [&](const ptx::Instruction& i) {
        const bool reads_dependent = contains_any_register(is_dependent, list_read_registers(i));
        bool has_new_answer = propagate_changeable_result(i, reads_dependent, answers);
        const std::string local_key = name_local_bytes(i, is_local_address);
        const bool is_own_memory = i.opcode == "ld" && i.operands.size() > 1 &&
                                   i.operands[1].has_base_register &&
                                   is_local_address[i.operands[1].reg];
        if (i.opcode == "st" && reads_dependent && !local_key.empty())
            has_new_answer |= local_answers.insert(local_key).second;
        const bool is_poll = (reads_changeable_memory(i) && !is_own_memory) ||
                             loads_call_result(i, answers) ||
                             (i.opcode == "ld" && local_answers.contains(local_key));
        const bool is_dependent_computation = i.opcode != "ld" && reads_dependent;
        return ((is_poll || is_dependent_computation) &&
                add_registers(is_dependent, list_written_registers(i))) ||
               has_new_answer;
    });
    std::vector<bool> is_deciding_block(flow_.blocks().size(), false);
    for (u32 b = 0; b < is_deciding_block.size(); ++b) {
        const ptx::Instruction& last = function_.body[flow_.blocks()[b].end - 1];
        is_deciding_block[b] = (last.opcode == "bra" && last.guard && is_dependent[*last.guard]) ||
                               (last.opcode == "brx" &&
                                contains_any_register(is_dependent, list_read_registers(last)));
    }
    // In any layout of a loop, each iteration takes a branch to an earlier position in the text.
    for (u32 at = 0; at < function_.body.size(); ++at) {
        for (u32 branch_target : branch_targets(function_, function_.body[at])) {
            if (branch_target > at) continue;
            for (u32 b : flow_.blocks_of_iteration(at, branch_target))
                if (is_deciding_block[b]) is_waiting_branch_[at] = true;
        }
    }
}

}  // namespace coalesce::simulator
