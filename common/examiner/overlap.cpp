#include "examiner/costs.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "examiner/launch_limits.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "harness/text.h"

namespace coalesce {
namespace {

bool has_stores_in(const Verdict& verdict, const Loop& loop) {
    return std::any_of(verdict.lines.begin(), verdict.lines.end(), [&](const LineCounters& line) {
        return line.counters.store_requests > 0 && line.line >= loop.first_line &&
               line.line <= loop.last_line;
    });
}

/// Returns a failure that states why a load waits for the previous load, and on which line the
/// cause is. The failure's kind is `none` if nothing explains the wait.
Failure find_reason_for_wait(const Verdict& verdict) {
    const std::vector<Loop> loops = find_loops(verdict.source);
    for (const LineCounters& line : verdict.lines) {
        const Loop* loop = find_innermost_loop(loops, line.line);
        if (line.counters.load_requests == 0 || !loop) continue;
        if (loop->barrier_line > 0) {
            return {
                .kind = FailureKind::loads_not_overlapped,
                .headline = "there is a barrier between two loads of a thread",
                .place = {verdict.file, loop->barrier_line, 0},
                .advice =
                    "Move __syncthreads() out of the loop: one barrier after all loads is enough."};
        }
        if (has_stores_in(verdict, *loop)) {
            return {.kind = FailureKind::loads_not_overlapped,
                    .headline = "each element is stored before the next element is loaded",
                    .place = {verdict.file, line.line, 0},
                    .advice =
                        "Load all elements of a thread in a separate loop, into an array; store "
                        "them in a second loop."};
        }
    }
    return {};
}

/// Looks in PTX for barriers between the loads of a thread.
class BarriersBetweenLoads {
public:
    /// Reads the next line. Returns true if the lines so far contain a barrier between two loads,
    /// or a load and a barrier in one loop.
    bool read_line(const std::string& line) {
        ++number_;
        TextMatch match;
        if (line.starts_with(".visible") || line.starts_with(".func")) begin_function(line);
        static const TextPattern word(R"(^\s*(\w+),?\s*$)");
        if (search(line, match, word) && read_call(match.str(1))) return true;
        // Inline assembly may have several instructions in a line.
        static const TextPattern instruction(
            R"((\bld\.(?:volatile\.|relaxed\.\w+\.)?global))"
            R"(|(\bbar(?:rier)?\.|\bmembar|\bfence\.(?:sc|acq_rel)|\bmbarrier\.t\w+_wait))"
            R"(|\bbra(?:\.uni)?\s+(\$\w+)|^\s*(\$\w+):)");
        if (!search(line, match, instruction)) return false;
        if (match[1].matched) return add_load();
        if (match[2].matched) add_barrier();
        if (match[4].matched) labels_[match.str(4)] = number_;
        const auto label = labels_.find(match.str(3));
        return match[3].matched && label != labels_.end() && is_after_any(loads_, label->second) &&
               is_after_any(barriers_, label->second);
    }

private:
    static bool is_after_any(const std::vector<std::size_t>& line_numbers,
                             std::size_t line_number) {
        return !line_numbers.empty() && line_numbers.back() > line_number;
    }
    void begin_function(const std::string& line) {
        static const TextPattern head(R"(^\.func.*?(\w+)\($)");
        TextMatch match;
        function_ = search(line, match, head) ? match.str(1) : "";
        loads_.clear();
        barriers_.clear();
    }
    /// Records the barrier and the load in the function `name`, which the current line calls.
    /// Returns true if there is a barrier between two of the recorded loads.
    bool read_call(const std::string& name) {
        if (barrier_functions_.contains(name)) add_barrier();
        return load_functions_.contains(name) && add_load();
    }
    bool add_load() {
        if (!function_.empty()) load_functions_.insert(function_);
        if (!loads_.empty() && is_after_any(barriers_, loads_.back())) return true;
        loads_.push_back(number_);
        return false;
    }
    void add_barrier() {
        if (!function_.empty()) barrier_functions_.insert(function_);
        barriers_.push_back(number_);
    }

    std::size_t number_ = 0;
    std::map<std::string, std::size_t> labels_;  // line numbers of labels
    std::vector<std::size_t> loads_, barriers_;  // line numbers, in the current function
    std::string function_;                       // the current function, "" in the kernel
    std::set<std::string> load_functions_, barrier_functions_;  // functions
};

/// Reports whether the compiled kernel has a barrier or a fence between two loads of a thread. In
/// the source, goto, templates or a function for each load can hide the barrier. Only PTX from
/// NVRTC and clang is searched, which begins with "// Generated by". The PTX from ir_to_ptx is not,
/// because its basic blocks are not in the order in which they run.
bool has_barrier_between_loads(const std::string& ptx) {
    if (ptx.find("// Generated by") == std::string::npos) return false;
    BarriersBetweenLoads search;
    const std::vector<std::string> lines = lines_of(ptx);
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return search.read_line(line); });
}

/// If the compiled kernel has a barrier between its loads, returns a failure that names the line
/// whose loads cause the most waits. Otherwise the failure's kind is `none`.
Failure find_line_that_waits(const Verdict& verdict) {
    if (!has_barrier_between_loads(verdict.ptx)) return {};
    Failure failure{
        .kind = FailureKind::loads_not_overlapped,
        .headline = "there is a barrier or a fence between two loads of a thread",
        .place = {verdict.file, 0, 0},
        .advice = "Issue all loads of the thread first, and wait once, after the last load."};
    std::uint64_t max_waits = 0;
    for (const LineCounters& line : verdict.lines) {
        if (line.counters.load_waits <= max_waits) continue;
        max_waits = line.counters.load_waits;
        failure.place.line = line.line;
    }
    return failure;
}

}  // namespace

std::optional<Failure> find_loads_not_overlapped(const Verdict& verdict, const Limits& limits) {
    const Counters& counters = *verdict.counters;
    if (counters.load_waits == 0) return std::nullopt;
    const double loads_per_wait =
        static_cast<double>(counters.load_requests) / static_cast<double>(counters.load_waits);
    if (loads_per_wait >= limits.loads_in_flight) return std::nullopt;
    Failure failure = find_reason_for_wait(verdict);
    if (failure.kind == FailureKind::none) failure = find_line_that_waits(verdict);
    if (failure.kind == FailureKind::none) return std::nullopt;
    failure.headline += ", so a warp waits for memory once for every load: no two loads overlap.";
    failure.shape = verdict.counted_shape;
    failure.details =
        wrap("Simulated: " + std::to_string(counters.load_requests) +
             " loads, for which warps waited " + std::to_string(counters.load_waits) + " times.");
    return failure;
}

namespace {

/// Reports whether bulk copies bring the whole matrix to shared memory.
bool loads_all_by_bulk_copies(const Verdict& verdict) {
    constexpr double floats_in_a_sector = 8;
    return static_cast<double>(verdict.bulk_copies.load_sectors) * floats_in_a_sector >=
           element_count(verdict.counted_shape);
}

/// Returns a failure if the kernel fills its tile with stores, although the solution lets the copy
/// engine fill it. If bulk copies load the whole matrix, the stores serve another purpose, but must
/// not conflict.
std::optional<Failure> find_tile_filled_by_stores(const Verdict& verdict) {
    const auto& solution = verdict.solution_counters;
    const Counters& counters = *verdict.counters;
    if (!solution || solution->shared_store_requests > 0 || solution->shared_load_requests == 0 ||
        counters.shared_store_requests == 0)
        return std::nullopt;
    if (loads_all_by_bulk_copies(verdict)) {
        if (counters.shared_store_wavefronts <= 2 * counters.shared_store_ideal)
            return std::nullopt;
        return Failure{.kind = FailureKind::bank_conflicts,
                       .headline = "stores to shared memory take " +
                                   std::to_string(counters.shared_store_wavefronts) +
                                   " wavefronts, where " +
                                   std::to_string(counters.shared_store_ideal) + " are enough.",
                       .place = {verdict.file, 0, 0},
                       .shape = verdict.counted_shape,
                       .advice = "Pad or swizzle the array that the lanes store to."};
    }
    Failure failure{.kind = FailureKind::copies_not_async,
                    .headline =
                        "the tile is filled by stores, through registers; in this lesson TMA "
                        "writes to it.",
                    .place = {verdict.file, 0, 0},
                    .shape = verdict.counted_shape,
                    .advice =
                        "Request whole rows with load_row, and wait at the mbarrier until the "
                        "bytes have arrived."};
    for (const LineCounters& line : verdict.lines) {
        if (line.counters.shared_store_requests > 0) failure.place.line = line.line;
    }
    if (code_on_line(verdict.source, failure.place.line).find("memcpy_async") !=
        std::string::npos) {
        failure.headline =
            "each thread copies its own small pieces of the tile asynchronously; in this lesson "
            "TMA copies whole rows.";
    }
    return failure;
}

}  // namespace

std::optional<Failure> find_copies_not_async(const Verdict& verdict, const Limits& limits) {
    if (auto failure = find_tile_filled_by_stores(verdict)) return failure;
    if (limits.copies_in_flight == 0 || verdict.counters->copy_waits > 0) return std::nullopt;
    Failure failure{
        .kind = FailureKind::copies_not_async,
        .headline =
            "there are no asynchronous copies: each tile goes through registers, and the "
            "warp waits for the loads.",
        .place = {verdict.file, 0, 0},
        .shape = verdict.counted_shape,
        .advice =
            "Fetch a tile with __pipeline_memcpy_async, and transpose another tile in "
            "the meantime."};
    if (verdict.ptx.find("cp.async.mbarrier.arrive") != std::string::npos) {
        failure.headline =
            "the copies report to an mbarrier, so the simulator does not count how many are in "
            "flight.";
        failure.advice =
            "Collect the copies in groups, with __pipeline_commit and __pipeline_wait_prior or "
            "with a cuda::pipeline without shared state.";
    }
    for (const LineCounters& line : verdict.lines) {
        if (line.counters.load_requests > 0) failure.place.line = line.line;
    }
    return failure;
}

std::optional<Failure> find_copies_not_overlapped(const Verdict& verdict, const Limits& limits) {
    const Counters& counters = *verdict.counters;
    if (counters.copy_waits == 0 || counters.shared_load_requests == 0) return std::nullopt;
    const double bytes_in_flight = static_cast<double>(counters.copy_bytes_under_way) /
                                   static_cast<double>(counters.shared_load_requests);
    const bool waits_for_all = copies_after_read(verdict.source);
    if (bytes_in_flight >= limits.copies_in_flight && !waits_for_all) return std::nullopt;
    const int wait_line = find_copy_wait_line(verdict.source),
              start_line = find_copy_start_line(verdict.source);
    Failure failure{.kind = FailureKind::copies_not_overlapped, .shape = verdict.counted_shape};
    // Copies of warps that are further ahead do not count: a pipeline does not rely on them.
    if (!waits_for_all)
        failure.details =
            wrap("Simulated: " + std::to_string(counters.copy_waits) +
                 " waits for copies; when a tile is read, " + format("%.0f", bytes_in_flight) +
                 " bytes of other copies are in flight.");
    const std::string code = code_for_search(verdict.source);
    int commits = 0;
    const std::string commit = "__pipeline_commit(";
    for (std::size_t at = code.find(commit); at != code.npos; at = code.find(commit, at + 1)) {
        if (find_innermost_loop(find_loops(code), line_number_at(code, at))) {
            ++commits;
            failure.place = {verdict.file, line_number_at(code, at), 0};
        }
    }
    if (commits == 2) {
        failure.headline =
            "two groups are committed in a pass. The newest one is empty, so the kernel also "
            "waits for the next tile's group.";
        failure.advice = "Commit exactly one group in each pass.";
        return failure;
    }
    if (start_line > wait_line) {
        failure.headline = "the copy of the next tile starts only after this tile has been read.";
        failure.place = {verdict.file, start_line, 0};
        failure.advice =
            "Before this tile is read, start the copy of the next tile into another stage.";
        return failure;
    }
    failure.headline =
        "no copy is in flight while a tile is read: the kernel has waited for all copies.";
    failure.place = {verdict.file, wait_line, 0};
    failure.advice =
        "Use two stages: start the copy of the next tile before waiting for this tile, commit a "
        "group in every pass, even an empty one, and leave the newest group in flight with "
        "__pipeline_wait_prior(1).";
    return failure;
}

}  // namespace coalesce
