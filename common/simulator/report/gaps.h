// Records gaps: actions of a program that the checks cannot fully examine. The report lists them at
// its end.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// An action of a program that the checks cannot fully examine. In the simulator, work runs in the
/// order of the calls and is complete when its call returns (cudart/work.h), so some mistakes in
/// the order of work have no effect.
enum class Gap : u8 {
    /// The program ran a graph whose edges allow several orders of its nodes. Races between these
    /// nodes are not detected.
    graph_order,
    /// The program uses registered memory or managed variables, which the host can access directly.
    /// An access by the host before a synchronization is not detected.
    host_accesses,
};

/// Records that the program performed this action. Thread-safe.
void record_gap(Gap gap);
/// Returns a description of each recorded gap, such as "order between nodes of a graph".
std::vector<std::string> list_gaps();

}  // namespace coalesce::simulator
