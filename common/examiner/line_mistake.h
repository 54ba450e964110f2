// What the rules share that look for a mistake in the lines of a kernel.
#pragma once

#include <string>

#include "examiner/rules.h"

namespace coalesce {

/// A mistake in a line of the kernel, with the words that explain it.
struct LineMistake {
    int line = 0;  ///< 0: there is none
    std::string sentence, next;
};

/// Returns the mistake that the first of these functions finds.
template <class... Finds>
LineMistake first_mistake(Finds... finds) {
    LineMistake mistake;
    ((mistake.line == 0 ? void(mistake = finds()) : void()), ...);
    return mistake;
}

/// Gives a failure the place and the words of a mistake.
void blame(Failure& failure, const LineMistake& mistake);

std::string in_backticks(const std::string& code);
/// Returns the first sentence of a headline, which states the observation. The sentences that follow
/// it guess at the cause. Returns "" if no sentence follows.
std::string first_sentence(const std::string& headline);
/// Returns the number of floats that an access on this line of code takes at once.
int vector_width(const std::string& code);

}  // namespace coalesce
