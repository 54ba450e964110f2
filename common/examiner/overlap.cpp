#include "examiner/costs.h"

#include <algorithm>

#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

bool has_stores_in(const Verdict& found, const Loop& loop) {
    return std::any_of(found.lines.begin(), found.lines.end(), [&](const LineCounters& line) {
        return line.counters.store_requests > 0 && line.line >= loop.first_line &&
               line.line <= loop.last_line;
    });
}

/// Returns a failure that explains why a load waits for the previous load, and on which line. Its
/// kind is `none` if nothing explains the wait.
Failure find_reason_for_wait(const Verdict& found) {
    const std::vector<Loop> loops = find_loops(found.source);
    for (const LineCounters& line : found.lines) {
        const Loop* loop = innermost_loop(loops, line.line);
        if (line.counters.load_requests == 0 || !loop) continue;
        if (loop->barrier_line > 0) {
            return {.kind = FailureKind::loads_not_overlapped,
                    .headline = "there is a barrier between two loads of a thread",
                    .place = {found.file, loop->barrier_line, 0},
                    .next = "Take __syncthreads() out of the loop: one barrier after all loads."};
        }
        if (has_stores_in(found, *loop)) {
            return {.kind = FailureKind::loads_not_overlapped,
                    .headline = "each element is stored before the next one is loaded",
                    .place = {found.file, line.line, 0},
                    .next =
                        "Load all elements of a thread in a separate loop, into an array; store "
                        "them in a second loop."};
        }
    }
    return {};
}

/// Returns a failure that names the line whose loads are waited for most often. The text explains
/// nothing, but the simulator saw the waits.
Failure find_line_that_waits(const Verdict& found) {
    Failure failure{.kind = FailureKind::loads_not_overlapped,
                    .headline =
                        "a loaded value is needed, or a barrier reached, before the thread "
                        "issues its next load",
                    .place = {found.file, 0, 0},
                    .next = "Issue all loads of a thread first, into registers or into the tile."};
    std::uint64_t most = 0;
    for (const LineCounters& line : found.lines) {
        if (line.counters.load_waits <= most) continue;
        most = line.counters.load_waits;
        failure.place.line = line.line;
    }
    return failure;
}

/// Returns how many loads a warp issues before it waits. A wide load counts as several, because it
/// brings as many sectors.
double loads_in_flight(const Counters& counters) {
    constexpr double sectors_of_load = 4;
    const double loads = std::max(static_cast<double>(counters.load_requests),
                                  static_cast<double>(counters.load_sectors) / sectors_of_load);
    return loads / static_cast<double>(counters.load_waits);
}

}  // namespace

std::optional<Failure> loads_not_overlapped(const Verdict& found, const Limits& limits) {
    const Counters& counters = *found.counters;
    if (counters.load_waits == 0 || loads_in_flight(counters) >= limits.loads_in_flight)
        return std::nullopt;
    Failure failure = find_reason_for_wait(found);
    if (failure.kind == FailureKind::none) failure = find_line_that_waits(found);
    failure.headline += ", so that a warp waits for memory once for every load: nothing overlaps.";
    failure.shape = found.counted;
    failure.details = wrap("Simulated: " + std::to_string(counters.load_requests) + " loads, and " +
                           std::to_string(counters.load_waits) + " times that a warp waited.");
    return failure;
}

std::optional<Failure> copies_not_async(const Verdict& found, const Limits& limits) {
    if (limits.copies_in_flight == 0 || found.counters->copy_waits > 0) return std::nullopt;
    Failure failure{.kind = FailureKind::copies_not_async,
                    .headline =
                        "no asynchronous copy is made: each tile goes through registers, and the "
                        "warp waits for it.",
                    .place = {found.file, 0, 0},
                    .shape = found.counted,
                    .next =
                        "Fetch a tile with __pipeline_memcpy_async, and transpose another one "
                        "while it arrives."};
    for (const LineCounters& line : found.lines) {
        if (line.counters.load_requests > 0) failure.place.line = line.line;
    }
    return failure;
}

std::optional<Failure> copies_not_overlapped(const Verdict& found, const Limits& limits) {
    const Counters& counters = *found.counters;
    if (counters.copy_waits == 0 || counters.shared_load_requests == 0) return std::nullopt;
    const double under_way = static_cast<double>(counters.copy_bytes_under_way) /
                             static_cast<double>(counters.shared_load_requests);
    if (under_way >= limits.copies_in_flight) return std::nullopt;
    const int wait = find_copy_wait_line(found.source), sent = find_copy_start_line(found.source);
    Failure failure{.kind = FailureKind::copies_not_overlapped, .shape = found.counted};
    failure.details = wrap("Simulated: " + std::to_string(counters.copy_waits) +
                           " waits for copies; when a tile is read, " + format("%.0f", under_way) +
                           " bytes of other copies are in flight.");
    if (sent > wait) {
        failure.headline = "the copy of the next tile starts only after this tile has been read.";
        failure.place = {found.file, sent, 0};
        failure.next =
            "Start the copy of the next tile before this tile is read, into another stage.";
        return failure;
    }
    failure.headline =
        "no copy is in flight while a tile is read: the kernel has waited for all of them.";
    failure.place = {found.file, wait, 0};
    failure.next =
        "Use two stages: start the copy of the next tile before waiting for this one, and let the "
        "wait leave that copy in flight: __pipeline_wait_prior(1).";
    return failure;
}

}  // namespace coalesce
