// Declares functions that are shared by the rules about mistakes in a single line of a kernel.
#pragma once

#include <string>

#include "examiner/rules.h"

namespace coalesce {

/// A mistake in a line of the kernel, with the text that explains it.
struct LineMistake {
    int line = 0;  ///< line of the mistake; 0 if there is no mistake
    std::string sentence, advice;
};

/// Calls the functions in order until one of them finds a mistake, and returns that mistake. If
/// none finds one, returns a LineMistake whose line is 0.
template <class... Finds>
LineMistake first_mistake(Finds... finds) {
    LineMistake mistake;
    ((mistake.line == 0 ? void(mistake = finds()) : void()), ...);
    return mistake;
}

/// Copies the place and the text of a mistake into a failure.
void blame(Failure& failure, const LineMistake& mistake);

std::string add_backticks(const std::string& code);
/// Returns the first sentence of a headline, or "" if the headline has only one sentence. The first
/// sentence states the observation, and later sentences guess at the cause.
std::string first_sentence(const std::string& headline);
/// Returns the number of floats that each access on this line of code moves at once, such as 4 for
/// a float4.
int vector_width(const std::string& code);

}  // namespace coalesce
