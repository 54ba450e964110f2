// What libraries agree on of logarithms, powers and exponentials.
#pragma once

namespace coalesce::timing {

/// Libraries differ in the last bits of those. Rounded, they are the same everywhere, and so is the order of events:
/// a browser predicts what a terminal does.
inline double rounded(double value) {
    return static_cast<float>(value);
}

}  // namespace coalesce::timing
