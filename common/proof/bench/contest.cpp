#include "proof/bench/contest.h"

#include <algorithm>

#include "harness/counters.h"
#include "harness/errors.h"
#include "harness/shapes.h"
#include "proof/device_check.h"

namespace coalesce::proof {
namespace {

/// Times of the slowest kernels are steady: a few launches are enough.
constexpr double kSlowMs = 60;
constexpr int kHostLaunches = 3;

[[noreturn]] void give_up(const Variant& variant, cudaError_t error) {
    throw std::runtime_error(variant.name +
                             " broke the device's context: " + cudaGetErrorName(error) + ": " +
                             cudaGetErrorString(error) + ". " + advice_for(error));
}

bool is_of_device(const Variant& variant) {
    return variant.in == Memory::device && variant.out == Memory::device;
}

bool is_host_code(const Variant& variant) {
    return variant.in == Memory::host && variant.out == Memory::host;
}

}  // namespace

Contest::Contest(const std::vector<StepVariants>& steps, Shape shape)
    : problem_{.rows = shape.rows, .cols = shape.cols}, buffers_(problem_) {
    buffers_.prepare();
    input_sum_ = checksum(buffers_.in(), problem_.elements());
    for (const StepVariants& step : steps) {
        for (const Variant& variant : step.variants) {
            Entry entry{step.name, variant.name, refusal(variant, shape), ""};
            if (variant.needs_gpu && simulator::is_loaded()) entry.skipped = "it needs a real GPU";
            if (!variant.is_plain()) {
                entry.skipped = "it works in place, or on an array: its own program measures it";
            }
            if (variant.element_size != 4) entry.skipped = "this contest is one of floats";
            entry.bytes = 2.0 * static_cast<double>(problem_.bytes());
            (is_of_device(variant) ? on_device_ : with_host_)
                .push_back({&variant, entries_.size()});
            entries_.push_back(entry);
        }
    }
}

void Contest::launch(const Variant& variant) {
    variant.launch(buffers_.out(), buffers_.in(), static_cast<int>(problem_.rows),
                   static_cast<int>(problem_.cols));
}

/// A check that says "right" to everything would be of no use: it must find an output that is all
/// wrong, and one wrong bit.
void Contest::prove_that_checks_see() {
    buffers_.expect({Produces::copy});
    buffers_.poison();
    const auto wrong = [&] {
        return count_wrong_cells(buffers_.problem(), buffers_.out(), buffers_.in());
    };
    bool sees = wrong() == static_cast<std::uint64_t>(problem_.elements());
    CUDA_CHECK(
        cudaMemcpy(buffers_.out(), buffers_.in(), problem_.bytes(), cudaMemcpyDeviceToDevice));
    sees = sees && wrong() == 0;
    std::uint32_t last = 0;
    float* const place = buffers_.out() + problem_.elements() - 1;
    CUDA_CHECK(cudaMemcpy(&last, place, sizeof last, cudaMemcpyDeviceToHost));
    last ^= 1;
    CUDA_CHECK(cudaMemcpy(place, &last, sizeof last, cudaMemcpyHostToDevice));
    if (!sees || wrong() != 1) {
        throw std::runtime_error(
            "the check on the device does not see what is wrong: common/proof/device_check.cu");
    }
}

void Contest::verify_on_device(const Seat& seat, bool by_host_too) {
    const Variant& variant = *seat.variant;
    Entry& entry = entries_[seat.entry];
    buffers_.expect(variant.produces, variant.keeps_nan_payloads);
    buffers_.poison();
    launch(variant);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t ended = cudaDeviceSynchronize();
    if (ended != cudaSuccess) give_up(variant, ended);
    if (launched != cudaSuccess) {
        entry.wrong = std::string("the launch failed: ") + cudaGetErrorName(launched);
        return;
    }
    const bool is_right =
        count_wrong_cells(buffers_.problem(), buffers_.out(), buffers_.in()) == 0 &&
        checksum(buffers_.in(), problem_.elements()) == input_sum_;
    if (is_right && !by_host_too) return;
    const Comparison comparison = buffers_.check();
    if (!comparison.is_right()) entry.wrong = comparison.text();
    if (comparison.is_right() != is_right) {
        throw std::runtime_error(variant.name +
                                 ": the check on the device and the one on the host disagree: "
                                 "one of common/proof/device_check.cu and common/harness is wrong");
    }
    if (!is_right) buffers_.prepare();
}

void Contest::verify(bool by_host_too) {
    prove_that_checks_see();
    for (const Seat& seat : on_device_) {
        if (entries_[seat.entry].skipped.empty()) verify_on_device(seat, by_host_too);
    }
}

void Contest::run_host_variants(Stopwatch* stopwatch) {
    for (const Seat& seat : with_host_) {
        Entry& entry = entries_[seat.entry];
        const Variant& variant = *seat.variant;
        if (!entry.skipped.empty()) continue;
        Problem problem = problem_;
        problem.produces = variant.produces;
        VerifiedBuffers buffers(problem, VerifiedBuffers::usual_guard, variant.in, variant.out);
        buffers.prepare();
        const auto work = [&] {
            variant.launch(buffers.out(), buffers.in(), static_cast<int>(problem.rows),
                           static_cast<int>(problem.cols));
        };
        work();
        const Comparison comparison = buffers.check();
        if (!comparison.is_right()) entry.wrong = comparison.text();
        if (!comparison.is_right() || !stopwatch) continue;
        if (is_host_code(variant)) {
            entry.ms = {stopwatch->time_on_host(work).ms};
            continue;
        }
        for (int i = 0; i < kHostLaunches; ++i) {
            entry.ms.push_back(stopwatch->time_once_on_device(work));
        }
    }
}

void Contest::play_round(Stopwatch& stopwatch, int round, int launches) {
    for (std::size_t turn = 0; turn < on_device_.size(); ++turn) {
        const std::size_t first = static_cast<std::size_t>(round) * on_device_.size() / 3;
        const Seat& seat = on_device_[(turn + first) % on_device_.size()];
        Entry& entry = entries_[seat.entry];
        if (!entry.is_verified()) continue;
        const auto work = [&] { launch(*seat.variant); };
        const double first_ms = stopwatch.time_once_on_device(work);
        const int count = first_ms > kSlowMs ? 1 : launches;
        for (int i = 0; i < count; ++i) {
            entry.ms.push_back(stopwatch.time_once_on_device(work));
        }
    }
}

void Contest::check_at_the_end() {
    for (const Seat& seat : on_device_) {
        if (!entries_[seat.entry].is_verified()) continue;
        buffers_.expect(seat.variant->produces, seat.variant->keeps_nan_payloads);
        buffers_.poison();
        launch(*seat.variant);
        const Comparison comparison = buffers_.check();
        if (!comparison.is_right()) {
            throw std::runtime_error("after all launches, " + seat.variant->name + " is wrong:\n" +
                                     comparison.text());
        }
        return;
    }
}

}  // namespace coalesce::proof
