/// \file
/// Shows a step of a block as text: the line, the lanes, the variables and the accesses.
#pragma once

#include <string>
#include <vector>

#include "learn/steps_file.h"
#include "learn/terminal.h"

namespace coalesce::learn {

/// The program whose steps are shown.
struct SteppedProgram {
    std::string file;                 ///< the source's name in messages
    std::vector<std::string> source;  ///< lines of the source
    std::string launch;               ///< shape of the input, such as "64 x 64"
    std::string mistake;              ///< what is wrong with the kernel; "" if it is correct
};

/// The part of the steps that a screen shows.
struct StepsWindow {
    int lines = 24, columns = 80;
    int first_lane = 0;  ///< the first lane whose values are listed
};

/// The number of lanes whose values are listed side by side.
inline constexpr int kLanesInView = 8;

/// Returns the text of a screen that shows a step, without the line that lists the keys. The text
/// has at most `window.lines` lines and `window.columns` columns.
std::string show_step(const Steps& steps, const SteppedProgram& subject, std::size_t step,
                      const StepsWindow& window, const Style& style);

/// Describes a step in a few lines, for output without a terminal.
std::string describe_step(const Steps& steps, const SteppedProgram& subject, std::size_t step);

/// Returns the next step after `from` that `is_wanted` accepts, or `from` if there is none.
/// Searches backwards if `forward` is false.
template <class Wanted>
std::size_t find_step(const Steps& steps, std::size_t from, bool forward, Wanted is_wanted) {
    for (std::size_t k = from; forward ? k + 1 < steps.all_steps.size() : k > 0;) {
        k = forward ? k + 1 : k - 1;
        if (is_wanted(k)) return k;
    }
    return from;
}

}  // namespace coalesce::learn
