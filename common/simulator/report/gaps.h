// Records actions of a program that no check can judge. The last lines of the report mention these
// gaps.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Something that a program did that may hide mistakes. In the simulator, work runs in the order of
/// the calls and has ended when a call returns (cudart/work.h), so some mistakes cannot be found.
enum class Gap : u8 {
    /// A graph ran whose edges allow several orders. A race between its nodes goes undetected.
    graphs,
    /// The host can access registered memory or managed variables directly. An access before a
    /// synchronization goes undetected.
    host,
};

/// Records this gap for the program. Thread-safe.
void record_gap(Gap gap);
/// Returns descriptions of the program's gaps, such as "order between nodes of a graph".
std::vector<std::string> gaps();

}  // namespace coalesce::simulator
