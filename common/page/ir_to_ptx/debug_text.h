// Writes the debug information of a module as DWARF, in the form that clang's back end uses in PTX.
// The simulator needs this information to find variables (simulator/trace/debug_info.h).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "page/ir_to_ptx/debug_types.h"
#include "page/ir_to_ptx/places.h"

namespace coalesce::translator {

/// A source variable, and the PTX variable that stores it.
struct PlacedVariable {
    const DebugVariable* variable = nullptr;
    std::string symbol;  ///< the name of the PTX variable
    bool is_shared = false;
};

/// A PTX function. Each scope of the source has two labels around its instructions.
struct DebugFunction {
    std::string name, begin, end;
    std::vector<PlacedVariable> variables;
    std::map<std::string, std::pair<std::string, std::string>>
        scope_labels;  ///< the labels around each scope's instructions, keyed by DebugScope::node
};

/// Returns the sections .debug_abbrev and .debug_info, or "" if there is no function.
std::string debug_sections(const std::vector<DebugFunction>& functions, FileTable& files);

}  // namespace coalesce::translator
