/// \file
/// How long launches would take on a GPU, as the simulator predicts it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "harness/options.h"
#include "timing/prediction.h"

namespace coalesce {

/// A time that nobody measured.
struct Predicted {
    Shape shape;      ///< for which
    std::string gpu;  ///< on which
    bool measured_gpu =
        false;              ///< what is known of that GPU was measured; else it is from documents
    double copy_gbps = 0;   ///< that GPU's own copy
    double ms = 0;          ///< of all launches
    double gbps = 0;        ///< bytes read and written a second, in 10^9
    double error_band = 0;  ///< 0.08: within 8 % in nine of ten cases
    std::vector<timing::Prediction> launches;  ///< in order

    /// The part of the GPU's own copy that it reaches.
    double of_copy() const { return gbps / copy_gbps; }
    /// The launch that takes longest.
    const timing::Prediction& longest() const;
};

/// Bytes that a matrix of that shape makes a kernel read and write at least, together.
double useful_bytes(Shape shape, int element_size = sizeof(float));

/// Predicts the time on `gpu` of all that `launch` launches on the simulator, of which a few blocks run. It
/// moves matrices of `shape`. `what` names it. Throws UsageError when there is no time for it.
Predicted predict_launches(const std::string& what, Shape shape, int element_size,
                           const std::string& gpu, const std::function<void()>& launch);

/// Launches `variant` at `shape` on the simulator, a few blocks of it, and predicts its time on `gpu`.
/// Throws UsageError when it cannot be launched there.
Predicted predict(const Variant& variant, Shape shape, const std::string& gpu);

}  // namespace coalesce
