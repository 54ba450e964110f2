// Runs the variants of a step on the device that was chosen.
#pragma once

#include <memory>
#include <vector>

#include "harness/result.h"
#include "harness/verify.h"

namespace coalesce {

/// The shape to time or count at when none was asked for: as large as is sensible for the device,
/// and as fits.
Shape default_shape(const Device& device);

/// Throws UsageError when matrices of that shape do not fit into memory.
void check_memory(const Device& device, Shape shape, const std::vector<const Variant*>& variants);

class StepRunner {
public:
    StepRunner(const Device& device, const Options& options, Shape shape);

    /// Measures the copy that the others are compared with; on a real GPU only.
    Reference measure_copy();
    /// Verifies, and times or counts, whatever the options say.
    Result run(const Variant& variant);

private:
    void verify_on_shapes(Result& result);
    bool is_measured(Shape shape) const;
    void verify_at(Result& result, const Problem& problem, bool is_measured);
    void verify_without_guards(Result& result, const Problem& problem);
    void measure(Result& result);
    void predict_time(Result& result) const;
    void check_once(Result& result, VerifiedBuffers& buffers);
    std::vector<Problem> problems_for(const Variant& variant) const;
    VerifiedBuffers& large_buffers(const Variant& variant);
    std::vector<Shape> shapes_for(const Variant& variant) const;

    const Device& device_;
    const Options& options_;
    Shape shape_;
    std::unique_ptr<Stopwatch> stopwatch_;
    /// Buffers of the shape that is measured: kept, because they may be large.
    std::unique_ptr<VerifiedBuffers> large_;
    Variant large_is_for_;
    /// A kernel broke the context of a real GPU: nothing can run any more.
    bool device_is_lost_ = false;
};

}  // namespace coalesce
