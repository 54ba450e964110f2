/// \file
/// How long launches would take on a GPU, as the simulator predicts it.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/harness.h"
#include "harness/options.h"
#include "timing/prediction.h"

namespace coalesce {

/// Why there is no prediction; what is not launched, or waits, is no mistake of whoever asks.
struct NotPredicted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

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
    /// What the model does not know of the launches, each once.
    std::vector<timing::Unknown> unknown() const;
};

/// Bytes that a matrix of that shape makes a kernel read and write at least, together.
double useful_bytes(Shape shape, int element_size = sizeof(float));

/// What the simulator says of the launches that it has recorded.
timing::Predictions predictions_for(const std::string& gpu);

/// Launches `variant` at `shape` on the simulator, a few blocks of it, and predicts its time on `gpu`.
/// Throws NotPredicted when it cannot be launched there, or launches nothing that can be predicted.
Predicted predict(const Variant& variant, Shape shape, const std::string& gpu);

/// What becomes of memory where a few blocks stand for a launch.
enum class FewBlocks {
    only_asks,  ///< nothing is loaded or stored
    moves,      ///< blocks whose steps are written down load and store
};

/// The same for any launches, which together read and write `bytes`.
Predicted predict_launches(const std::function<void()>& launch, double bytes, Shape shape,
                           const std::string& gpu, FewBlocks blocks = FewBlocks::only_asks);

/// Launches on the simulator, a few blocks of each launch. Nothing is loaded or stored.
void launch_few_blocks(const std::function<void()>& launch);

/// Device memory, from an address on.
struct MemoryRange {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t end() const { return address + bytes; }
};
/// What those few blocks touched, from within `launch`.
struct Touched {
    std::vector<MemoryRange> ranges;  ///< sorted, none touching another; whole sectors
    std::uint64_t bytes = 0;          ///< that their threads asked for, each as often as it was
    bool is_all = true;               ///< false: they did more than could be written down
};
/// What threads do with memory.
enum class Direction { load, store };
Touched touched(Direction direction);

/// What has to stand under a table with times that were predicted: on which GPU, at which shape, within
/// which band.
std::string note_on_predictions(const std::string& gpu, bool measured_gpu, const std::string& shape,
                                double error_band);

}  // namespace coalesce
