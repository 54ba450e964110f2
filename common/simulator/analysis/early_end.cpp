#include "simulator/analysis/early_end.h"

#include <algorithm>
#include <string_view>

#include "simulator/analysis/control_flow.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;

bool waits_for_block(const Instruction& i) {
    return i.opcode == "bar" || i.opcode == "barrier";
}
bool ends_thread(const Instruction& i) {
    return i.opcode == "ret" || i.opcode == "exit";
}

/// Reports whether the instruction may access memory that other threads see.
bool may_access_shared_state(const Instruction& i) {
    constexpr std::string_view accesses[] = {"ld",  "ldu",      "st",       "atom",     "red", "cp",
                                             "tex", "ldmatrix", "stmatrix", "mbarrier", "call"};
    const bool is_private = i.has("param") || i.has("const") || i.has("local");
    return !is_private && std::ranges::count(accesses, i.opcode) > 0;
}

/// Marks all instructions that are reachable from the marked instructions without passing a
/// barrier.
void spread_marks(const ptx::Function& function, const std::vector<std::vector<u32>>& next,
                  std::vector<bool>& marked) {
    std::vector<u32> open;
    for (u32 i = 0; i < marked.size(); ++i)
        if (marked[i]) open.push_back(i);
    while (!open.empty()) {
        const u32 at = open.back();
        open.pop_back();
        for (const u32 one : next[at]) {
            if (marked[one] || waits_for_block(function.body[one])) continue;
            marked[one] = true;
            open.push_back(one);
        }
    }
}

}  // namespace

bool ends_early_without_work(const ptx::Function& function) {
    const std::vector<Instruction>& body = function.body;
    const auto count = static_cast<u32>(body.size());
    std::vector<std::vector<u32>> next(count), previous(count);
    std::vector<bool> from_begin(count), to_end(count);
    for (u32 i = 0; i < count; ++i) {
        const bool branches = body[i].opcode == "bra" || body[i].opcode == "brx";
        if (branches) next[i] = branch_targets(function, body[i]);
        const bool continues = body[i].guard || !(branches || ends_thread(body[i]));
        if (continues && i + 1 < count) next[i].push_back(i + 1);
        for (const u32 one : next[i]) previous[one].push_back(i);
        to_end[i] = ends_thread(body[i]) || (continues && i + 1 == count);
    }
    if (count > 0) from_begin[0] = !waits_for_block(body[0]);
    spread_marks(function, next, from_begin);
    spread_marks(function, previous, to_end);
    for (u32 i = 0; i < count; ++i)
        if (from_begin[i] && to_end[i] && may_access_shared_state(body[i])) return false;
    return true;
}

}  // namespace coalesce::simulator
