#include "examiner/elements/element_costs.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/costs.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// A cost, summed over all accesses of a kernel.
struct TotalCost {
    FailureKind kind;
    const char* what;
    std::uint64_t (*count_of)(const Counters&);
    const char* next;
};

constexpr TotalCost kTotals[] = {
    {FailureKind::too_many_atomics, "atomic operations of warps in global memory",
     [](const Counters& all) { return all.atomic_requests; },
     "Combine the values of a block first, in registers with shuffles or in shared memory, and let "
     "one thread of the block do one atomic operation."},
    {FailureKind::work_repeated, "sectors of global memory",
     [](const Counters& all) { return all.sectors(); },
     "Which elements does the kernel read or write more than once, and which sectors does it use "
     "only in part?"},
    {FailureKind::too_many_requests, "accesses of warps to global memory",
     [](const Counters& all) { return all.global_requests(); },
     "Keep values that are used again in registers or in shared memory, and let all 32 lanes take "
     "part in each access."},
    {FailureKind::bank_conflicts, "wavefronts of shared memory",
     [](const Counters& all) { return all.shared_wavefronts(); },
     "Let the lanes of a warp use different banks (index modulo 32), and keep values that a thread "
     "uses again in registers."},
};

/// The maximum number of warp instructions that a kernel may execute, as a multiple of the
/// solution's. It applies to all exercises.
constexpr double kMaxInstructionMultiple = 16;

/// Returns the number of the line that contributes most to the cost, or 0 if no line contributes to
/// it.
int find_costliest_line(const Verdict& found, const TotalCost& total) {
    const auto most = std::ranges::max_element(
        found.lines, {}, [&](const LineCounters& line) { return total.count_of(line.counters); });
    return most == found.lines.end() || total.count_of(most->counters) == 0 ? 0 : most->line;
}

std::optional<Failure> find_exceeded_total(const Verdict& found, const TotalCost& total,
                                           double times) {
    const std::uint64_t has = total.count_of(*found.counters);
    const std::uint64_t solution = total.count_of(*found.solution_counters);
    // If the solution does not use shared memory, its costs do not show how many wavefronts a
    // different approach needs.
    const bool is_other_way = total.kind == FailureKind::bank_conflicts && solution == 0;
    if (is_other_way || static_cast<double>(has) <= times * static_cast<double>(solution)) {
        return std::nullopt;
    }
    Failure failure{.kind = total.kind,
                    .headline = "the kernel takes " + std::to_string(has) + " " + total.what +
                                ", where " + std::to_string(solution) +
                                (solution == 1 ? " is enough." : " are enough."),
                    .place = {found.file, find_costliest_line(found, total), 0},
                    .shape = found.counted,
                    .next = total.next};
    const bool has_conflicts =
        found.counters->bank_conflicts() > found.solution_counters->bank_conflicts();
    if (total.kind == FailureKind::bank_conflicts && !has_conflicts) {
        failure.kind = FailureKind::too_many_requests;
        failure.next =
            "Keep values that a thread uses again in registers, and use shuffles in the last steps "
            "of a reduction.";
    }
    return failure;
}

std::optional<Failure> find_excess_instructions(const Verdict& found) {
    const std::uint64_t has = found.counters->warp_instructions;
    const std::uint64_t solution = found.solution_counters->warp_instructions;
    if (static_cast<double>(has) <= kMaxInstructionMultiple * static_cast<double>(solution)) {
        return std::nullopt;
    }
    return Failure{.kind = FailureKind::work_repeated,
                   .headline = "the warps execute " + std::to_string(has) +
                               " instructions, but the solution needs only " +
                               std::to_string(solution) + ".",
                   .place = {found.file, 0, 0},
                   .shape = found.counted,
                   .next =
                       "Which work is done again by several threads, or by one thread of a warp "
                       "while the other 31 wait?"};
}

}  // namespace

std::vector<Failure> find_exceeded_element_limits(const Verdict& found, const Limits& limits) {
    std::vector<Failure> failures;
    if (!found.counters) return failures;
    failures = find_costly_requests(found, limits);
    if (!found.solution_counters || limits.of_solution <= 0) return failures;
    const auto add = [&](std::optional<Failure> failure) {
        if (failure) failures.push_back(std::move(*failure));
    };
    for (const TotalCost& total : kTotals) {
        add(find_exceeded_total(found, total, limits.of_solution));
    }
    add(find_excess_instructions(found));
    return failures;
}

}  // namespace coalesce
