// Finds stores to the __device__ variables that a file defines.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "simulator/ptx/ast.h"

namespace coalesce {

/// Tracks which registers of a function contain the address of a __device__ variable. Follows only
/// straight-line code.
///
/// A missed store is harmless, because every launch begins with the variables' initial values. A
/// false alarm would reject a correct kernel. Therefore, a register counts as an address only if
/// the variable's address was added to it exactly once. For example, the difference of two
/// addresses does not count as an address, because it is an index.
class TableAddresses {
public:
    /// Tracks the addresses of these variables. The set must outlive this object.
    explicit TableAddresses(const std::set<std::string_view>& tables) : tables_(tables) {}

    /// Reports whether the instruction changes one of the variables. Also records whether the
    /// instruction's result contains the address of a variable.
    bool is_changed_by(const simulator::ptx::Instruction& instruction);

private:
    int count_in(const simulator::ptx::Operand& operand) const;
    void track_instruction(const simulator::ptx::Instruction& instruction);

    const std::set<std::string_view>& tables_;
    /// The number of times that a variable's address was added to each register. Registers to which
    /// no address was added have no entry.
    std::map<std::uint32_t, int> counts_;
};

}  // namespace coalesce
