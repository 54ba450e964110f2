#include "examiner/costs.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
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

/// Reports whether the compiled kernel has a barrier between two loads of a thread, or both in one
/// loop. The text of a kernel may hide that, with goto, templates or a function for each load.
bool has_barrier_between_loads(const std::string& ptx) {
    std::map<std::string, std::size_t> labels;  // by name, the number of the line
    std::vector<std::size_t> loads, barriers;   // the numbers of their lines
    std::size_t number = 0;
    const auto is_behind = [](const std::vector<std::size_t>& places, std::size_t place) {
        return !places.empty() && places.back() > place;
    };
    for (const std::string& line : lines_of(ptx)) {
        ++number;
        static const TextPattern instruction(
            R"(^\s*(?:@!?%\w+\s+)?(?:(ld\.(?:volatile\.|relaxed\.\w+\.)?global))"
            R"(|(bar(?:rier)?\.)|bra(?:\.uni)?\s+(\$\w+)|(\$\w+):))");
        TextMatch found;
        if (line.starts_with(".visible") || line.starts_with(".func")) {
            loads.clear();
            barriers.clear();
        }
        if (!search(line, found, instruction)) continue;
        if (found[1].matched) {
            if (!loads.empty() && is_behind(barriers, loads.back())) return true;
            loads.push_back(number);
        } else if (found[2].matched) {
            barriers.push_back(number);
        } else if (found[4].matched) {
            labels[found.str(4)] = number;
        } else if (const auto back = labels.find(found.str(3)); back != labels.end()) {
            if (is_behind(loads, back->second) && is_behind(barriers, back->second)) return true;
        }
    }
    return false;
}

/// Returns a failure that names the line whose loads are waited for most often, if there is a
/// barrier between loads of the compiled kernel. Its kind is `none` if there is not.
Failure find_line_that_waits(const Verdict& found) {
    if (!has_barrier_between_loads(found.ptx)) return {};
    Failure failure{
        .kind = FailureKind::loads_not_overlapped,
        .headline = "there is a barrier between two loads of a thread",
        .place = {found.file, 0, 0},
        .next = "Let the thread issue all of its loads first, and wait once after them."};
    std::uint64_t most = 0;
    for (const LineCounters& line : found.lines) {
        if (line.counters.load_waits <= most) continue;
        most = line.counters.load_waits;
        failure.place.line = line.line;
    }
    return failure;
}

}  // namespace

std::optional<Failure> loads_not_overlapped(const Verdict& found, const Limits& limits) {
    const Counters& counters = *found.counters;
    if (counters.load_waits == 0) return std::nullopt;
    const double in_flight =
        static_cast<double>(counters.load_requests) / static_cast<double>(counters.load_waits);
    if (in_flight >= limits.loads_in_flight) return std::nullopt;
    Failure failure = find_reason_for_wait(found);
    if (failure.kind == FailureKind::none) failure = find_line_that_waits(found);
    if (failure.kind == FailureKind::none) return std::nullopt;
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
