// Rounds the results of logarithms, powers and exponentials, so that they do not depend on the math
// library.
#pragma once

namespace coalesce::timing {

/// Rounds away the last bits of a value, which differ between math libraries, so that a browser
/// makes the same prediction as the command line.
inline double round_to_float(double value) {
    return static_cast<float>(value);
}

}  // namespace coalesce::timing
