#include "kernel/costs.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {
namespace {

/// One kind of access: which counters it has, and what too many of them are called.
struct Access {
    FailureKind kind;
    const char* verb;  ///< "load"
    const char* unit;  ///< "sectors"
    std::uint64_t Counters::*requests;
    std::uint64_t Counters::*cost;
    std::uint64_t Counters::*ideal;  ///< null: only the limit says what is enough
    double Limits::*limit;
};

constexpr Access accesses[] = {
    {FailureKind::uncoalesced_stores, "store", "sectors", &Counters::store_requests,
     &Counters::store_sectors, nullptr, &Limits::store},
    {FailureKind::uncoalesced_loads, "load", "sectors", &Counters::load_requests,
     &Counters::load_sectors, nullptr, &Limits::load},
    {FailureKind::bank_conflicts, "load from shared memory", "wavefronts",
     &Counters::shared_load_requests, &Counters::shared_load_wavefronts,
     &Counters::shared_load_ideal, &Limits::shared_load},
    {FailureKind::bank_conflicts, "store to shared memory", "wavefronts",
     &Counters::shared_store_requests, &Counters::shared_store_wavefronts,
     &Counters::shared_store_ideal, &Limits::shared_store},
};

/// "4", "4.25"
std::string number(double value) {
    std::string text = format("%.2f", value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
}

double ratio(const Counters& counters, const Access& access) {
    const std::uint64_t requests = counters.*access.requests;
    return requests ? static_cast<double>(counters.*access.cost) / static_cast<double>(requests)
                    : 0;
}

/// The line that costs most of this kind.
const LineCounters* dearest_line(const std::vector<LineCounters>& lines, const Access& access) {
    const auto dearest = std::max_element(
        lines.begin(), lines.end(), [&](const LineCounters& one, const LineCounters& other) {
            // A line that is dear by each request is worse than one that is there often.
            return ratio(one.counters, access) < ratio(other.counters, access);
        });
    if (dearest == lines.end() || dearest->counters.*access.requests == 0) return nullptr;
    return &*dearest;
}

std::string advice(FailureKind kind) {
    if (kind == FailureKind::bank_conflicts) {
        return "Let the 32 lanes touch 32 different banks: an element's bank is its place in the "
               "array "
               "modulo 32. Print the picture of one warp to see who meets whom.";
    }
    return "Let neighbouring lanes (threadIdx.x) touch neighbouring addresses: what does one more "
           "lane "
           "add to the index?";
}

/// What the lesson asks for is in the limits, or in what its solution does.
struct Allowed {
    double per_request = 0;   ///< 0: not asked
    std::uint64_t total = 0;  ///< with `has_total`
    bool has_total = false;
};

Allowed allowed(const Access& access, const Limits& limits,
                const std::optional<Counters>& solution) {
    Allowed result;
    result.per_request = limits.*access.limit;
    if (solution) {
        result.total = *solution.*access.cost;
        result.has_total = true;
        if (result.per_request == 0) result.per_request = ratio(*solution, access);
    }
    return result;
}

std::string conflict_text(const Counters& counters, const Access& access) {
    const double ideal = static_cast<double>(std::max<std::uint64_t>(counters.*access.ideal, 1));
    const double ways = static_cast<double>(counters.*access.cost) / ideal;
    return number(ways) + "-way bank conflicts: ";
}

std::optional<Failure> too_many_per_request(const Verdict& found, const Access& access,
                                            const Limits& limits) {
    const Allowed most = allowed(access, limits, found.solution_counters);
    const double has = ratio(*found.counters, access);
    const bool is_asked = most.per_request > 0;
    const bool is_over_total = most.has_total && *found.counters.*access.cost > most.total;
    // Cheaper by the request but more of them is told by the requests; and without a limit of its
    // own a kernel may be dearer by the request when it moves less in all.
    const bool has_own_limit = limits.*access.limit > 0;
    if (!is_asked || has <= most.per_request || (!has_own_limit && !is_over_total)) {
        return std::nullopt;
    }
    Failure failure{.kind = access.kind, .place = {found.file, 0, 0}, .shape = found.counted};
    Counters shown = *found.counters;
    if (const LineCounters* line = dearest_line(found.lines, access)) {
        failure.place.line = line->line;
        shown = line->counters;
    }
    const std::string unit = access.unit;
    if (access.ideal) failure.headline = conflict_text(shown, access);
    failure.headline += std::string("a ") + access.verb + " takes " + number(ratio(shown, access)) +
                        " " + unit + ", where " + number(most.per_request) +
                        (most.per_request == 1 ? " is enough." : " are enough.");
    failure.details =
        wrap("Simulated, all lines together: " + std::to_string(*found.counters.*access.requests) +
             " requests, " + std::to_string(*found.counters.*access.cost) + " " + unit + " (" +
             number(has) + " a request).");
    failure.next = advice(access.kind);
    return failure;
}

/// Right by the request, but there are more of them than in the solution.
std::optional<Failure> too_many_requests(const Verdict& found, const Access& access) {
    if (!found.solution_counters) return std::nullopt;
    const std::uint64_t has = *found.counters.*access.requests;
    const std::uint64_t enough = *found.solution_counters.*access.requests;
    const bool is_dearer =
        *found.counters.*access.cost > *found.solution_counters.*access.cost || !access.ideal;
    if (has <= enough || !is_dearer) return std::nullopt;
    Failure failure{.kind = FailureKind::too_many_requests,
                    .place = {found.file, 0, 0},
                    .shape = found.counted};
    if (const LineCounters* line = dearest_line(found.lines, access))
        failure.place.line = line->line;
    failure.headline = "the warps " + std::string(access.verb) + " " + std::to_string(has) +
                       " times, where " + std::to_string(enough) + " are enough.";
    if (access.ideal) {
        failure.headline = "there is a " + std::string(access.verb) + " " + std::to_string(has) +
                           " times, where " + std::to_string(enough) + " are enough.";
    }
    const bool same_bytes = *found.counters.*access.cost <= *found.solution_counters.*access.cost;
    failure.next = same_bytes
                       ? "Move more with each access: float2 moves 2 elements, float4 moves 4."
                       : "Touch each element once: what is accessed twice?";
    return failure;
}

double elements_of(Shape shape) {
    return static_cast<double>(shape.rows) * static_cast<double>(shape.cols);
}

std::optional<Failure> too_little_each(const Verdict& found, const LaunchShape& launch,
                                       const Limits& limits) {
    const double blocks = static_cast<double>(launch.grid[0]) *
                          static_cast<double>(launch.grid[1]) * static_cast<double>(launch.grid[2]);
    const double a_block = elements_of(found.counted) / blocks;
    const double a_thread = a_block / static_cast<double>(launch.threads());
    Failure failure{.place = {found.file, 0, 0},
                    .shape = found.counted,
                    .details = wrap("configure gives " + launch.text() + ".")};
    if (a_thread < limits.elements_per_thread) {
        failure.kind = FailureKind::too_many_threads;
        failure.headline = "each thread moves " + number(a_thread) +
                           " elements on average; this lesson "
                           "asks for " +
                           number(limits.elements_per_thread) + ".";
        failure.next = "Launch fewer threads for the same tile, and loop over its rows.";
        return failure;
    }
    if (a_block < limits.elements_per_block) {
        failure.kind = FailureKind::tile_too_small;
        failure.headline = "each block moves " + number(a_block) +
                           " elements on average; this lesson "
                           "asks for " +
                           number(limits.elements_per_block) + ".";
        failure.next = "Make the tile larger, and the grid smaller with it.";
        return failure;
    }
    return std::nullopt;
}

}  // namespace

std::vector<Failure> too_dear(const Verdict& found, const LaunchShape& launch,
                              const Limits& limits) {
    std::vector<Failure> failures;
    const auto add = [&](std::optional<Failure> failure) {
        if (failure) failures.push_back(std::move(*failure));
    };
    if (found.counters) {
        for (const Access& access : accesses) add(too_many_per_request(found, access, limits));
        for (const Access& access : accesses) add(too_many_requests(found, access));
    }
    add(too_little_each(found, launch, limits));
    return failures;
}

}  // namespace coalesce
