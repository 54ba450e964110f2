/// \file
/// Predicts, with the simulator, how long launches would take on a GPU.
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

/// The reason why there is no prediction. This is not a mistake of the caller.
struct NotPredicted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A time that was predicted and not measured.
struct Predicted {
    Shape shape;      ///< the shape
    std::string gpu;  ///< the name of the GPU
    /// Whether the GPU's figures were measured; otherwise they come from documents.
    bool measured_gpu = false;
    double copy_gbps = 0;   ///< the speed of a copy on that GPU
    double ms = 0;          ///< the time of all launches
    double gbps = 0;        ///< bytes read and written, in 10^9 per second
    double error_band = 0;  ///< 0.08 if nine in ten measured times are within 8 %
    std::vector<timing::Prediction> launches;  ///< the launches in order

    /// The speed as a fraction of the speed of a copy.
    double of_copy() const { return gbps / copy_gbps; }
    /// The launch that takes longest.
    const timing::Prediction& longest() const;
    /// The things that the model does not know about the launches, each once.
    std::vector<timing::Unknown> unknown() const;
};

/// Returns the smallest number of bytes that a kernel reads and writes for a matrix of that shape.
double useful_bytes(Shape shape, int element_size = sizeof(float));

/// Returns the simulator's predictions for the launches that it has recorded.
timing::Predictions predictions_for(const std::string& gpu);

/// Runs a few blocks of `variant` at `shape` on the simulator, and predicts the time of the whole
/// launch on `gpu`. Throws NotPredicted if the variant cannot be launched there, or launches
/// nothing that can be predicted.
Predicted predict(const Variant& variant, Shape shape, const std::string& gpu);

/// Says whether the recorded blocks of a launch access memory.
enum class FewBlocks {
    only_asks,  ///< nothing is loaded or stored
    moves,      ///< the recorded blocks load and store
};

/// Does the same for any launches. Together they read and write `bytes`.
Predicted predict_launches(const std::function<void()>& launch, double bytes, Shape shape,
                           const std::string& gpu, FewBlocks blocks = FewBlocks::only_asks);

/// Runs a few blocks of each launch on the simulator. Nothing is loaded or stored.
void launch_few_blocks(const std::function<void()>& launch);

/// A range of device memory.
struct MemoryRange {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t end() const { return address + bytes; }
};
/// The memory that the few blocks accessed. To be called from within `launch`.
struct Touched {
    std::vector<MemoryRange> ranges;  ///< sorted and disjoint; whole sectors
    /// The bytes that threads requested; repeated accesses count each time.
    std::uint64_t bytes = 0;
    bool is_all = true;  ///< false if there were more accesses than can be recorded
};
/// Whether threads read or write memory.
enum class Direction { load, store };
Touched touched(Direction direction);

/// Returns the note for a table with predicted times. It names the GPU, the shape and the error
/// band.
std::string note_on_predictions(const std::string& gpu, bool measured_gpu, const std::string& shape,
                                double error_band);

}  // namespace coalesce
