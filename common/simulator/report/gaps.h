// Records gaps: actions of a program that the checks cannot fully examine. The end of the report
// lists the recorded gaps.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// An action of a program that the checks cannot fully examine. Some mistakes in the order of work
/// have no effect in the simulator, because it executes work in the order of the calls, and
/// completes the work before each call returns (cudart/work.h).
enum class Gap : u8 {
    /// The program ran a graph whose edges allow several orders of its nodes. Races between these
    /// nodes are not detected.
    graph_order,
    /// The program uses registered memory or managed variables, which the host can access directly.
    /// An access by the host before a synchronization is not detected.
    host_accesses,
};

/// Records that the program has performed the action `gap`. Thread-safe.
void record_gap(Gap gap);
/// Returns a description of each recorded gap, such as "order between nodes of a graph".
std::vector<std::string> list_gaps();

}  // namespace coalesce::simulator
