#include "examiner/elements/element_costs.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/costs.h"
#include "examiner/elements/element_rules.h"
#include "examiner/line_mistake.h"
#include "examiner/line_rules.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// A cost, summed over all accesses of a kernel.
struct TotalCost {
    FailureKind kind;
    const char* cost_name;
    std::uint64_t (*count_of)(const Counters&);
    const char* advice;
};

constexpr TotalCost kTotalCosts[] = {
    {FailureKind::too_many_atomics, "atomic operations of warps in global memory",
     [](const Counters& counters) { return counters.atomic_requests; },
     "Combine the values of a block first, in registers with shuffles or in shared memory, and let "
     "one thread of the block do one atomic operation."},
    {FailureKind::work_repeated, "sectors of global memory",
     [](const Counters& counters) { return counters.sectors(); },
     "Which elements does the kernel read or write more than once, and which sectors does it use "
     "only in part?"},
    {FailureKind::too_many_requests, "accesses of warps to global memory",
     [](const Counters& counters) { return counters.global_requests(); },
     "Keep values that are used again in registers or in shared memory, and let all 32 lanes take "
     "part in each access."},
    {FailureKind::bank_conflicts, "wavefronts of shared memory",
     [](const Counters& counters) { return counters.shared_wavefronts(); },
     "Let the lanes of a warp use different banks (index modulo 32), and keep values that a thread "
     "uses again in registers."},
};

/// The maximum number of warp instructions that a kernel may execute, as a multiple of the
/// solution's. It applies to all exercises.
constexpr double kMaxInstructionMultiple = 16;

/// Returns the number of the line that contributes most to the cost, or 0 if no line contributes to
/// it.
int find_costliest_line(const Verdict& verdict, const TotalCost& total) {
    const auto costliest_line = std::ranges::max_element(
        verdict.lines, {}, [&](const LineCounters& line) { return total.count_of(line.counters); });
    return costliest_line == verdict.lines.end() || total.count_of(costliest_line->counters) == 0
               ? 0
               : costliest_line->line;
}

/// Looks for the reason why a kernel accesses elements of global memory more than once: all blocks
/// do the same, or threads of a block load the same elements without sharing them.
LineMistake find_repeated_loads(const Verdict& verdict, int line) {
    const std::string code = code_for_search(verdict.source);
    const bool has_blocks = !verdict.shapes.empty() && verdict.shapes.back().launch.blocks() > 1;
    if (has_blocks && !contains_word(code, "blockIdx")) {
        return {line,
                "the kernel does not use blockIdx, so every block processes the same elements.",
                "Let the blocks share the elements: begin at blockIdx.x * blockDim.x + "
                "threadIdx.x, and advance by gridDim.x * blockDim.x."};
    }
    const auto uses_shared_memory = [](const Counters& counters) {
        return counters.shared_load_requests + counters.shared_store_requests > 0;
    };
    const auto costs = std::ranges::find(verdict.lines, line, &LineCounters::line);
    if (uses_shared_memory(*verdict.counters) || !uses_shared_memory(*verdict.solution_counters) ||
        costs == verdict.lines.end() || costs->counters.load_requests == 0 ||
        code.find("__shfl") != code.npos)
        return {};
    constexpr double repetitions = 1.5;
    if (static_cast<double>(verdict.counters->load_sectors) <=
        repetitions * static_cast<double>(verdict.solution_counters->load_sectors))
        return {};
    // If the accesses use whole sectors, the excess consists of repeated loads.
    constexpr double most_sectors = 5;
    const double sectors = static_cast<double>(costs->counters.load_sectors) /
                           static_cast<double>(costs->counters.load_requests);
    if (sectors > most_sectors) return {};
    return {
        line,
        "the kernel uses no shared memory, so this line loads elements from global memory again "
        "that threads of the block have already loaded.",
        "Let the threads of a block load each element once into a tile in shared memory, wait "
        "at a barrier, and then read it from there."};
}

std::optional<Failure> find_exceeded_total(const Verdict& verdict, const TotalCost& total,
                                           double repetitions) {
    const std::uint64_t kernel_cost = total.count_of(*verdict.counters);
    const std::uint64_t solution = total.count_of(*verdict.solution_counters);
    // If the solution does not use shared memory, its costs do not show how many wavefronts a
    // different approach needs.
    const bool is_other_way = total.kind == FailureKind::bank_conflicts && solution == 0;
    if (is_other_way ||
        static_cast<double>(kernel_cost) <= repetitions * static_cast<double>(solution)) {
        return std::nullopt;
    }
    Failure failure{.kind = total.kind,
                    .headline = "the kernel takes " + std::to_string(kernel_cost) + " " +
                                total.cost_name + ", where " + std::to_string(solution) +
                                (solution == 1 ? " is enough." : " are enough."),
                    .place = {verdict.file, find_costliest_line(verdict, total), 0},
                    .shape = verdict.counted_shape,
                    .advice = total.advice};
    failure.is_cause_open = total.kind == FailureKind::work_repeated;
    const std::uint64_t requests =
        verdict.counters->shared_load_requests + verdict.counters->shared_store_requests;
    if (total.kind == FailureKind::bank_conflicts &&
        static_cast<double>(requests) > repetitions * static_cast<double>(solution)) {
        failure.kind = FailureKind::too_many_requests;
        failure.advice = "Even without bank conflicts, these are " + std::to_string(requests) +
                         " accesses of warps: how many passes do the loops around this line make, "
                         "and how few can do the work?";
    }
    const bool has_conflicts =
        verdict.counters->bank_conflicts() > verdict.solution_counters->bank_conflicts();
    if (total.kind == FailureKind::bank_conflicts && !has_conflicts) {
        failure.kind = FailureKind::too_many_requests;
        failure.advice =
            "Keep values that a thread uses again in registers, and use shuffles in the last steps "
            "of a reduction.";
    }
    const bool is_far_more =
        kernel_cost >= 4 * solution && !has_conflicts && total.kind == FailureKind::bank_conflicts;
    const LineMistake mistake = first_mistake(
        [&] { return find_costly_element_line(verdict.source, failure.place.line); },
        [&] {
            return total.kind == FailureKind::work_repeated
                       ? find_repeated_loads(verdict, failure.place.line)
                       : LineMistake{};
        },
        [&] {
            return is_far_more ? find_loop_of_many_passes(verdict.source, failure.place.line)
                               : LineMistake{};
        });
    if (mistake.line > 0) {
        failure.details = wrap(failure.headline);
        blame(failure, mistake);
        failure.is_cause_open = false;
    }
    return failure;
}

std::optional<Failure> find_excess_instructions(const Verdict& verdict) {
    const std::uint64_t instruction_count = verdict.counters->warp_instructions;
    const std::uint64_t solution = verdict.solution_counters->warp_instructions;
    if (static_cast<double>(instruction_count) <=
        kMaxInstructionMultiple * static_cast<double>(solution)) {
        return std::nullopt;
    }
    return Failure{.kind = FailureKind::work_repeated,
                   .headline = "the warps execute " + std::to_string(instruction_count) +
                               " instructions, but the solution needs only " +
                               std::to_string(solution) + ".",
                   .place = {verdict.file, 0, 0},
                   .shape = verdict.counted_shape,
                   .advice =
                       "Which work is done again by several threads, or by one thread of a warp "
                       "while the other 31 wait?"};
}

}  // namespace

std::vector<Failure> find_exceeded_element_limits(const Verdict& verdict, const Limits& limits) {
    std::vector<Failure> failures;
    if (!verdict.counters) return failures;
    failures = find_costly_requests(verdict, limits);
    if (!verdict.solution_counters || limits.fraction_of_solution <= 0) return failures;
    const auto add = [&](std::optional<Failure> failure) {
        if (failure) failures.push_back(std::move(*failure));
    };
    for (const TotalCost& total : kTotalCosts) {
        add(find_exceeded_total(verdict, total, limits.fraction_of_solution));
    }
    add(find_excess_instructions(verdict));
    return failures;
}

}  // namespace coalesce
