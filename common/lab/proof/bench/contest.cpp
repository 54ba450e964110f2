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
constexpr double kSlowMs = 60;
constexpr int kSeparateLaunches = 3;

[[noreturn]] void give_up(const Variant& variant, cudaError_t error) {
    throw std::runtime_error(variant.name +
                             " broke the device's context: " + cudaGetErrorName(error) + ": " +
                             cudaGetErrorString(error) + ". " + advice_for_error(error));
}

/// Reports whether the variant can take part in a contest. The buffers of a contest are copied and
/// checked on the device. A computed output may have a different size from the input, and is
/// checked on the host.
bool takes_part(const Variant& variant) {
    return variant.in == Memory::device && variant.out == Memory::device && !variant.is_computed();
}

bool is_host_code(const Variant& variant) {
    return variant.in == Memory::host && variant.out == Memory::host;
}

bool is_copy_of_the_driver(const VariantResult& entry) {
    return entry.variant == "memcpy";
}

/// Returns the reason why a variant is not run at this size, or "" if it is.
std::string reason_to_skip(const Variant& variant, Shape shape) {
    if (variant.needs_gpu && simulator_library::is_loaded()) return "this variant needs a real GPU";
    return find_refusal(variant, shape);
}

bool share_buffers(const Problem& one, const Problem& other) {
    return one.element_size == other.element_size && one.elements() == other.elements() &&
           one.is_in_place() == other.is_in_place();
}

std::vector<VariantToTime>& find_buffer_group(
    const VariantToTime& seat, Shape shape,
    std::vector<std::vector<VariantToTime>>& buffer_groups) {
    const Problem problem = problem_for_shape(*seat.variant, shape);
    for (std::vector<VariantToTime>& heat : buffer_groups) {
        if (share_buffers(problem, problem_for_shape(*heat.front().variant, shape))) return heat;
    }
    return buffer_groups.emplace_back();
}

}  // namespace

VariantsToTime group_variants(const std::vector<StepVariants>& steps, Shape shape) {
    VariantsToTime field;
    for (const StepVariants& step : steps) {
        for (const Variant& variant : step.variants) {
            VariantResult entry{step.name, variant.name, reason_to_skip(variant, shape), ""};
            entry.element_size = variant.element_size;
            const VariantToTime seat{&variant, field.entries.size()};
            if (entry.skipped.empty()) {
                const Problem problem = problem_for_shape(variant, shape);
                entry.bytes = static_cast<double>(problem.moved_bytes());
                if (problem.is_permuted()) entry.array = text_of(problem.axes());
                auto& seats = takes_part(variant)
                                  ? find_buffer_group(seat, shape, field.buffer_groups)
                                  : field.separate_variants;
                seats.push_back(seat);
            }
            field.entries.push_back(entry);
        }
    }
    return field;
}

SharedBufferBenchmark::SharedBufferBenchmark(const std::vector<VariantToTime>& seats, Shape shape,
                                             std::vector<VariantResult>& entries)
    : entrants_(seats),
      shape_(shape),
      entries_(entries),
      buffers_(problem_for_shape(*seats.front().variant, shape)) {
    for (const VariantToTime& seat : seats)
        is_copied_by_a_variant_ |= is_copy_of_the_driver(entries[seat.entry]);
    buffers_.prepare();
    const Problem& problem = buffers_.problem();
    input_sum_ = checksum(buffers_.in(), problem.bytes());
    if (!problem.is_in_place()) return;
    before_ = DeviceBuffer(problem.bytes());
    CUDA_CHECK(
        cudaMemcpy(before_.data(), buffers_.in(), problem.bytes(), cudaMemcpyDeviceToDevice));
}

std::size_t SharedBufferBenchmark::bytes_needed(const std::vector<VariantToTime>& seats,
                                                Shape shape) {
    return VerifiedBuffers::bytes_needed(problem_for_shape(*seats.front().variant, shape));
}

void SharedBufferBenchmark::launch(const VariantToTime& seat) {
    coalesce::launch(*seat.variant, buffers_.problem(), buffers_.out(), buffers_.in());
}

/// Copies the input to the output. For an in-place problem, restores the original matrix.
void SharedBufferBenchmark::copy() {
    const bool is_in_place = buffers_.problem().is_in_place();
    CUDA_CHECK(cudaMemcpyAsync(buffers_.out(), is_in_place ? before_.data() : buffers_.in(),
                               buffers_.problem().bytes(), cudaMemcpyDeviceToDevice));
}

/// Poisons the output, or restores the matrix of an in-place problem.
void SharedBufferBenchmark::prepare_output(const Problem& problem) {
    buffers_.set_problem(problem);
    if (problem.is_in_place()) return copy();
    buffers_.poison();
}

bool SharedBufferBenchmark::is_right_on_device() const {
    const Problem& problem = buffers_.problem();
    const void* const input = before_.data() ? before_.data() : buffers_.in();
    return count_wrong_cells(problem, buffers_.out(), input) == 0 &&
           checksum(input, problem.bytes()) == input_sum_;
}

/// Tests the check of outputs: it must detect a completely wrong output, and a single wrong bit.
void SharedBufferBenchmark::verify_that_checks_detect_errors() {
    Problem problem = problem_for_shape(*entrants_.front().variant, shape_);
    problem.produces = {.kind = Produces::copy, .in_place = problem.is_in_place()};
    prepare_output(problem);
    const void* const input = before_.data() ? before_.data() : buffers_.in();
    const auto wrong = [&] { return count_wrong_cells(problem, buffers_.out(), input); };
    const bool is_poisoned = !problem.is_in_place();
    bool sees = wrong() == (is_poisoned ? static_cast<std::uint64_t>(problem.elements()) : 0);
    if (is_poisoned) copy();
    sees = sees && wrong() == 0;
    unsigned char last = 0;
    auto* const place = reinterpret_cast<unsigned char*>(buffers_.out()) + problem.bytes() - 1;
    CUDA_CHECK(cudaMemcpy(&last, place, 1, cudaMemcpyDeviceToHost));
    last ^= 1;
    CUDA_CHECK(cudaMemcpy(place, &last, 1, cudaMemcpyHostToDevice));
    if (!sees || wrong() != 1) {
        throw std::runtime_error(
            "the check on the device did not detect a planted mistake: see "
            "common/lab/proof/device_check.cu");
    }
}

void SharedBufferBenchmark::verify_on_device(const VariantToTime& seat, bool also_on_host) {
    const Variant& variant = *seat.variant;
    VariantResult& entry = entries_[seat.entry];
    prepare_output(problem_for_shape(variant, shape_));
    launch(seat);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t ended = cudaDeviceSynchronize();
    if (ended != cudaSuccess) give_up(variant, ended);
    if (launched != cudaSuccess) {
        entry.wrong = std::string("the launch failed: ") + cudaGetErrorName(launched);
        return;
    }
    const bool is_right = is_right_on_device();
    if (is_right && !also_on_host) return;
    const Comparison comparison = buffers_.check();
    if (!comparison.is_right()) entry.wrong = comparison.text();
    if (comparison.is_right() != is_right) {
        throw std::runtime_error(
            variant.name +
            ": the check on the device and the one on the host disagree: "
            "one of common/lab/proof/device_check.cu and common/harness is wrong");
    }
    if (!is_right) buffers_.prepare();
}

void SharedBufferBenchmark::verify(bool also_on_host) {
    verify_that_checks_detect_errors();
    for (const VariantToTime& seat : entrants_) verify_on_device(seat, also_on_host);
}

void run_separate_variants(VariantsToTime& field, Shape shape, Stopwatch* stopwatch) {
    for (const VariantToTime& seat : field.separate_variants) {
        VariantResult& entry = field.entries[seat.entry];
        const Variant& variant = *seat.variant;
        const Problem problem = problem_for_shape(variant, shape);
        VerifiedBuffers buffers(problem, VerifiedBuffers::kDefaultGuardBytes, variant.in,
                                variant.out);
        buffers.prepare();
        const auto work = [&] { launch(variant, problem, buffers.out(), buffers.in()); };
        work();
        const Comparison comparison = buffers.check();
        if (!comparison.is_right()) entry.wrong = comparison.text();
        if (!comparison.is_right() || !stopwatch) continue;
        if (is_host_code(variant)) {
            entry.ms = {stopwatch->time_on_host(work).ms};
            continue;
        }
        for (int i = 0; i < kSeparateLaunches; ++i) {
            entry.ms.push_back(stopwatch->time_once_on_device(work));
        }
    }
}

void SharedBufferBenchmark::time_round(Stopwatch& stopwatch, int round, int launches) {
    const auto take_turn = [&](std::vector<double>& ms, const auto& work) {
        const int count = stopwatch.time_once_on_device(work) > kSlowMs ? 1 : launches;
        for (int i = 0; i < count; ++i) ms.push_back(stopwatch.time_once_on_device(work));
    };
    if (!is_copied_by_a_variant_) take_turn(copy_ms_, [&] { copy(); });
    for (std::size_t turn = 0; turn < entrants_.size(); ++turn) {
        const std::size_t first = static_cast<std::size_t>(round) * entrants_.size() / 3;
        const VariantToTime& seat = entrants_[(turn + first) % entrants_.size()];
        VariantResult& entry = entries_[seat.entry];
        if (!entry.is_verified()) continue;
        buffers_.set_problem(problem_for_shape(*seat.variant, shape_));
        take_turn(entry.ms, [&] { launch(seat); });
        if (!copy_ms_.empty()) entry.copy_gbps = entry.bytes / summarize_timings(copy_ms_).ms / 1e6;
    }
}

void SharedBufferBenchmark::check_at_the_end() {
    for (const VariantToTime& seat : entrants_) {
        if (!entries_[seat.entry].is_verified()) continue;
        prepare_output(problem_for_shape(*seat.variant, shape_));
        launch(seat);
        const Comparison comparison = buffers_.check();
        if (!comparison.is_right()) {
            throw std::runtime_error("after all launches, " + seat.variant->name + " is wrong:\n" +
                                     comparison.text());
        }
        return;
    }
}

}  // namespace coalesce::proof
