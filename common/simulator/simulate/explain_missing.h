// Describes what runs on the simulated GPU and what does not, in the same words as the messages
// that programs get.
#pragma once

#include <string>

namespace coalesce::simulator {

/// Returns the description. It ends with a newline, and no line is longer than 80 columns.
std::string explain_missing();

/// Returns why a program that needs `library` and calls `symbol` without containing it cannot run.
/// The result is empty if `symbol` is not a function of one of NVIDIA's libraries.
std::string library_problem(const std::string& library, const std::string& symbol);

}  // namespace coalesce::simulator
