// Finds stores to a file's variables in global memory.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "simulator/ptx/ast.h"

namespace coalesce {

/// Tracks which registers of a function contain the address of a variable in global memory, through
/// straight-line code. Missing a store is harmless, because a variable has its initial value in
/// every launch that is judged. The opposite mistake would accuse a correct kernel, so a register
/// counts only if the address is added to it exactly once: the difference of two addresses is an
/// index.
class TableAddresses {
public:
    /// Tracks the addresses of these variables. The set must outlive this object.
    explicit TableAddresses(const std::set<std::string_view>& tables) : tables_(tables) {}

    /// Reports whether the instruction changes one of the variables, and tracks its result.
    bool is_changed_by(const simulator::ptx::Instruction& instruction);

private:
    int count_in(const simulator::ptx::Operand& operand) const;
    void track(const simulator::ptx::Instruction& instruction);

    const std::set<std::string_view>& tables_;
    /// How often the address of a table was added to a register; registers without one are absent.
    std::map<std::uint32_t, int> counts_;
};

}  // namespace coalesce
