// Declares functions for the rules that look for a mistake in a single line of a kernel.
#pragma once

#include <string>

#include "examiner/rules.h"

namespace coalesce {

/// A mistake in a line of the kernel, with the text that explains it.
struct LineMistake {
    int line = 0;  ///< line of the mistake; 0 if there is no mistake
    std::string sentence, advice;
};

/// Calls the functions in order until one of them finds a mistake, and returns that mistake.
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
/// Returns how many floats each access on this line of code moves at once.
int vector_width(const std::string& code);

}  // namespace coalesce
