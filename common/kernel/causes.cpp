#include "kernel/causes.h"

#include "harness/text.h"
#include "kernel/bounds_causes.h"
#include "kernel/report_failure.h"
#include "kernel/result_causes.h"
#include "kernel/source_lines.h"
#include "kernel/sync_causes.h"

namespace coalesce {
namespace {

using simulated::Report;

// ---- what does not end, or ends badly ----

/// Far too much work may come to an end all the same: a small matrix shows it.
std::optional<Failure> too_much_work(const Trial& trial, const Report& report,
                                     const Evidence& evidence) {
    if (!evidence.can_try_again) return std::nullopt;
    constexpr int side = 8;
    const Exercise& exercise = evidence.exercise;
    const Shape small =
        exercise.of_multiples((side + exercise.rows_multiple - 1) / exercise.rows_multiple,
                              (side + exercise.cols_multiple - 1) / exercise.cols_multiple);
    const Trial seen =
        evidence.try_again({.shape = small, .watch = Watch::result_alone, .wants_counters = true});
    // Each store of a warp is of one element at least.
    const std::uint64_t times = seen.counters.store_requests / seen.elements();
    if (!seen.has_ended() || times < 4) return std::nullopt;
    Failure failure = from_report(
        FailureKind::too_much_work, report, trial, evidence,
        "threads repeat what others have done, far more than the task takes.",
        "Which elements are this thread's own, by blockIdx and threadIdx? Let it do only those.");
    failure.details = wrap(
        "With rows = " + std::to_string(small.rows) + " and cols = " + std::to_string(small.cols) +
        " each element is stored " + std::to_string(times) + " times or more, on average.");
    failure.place.line = seen.store_line;
    return failure;
}

std::optional<Failure> execution_error(const Trial& trial, const Evidence& evidence) {
    const auto make = [&](FailureKind kind, const Report& report, const std::string& headline,
                          const std::string& next) {
        return from_report(kind, report, trial, evidence, headline, next);
    };
    if (const Report* report = find_report(trial, "synccheck", "deadlock")) {
        return make(
            FailureKind::deadlock, *report, "threads wait here for something that never comes.",
            report->cure.empty() ? "Who should wake them? Follow that thread." : report->cure);
    }
    if (const Report* report = find_report(trial, "execution", "instruction budget")) {
        if (auto found = too_much_work(trial, *report, evidence)) return found;
        Failure failure =
            make(FailureKind::endless_loop, *report, "the kernel does not end.",
                 "Look at the loop around this line: does its counter reach its end?");
        failure.details = wrap(report->thread.text() + " was here after " +
                               "many times the work that the task takes.");
        return failure;
    }
    if (const Report* report = find_report(trial, "execution", "assertion failed")) {
        return make(FailureKind::assertion_failed, *report, "an assertion in the kernel failed.",
                    "Take it as a hint: what it says must be true is not true.");
    }
    if (const Report* report = find_report(trial, "execution", "trap")) {
        return make(FailureKind::assertion_failed, *report, "the kernel stopped itself.",
                    "Take __trap() out, or find out why it is reached.");
    }
    if (const Report* report = find_report(trial, "execution", "unsupported")) {
        return make(FailureKind::not_simulated, *report,
                    "the kernel uses something that the simulated GPU does not have.",
                    "Write it without; no exercise needs it.");
    }
    if (const Report* report = find_report(trial, "execution")) {
        return make(FailureKind::kernel_failed, *report, "the kernel was stopped.", report->cure);
    }
    return std::nullopt;
}

// ---- what a real GPU says ----

/// Errors that a real GPU returns, where nobody says more.
Failure device_error(const Trial& trial, const Evidence& evidence) {
    const Place place{evidence.source.name, 0, 0};
    const std::string says =
        std::string(cudaGetErrorName(trial.error)) + ": " + cudaGetErrorString(trial.error) + ".";
    switch (trial.error) {
        case cudaErrorIllegalAddress: return outside(trial, place, wrap(says), evidence);
        case cudaErrorMisalignedAddress:
            return {.kind = FailureKind::misaligned,
                    .headline = "a vector access at an address that is not a multiple of its size.",
                    .place = place,
                    .shape = trial.shape,
                    .details = wrap(says),
                    .next = "Check it on the simulated GPU, which names the line."};
        case cudaErrorLaunchTimeout:
            return {.kind = FailureKind::endless_loop,
                    .headline = "the kernel does not end.",
                    .place = place,
                    .shape = trial.shape,
                    .next = "Check it on the simulated GPU, which names the line."};
        case cudaErrorAssert:
            return {.kind = FailureKind::assertion_failed,
                    .headline = "an assertion in the kernel failed.",
                    .place = place,
                    .shape = trial.shape,
                    .next = "Take it as a hint: what it says must be true is not true."};
        default:
            return {.kind = FailureKind::kernel_failed,
                    .headline = "the device stopped the kernel: " + says,
                    .place = place,
                    .shape = trial.shape,
                    .next = "Check it on the simulated GPU, which says more."};
    }
}

}  // namespace

bool has_whole_tiles(Shape shape) {
    constexpr int largest_side = 64;
    return shape.rows % largest_side == 0 && shape.cols % largest_side == 0;
}

namespace {

/// What refuses a launch knows the file's name alone.
Failure with_line_of_launch(Failure refused, const Evidence& evidence) {
    if (refused.place.line > 0) return refused;
    const bool is_of_block = refused.kind == FailureKind::block_too_large ||
                             refused.headline.find("gives blocks of") != std::string::npos;
    if (is_of_block || refused.kind == FailureKind::bad_launch) {
        refused.place.line = line_of_launch(evidence.source.text, is_of_block ? ".block" : ".grid");
    }
    return refused;
}

}  // namespace

Failure cause_of(const Trial& trial, const Evidence& evidence) {
    if (auto found = local_array_left(trial, evidence)) return *found;
    if (auto found = memory_error(trial, evidence)) return *found;
    if (auto found = execution_error(trial, evidence)) return *found;
    if (trial.refused.kind != FailureKind::none) {
        return with_line_of_launch(trial.refused, evidence);
    }
    if (auto found = copy_error(trial, evidence)) return *found;
    if (auto found = barrier_error(trial, evidence)) return *found;
    if (auto found = tile_of_one_thread(trial, evidence)) return *found;
    if (auto found = uninitialised(trial, evidence)) return *found;
    if (auto found = result_error(trial, evidence)) return *found;
    return device_error(trial, evidence);
}

}  // namespace coalesce
