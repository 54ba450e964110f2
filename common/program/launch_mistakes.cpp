#include "program/launch_mistakes.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {
namespace {

constexpr long long kMostThreadsOfBlock = 1024, kLanes = 32;

std::string text_of(const LaunchShape& launch) {
    return count_of(static_cast<std::uint64_t>(launch.blocks()), "block") + " of " +
           count_of(static_cast<std::uint64_t>(launch.threads()), "thread");
}

/// The launch with the most threads.
const SeenLaunch* largest(const WitnessedRun& run) {
    const auto found = std::max_element(run.launches.begin(), run.launches.end(),
                                        [](const SeenLaunch& one, const SeenLaunch& other) {
                                            return one.threads() < other.threads();
                                        });
    return found == run.launches.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Failure> exchanged_launch(const LaunchShape& launch, std::size_t elements) {
    const auto count = static_cast<long long>(elements);
    const long long blocks = launch.blocks();
    const bool is_rounded_up = launch.threads() == (count + blocks - 1) / blocks;
    if (blocks == 1 || launch.threads() <= kMostThreadsOfBlock || !is_rounded_up) return {};
    return Failure{
        .kind = FailureKind::launch_exchanged,
        .headline = "the two numbers of the launch have changed places: it has " + text_of(launch) +
                    " for " + count_of(elements, "element") +
                    ", and no GPU takes more than 1024 threads per block. With few elements that "
                    "goes unnoticed.",
        .next =
            "The first number between <<< and >>> is that of the blocks, the second that of "
            "the threads per block: <<<blocks, threads>>>."};
}

std::optional<Failure> few_threads(const WitnessedRun& run, std::size_t elements) {
    const SeenLaunch* launch = largest(run);
    if (!launch) return {};
    const auto count = static_cast<long long>(elements);
    const std::string has = ": the launch has " + text_of(launch->shape) + " for " +
                            count_of(elements, "element") + ".";
    if (launch->threads() < kLanes && count > kLanes) {
        const bool is_one = launch->threads() == 1;
        return Failure{
            .kind = FailureKind::multiprocessors_idle,
            .headline = (is_one ? "a single thread does everything, one element after the other"
                                : "a few threads do everything") +
                        has + " A GPU has room for many thousands at once.",
            .next =
                "Launch a thread for each element, and take the loop over all of them out of "
                "the kernel: the launch is the loop."};
    }
    if (launch->shape.blocks() == 1 && count > kMostThreadsOfBlock) {
        return Failure{
            .kind = FailureKind::multiprocessors_idle,
            .headline = "a single block does everything" + has +
                        " It runs on one multiprocessor, and a GPU may have more than a hundred.",
            .next = "Launch as many blocks as it takes to have a thread for each element."};
    }
    return {};
}

std::optional<Failure> repeated_work(const WitnessedRun& run, std::size_t elements) {
    const SeenLaunch* launch = largest(run);
    if (!launch || elements == 0) return {};
    for (const SeenStores& stores : run.stores) {
        const long long all = static_cast<long long>(elements * sizeof(float)) * stores.launches;
        const long long times = stores.bytes / all;
        if (times < 2) continue;
        const bool is_by_thread = times == launch->threads();
        const bool is_by_block = !is_by_thread && times == launch->shape.blocks();
        const std::string who = is_by_thread  ? "every thread does everything"
                                : is_by_block ? "every block does everything"
                                              : "threads do again what others have done";
        return Failure{
            .kind = FailureKind::work_repeated,
            .headline = who + ": each element is stored " + std::to_string(times) + " times" +
                        (is_by_thread  ? ", once by each thread of the launch."
                         : is_by_block ? ", once by each block of the launch."
                                       : ", on average."),
            .place = {"", stores.line, 0},
            .next = is_by_block
                        ? "Let the index begin with the block's own elements: blockIdx.x * "
                          "blockDim.x + threadIdx.x."
                        : "One element is enough for a thread, that of its own number: blockIdx.x "
                          "* blockDim.x + threadIdx.x. The launch is the loop."};
    }
    return {};
}

std::optional<int> elements_beyond(long long blocks) {
    constexpr long long most_blocks = 1024;
    if (blocks < 1 || blocks > most_blocks) return std::nullopt;
    return static_cast<int>(blocks * kMostThreadsOfBlock + 1);
}

}  // namespace coalesce
