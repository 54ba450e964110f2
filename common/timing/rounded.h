// Rounds logarithms, powers and exponentials, so that they are the same with all libraries.
#pragma once

namespace coalesce::timing {

/// Rounds a value, because math libraries differ in the last bits. Rounding makes the values equal
/// everywhere, and with them the order of events, so that a browser predicts the same as a
/// terminal.
inline double rounded(double value) {
    return static_cast<float>(value);
}

}  // namespace coalesce::timing
