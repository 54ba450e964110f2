// What runs on the simulated GPU and what does not: the same words as the sentences that programs get.
#pragma once

#include <string>

namespace coalesce::simulator {

/// Ends with a newline; no line passes 80 columns.
std::string explain_missing();

/// Why a program cannot run that needs `library` and calls `symbol`, which it has not itself: empty when
/// that is no function of a library of NVIDIA's.
std::string library_problem(const std::string& library, const std::string& symbol);

}  // namespace coalesce::simulator
