#include "simulator/analysis/register_use.h"

#include <set>
#include <string_view>

#include "base/ranges.h"

namespace coalesce::simulator {
namespace {

using ptx::Operand;

/// Reports whether the first operand is a destination. `opcodes_without_destination` lists the
/// opcodes without one.
bool has_destination(const ptx::Instruction& i) {
    static const std::set<std::string_view> opcodes_without_destination = {
        "st",        "red",           "bra",      "brx",
        "ret",       "exit",          "trap",     "brkpt",
        "membar",    "fence",         "prefetch", "prefetchu",
        "nanosleep", "call",          "cp",       "griddepcontrol",
        "discard",   "applypriority", "pmevent",  "setmaxnreg",
        "stacksave", "stackrestore",  "stmatrix", "sust",
        "sured"};
    if (opcodes_without_destination.contains(i.opcode)) return false;
    if (i.opcode == "wmma") return !i.has("store");
    if (i.opcode == "bar" || i.opcode == "barrier") return i.has("red");
    if (i.opcode == "mbarrier")
        return i.has("arrive") || i.has("arrive_drop") ||
               !(i.has("init") || i.has("inval") || i.has("expect_tx") || i.has("complete_tx"));
    return true;
}

void collect_registers(const Operand& operand, std::vector<u32>& collected) {
    if (operand.is_register() || operand.has_base_register) collected.push_back(operand.reg);
    for (const Operand& element : operand.elements) collect_registers(element, collected);
}

}  // namespace

std::vector<u32> list_written_registers(const ptx::Instruction& i) {
    std::vector<u32> written_registers;
    if (i.operands.empty() || !has_destination(i)) return written_registers;
    // Include `_|p`, which discards the first result but writes the predicate p.
    if (!i.operands[0].is_address()) collect_registers(i.operands[0], written_registers);
    return written_registers;
}

std::vector<u32> list_read_registers(const ptx::Instruction& i) {
    std::vector<u32> read_registers;
    if (i.guard) read_registers.push_back(*i.guard);
    const bool skip_first =
        has_destination(i) && !i.operands.empty() && !i.operands[0].is_address();
    for (std::size_t k = skip_first ? 1 : 0; k < i.operands.size(); ++k)
        collect_registers(i.operands[k], read_registers);
    return read_registers;
}

bool add_registers(std::vector<bool>& register_set, const std::vector<u32>& registers) {
    bool has_grown = false;
    for (u32 r : registers) {
        has_grown |= !register_set[r];
        register_set[r] = true;
    }
    return has_grown;
}

bool contains_any_register(const std::vector<bool>& register_set,
                           const std::vector<u32>& registers) {
    return any_of(registers, [&](u32 r) { return register_set[r]; });
}

}  // namespace coalesce::simulator
