// The main function of every step. It runs the step's variants on the chosen device and shows the
// results.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/files.h"
#include "harness/chosen.h"
#include "harness/errors.h"
#include "harness/launch.h"
#include "harness/result.h"
#include "harness/shapes.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "harness/verify.h"

namespace coalesce {
namespace {

/// The maximum number of blocks in the second dimension of a grid, which the steps use for rows.
constexpr int kMaxGridRows = 65535;

bool is_host_code(const Variant& variant) {
    return variant.in == Memory::host && variant.out == Memory::host;
}

cudaError_t launch_and_wait(const Variant& variant, const VerifiedBuffers& buffers) {
    return launch_and_wait(variant, buffers.problem(), buffers.out(), buffers.in());
}

std::string launch_failure(cudaError_t error) {
    return std::string("the launch failed: ") + cudaGetErrorName(error) + ": " +
           cudaGetErrorString(error) + ". " + advice_for_error(error);
}

/// Reports whether a launch failed because the grid was too tall. Depending on the device, such a
/// launch returns one of two error codes.
bool is_grid_too_tall(cudaError_t error, Shape shape) {
    const bool is_refusal =
        error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue;
    return is_refusal && std::max(shape.rows, shape.cols) > kMaxGridRows;
}

std::string format_gigabytes(std::size_t bytes) {
    return format("%.3g GB", static_cast<double>(bytes) / 1e9);
}

/// Returns the first few reports of the simulator. Further reports usually say the same.
std::string reports_text() {
    constexpr std::size_t max_shown = 3;
    const std::vector<std::string> reports = simulator_library::reports();
    std::string text;
    for (std::size_t i = 0; i < std::min(max_shown, reports.size()); ++i) text += wrap(reports[i]);
    if (reports.size() > max_shown) {
        text += "... and " + format_count(reports.size() - max_shown, "more report") + ".\n";
    }
    return text;
}

/// Returns the size of two matrices of the given shape in bytes, including guard bands.
std::size_t matrices_bytes(Shape shape, int element_size) {
    return VerifiedBuffers::bytes_needed({.rows = shape.rows,
                                          .cols = shape.cols,
                                          .element_size = static_cast<std::size_t>(element_size)});
}

/// Returns the number of bytes of memory that a run needs. The simulator's shadow memory takes up
/// to twice as much as device memory itself.
std::size_t device_bytes(const Device& device, Shape shape, int element_size = sizeof(float)) {
    const std::size_t matrix_bytes = matrices_bytes(shape, element_size);
    return device.simulated ? 3 * matrix_bytes
                            : matrix_bytes + Stopwatch::bytes_needed(device.l2_bytes);
}

/// Returns the shape to measure if the user gives none. The shape fits into the device's memory.
Shape default_shape(const Device& device, const std::vector<const Variant*>& variants) {
    Shape shape = usual_shape(variants, device.simulated);
    if (device.simulated) return shape;
    const std::size_t free_bytes = free_device_bytes(false);
    while (shape.rows > 1024 && device_bytes(device, shape) >= free_bytes) {
        shape = {shape.rows / 2, shape.cols / 2};
    }
    return shape;
}

/// Throws UsageError if matrices of the given shape do not fit into memory.
void check_memory(const Device& device, Shape shape, const std::vector<const Variant*>& variants) {
    const auto check_fits = [&](std::size_t needed_bytes, std::size_t free_bytes,
                                const char* memory_owner) {
        if (needed_bytes <= free_bytes) return;
        throw UsageError("a matrix of " + shape.name() + " does not fit: in and out need " +
                         format_gigabytes(needed_bytes) + " of " + memory_owner +
                         " memory, but only " + format_gigabytes(free_bytes) +
                         " are free; choose smaller --rows and --cols");
    };
    int element_size = 1;
    std::size_t host_bytes = 0;
    for (const Variant* variant : variants) {
        element_size = std::max(element_size, variant->element_size);
        const auto host_matrices =
            std::size_t{variant->in == Memory::host} + std::size_t{variant->out == Memory::host};
        // The verifier computes the elements of a computed output from a copy of the input.
        const auto host_copies = host_matrices + std::size_t{variant->is_computed()};
        host_bytes =
            std::max(host_bytes, host_copies * matrices_bytes(shape, variant->element_size) / 2);
    }
    check_fits(device_bytes(device, shape, element_size), free_device_bytes(device.simulated),
               device.simulated ? "this computer's" : "the device's");
    check_fits(host_bytes, free_host_bytes(), "this computer's");
}

/// Reports whether two variants can use the same buffers, with the same input.
bool can_share_buffers(const Variant& first_variant, const Variant& second_variant) {
    if (first_variant.in != second_variant.in || first_variant.out != second_variant.out ||
        first_variant.element_size != second_variant.element_size) {
        return false;
    }
    if (first_variant.is_plain() && second_variant.is_plain()) return true;
    const Computation &a = first_variant.produces.computation,
                      &b = second_variant.produces.computation;
    return first_variant.is_computed() && second_variant.is_computed() &&
           a.out_rows == b.out_rows && a.out_cols == b.out_cols && a.second_rows == b.second_rows;
}

/// Verifies and measures the variants of a step on the chosen device.
class StepRunner {
public:
    StepRunner(const Device& device, const Options& options, Shape shape)
        : device_(device), options_(options), shape_(shape) {
        if (options_.bench && !device_.simulated) {
            stopwatch_ = std::make_unique<Stopwatch>(device_.l2_bytes);
        }
    }

    /// Measures a copy for comparison, if the device is a real GPU. Returns its speed in 10^9 bytes
    /// per second.
    double measure_copy() {
        if (!stopwatch_) return 0;
        const Variant copy_variant{.name = "copy", .about = "", .produces = {Produces::copy}};
        VerifiedBuffers& buffers = prepare_measurement_buffers(copy_variant);
        const std::size_t bytes = buffers.problem().bytes();
        Result result;
        result.shape = shape_;
        result.timing = stopwatch_->time_on_device([&] {
            CUDA_CHECK(
                cudaMemcpyAsync(buffers.out(), buffers.in(), bytes, cudaMemcpyDeviceToDevice));
        });
        return result.gbps();
    }

    /// Verifies a variant and measures its time or counters, as requested by the options.
    Result run(const Variant& variant) {
        Result result;
        result.variant = &variant;
        result.shape = shape_;
        const auto end_skipped = [&](const std::string& reason) {
            result.end(Outcome::skipped, shape_, reason);
            return result;
        };
        if (device_is_lost_) {
            return end_skipped(
                "an earlier kernel has made the device unusable: run this variant alone, with "
                "--variant");
        }
        if (variant.needs_gpu && device_.simulated)
            return end_skipped("this variant needs a real GPU");
        // The built-in shapes are rounded to sizes that the variant accepts, but the user's shape
        // may not be accepted.
        const std::string reason = find_refusal(variant, shape_);
        const bool must_accept_shape = options_.shape || !options_.verify;
        if (!reason.empty() && must_accept_shape) return end_skipped(reason);
        if (options_.verify) verify_on_shapes(result);
        if (options_.bench && reason.empty() && result.outcome == Outcome::verified)
            measure_variant(result);
        return result;
    }

private:
    void verify_on_shapes(Result& result) {
        for (const Problem& problem : problems_for(*result.variant)) {
            result.shape = {static_cast<int>(problem.rows), static_cast<int>(problem.cols)};
            // The measurement verifies the shape that it measures, both for matrices and for
            // arrays.
            const bool is_measured_later =
                is_measured(options_.shape ? *options_.shape : result.shape);
            verify_at(result, problem, is_measured_later);
            if (result.outcome != Outcome::verified) return;
        }
    }

    std::vector<Problem> problems_for(const Variant& variant) const {
        std::vector<Problem> problems;
        if (!variant.permute || options_.shape) {
            for (const Shape shape : shapes_for(variant))
                problems.push_back(problem_for_shape(variant, shape));
            return problems;
        }
        for (const Permutation& array : verification_arrays(variant)) {
            problems.push_back(coalesce::problem_of(array));
        }
        return problems;
    }

    std::vector<Shape> shapes_for(const Variant& variant) const {
        if (options_.shape) return {*options_.shape};
        std::vector<Shape> shapes = verification_shapes(variant);
        if (device_.simulated) return shapes;
        // A real GPU is fast enough to verify large shapes as well: two ragged ones, and the shape
        // that will be measured.
        for (const Shape ragged_shape : {Shape{4099, 2053}, Shape{2053, 4099}}) {
            const Shape shape = round_up_shape(ragged_shape, variant);
            if (find_refusal(variant, shape).empty()) shapes.push_back(shape);
        }
        if (!options_.bench && find_refusal(variant, shape_).empty()) shapes.push_back(shape_);
        return shapes;
    }

    /// Reports whether the shape will be measured. If so, it is verified during the measurement,
    /// not before.
    bool is_measured(Shape shape) const { return options_.bench && shape == shape_; }

    void verify_at(Result& result, const Problem& problem, bool is_measured) {
        const Variant& variant = *result.variant;
        if (!is_measured) {
            VerifiedBuffers guarded_buffers(problem, VerifiedBuffers::kDefaultGuardBytes,
                                            variant.in, variant.out);
            guarded_buffers.prepare();
            check_once(result, guarded_buffers);
        }
        if (device_.simulated && !is_host_code(variant)) verify_without_guards(result, problem);
    }

    /// Verifies again on the simulator, without guard bands, which would hide out-of-bounds
    /// accesses from memcheck.
    void verify_without_guards(Result& result, const Problem& problem) {
        if (result.outcome == Outcome::skipped) return;
        const Variant& variant = *result.variant;
        VerifiedBuffers unguarded_buffers(problem, 0, variant.in, variant.out);
        unguarded_buffers.prepare();
        if (result.outcome == Outcome::verified) {
            const int verified_before = result.shapes_verified;
            check_once(result, unguarded_buffers);
            // Do not count this shape here. It has been counted already, or will be during the
            // measurement.
            result.shapes_verified = verified_before;
            return;
        }
        // The result is already known to be wrong. This launch may add a report that names the line
        // of the mistake.
        static_cast<void>(launch_and_wait(variant, unguarded_buffers));
        const std::string reports = reports_text();
        simulator_library::clear_reports();
        if (result.reason.find(reports) == std::string::npos) result.reason += reports;
    }

    /// Launches the variant once and checks the result.
    void check_once(Result& result, VerifiedBuffers& buffers) {
        const Problem& problem = buffers.problem();
        const Shape shape{static_cast<int>(problem.rows), static_cast<int>(problem.cols)};
        const cudaError_t error = launch_and_wait(*result.variant, buffers);
        if (device_.simulated) {
            const std::string reports = reports_text();
            const bool is_race = simulator_library::has_shared_race_report();
            simulator_library::clear_reports();
            if (!reports.empty()) {
                std::string text = reports;
                if (error == cudaSuccess) text += buffers.check().text();
                return result.end(
                    Outcome::wrong, shape,
                    is_race ? "Warps race in shared memory: is a __syncthreads() missing?\n" + text
                            : text);
            }
        }
        if (is_grid_too_tall(error, shape)) {
            return result.end(Outcome::skipped, shape,
                              shape.name() +
                                  " needs more than 65535 blocks in gridDim.y, but 65535 is the "
                                  "maximum: try fewer rows");
        }
        if (error != cudaSuccess) {
            device_is_lost_ = cudaDeviceSynchronize() != cudaSuccess;
            return result.end(Outcome::wrong, shape, launch_failure(error));
        }
        const Comparison comparison = buffers.check();
        if (!comparison.is_right()) return result.end(Outcome::wrong, shape, comparison.text());
        ++result.shapes_verified;
    }

    void measure_variant(Result& result) {
        const Variant& variant = *result.variant;
        VerifiedBuffers& buffers = prepare_measurement_buffers(variant);
        buffers.poison();
        if (device_.simulated) simulator_library::reset_counters();
        result.shape = shape_;
        result.bytes = buffers.problem().moved_bytes();
        if (buffers.problem().is_permuted()) result.array = text_of(buffers.problem().axes());
        check_once(result, buffers);
        if (result.outcome != Outcome::verified) {
            // Free the buffers, because the kernel may have changed the input.
            measurement_buffers_.reset();
            return;
        }
        if (device_.simulated) {
            const Counters counters = simulator_library::counters();
            if (counters.kernels > 0) result.counters = counters;
            if (!options_.time_on.empty()) predict_time(result);
            return;
        }
        const auto launch_once = [&] {
            launch(variant, buffers.problem(), buffers.out(), buffers.in());
        };
        result.timing = is_host_code(variant) ? stopwatch_->time_on_host(launch_once)
                                              : stopwatch_->time_on_device(launch_once);
    }

    void predict_time(Result& result) const {
        const Variant& variant = *result.variant;
        try {
            if (!result.counters) throw NotPredicted("it launches no kernel");
            const Shape fallback_shape = options_.shape ? shape_ : usual_prediction_shape(variant);
            result.predicted = predict(variant, options_.prediction_shape.value_or(fallback_shape),
                                       options_.time_on);
        } catch (const NotPredicted& reason) {
            result.not_predicted = reason.what();
        }
    }

    VerifiedBuffers& prepare_measurement_buffers(const Variant& variant) {
        if (!measurement_buffers_ || !can_share_buffers(variant, measured_variant_)) {
            measurement_buffers_.reset();
            measurement_buffers_ = std::make_unique<VerifiedBuffers>(
                problem_for_shape(variant, shape_), VerifiedBuffers::kDefaultGuardBytes, variant.in,
                variant.out);
            measured_variant_ = variant;
            measurement_buffers_->prepare();
        }
        measurement_buffers_->set_problem(problem_for_shape(variant, shape_));
        return *measurement_buffers_;
    }

    const Device& device_;
    const Options& options_;
    Shape shape_;
    std::unique_ptr<Stopwatch> stopwatch_;
    /// The buffers for measurements. They can be large, so they are reused.
    std::unique_ptr<VerifiedBuffers> measurement_buffers_;
    Variant measured_variant_;
    /// Whether a kernel has broken the context of a real GPU, after which nothing else can run.
    bool device_is_lost_ = false;
};

// ---- output ----

std::string variant_list_text(const std::vector<Variant>& variants) {
    std::size_t name_width = 0;
    for (const Variant& variant : variants) name_width = std::max(name_width, variant.name.size());
    std::string text;
    for (const Variant& variant : variants) {
        std::string description = variant.about;
        if (variant.rows_multiple > 1 || variant.cols_multiple > 1) {
            description +=
                format(" (multiples of %d x %d)", variant.rows_multiple, variant.cols_multiple);
        }
        text += wrap_with_hanging_indent(
            format("%-*s  ", static_cast<int>(name_width), variant.name.c_str()), description);
    }
    return text;
}

/// Returns the title of the table, which says how its numbers were obtained.
std::string table_title(const Device& device, const Options& options, Shape shape,
                        const std::vector<const Variant*>& variants) {
    if (!options.bench) {
        const bool is_exact = std::none_of(
            variants.begin(), variants.end(),
            [](const Variant* listed_variant) { return listed_variant->is_computed(); });
        const std::string precision_text = is_exact ? ", bit for bit" : "";
        return (options.shape ? "Verified at " + shape.name() : "Verified on many shapes") +
               precision_text;
    }
    return shape.name() + " floats, " + (device.simulated ? "simulated" : "measured");
}

/// Lists the shapes of the measured arrays. The table shows an array only as a matrix with the same
/// number of elements.
std::string array_shapes_text(const std::vector<Result>& results) {
    std::string text;
    for (const Result& result : results) {
        if (result.array.empty()) continue;
        text += wrap(result.variant->name + ": " + result.array);
    }
    return text;
}

std::string footnote(const Device& device, const Options& options, double copy_gbps,
                     const std::vector<const Variant*>& variants) {
    std::string text;
    for (const Variant* variant : variants) {
        if (variant->keeps_nan_payloads) continue;
        text += "any NaN: where a NaN is expected, any other NaN is accepted\n";
        break;
    }
    for (const Variant* variant : variants) {
        if (!variant->is_computed() || !variant->produces.computation.row) continue;
        text +=
            format("verified: within a relative error of %g of the results in double precision\n",
                   variant->produces.computation.tolerance);
        break;
    }
    if (!options.bench || device.simulated) return text;
    return text + format("cudaMemcpyAsync D2D, measured in this run: %.1f GB/s; peak: %.0f GB/s\n",
                         copy_gbps, device.peak_gbps);
}

/// Prints the failures, and returns the exit code.
int print_failures(const std::string& step, const Options& options,
                   const std::vector<Result>& results) {
    int exit_code = exit_right;
    for (const Result& result : results) {
        const std::string name = result.variant->name + " at " + result.shape.name();
        if (result.outcome == Outcome::wrong) {
            std::printf("\n%s is wrong:\n%s", name.c_str(), wrap(result.reason).c_str());
            exit_code = exit_wrong;
        }
        // A skipped variant is an error only if the user requested this variant by name.
        if (result.outcome == Outcome::skipped && !options.variant.empty()) {
            std::fflush(stdout);
            std::fprintf(stderr, "%s: %s was not run: %s\n", step.c_str(), name.c_str(),
                         result.reason.c_str());
            exit_code = exit_usage;
        }
    }
    return exit_code;
}

int run(const std::string& step, const Options& options,
        const std::vector<const Variant*>& variants, char** argv) {
    const Device device = choose_device(options.device, argv);
    const Shape shape = options.shape ? *options.shape : default_shape(device, variants);
    check_memory(device, shape, variants);

    StepRunner runner(device, options, shape);
    const bool is_predicted = !options.time_on.empty();
    const Table table(device, options.bench, variants, is_predicted);
    std::printf("%s\n%s\n\n", device.first_line(is_predicted).c_str(),
                table_title(device, options, shape, variants).c_str());
    const double copy_gbps = runner.measure_copy();
    std::printf("%s", table.head().c_str());
    std::vector<Result> results;
    for (const Variant* variant : variants) {
        results.push_back(runner.run(*variant));
        std::printf("%s", table.row(results.back(), copy_gbps).c_str());
        std::fflush(stdout);
    }
    std::printf("%s%s%s", array_shapes_text(results).c_str(),
                footnote(device, options, copy_gbps, variants).c_str(),
                notes_on_predictions(results).c_str());

    const int exit_code = print_failures(step, options, results);
    if (!options.json.empty()) write_file(options.json, to_json(device, step, results, copy_gbps));
    return exit_code;
}

/// Checks everything that needs no device: the output file must be writable, and the variant must
/// accept the shape. Throws UsageError otherwise.
void check_options(const Options& options, const std::vector<const Variant*>& variants) {
    if (!options.json.empty()) check_writable(options.json);
    if (options.variant.empty() || !options.shape) return;
    const std::string reason = find_refusal(*variants.front(), *options.shape);
    if (!reason.empty()) {
        throw UsageError(options.variant + " does not take " + options.shape->name() + ": it " +
                         reason);
    }
}

int run_or_throw(const std::string& step, const std::vector<std::string>& arguments, char** argv,
                 const std::vector<Variant>& variants) {
    const Options options = parse_options(arguments);
    if (options.help) {
        std::printf("%s", help_text(step).c_str());
        return exit_right;
    }
    if (options.list) {
        std::printf("%s", variant_list_text(variants).c_str());
        return exit_right;
    }
    const auto selected_variants =
        select_by_name(variants, "--variant", "variant", options.variant);
    check_options(options, selected_variants);
    return run(step, options, selected_variants, argv);
}

}  // namespace

int run_step(int argc, char** argv, const std::vector<Variant>& variants) {
    const std::string step = std::filesystem::path(argc > 0 ? argv[0] : "step").filename().string();
    try {
        return run_or_throw(step, {argv + std::min(argc, 1), argv + argc}, argv, variants);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", step.c_str(), error.what());
        return exit_usage;
    }
}

}  // namespace coalesce
