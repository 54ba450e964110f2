// Which loads and stores of shared memory ptxas makes one instruction of, and which elements of vectors it leaves out.
//
// (The rules stand in merged_accesses.cpp.)
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/control_flow.h"
#include "code/kernel.h"
#include "ptx/ast.h"

namespace coalesce::sim {

/// By index into the body: the machine's accesses that stand for a load or store of the PTX, where that is not one access
/// of the same bytes. An empty list: an earlier access covers it.
using MergedAccesses = std::map<u32, std::vector<MachineAccess>>;

/// `shared`: where the function's shared variables lie.
MergedAccesses merged_accesses(const ptx::Function& function, const ControlFlow& flow,
                               const std::map<std::string, u32>& shared);

}  // namespace coalesce::sim
