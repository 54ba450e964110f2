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
    static const std::map<std::string_view, void (FunctionLowering::*)()> kGuardedByBranch = {
        {"brx", &FunctionLowering::lower_indexed_branch}, {"bar", &FunctionLowering::lower_barrier},
        {"barrier", &FunctionLowering::lower_barrier},    {"ret", &FunctionLowering::lower_return},
        {"exit", &FunctionLowering::lower_return},        {"call", &FunctionLowering::lower_call}};
    if (now().opcode == "bra") {
        lower_branch();
        return true;
    }
    const auto lower = kGuardedByBranch.find(now().opcode);
    if (lower == kGuardedByBranch.end()) return false;
    const std::optional<u32> branch = begin_guarded_region();
    (this->*lower->second)();
    end_guarded_region(branch);
    return true;
}

/// Reports whether a taken branch leads back to itself through other branches only, so that its
/// lanes loop forever.
static bool never_ends(const ptx::Function& function, u32 at) {
    constexpr int kMostBranches = 8;
    u32 next = at;
    for (int k = 0; k < kMostBranches; ++k) {
        const ptx::Instruction& i = function.body[next];
        if (i.opcode != "bra" || (i.guard && next != at)) return false;
        const auto target = function.labels.find(i.operands.at(0).name);
        if (target == function.labels.end()) return false;
        next = target->second;
        while (next < function.body.size() && !function.body[next].label.empty()) ++next;
        if (next >= function.body.size()) return false;
        if (next == at) return true;
    }
    return false;
}

/// Returns the source line of another branch that leads to the branch at `to`. In a loop that the
/// compiler has emptied, the branch at `to` may have the line of the code before the loop, whereas
/// the other branch has a line of the loop.
static ptx::SourceLine line_of_entry(const ptx::Function& function, u32 to) {
    u32 label = to;
    while (label > 0 && !function.body[label - 1].label.empty()) --label;
    for (u32 at = 0; at < function.body.size(); ++at) {
        if (at == to) continue;
        for (const u32 target : branch_targets(function, function.body[at]))
            if (target >= label && target <= to) return function.body[at].where;
    }
    return function.body[to].where;
}

void FunctionLowering::lower_branch() {
    if (never_ends(function_, at_)) {
        const std::optional<u32> branch = begin_guarded_region();
        emit({.run = op_endless_loop});
        code_.ops.back().where = line_of_entry(function_, at_);
        end_guarded_region(branch);
        return;
    }
    Op op{.run = now().guard ? op_branch_if : op_branch,
          .detail = kCountedBranch,
          .spins = is_waiting_branch_[at_]};
    if (now().guard) {
        op.guard = slot_of_register(*now().guard);
        op.guard_negated = now().guard_negated;
    }
    emit(op);
    fixups_.push_back({static_cast<u32>(code_.ops.size() - 1), now().operands.at(0).name});
}

void FunctionLowering::lower_indexed_branch() {
    const auto list = function_.target_lists.find(now().operands.at(1).name);
    if (list == function_.target_lists.end()) fail("the list of branch targets is unknown");
    const Slot index = source(now().operands[0], Width::w32);
    // This Op runs once for each target that some lanes take. A separate Op counts the preceding
    // instructions, so that they are counted only once.
    if (pending_weight_) emit_count();
    emit({.run = op_branch_indexed, .a = index, .spins = is_waiting_branch_[at_]});
    table_fixups_.push_back({static_cast<u32>(code_.ops.size() - 1), list->second});
}

/// Emits a branch around a guarded instruction at which lanes may wait or exit. Returns the index
/// of the branch.
std::optional<u32> FunctionLowering::begin_guarded_region() {
    if (!now().guard) return {};
    emit({.run = op_branch_if,
          .guard_negated = !now().guard_negated,
          .guard = slot_of_register(*now().guard)});
    return static_cast<u32>(code_.ops.size() - 1);
}

void FunctionLowering::end_guarded_region(std::optional<u32> branch) {
    if (!branch) return;
    code_.ops.push_back({.run = op_label, .source = at_});
    region_fixups_.emplace_back(*branch, static_cast<u32>(code_.ops.size() - 1));
}

void FunctionLowering::lower_return() {
    emit({.run = is_kernel_ || now().opcode == "exit" ? op_exit : op_return});
}

/// Lowers the barrier instructions `bar.sync a{, b}`, `bar.arrive a, b`, `bar.red.op d, a{, b}, p`
/// and `bar.warp.sync mask`.
void FunctionLowering::lower_barrier() {
    const auto& operands = now().operands;
    Op op;
    if (now().has("warp")) {
        op.run = op_warp_sync;
        op.inner = op_warp_barrier;
        op.members = source(operands.at(0), Width::w32);
    } else if (now().has("cluster")) {
        if (!operands.empty()) fail("a cluster barrier takes no operands");
        op.run = now().has("arrive") ? op_cluster_arrive : op_cluster_wait;
        op.detail = now().has("relaxed") ? kRelaxedArrival : 0;
        kernel_code_.has_repeatable_shared_steps = false;
    } else if (now().has("sync") || now().has("arrive")) {
        op.run = now().has("sync") ? op_barrier_sync : op_barrier_arrive;
        op.a = source(operands.at(0), Width::w32);
        op.b = operands.size() > 1 ? source(operands[1], Width::w32) : constant(0, Width::w32);
        const bool plain =
            operands.size() == 1 && operands[0].is_immediate() && operands[0].bits == 0;
        if (!plain) kernel_code_.has_repeatable_shared_steps = false;
    } else if (now().has("red")) {
        op.run = op_barrier_reduce;
        op.detail = now().has("popc") ? kReducePopc : now().has("and") ? kReduceAnd : kReduceOr;
        const Width width = op.detail == kReducePopc ? Width::w32 : Width::predicate;
        op.a = source(operands.at(1), Width::w32);
        op.b = operands.size() > 3 ? source(operands[2], Width::w32) : constant(0, Width::w32);
        op.c = source(operands.back(), Width::predicate);
        op.d = destination(operands[0], width);
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
    const auto& operands = now().operands;
    std::size_t at = 0;
    const auto names_of = [](const Operand& list) {
        std::vector<std::string> names;
        for (const Operand& o : list.elements) names.push_back(o.name);
        return names;
    };
    std::vector<std::string> results, arguments;
    if (operands.at(at).is_vector()) results = names_of(operands[at++]);
    const Operand& callee = operands.at(at++);
    if (at < operands.size() && operands[at].is_vector()) arguments = names_of(operands[at]);
    const auto offset_of = [&](const std::string& name) {
        const auto found = parameter_offsets_.find(name);
        if (found == parameter_offsets_.end()) fail("unknown call argument " + name);
        return found->second;
    };

    if (const DeviceCall* built_in = callee.is_symbol() ? find_device_call(callee.name) : nullptr) {
        lower_device_call(*built_in, results, arguments);
        return;
    }
    kernel_code_.uses_calls = true;
    auto site = std::make_unique<CallSite>();
    for (const std::string& name : arguments) site->argument_offsets.push_back(offset_of(name));
    for (const std::string& name : results) site->result_offsets.push_back(offset_of(name));
    Op op{.run = op_call};
    if (callee.is_symbol()) {
        const auto& functions = kernel_.module->ast->functions;
        const auto found = functions.find(callee.name);
        // Functions with this prefix launch kernels from the device.
        if (callee.name.starts_with("__cudaCDP"))
            throw LoweringError(subjects::not_simulated(subjects::device_launches) + ".",
                                kernel_.place(now().where));
        if (found == functions.end() || !found->second->has_body)
            fail("the called function " + demangled(callee.name) +
                 " is not defined in any PTX of the program (build every file with -arch=sm_90)");
        functions_used_.insert(callee.name);
        site->callee =
            kernel_code_.functions.try_emplace(callee.name, std::make_unique<FunctionCode>())
                .first->second.get();
    } else {
        op.run = op_call_indirect;
        op.a = source(callee, Width::w64);
        if (pending_weight_) emit_count();  // count the instructions once
        // The callee may depend on the order of blocks.
        kernel_code_.order_sensitive = kernel_code_.reads_other_blocks = true;
        kernel_code_.has_repeatable_shared_steps = false;
        for (const auto& [name, function] : kernel_.module->ast->functions)
            if (!function->is_entry && function->has_body) functions_used_.insert(name);
    }
    op.call = site.get();
    code_.calls.push_back(std::move(site));
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
        const Width width = call.argument[k];
        *slots[k] = take_temporary(width);
        emit({.run = parameter_handler(false, width == Width::w64 ? 8 : 4),
              .immediate = parameter_offsets_.at(arguments[k]),
              .v = {*slots[k]}});
    }
    op.has_destination = !results.empty() && call.result != Width::none;
    if (op.has_destination) op.d = take_temporary(call.result);
    const bool is_silent = call.name == std::string_view("vprintf") && !options().has_printf;
    if (call.order_sensitive && !is_silent)
        kernel_code_.order_sensitive = kernel_code_.reads_other_blocks = true;
    if (call.needs_heap) kernel_code_.needs_heap = true;
    emit(op);
    if (!op.has_destination) return;
    emit({.run = parameter_handler(true, call.result == Width::w64 ? 8 : 4),
          .immediate = parameter_offsets_.at(results[0]),
          .v = {op.d}});
}

// ---- loops that wait ----

/// An answer is a value that other threads can change. If an argument of a call is an answer, marks
/// the results of the call as answers. Returns true if the number of answers has increased.
static bool passes_answer(const ptx::Instruction& i, bool reads_dependent,
                          std::set<std::string>& answers) {
    if (i.opcode == "st" && i.has("param") && reads_dependent)
        return answers.insert(i.operands.at(0).name).second;
    if (i.opcode != "call" || i.operands.size() < 3) return false;
    const auto known = [&](const Operand& o) { return answers.contains(o.name); };
    if (none_of(i.operands[2].elements, known)) return false;
    bool grown = false;
    for (const Operand& result : i.operands[0].elements)
        grown |= answers.insert(result.name).second;
    return grown;
}

/// Returns a name for the bytes of the thread's local variables that a load or store accesses at a
/// constant offset, or "" for other accesses. `own` are the registers that point to local variables.
static std::string local_bytes_of(const ptx::Instruction& i, const std::vector<bool>& own) {
    const bool is_load = i.opcode == "ld";
    if ((!is_load && i.opcode != "st") || i.operands.size() < 2) return "";
    const Operand& where = i.operands[is_load ? 1 : 0];
    const std::string offset = "+" + std::to_string(where.offset);
    if (where.has_base_register) return own[where.reg] ? std::to_string(where.reg) + offset : "";
    return i.has("local") ? where.name + offset : "";
}

/// Finds the loops that wait for memory: those whose exit depends on a value that other threads can
/// change. Code that is compiled for a debugger keeps such a value in a local variable.
void FunctionLowering::find_waiting_loops() {
    is_waiting_branch_.assign(function_.body.size(), false);
    std::vector<bool> depends(function_.registers.size(), false);
    const std::vector<bool> own = find_local_addresses(function_);
    std::set<std::string> answers =
        results_of_calls(*kernel_.module->ast, function_, reads_changeable_memory);
    std::set<std::string> local_answers;
    repeat_until_stable(function_, [&](const ptx::Instruction& i) {
        const bool reads_dependent = contains_any(depends, registers_read(i));
        bool has_answered = passes_answer(i, reads_dependent, answers);
        const std::string local = local_bytes_of(i, own);
        const bool of_its_own = i.opcode == "ld" && i.operands.size() > 1 &&
                                i.operands[1].has_base_register && own[i.operands[1].reg];
        if (i.opcode == "st" && reads_dependent && !local.empty())
            has_answered |= local_answers.insert(local).second;
        const bool polls = (reads_changeable_memory(i) && !of_its_own) ||
                           loads_result(i, answers) ||
                           (i.opcode == "ld" && local_answers.contains(local));
        const bool computes = i.opcode != "ld" && reads_dependent;
        return ((polls || computes) && add_all_to(depends, registers_written(i))) || has_answered;
    });
    std::vector<bool> decides(flow_.blocks().size(), false);
    for (u32 b = 0; b < decides.size(); ++b) {
        const ptx::Instruction& last = function_.body[flow_.blocks()[b].end - 1];
        decides[b] = (last.opcode == "bra" && last.guard && depends[*last.guard]) ||
                     (last.opcode == "brx" && contains_any(depends, registers_read(last)));
    }
    // In any layout of a loop, each iteration takes a branch to an earlier position in the text.
    for (u32 at = 0; at < function_.body.size(); ++at) {
        for (u32 to : branch_targets(function_, function_.body[at])) {
            if (to > at) continue;
            for (u32 b : flow_.blocks_of_iteration(at, to))
                if (decides[b]) is_waiting_branch_[at] = true;
        }
    }
}

}  // namespace coalesce::simulator
