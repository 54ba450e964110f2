// Records what a program has done that no check can judge. The last lines of the report tell it.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Here, the work of a program runs in the order of the calls, and has ended when a call returns:
/// see cudart/work.h. So some mistakes cannot be found.
enum class Gap : u8 {
    streams,  ///< several streams had work: a missing wait between them is not found
    /// A graph ran whose edges allow several orders: a race between its nodes is not found.
    graphs,
    /// The host sees some device memory directly: an access before a synchronization is not found.
    host,
};

/// Records that the program has done this. It is thread-safe.
void note_gap(Gap gap);
/// Returns what no check covers in this program, in words: "order between streams".
std::vector<std::string> gaps();

}  // namespace coalesce::simulator
