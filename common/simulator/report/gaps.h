// Records actions of a program that no check can judge. The last lines of the report mention these
// gaps.
#pragma once

#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// An action of a program whose mistakes the checks cannot find. In the simulator, work runs in the
/// order of the calls and has ended when a call returns (cudart/work.h), so some mistakes have no
/// effect.
enum class Gap : u8 {
    /// A graph ran whose edges allow several orders of its nodes. Races between these nodes are not
    /// detected.
    graphs,
    /// The host can access registered memory or managed variables directly. An access by the host
    /// before it synchronizes is not detected.
    host,
};

/// Records this gap for the program. Thread-safe.
void record_gap(Gap gap);
/// Returns descriptions of the program's gaps, such as "order between nodes of a graph".
std::vector<std::string> gaps();

}  // namespace coalesce::simulator
