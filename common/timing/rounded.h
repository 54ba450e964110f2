// Rounds the results of logarithms, powers and exponentials, so that all math libraries give the
// same values.
#pragma once

namespace coalesce::timing {

/// Rounds a value, because math libraries differ in the last bits. The values, and with them the
/// order of events, are then the same everywhere, so a browser makes the same prediction as a
/// terminal.
inline double rounded(double value) {
    return static_cast<float>(value);
}

}  // namespace coalesce::timing
