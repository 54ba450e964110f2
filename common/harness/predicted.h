/// \file
/// Uses the simulator to predict the times of launches on a GPU.
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

/// Thrown if the simulator cannot predict the time of a launch. The message gives the reason.
struct NotPredicted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A predicted time, as opposed to a measured one.
struct Predicted {
    Shape shape;      ///< shape of the input
    std::string gpu;  ///< the name of the GPU
    /// whether the parameters of the GPU were measured, instead of taken from published documents
    bool measured_gpu = false;
    double copy_gbps = 0;  ///< the speed of a copy on that GPU, in 10^9 bytes per second
    double ms = 0;         ///< the time of all launches
    double gbps = 0;       ///< 10^9 bytes read and written per second
    /// the relative error within which 90 % of measured times lie, such as 0.08
    double error_band = 0;
    std::vector<timing::Prediction> launches;  ///< the launches in order

    /// Returns the speed as a fraction of a copy's speed.
    double fraction_of_copy() const { return gbps / copy_gbps; }
    /// Returns the prediction of the longest launch.
    const timing::Prediction& longest() const;
    /// Returns the effects that the model does not cover in these launches, without duplicates.
    std::vector<timing::Unknown> unknown() const;
};

/// Returns the minimum number of bytes that a kernel must read and write for a matrix of this
/// shape.
double useful_bytes(Shape shape, int element_size = sizeof(float));

/// Returns the minimum number of bytes that `variant` must read and write for a matrix of this
/// shape.
double useful_bytes(const Variant& variant, Shape shape);

/// Returns the simulator's predictions of how long all recorded launches would take on `gpu`.
timing::Predictions predictions_for(const std::string& gpu);

/// Runs a few blocks of `variant` at `shape` on the simulator, and predicts the time of the whole
/// launch on `gpu`. Throws NotPredicted if the variant cannot be launched at this shape, or if none
/// of its launches can be predicted.
Predicted predict(const Variant& variant, Shape shape, const std::string& gpu);

/// Whether the recorded blocks of a launch access memory.
enum class SampledBlocks {
    computes_addresses_only,  ///< nothing is loaded or stored
    moves_data,               ///< the recorded blocks load and store data
};

/// Predicts the total time of all launches that `launch` makes. Together, they read and write
/// `bytes` bytes.
Predicted predict_launches(const std::function<void()>& launch, double bytes, Shape shape,
                           const std::string& gpu,
                           SampledBlocks blocks = SampledBlocks::computes_addresses_only);

/// Runs a few blocks of each launch on the simulator, without loading or storing data.
void launch_sampled_blocks(const std::function<void()>& launch);

/// A range of device memory.
struct MemoryRange {
    std::uint64_t address = 0, bytes = 0;
    std::uint64_t end() const { return address + bytes; }
};
/// The memory that the recorded blocks accessed. Call `touched_ranges` only within the function
/// that is passed to `launch_sampled_blocks` or `predict_launches`.
struct Touched {
    std::vector<MemoryRange> ranges;  ///< sorted and disjoint ranges of whole sectors
    /// The number of bytes that threads requested. Repeated accesses count each time.
    std::uint64_t bytes = 0;
    bool is_complete = true;  ///< whether all accesses could be recorded
};
/// The direction of memory accesses.
enum class Direction { load, store };
Touched touched_ranges(Direction direction);

/// Returns the note below a table of predicted times. The note names the GPU, the shape and the
/// error band.
std::string note_on_predictions(const std::string& gpu, bool measured_gpu, const std::string& shape,
                                double error_band);

}  // namespace coalesce
