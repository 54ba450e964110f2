#include "lab/proof/bench/contest.h"

#include "harness/counters.h"
#include "harness/errors.h"
#include "harness/launch.h"
#include "harness/shapes.h"
#include "lab/proof/device_check.h"

namespace coalesce::proof {
namespace {

/// The duration of a launch, in milliseconds, above which a kernel's times vary so little that one
/// timed launch per round is enough.
constexpr double kSlowLaunchMs = 60;
constexpr int kLaunchesOfSeparateVariants = 3;

[[noreturn]] void throw_broken_context(const Variant& variant, cudaError_t error) {
    throw std::runtime_error(variant.name +
                             " broke the device's context: " + cudaGetErrorName(error) + ": " +
                             cudaGetErrorString(error) + ". " + advice_for_error(error));
}

/// Reports whether the variant can take part in a contest. The buffers of a contest are copied and
/// checked on the device. A computed output may have a different size from the input, and is
/// checked on the host.
bool can_share_buffers(const Variant& variant) {
    return variant.in == Memory::device && variant.out == Memory::device && !variant.is_computed();
}

bool is_host_code(const Variant& variant) {
    return variant.in == Memory::host && variant.out == Memory::host;
}

bool is_driver_copy(const VariantResult& result) {
    return result.variant == "memcpy";
}

/// Returns the reason why a variant is not run at this size, or "" if it is.
std::string find_reason_to_skip(const Variant& variant, Shape shape) {
    if (variant.needs_gpu && simulator_library::is_loaded()) return "this variant needs a real GPU";
    return find_refusal(variant, shape);
}

bool need_equal_buffers(const Problem& first_problem, const Problem& second_problem) {
    return first_problem.element_size == second_problem.element_size &&
           first_problem.elements() == second_problem.elements() &&
           first_problem.is_in_place() == second_problem.is_in_place();
}

std::vector<VariantToTime>& find_or_add_buffer_group(
    const VariantToTime& variant_to_time, Shape shape,
    std::vector<std::vector<VariantToTime>>& buffer_groups) {
    const Problem problem = problem_for_shape(*variant_to_time.variant, shape);
    for (std::vector<VariantToTime>& heat : buffer_groups) {
        if (need_equal_buffers(problem, problem_for_shape(*heat.front().variant, shape)))
            return heat;
    }
    return buffer_groups.emplace_back();
}

}  // namespace

VariantsToTime group_variants(const std::vector<StepVariants>& steps, Shape shape) {
    VariantsToTime grouped_variants;
    for (const StepVariants& step : steps) {
        for (const Variant& variant : step.variants) {
            VariantResult entry{step.name, variant.name, find_reason_to_skip(variant, shape), ""};
            entry.element_size = variant.element_size;
            const VariantToTime variant_to_time{&variant, grouped_variants.entries.size()};
            if (entry.reason_for_skipping.empty()) {
                const Problem problem = problem_for_shape(variant, shape);
                entry.bytes = static_cast<double>(problem.moved_bytes());
                if (problem.is_permuted()) entry.permuted_axes = text_of(problem.axes());
                auto& buffer_group = can_share_buffers(variant)
                                         ? find_or_add_buffer_group(variant_to_time, shape,
                                                                    grouped_variants.buffer_groups)
                                         : grouped_variants.separate_variants;
                buffer_group.push_back(variant_to_time);
            }
            grouped_variants.entries.push_back(entry);
        }
    }
    return grouped_variants;
}

SharedBufferBenchmark::SharedBufferBenchmark(const std::vector<VariantToTime>& variants_to_time,
                                             Shape shape, std::vector<VariantResult>& entries)
    : variants_to_time_(variants_to_time),
      shape_(shape),
      entries_(entries),
      buffers_(problem_for_shape(*variants_to_time.front().variant, shape)) {
    for (const VariantToTime& variant_to_time : variants_to_time)
        is_copied_by_a_variant_ |= is_driver_copy(entries[variant_to_time.entry_index]);
    buffers_.prepare();
    const Problem& problem = buffers_.problem();
    input_checksum_ = compute_checksum(buffers_.in(), problem.bytes());
    if (!problem.is_in_place()) return;
    original_matrix_ = DeviceBuffer(problem.bytes());
    CUDA_CHECK(cudaMemcpy(original_matrix_.data(), buffers_.in(), problem.bytes(),
                          cudaMemcpyDeviceToDevice));
}

std::size_t SharedBufferBenchmark::bytes_of_buffers(
    const std::vector<VariantToTime>& variants_to_time, Shape shape) {
    return VerifiedBuffers::bytes_needed(
        problem_for_shape(*variants_to_time.front().variant, shape));
}

void SharedBufferBenchmark::launch(const VariantToTime& variant_to_time) {
    coalesce::launch(*variant_to_time.variant, buffers_.problem(), buffers_.out(), buffers_.in());
}

/// Copies the input to the output. For an in-place problem, restores the original matrix.
void SharedBufferBenchmark::copy_or_restore() {
    const bool is_problem_in_place = buffers_.problem().is_in_place();
    CUDA_CHECK(cudaMemcpyAsync(buffers_.out(),
                               is_problem_in_place ? original_matrix_.data() : buffers_.in(),
                               buffers_.problem().bytes(), cudaMemcpyDeviceToDevice));
}

/// Poisons the output, or restores the matrix of an in-place problem.
void SharedBufferBenchmark::prepare_output(const Problem& problem) {
    buffers_.set_problem(problem);
    if (problem.is_in_place()) return copy_or_restore();
    buffers_.poison();
}

bool SharedBufferBenchmark::is_output_right() const {
    const Problem& problem = buffers_.problem();
    const void* const input = original_matrix_.data() ? original_matrix_.data() : buffers_.in();
    return count_wrong_cells(problem, buffers_.out(), input) == 0 &&
           compute_checksum(input, problem.bytes()) == input_checksum_;
}

/// Tests the check of outputs: it must detect a completely wrong output, and a single wrong bit.
void SharedBufferBenchmark::verify_that_checks_detect_errors() {
    Problem problem = problem_for_shape(*variants_to_time_.front().variant, shape_);
    problem.produces = {.kind = Produces::copy, .in_place = problem.is_in_place()};
    prepare_output(problem);
    const void* const input = original_matrix_.data() ? original_matrix_.data() : buffers_.in();
    const auto count_wrong = [&] { return count_wrong_cells(problem, buffers_.out(), input); };
    const bool is_output_poisoned = !problem.is_in_place();
    bool detects_mistakes =
        count_wrong() == (is_output_poisoned ? static_cast<std::uint64_t>(problem.elements()) : 0);
    if (is_output_poisoned) copy_or_restore();
    detects_mistakes = detects_mistakes && count_wrong() == 0;
    unsigned char last_byte = 0;
    auto* const last_byte_address =
        reinterpret_cast<unsigned char*>(buffers_.out()) + problem.bytes() - 1;
    CUDA_CHECK(cudaMemcpy(&last_byte, last_byte_address, 1, cudaMemcpyDeviceToHost));
    last_byte ^= 1;
    CUDA_CHECK(cudaMemcpy(last_byte_address, &last_byte, 1, cudaMemcpyHostToDevice));
    if (!detects_mistakes || count_wrong() != 1) {
        throw std::runtime_error(
            "the check on the device did not detect a planted mistake: see "
            "common/lab/proof/device_check.cu");
    }
}

void SharedBufferBenchmark::verify_on_device(const VariantToTime& variant_to_time,
                                             bool checks_on_host_too) {
    const Variant& variant = *variant_to_time.variant;
    VariantResult& entry = entries_[variant_to_time.entry_index];
    prepare_output(problem_for_shape(variant, shape_));
    launch(variant_to_time);
    const cudaError_t launch_error = cudaGetLastError();
    const cudaError_t kernel_error = cudaDeviceSynchronize();
    if (kernel_error != cudaSuccess) throw_broken_context(variant, kernel_error);
    if (launch_error != cudaSuccess) {
        entry.output_error = std::string("the launch failed: ") + cudaGetErrorName(launch_error);
        return;
    }
    const bool is_right_on_device = is_output_right();
    if (is_right_on_device && !checks_on_host_too) return;
    const Comparison comparison = buffers_.check();
    if (!comparison.is_right()) entry.output_error = comparison.text();
    if (comparison.is_right() != is_right_on_device) {
        throw std::runtime_error(
            variant.name +
            ": the check on the device and the one on the host disagree: "
            "one of common/lab/proof/device_check.cu and common/harness is wrong");
    }
    if (!is_right_on_device) buffers_.prepare();
}

void SharedBufferBenchmark::verify(bool checks_on_host_too) {
    verify_that_checks_detect_errors();
    for (const VariantToTime& variant_to_time : variants_to_time_)
        verify_on_device(variant_to_time, checks_on_host_too);
}

void run_separate_variants(VariantsToTime& grouped_variants, Shape shape, Stopwatch* stopwatch) {
    for (const VariantToTime& variant_to_time : grouped_variants.separate_variants) {
        VariantResult& entry = grouped_variants.entries[variant_to_time.entry_index];
        const Variant& variant = *variant_to_time.variant;
        const Problem problem = problem_for_shape(variant, shape);
        VerifiedBuffers buffers(problem, VerifiedBuffers::kDefaultGuardBytes, variant.in,
                                variant.out);
        buffers.prepare();
        const auto work = [&] { launch(variant, problem, buffers.out(), buffers.in()); };
        work();
        const Comparison comparison = buffers.check();
        if (!comparison.is_right()) entry.output_error = comparison.text();
        if (!comparison.is_right() || !stopwatch) continue;
        if (is_host_code(variant)) {
            entry.ms = {stopwatch->time_on_host(work).ms};
            continue;
        }
        for (int i = 0; i < kLaunchesOfSeparateVariants; ++i) {
            entry.ms.push_back(stopwatch->time_once_on_device(work));
        }
    }
}

void SharedBufferBenchmark::time_round(Stopwatch& stopwatch, int round_index, int timed_launches) {
    const auto time_launches = [&](std::vector<double>& ms, const auto& work) {
        const int count = stopwatch.time_once_on_device(work) > kSlowLaunchMs ? 1 : timed_launches;
        for (int i = 0; i < count; ++i) ms.push_back(stopwatch.time_once_on_device(work));
    };
    if (!is_copied_by_a_variant_) time_launches(copy_ms_, [&] { copy_or_restore(); });
    for (std::size_t position_in_round = 0; position_in_round < variants_to_time_.size();
         ++position_in_round) {
        const std::size_t first_position =
            static_cast<std::size_t>(round_index) * variants_to_time_.size() / 3;
        const VariantToTime& variant_to_time =
            variants_to_time_[(position_in_round + first_position) % variants_to_time_.size()];
        VariantResult& entry = entries_[variant_to_time.entry_index];
        if (!entry.is_verified()) continue;
        buffers_.set_problem(problem_for_shape(*variant_to_time.variant, shape_));
        time_launches(entry.ms, [&] { launch(variant_to_time); });
        if (!copy_ms_.empty()) entry.copy_gbps = entry.bytes / summarize_timings(copy_ms_).ms / 1e6;
    }
}

void SharedBufferBenchmark::check_one_final_output() {
    for (const VariantToTime& variant_to_time : variants_to_time_) {
        if (!entries_[variant_to_time.entry_index].is_verified()) continue;
        prepare_output(problem_for_shape(*variant_to_time.variant, shape_));
        launch(variant_to_time);
        const Comparison comparison = buffers_.check();
        if (!comparison.is_right()) {
            throw std::runtime_error("after all launches, " + variant_to_time.variant->name +
                                     " is wrong:\n" + comparison.text());
        }
        return;
    }
}

}  // namespace coalesce::proof
