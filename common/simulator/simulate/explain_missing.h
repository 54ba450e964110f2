// Describes which programs run on the simulated GPU and which do not. Error messages use the same
// texts.
#pragma once

#include <string>

namespace coalesce::simulator {

/// Returns a list of what the simulator supports and what it does not support. The text ends with a
/// newline, and its lines have at most 80 columns.
std::string explain_missing();

/// Returns the reason why a program cannot run that needs `library` and imports `symbol` from it.
/// Returns "" if `symbol` is not a function of NVIDIA's libraries.
std::string find_library_problem(const std::string& library, const std::string& symbol);

}  // namespace coalesce::simulator
