#include "simulator/analysis/early_end.h"

#include <algorithm>
#include <string_view>

#include "simulator/analysis/control_flow.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;

bool is_block_barrier(const Instruction& i) {
    return i.opcode == "bar" || i.opcode == "barrier";
}
bool ends_thread(const Instruction& i) {
    return i.opcode == "ret" || i.opcode == "exit";
}

/// Reports whether the instruction may access memory that other threads see.
bool may_access_shared_state(const Instruction& i) {
    constexpr std::string_view kAccessOpcodes[] = {
        "ld", "ldu", "st", "atom", "red", "cp", "tex", "ldmatrix", "stmatrix", "mbarrier", "call"};
    const bool is_private = i.has("param") || i.has("const") || i.has("local");
    return !is_private && std::ranges::count(kAccessOpcodes, i.opcode) > 0;
}

/// Marks all instructions that are reachable from the marked instructions without passing a
/// barrier.
void mark_reachable(const ptx::Function& function, const std::vector<std::vector<u32>>& edges,
                    std::vector<bool>& is_marked) {
    std::vector<u32> open_instructions;
    for (u32 i = 0; i < is_marked.size(); ++i)
        if (is_marked[i]) open_instructions.push_back(i);
    while (!open_instructions.empty()) {
        const u32 at = open_instructions.back();
        open_instructions.pop_back();
        for (const u32 neighbour : edges[at]) {
            if (is_marked[neighbour] || is_block_barrier(function.body[neighbour])) continue;
            is_marked[neighbour] = true;
            open_instructions.push_back(neighbour);
        }
    }
}

}  // namespace

bool ends_early_without_work(const ptx::Function& function) {
    const std::vector<Instruction>& body = function.body;
    const auto instruction_count = static_cast<u32>(body.size());
    std::vector<std::vector<u32>> successors(instruction_count), predecessors(instruction_count);
    std::vector<bool> is_reached_from_begin(instruction_count), leads_to_end(instruction_count);
    for (u32 i = 0; i < instruction_count; ++i) {
        const bool is_branch = body[i].opcode == "bra" || body[i].opcode == "brx";
        if (is_branch) successors[i] = branch_targets(function, body[i]);
        const bool may_fall_through = body[i].guard || !(is_branch || ends_thread(body[i]));
        if (may_fall_through && i + 1 < instruction_count) successors[i].push_back(i + 1);
        for (const u32 neighbour : successors[i]) predecessors[neighbour].push_back(i);
        leads_to_end[i] = ends_thread(body[i]) || (may_fall_through && i + 1 == instruction_count);
    }
    if (instruction_count > 0) is_reached_from_begin[0] = !is_block_barrier(body[0]);
    mark_reachable(function, successors, is_reached_from_begin);
    mark_reachable(function, predecessors, leads_to_end);
    for (u32 i = 0; i < instruction_count; ++i)
        if (is_reached_from_begin[i] && leads_to_end[i] && may_access_shared_state(body[i]))
            return false;
    return true;
}

}  // namespace coalesce::simulator
