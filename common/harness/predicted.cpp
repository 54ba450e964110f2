#include "harness/predicted.h"

#include <algorithm>
#include <stdexcept>

#include "harness/errors.h"
#include "harness/launch.h"
#include "harness/shapes.h"
#include "harness/simulator_function.h"
#include "harness/text.h"
#include "timing/gpu.h"
#include "timing/prediction_text.h"

namespace coalesce {
namespace {

/// While an object of this class exists, launches run only the recorded blocks.
class RecordOnlyScope {
public:
    explicit RecordOnlyScope(SampledBlocks blocks) {
        SIMULATOR_FUNCTION(coalesceRecord)
        (blocks == SampledBlocks::moves_data ? coalesceRecordSample : coalesceRecordAlone);
    }
    ~RecordOnlyScope() {
        SIMULATOR_FUNCTION(coalesceRecord)(coalesceRecordNothing);
        // The recorded blocks may fail, because they need the output of other blocks, which do not
        // run. Such failures say nothing about the variant.
        simulator_library::clear_reports();
    }
    RecordOnlyScope(const RecordOnlyScope&) = delete;
    RecordOnlyScope& operator=(const RecordOnlyScope&) = delete;
};

void launch_at(const Variant& variant, Shape shape) {
    if (const cudaError_t error = BareLaunch(variant, shape).run(); error != cudaSuccess)
        throw NotPredicted("the kernel cannot be launched at " + shape.name() + ": " +
                           cudaGetErrorString(error));
}

/// Explains why no time could be predicted for a launch.
std::string explain_missing_prediction(const timing::Prediction& launch) {
    const auto& unknown = launch.unknown;
    const bool blocks_wait =
        std::find(unknown.begin(), unknown.end(), timing::Unknown::waits) != unknown.end();
    return blocks_wait ? "the kernel's blocks wait for each other, which the model does not support"
                       : "the kernel's blocks could not be recorded";
}

}  // namespace

timing::Predictions predictions_for(const std::string& gpu) {
    std::string text;
    const auto assign_text = [](const char* data, std::size_t size, void* user_data) {
        static_cast<std::string*>(user_data)->assign(data, size);
    };
    if (SIMULATOR_FUNCTION(coalescePredict)(gpu.c_str(), assign_text, &text) != 0)
        throw UsageError("no time can be predicted for the GPU " + gpu);
    try {
        return timing::parse_predictions(text);
    } catch (const std::runtime_error& error) {
        // JSON cannot represent NaN or infinity, so a NaN or infinite value was written as null.
        throw NotPredicted(std::string("the model returned an invalid prediction: ") +
                           error.what());
    }
}

const timing::Prediction& Predicted::longest() const {
    return *std::max_element(launches.begin(), launches.end(),
                             [](const auto& a, const auto& b) { return a.ms < b.ms; });
}

std::vector<timing::Unknown> Predicted::unknown() const {
    std::vector<timing::Unknown> unknown_causes;
    for (const timing::Prediction& launch : launches) {
        for (const timing::Unknown cause : launch.unknown) {
            if (std::find(unknown_causes.begin(), unknown_causes.end(), cause) ==
                unknown_causes.end())
                unknown_causes.push_back(cause);
        }
    }
    return unknown_causes;
}

std::string note_on_predictions(const std::string& gpu, bool measured_gpu, const std::string& shape,
                                double error_band) {
    const std::string band_text = format("%.0f %%", 100 * error_band);
    std::string text = "Predicted, not measured: " + gpu + " at " + shape + ", within " +
                       band_text + " in nine of ten cases.";
    if (!measured_gpu) {
        text += " Unverified: this GPU has not been measured, so its figures come from documents.";
    }
    return text;
}

double useful_bytes(Shape shape, int element_size) {
    return 2.0 * element_size * shape.rows * shape.cols;
}

double useful_bytes(const Variant& variant, Shape shape) {
    if (!variant.is_computed()) return useful_bytes(shape, variant.element_size);
    return static_cast<double>(problem_for_shape(variant, shape).moved_bytes());
}

Predicted predict_launches(const std::function<void()>& launch, double bytes, Shape shape,
                           const std::string& gpu, SampledBlocks blocks) {
    const RecordOnlyScope recording_scope(blocks);
    launch();
    Predicted result;
    result.shape = shape;
    result.launches = predictions_for(gpu).launches;
    if (result.launches.empty()) throw NotPredicted("it launches no kernel");
    const timing::Gpu& gpu_model = timing::find_gpu(result.launches.front().gpu);
    result.gpu = gpu_model.name;
    result.measured_gpu = gpu_model.is_measured;
    result.copy_gbps = gpu_model.copy_gbps;
    for (const timing::Prediction& prediction : result.launches) {
        if (prediction.ms <= 0) throw NotPredicted(explain_missing_prediction(prediction));
        result.ms += prediction.ms;
        result.error_band = std::max(result.error_band, prediction.error_band);
    }
    result.gbps = bytes / (result.ms * 1e6);
    return result;
}

void launch_sampled_blocks(const std::function<void()>& launch) {
    const RecordOnlyScope recording_scope(SampledBlocks::computes_addresses_only);
    launch();
}

Touched touched_ranges(Direction direction) {
    std::vector<MemoryRange> memory_ranges;
    const auto add_range = [](std::uint64_t address, std::uint64_t bytes, void* user_data) {
        static_cast<std::vector<MemoryRange>*>(user_data)->push_back({address, bytes});
    };
    Touched touched;
    int is_complete = 0;
    touched.bytes = SIMULATOR_FUNCTION(coalesceGetTouched)(direction == Direction::store, add_range,
                                                           &memory_ranges, &is_complete);
    touched.is_complete = is_complete != 0;
    std::sort(memory_ranges.begin(), memory_ranges.end(),
              [](const MemoryRange& a, const MemoryRange& b) { return a.address < b.address; });
    for (const MemoryRange& range : memory_ranges) {
        if (touched.ranges.empty() || range.address > touched.ranges.back().end()) {
            touched.ranges.push_back(range);
        } else {
            MemoryRange& last_range = touched.ranges.back();
            last_range.bytes = std::max(last_range.end(), range.end()) - last_range.address;
        }
    }
    return touched;
}

Predicted predict(const Variant& variant, Shape shape, const std::string& gpu) {
    const std::string refusal = find_refusal(variant, shape);
    if (!refusal.empty()) throw NotPredicted("at " + shape.name() + " it " + refusal);
    return predict_launches([&] { launch_at(variant, shape); }, useful_bytes(variant, shape), shape,
                            gpu);
}

}  // namespace coalesce
