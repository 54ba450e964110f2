// Rounds the results of logarithms, powers and exponentials, so that all math libraries give the
// same values.
#pragma once

namespace coalesce::timing {

/// Rounds away the last bits of a value, in which math libraries differ. The values and the order
/// of events are then the same everywhere, so a browser makes the same prediction as the command
/// line.
inline double rounded(double value) {
    return static_cast<float>(value);
}

}  // namespace coalesce::timing
