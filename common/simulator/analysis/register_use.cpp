#include "simulator/analysis/register_use.h"

#include <set>
#include <string_view>

#include "base/ranges.h"

namespace coalesce::simulator {
namespace {

using ptx::Operand;

/// Reports whether the first operand is a destination. `none` lists the opcodes without one.
bool has_destination(const ptx::Instruction& i) {
    static const std::set<std::string_view> none = {
        "st",        "red",           "bra",      "brx",
        "ret",       "exit",          "trap",     "brkpt",
        "membar",    "fence",         "prefetch", "prefetchu",
        "nanosleep", "call",          "cp",       "griddepcontrol",
        "discard",   "applypriority", "pmevent",  "setmaxnreg",
        "stacksave", "stackrestore",  "stmatrix", "sust",
        "sured"};
    if (none.contains(i.opcode)) return false;
    if (i.opcode == "wmma") return !i.has("store");
    if (i.opcode == "bar" || i.opcode == "barrier") return i.has("red");
    if (i.opcode == "mbarrier")
        return i.has("arrive") || i.has("arrive_drop") ||
               !(i.has("init") || i.has("inval") || i.has("expect_tx") || i.has("complete_tx"));
    return true;
}

void collect(const Operand& operand, std::vector<u32>& out) {
    if (operand.is_register() || operand.has_base_register) out.push_back(operand.reg);
    for (const Operand& element : operand.elements) collect(element, out);
}

}  // namespace

std::vector<u32> registers_written(const ptx::Instruction& i) {
    std::vector<u32> written;
    if (i.operands.empty() || !has_destination(i)) return written;
    // Include `_|p`, which discards the first result but writes the predicate p.
    if (!i.operands[0].is_address()) collect(i.operands[0], written);
    return written;
}

std::vector<u32> registers_read(const ptx::Instruction& i) {
    std::vector<u32> read;
    if (i.guard) read.push_back(*i.guard);
    const bool skip_first =
        has_destination(i) && !i.operands.empty() && !i.operands[0].is_address();
    for (std::size_t k = skip_first ? 1 : 0; k < i.operands.size(); ++k)
        collect(i.operands[k], read);
    return read;
}

bool add_all_to(std::vector<bool>& set, const std::vector<u32>& registers) {
    bool grown = false;
    for (u32 r : registers) {
        grown |= !set[r];
        set[r] = true;
    }
    return grown;
}

bool contains_any(const std::vector<bool>& set, const std::vector<u32>& registers) {
    return any_of(registers, [&](u32 r) { return set[r]; });
}

}  // namespace coalesce::simulator
