// What a program has done of which no check knows whether it is right: for the last lines of the report.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Work runs here in the order of the calls, and has ended when a call returns: see cudart/work.h.
enum class Gap : u8 {
    streams,  ///< several streams had work: a missing wait of one for another is not found
    graphs,  ///< a graph ran whose edges allow several orders: a race between its nodes is not found
    host,  ///< memory that the host sees directly: an access before a synchronization is not found
};

/// The program has done it. Thread-safe.
void note_gap(Gap gap);
/// What no check covers of what the program has done, in words: "order between streams".
std::vector<std::string> gaps();

}  // namespace coalesce::simulator
