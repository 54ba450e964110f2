#include "examiner/predicted_launch.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "examiner/launch_limits.h"
#include "examiner/loaded_kernel.h"
#include "examiner/simulated.h"
#include "harness/counters.h"
#include "harness/device_buffer.h"
#include "harness/errors.h"
#include "harness/simulator_function.h"
#include "timing/comparison.h"
#include "timing/facts.h"

namespace coalesce {
namespace {

constexpr int kPredictedSide = 8192;
/// All recorded blocks together may execute as many instructions as a kernel may execute on this
/// shape.
constexpr Shape kBudgetShape{1024, 1024};

/// Disables a kernel's calls to printf during the lifetime of this object. The recorded blocks
/// would print only part of the output, and the predicted time should not include printing.
class PrintingSuppressor {
public:
    explicit PrintingSuppressor(LoadedKernel& kernel) : kernel_(kernel) { set_print_limit(0); }
    ~PrintingSuppressor() { set_print_limit(1); }
    PrintingSuppressor(const PrintingSuppressor&) = delete;
    PrintingSuppressor& operator=(const PrintingSuppressor&) = delete;

private:
    void set_print_limit(int stops_printing) {
        if (!kernel_.can_print()) return;
        SIMULATOR_FUNCTION(coalesceSetPrinting)(stops_printing);
        static_cast<void>(kernel_.reload());
    }

    LoadedKernel& kernel_;
};

/// The minimum number of bytes that a grid must be able to store, as a fraction of the output.
constexpr double kMinStoredFraction = 0.9;

/// Reports whether the grid has too few blocks to store the whole output, even if every block
/// stores as much as the busiest sampled block. Blocks at the edges store less, so an average would
/// underestimate a correct launch.
bool has_too_few_blocks(const CoalesceSampledCosts& costs, Shape shape) {
    const double max_stored_bytes =
        static_cast<double>(costs.grid_blocks) * static_cast<double>(costs.most_stored_bytes);
    return costs.is_all != 0 &&
           max_stored_bytes < kMinStoredFraction * element_count(shape) * sizeof(float);
}

/// Estimates the costs of the whole launch, assuming that they are proportional to the number of
/// bytes stored.
Counters scale_to_launch(const CoalesceSampledCosts& costs, Shape shape) {
    const double factor =
        element_count(shape) * sizeof(float) / static_cast<double>(costs.stored_bytes);
    Counters counters;
    simulator_library::add(costs.counters, counters);
    for (const auto& [name, member] : kCounterNames) {
        counters.*member =
            static_cast<std::uint64_t>(factor * static_cast<double>(counters.*member));
    }
    counters.kernels = 1;
    return counters;
}

/// Reads the costs of the sampled blocks. Throws WrongSampledValues if the grid has too few blocks.
void read_sampled_costs(Shape shape, SampledCosts* sampled_costs) {
    CoalesceSampledCosts costs{};
    SIMULATOR_FUNCTION(coalesceGetSampledCosts)(&costs);
    if (costs.sampled_blocks > 0 && has_too_few_blocks(costs, shape))
        throw WrongSampledValues(SampledValues::too_few);
    if (!sampled_costs || costs.stored_bytes == 0) return;
    sampled_costs->counters = scale_to_launch(costs, shape);
    sampled_costs->can_store_all = costs.is_all != 0;
}

/// Predicts the time of a launch with an input and an output matrix, or with a single matrix for an
/// in-place kernel. If `options.sampled` is not null, also verifies the values that the blocks
/// store.
Predicted predict_large(LoadedKernel& kernel, const LaunchShape& launch, bool in_place, Shape shape,
                        const PredictedLaunchOptions& options) {
    const SampledMatrix* const sampled = options.sampled;
    const DeviceBuffer out(static_cast<std::size_t>(element_count(shape)) * sizeof(float));
    const DeviceBuffer unused_buffer(in_place ? 1 : out.bytes());
    void* const in = in_place ? out.data() : unused_buffer.data();
    const auto run = [&] {
        CUDA_CHECK(kernel.launch(launch, static_cast<float*>(out.data()),
                                 in_place ? nullptr : static_cast<const float*>(in), shape));
        CUDA_CHECK(cudaDeviceSynchronize());
    };
    if (sampled) {
        Touched touched_input;
        launch_sampled_blocks([&] {
            run();
            touched_input = touched_ranges(Direction::load);
        });
        sampled->fill(in, touched_input);
    }
    Touched store_extent;
    const auto run_and_note = [&] {
        run();
        if (!sampled) return;
        store_extent = touched_ranges(Direction::store);
        read_sampled_costs(shape, options.costs);
    };
    const std::string& gpu = timing::known_gpus().front().name;
    Predicted predicted = predict_launches(
        run_and_note, useful_bytes(shape), shape, gpu,
        sampled ? SampledBlocks::moves_data : SampledBlocks::computes_addresses_only);
    const SampledValues values_state =
        sampled ? sampled->check(out.data(), store_extent) : SampledValues::correct;
    if (values_state != SampledValues::correct) throw WrongSampledValues(values_state);
    return predicted;
}

/// Returns the failure for a launch error on a large shape. A timeout means that the launch
/// exceeded its instruction limit.
Failure launch_failure(const CudaError& error, const std::string& file, Shape shape) {
    const bool is_endless_loop =
        std::string_view(error.what()).find(cudaGetErrorName(cudaErrorLaunchTimeout)) !=
        std::string_view::npos;
    return {.kind = is_endless_loop ? FailureKind::endless_loop : FailureKind::kernel_failed,
            .headline = std::string("the launch failed: ") + error.what(),
            .place = {file, 0, 0},
            .shape = shape,
            .advice = "Compute every size and index from rows and cols."};
}

}  // namespace

Shape predicted_shape(const Exercise& exercise) {
    return exercise.round_up_shape(kPredictedSide, kPredictedSide);
}

std::optional<Predicted> predict_launch(LoadedKernel& kernel, bool in_place, Shape shape,
                                        const PredictedLaunchOptions& options) {
    const PrintingSuppressor suppressor(kernel);
    std::uint64_t budget = instruction_budget(kBudgetShape, 1, false);
    if (options.max_instructions > 0) budget = std::min(budget, options.max_instructions);
    simulated::prepare("none", budget);
    SIMULATOR_FUNCTION(coalesceDrawSample)(options.seed);
    std::optional<Predicted> predicted;
    Failure failure;
    try {
        if (const auto launch = kernel.configure(shape, failure))
            predicted = predict_large(kernel, *launch, in_place, shape, options);
    } catch (const NotPredicted&) {
        // The model cannot predict a kernel whose blocks wait for one another.
    } catch (const CudaError& error) {
        // The kernel is correct on smaller shapes, but cannot be launched on a matrix of this size.
        static_cast<void>(cudaGetLastError());
        failure = launch_failure(error, kernel.file_name(), shape);
    }
    SIMULATOR_FUNCTION(coalesceDrawSample)(0);
    simulator_library::clear_reports();
    if (options.must_launch && failure.kind != FailureKind::none) throw NotLaunched(failure);
    return predicted;
}

timing::TimeExplanation describe_prediction(const Predicted& predicted) {
    return timing::explain_prediction(predicted.longest(), timing::find_gpu(predicted.gpu),
                                      useful_bytes(predicted.shape));
}

std::string format_prediction(const Predicted& predicted) {
    const timing::TimeExplanation explanation = describe_prediction(predicted);
    return "Time at " + predicted.shape.name() + ": " + explanation.time + " (" +
           explanation.label + "). " + timing::capitalize(explanation.verdict) + ".";
}

std::string format_comparison(const Predicted& kernel_prediction, const Predicted& solution) {
    timing::Prediction kernel_time = kernel_prediction.longest(),
                       solution_longest = solution.longest();
    if (kernel_time.ms <= solution_longest.ms) return "";
    kernel_time.kernel = "yours";
    solution_longest.kernel = "the solution";
    std::string text = timing::compare_predictions(kernel_time, solution_longest);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return "At " + kernel_prediction.shape.name() + " " + text;
}

}  // namespace coalesce
