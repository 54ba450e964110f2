#include "grader/judge/trials.h"

#include <cstring>

#include "grader/sandbox/memory_file.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

/// The two matrices with their guards, ready for a launch.
std::string images_of(const Problem& problem, const ImageLayout& layout) {
    std::string images(layout.both(), '\0');
    HostTransport transport;
    const GuardedSpan first{images.data() + layout.guard_bytes, layout.matrix_bytes,
                            layout.guard_bytes};
    const GuardedSpan second{images.data() + layout.one() + layout.guard_bytes, layout.matrix_bytes,
                             layout.guard_bytes};
    // In place the matrix is where the output would be, and the second argument leads to nothing.
    const bool is_in_place = problem.is_in_place();
    prepare_in(problem, is_in_place ? second : first, transport);
    prepare_out(is_in_place ? first : second, transport);
    return images;
}

/// Each expected element is computed anew while it is compared: no array of them exists.
Comparison compare(const Problem& problem, const ImageLayout& layout, std::byte* images) {
    HostTransport in, out;
    return check(
        problem, {images + layout.guard_bytes, layout.matrix_bytes, layout.guard_bytes}, in,
        {images + layout.one() + layout.guard_bytes, layout.matrix_bytes, layout.guard_bytes}, out);
}

[[noreturn]] void give_up(const JobResult& result) {
    using Kind = LaunchTrouble::Kind;
    switch (result.end.how) {
        case JobEnd::How::out_of_processor:
            throw LaunchTrouble(Kind::out_of_time, "the launch took too long");
        case JobEnd::How::out_of_memory:
            throw LaunchTrouble(Kind::out_of_memory, "the launch took too much memory");
        case JobEnd::How::out_of_time:
            throw LaunchTrouble(Kind::ours, "a launch did not end in time: is this computer busy?");
        case JobEnd::How::signalled:
            throw LaunchTrouble(Kind::ours, "the simulated GPU ended with signal " +
                                                std::to_string(result.end.code));
        case JobEnd::How::exited:
            throw LaunchTrouble(Kind::ours, "the simulated GPU ended with status " +
                                                std::to_string(result.end.code));
        case JobEnd::How::jail_failed: break;
    }
    throw LaunchTrouble(Kind::ours, result.end.problem);
}

}  // namespace

Trials::Trials(Jail& jail, const JudgeLimits& limits, const Secret& secret, std::string exercise)
    : jail_(jail), limits_(limits), secret_(secret), exercise_(std::move(exercise)) {}

std::uint64_t Trials::seed_of(Shape shape) const {
    const std::string_view key(reinterpret_cast<const char*>(secret_.data()), secret_.size());
    const Digest digest = hmac_sha256(key, "input of " + exercise_ + " at " + shape.name());
    std::uint64_t seed = 0;
    std::memcpy(&seed, digest.data(), sizeof seed);
    return seed;
}

JobResult Trials::launch(const LaunchJob& job, const std::string& images, double wall_seconds) {
    ++launches_;
    // The worker asks for its input when the kernel is loaded, not before.
    const auto on_note = [&](std::string_view) { return sealed_memory(images); };
    const std::string request = to_json(job);
    JobResult result = jail_.run({.request = request,
                                  .answer_bytes = text_offset(layout_of(job)) + most_answer_text,
                                  .limits = {.processor_seconds = limits_.launch_seconds,
                                             .wall_seconds = wall_seconds,
                                             .memory_mb = limits_.launch_mb},
                                  .on_note = on_note});
    processor_milliseconds_ += result.end.processor_milliseconds;
    return result;
}

JudgedTrial Trials::run(const JudgedKernel& kernel, Shape shape, Watch watch, bool wants_counters,
                        const TracedWarp& traced) {
    const bool has_checks = watch == Watch::everything;
    const LaunchJob job{.file_name = kernel.file_name,
                        .kernel = kernel.kernel,
                        .ptx = kernel.ptx,
                        .entry = kernel.entry,
                        .shape = shape,
                        .has_checks = has_checks,
                        // Guards would hide from the simulator what is touched outside.
                        .guard_bytes = has_checks ? 0 : VerifiedBuffers::usual_guard,
                        .wants_counters = wants_counters,
                        .traced_block = traced.block,
                        .traced_limit = traced.limit};
    const ImageLayout layout = layout_of(job);
    const Problem problem{.rows = shape.rows,
                          .cols = shape.cols,
                          .produces = kernel.produces,
                          .seed = seed_of(shape)};
    const std::string images = images_of(problem, layout);
    const double wall = 2.0 * limits_.launch_seconds - 0.5;
    JobResult result = launch(job, images, wall);
    // Perhaps the computer was busy, or somebody ended the jail: once more, with more time.
    const bool is_odd =
        result.end.how == JobEnd::How::out_of_time || result.end.how == JobEnd::How::jail_failed;
    if (is_odd) result = launch(job, images, 4 * wall);
    if (result.end.how != JobEnd::How::exited || result.end.code != 0) give_up(result);
    if (!result.is_sealed) {
        throw LaunchTrouble(LaunchTrouble::Kind::escaped,
                            "somebody could still write to the output");
    }
    const std::byte* text = result.answer.data() + text_offset(layout);
    LaunchAnswer answer;
    try {
        answer = launch_answer(text_in({text, result.answer.size() - text_offset(layout)}));
    } catch (const std::runtime_error& error) {
        throw LaunchTrouble(LaunchTrouble::Kind::ours,
                            std::string("the simulated GPU gave no answer: ") + error.what());
    }
    JudgedTrial judged;
    Trial& trial = judged.trial;
    trial.shape = shape;
    trial.launch = answer.launch;
    trial.refused = std::move(answer.problem);
    trial.error = static_cast<cudaError_t>(answer.error);
    trial.reports = std::move(answer.reports);
    trial.out_address = answer.out_address;
    trial.in_address = answer.in_address;
    trial.accesses = std::move(answer.accesses);
    trial.store_line = answer.store_line;
    const bool has_ended =
        trial.refused.kind == FailureKind::none && answer.is_launched && trial.error == cudaSuccess;
    if (has_ended) trial.comparison = compare(problem, layout, result.answer.data());
    judged.counters = answer.counters;
    judged.lines = std::move(answer.lines);
    return judged;
}

}  // namespace coalesce::grader
