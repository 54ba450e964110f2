// Judges what a kernel costs, counter by counter.
// Long: the rules are short, and share helpers for single kernels and comparisons.
#include "examiner/costs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "examiner/expressions.h"
#include "examiner/launch_limits.h"
#include "examiner/line_rules.h"
#include "examiner/source_lines.h"
#include "examiner/text_pattern.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// A kind of access, the counters that record its cost, and the failure to report if it costs too
/// much.
struct AccessKind {
    FailureKind kind;
    const char* verb;  ///< such as "load"
    const char* noun;  ///< the plural of `verb` as a noun, such as "loads"
    const char* unit;  ///< such as "sectors"
    std::uint64_t Counters::*requests;
    std::uint64_t Counters::*cost;
    std::uint64_t Counters::*ideal_cost;  ///< null if accesses of this kind have no ideal cost
    double Limits::*limit;
};

constexpr AccessKind kAccessKinds[] = {
    {FailureKind::uncoalesced_stores, "store", "stores", "sectors", &Counters::store_requests,
     &Counters::store_sectors, nullptr, &Limits::store},
    {FailureKind::uncoalesced_loads, "load", "loads", "sectors", &Counters::load_requests,
     &Counters::load_sectors, nullptr, &Limits::load},
    {FailureKind::bank_conflicts, "load from shared memory", "loads from shared memory",
     "wavefronts", &Counters::shared_load_requests, &Counters::shared_load_wavefronts,
     &Counters::shared_load_ideal, &Limits::shared_load},
    {FailureKind::bank_conflicts, "store to shared memory", "stores to shared memory", "wavefronts",
     &Counters::shared_store_requests, &Counters::shared_store_wavefronts,
     &Counters::shared_store_ideal, &Limits::shared_store},
};

constexpr double kLanes = 32, kFloatsInASector = 8;

constexpr auto format_cost = format_short;

double ratio(const Counters& counters, const AccessKind& access) {
    const std::uint64_t requests = counters.*access.requests;
    return requests ? static_cast<double>(counters.*access.cost) / static_cast<double>(requests)
                    : 0;
}

/// Returns the line with the largest value of `get_figure`, or null if no line has accesses of this
/// kind.
const LineCounters* find_costliest_line(const std::vector<LineCounters>& lines,
                                        const AccessKind& access, const auto& get_figure) {
    const auto costliest_line = std::max_element(
        lines.begin(), lines.end(),
        [&](const LineCounters& left_line, const LineCounters& right_line) {
            return get_figure(left_line.counters) < get_figure(right_line.counters);
        });
    return costliest_line == lines.end() || costliest_line->counters.*access.requests == 0
               ? nullptr
               : &*costliest_line;
}

/// Reports whether each lane accesses 16 bytes. Shared memory then serves 8 lanes at a time.
bool uses_16_byte_accesses(const Counters& counters, const AccessKind& access) {
    return access.ideal_cost && counters.*access.ideal_cost >= 4 * counters.*access.requests;
}

std::string advice_on_access(const Counters& counters, const AccessKind& access) {
    if (access.kind == FailureKind::bank_conflicts && uses_16_byte_accesses(counters, access)) {
        return "With 16 bytes per lane, shared memory serves 8 lanes at a time: make 8 consecutive "
               "lanes access 16-byte units whose indices differ modulo 8. Print the picture of one "
               "warp to see which lanes conflict.";
    }
    if (access.kind == FailureKind::bank_conflicts) {
        return "Make the 32 lanes access 32 different banks: an element's bank is its index in the "
               "array modulo 32. Print the picture of one warp to see which lanes conflict.";
    }
    return "Make neighbouring lanes (threadIdx.x) access neighbouring addresses: how does the "
           "index change from one lane to the next?";
}

/// Returns the highest allowed cost per request: the limit, or the solution's cost if there is no
/// limit. 0 means that any cost is allowed.
double max_cost_per_request(const AccessKind& access, const Limits& limits,
                            const std::optional<Counters>& solution) {
    if (limits.*access.limit > 0 || !solution) return limits.*access.limit;
    return ratio(*solution, access);
}

std::string format_conflict_ways(const Counters& counters, const AccessKind& access) {
    const double ideal_cost =
        static_cast<double>(std::max<std::uint64_t>(counters.*access.ideal_cost, 1));
    const double conflict_ways = static_cast<double>(counters.*access.cost) / ideal_cost;
    return format_cost(conflict_ways) + "-way bank conflicts: ";
}

/// Returns the total number of shared-memory wavefronts for loads and stores. The learner may
/// choose whether the loads or the stores bear the cost of the transpose.
std::uint64_t count_wavefronts(const Counters& counters) {
    return counters.shared_load_wavefronts + counters.shared_store_wavefronts;
}

/// Reports whether the total cost of the accesses, not only their cost per request, is higher than
/// in the solution. Wide accesses cost more per request, but a kernel needs fewer of them.
bool exceeds_solution_in_total(const Verdict& verdict, const AccessKind& access) {
    const auto& solution = verdict.solution_counters;
    const std::uint64_t cost = *verdict.counters.*access.cost;
    if (access.ideal_cost) {
        // With one active lane per access, there are no bank conflicts, but the total cost is as
        // high as with conflicts, because the kernel needs so many accesses. The total is also high
        // if a kernel reads its tile several times.
        if (solution && 2 * count_wavefronts(*verdict.counters) > 3 * count_wavefronts(*solution))
            return true;
        return cost > *verdict.counters.*access.ideal_cost &&
               (!solution || count_wavefronts(*verdict.counters) > count_wavefronts(*solution));
    }
    if (solution) return cost > *solution.*access.cost;
    return static_cast<double>(cost) * kFloatsInASector > element_count(verdict.counted_shape);
}

/// Reports whether each access touches one sector more than necessary although neighbouring lanes
/// access neighbouring elements. The reason is that the rows do not start at sector boundaries.
bool crosses_sector_boundary(const Counters& counters, const AccessKind& access, Shape shape) {
    const auto requests = static_cast<double>(counters.*access.requests);
    const double min_accesses = element_count(shape) / kFloatsInASector;
    const bool has_full_requests = requests * kLanes <= element_count(shape) * 1.2;
    return !access.ideal_cost && has_full_requests &&
           static_cast<double>(counters.*access.cost) <= min_accesses + requests * 1.05 &&
           ratio(counters, access) <= kLanes / kFloatsInASector + 1.05;
}

void explain_sector_crossing(Failure& failure, const AccessKind& access) {
    failure.headline += std::string(" The ") + access.verb +
                        "s access consecutive addresses, but these addresses do not begin at the "
                        "start of a sector: each access touches one sector more than necessary.";
    failure.advice =
        "Work out where each warp begins in its row: every warp must begin at a multiple of 8 "
        "elements from the start of the buffer.";
}

/// Explains the distance between the banks of vertically adjacent elements in a tile. The tile's
/// declaration determines this distance.
void explain_banks_of_column(Failure& failure, const std::string& source,
                             const std::string& used_banks) {
    constexpr long long banks = 32;
    const SharedArray tile = find_shared_array(source, failure.place.line);
    static const TextPattern distance(R"(\*\s*([a-z]\w*)\s*\+)");
    TextMatch match;
    const std::string code = code_on_line(source, failure.place.line);
    const std::string index = code.substr(std::min(code.size(), find_word(code, tile.name)));
    if (tile.lengths.size() == 1 && search(index, match, distance)) {
        const std::string name = match.str(1);
        const int assignment_line = find_assignment_line(source, name, failure.place.line);
        if (assignment_line == 0) return;
        failure.details += wrap("Rows of `" + tile.name + "` are `" + name + "` (line " +
                                std::to_string(assignment_line) + ") elements apart.");
        failure.advice =
            "Where `" + name +
            "` is even, a column of the tile uses only some of the 32 banks: make it odd for every "
            "width of the matrix.";
        return;
    }
    static const TextPattern swizzle(R"(\^|%)");
    if (tile.lengths.size() != 2 || contains(index, swizzle)) {
        if (!used_banks.empty()) failure.details += wrap(used_banks);
        if (!used_banks.empty() && index.find('&') != index.npos)
            failure.advice =
                "Let the swizzle use the whole index of the row: with a mask, only as many rows "
                "differ as the masked index has values.";
        return;
    }
    const int width = vector_width(code_on_line(source, tile.line));
    const long long bank_stride = tile.lengths[1] * width % banks;
    if (width == 2) {
        failure.advice =
            "Element i of an array of float2 lies in the banks 2 * i and 2 * i + 1, modulo 32: "
            "choose the length of a row so that the lanes use different banks.";
    }
    failure.details +=
        wrap("A row of `" + tile.name + "` (line " + std::to_string(tile.line) + ") has " +
             std::to_string(tile.lengths[1]) + " elements: vertically adjacent elements are " +
             (bank_stride == 0 ? "in the same bank."
                               : std::to_string(bank_stride) + " banks apart, modulo 32."));
}

/// Describes which banks the lanes of the costliest access of the first warp use. Returns "" if the
/// launch cannot be repeated, or if no such access was recorded.
std::string describe_banks(const Verdict& verdict, const AccessKind& access, int line,
                           const RelaunchFunction& relaunch) {
    constexpr std::uint64_t banks = 32, word = 4;
    const bool is_store = access.kind == FailureKind::bank_conflicts &&
                          access.requests == &Counters::shared_store_requests;
    const Trial trial = relaunch({.shape = verdict.counted_shape, .traced = kFirstWarp});
    for (const simulated::Access& one : trial.accesses) {
        if (!one.is_shared || one.is_store != is_store || one.line != line || one.cost < 2 ||
            one.bytes_per_lane != word)
            continue;
        const std::vector<std::uint64_t> addresses = one.active_addresses();
        std::set<std::uint64_t> used, steps;
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            used.insert(addresses[i] / word % banks);
            if (i > 0) steps.insert(addresses[i] - addresses[i - 1]);
        }
        if (addresses.size() != kLanes) continue;
        if (steps.size() == 1 && used.size() == 1)
            return "Neighbouring lanes access words that are " +
                   std::to_string(*steps.begin() / word) +
                   " apart, a multiple of 32: all are in the same bank.";
        if (used.size() == banks) continue;
        return "The 32 lanes use only " + std::to_string(used.size()) + " of the 32 banks.";
    }
    return "";
}

/// Explains stores of vectors of which each touches a sector of its own and fills only a part of it,
/// in a kernel without a tile in shared memory.
void explain_scattered_vectors(Failure& failure, const Verdict& verdict,
                               const RelaunchFunction& relaunch) {
    constexpr std::uint64_t sector = 32;
    if (!verdict.solution_counters || verdict.solution_counters->shared_store_requests == 0 ||
        verdict.counters->shared_store_requests > 0)
        return;
    const Trial trial = relaunch({.shape = verdict.counted_shape, .traced = kFirstWarp});
    for (const simulated::Access& one : trial.accesses) {
        const std::vector<std::uint64_t> addresses = one.active_addresses();
        if (one.is_shared || !one.is_store || one.line != failure.place.line ||
            one.bytes_per_lane <= sizeof(float) || one.bytes_per_lane >= sector ||
            addresses.size() != kLanes || one.cost != addresses.size())
            continue;
        const std::uint64_t distance = (addresses[1] - addresses[0]) / sizeof(float);
        failure.details += wrap("Neighbouring lanes store " + std::to_string(distance) +
                                " floats apart: each touches a sector of its own, and fills only " +
                                std::to_string(one.bytes_per_lane) + " of its " +
                                std::to_string(sector) + " bytes.");
        failure.advice =
            "Move the elements through a tile in shared memory, so that neighbouring lanes store "
            "neighbouring vectors. With x and y swapped, the loads would be scattered instead.";
        return;
    }
}

std::optional<Failure> find_too_costly_requests(const Verdict& verdict, const AccessKind& access,
                                                const Limits& limits,
                                                const RelaunchFunction& relaunch = {}) {
    const double max_cost = max_cost_per_request(access, limits, verdict.solution_counters);
    const double cost_per_request = ratio(*verdict.counters, access);
    // If the work is done several times, the edges of the tiles cost more too.
    const bool is_repeated =
        !access.ideal_cost && verdict.solution_counters &&
        *verdict.counters.*access.requests > 2 * *verdict.solution_counters.*access.requests &&
        cost_per_request < 1.05 * max_cost;
    if (max_cost == 0 || cost_per_request <= max_cost || is_repeated ||
        !exceeds_solution_in_total(verdict, access)) {
        return std::nullopt;
    }
    // Wide accesses take several wavefronts even without conflicts. If the cost is ideal, there are
    // no conflicts to report.
    if (access.ideal_cost &&
        *verdict.counters.*access.cost <= *verdict.counters.*access.ideal_cost) {
        return std::nullopt;
    }
    Failure failure{
        .kind = access.kind, .place = {verdict.file, 0, 0}, .shape = verdict.counted_shape};
    Counters shown_counters = *verdict.counters;
    // Report the line with the highest cost per request, even if another line is executed more
    // often.
    const auto compute_ratio = [&](const Counters& counters) { return ratio(counters, access); };
    if (const LineCounters* line = find_costliest_line(verdict.lines, access, compute_ratio)) {
        failure.place.line = line->line;
        shown_counters = line->counters;
    }
    const std::string unit = access.unit;
    if (access.ideal_cost) failure.headline = format_conflict_ways(shown_counters, access);
    std::string cost = format_cost(ratio(shown_counters, access)),
                limit_text = format_cost(max_cost);
    if (cost == limit_text) {
        cost = format("%.4f", ratio(shown_counters, access));
        limit_text = format("%.4f", max_cost);
    }
    failure.headline += std::string("a ") + access.verb + " takes " + cost + " " + unit +
                        ", where " + limit_text + (max_cost == 1 ? " is enough." : " are enough.");
    failure.details = wrap(
        "Simulated: all lines together make " + std::to_string(*verdict.counters.*access.requests) +
        " requests, which take " + std::to_string(*verdict.counters.*access.cost) + " " + unit +
        " (" + format_cost(cost_per_request) + " per request).");
    failure.advice = advice_on_access(*verdict.counters, access);
    if (access.kind == FailureKind::bank_conflicts && max_cost > 1 &&
        !uses_16_byte_accesses(*verdict.counters, access)) {
        failure.advice =
            "At most " + limit_text +
            " lanes of a request may access different elements of one bank: an element's bank is "
            "its index in the array modulo 32. Choose another length of the rows, and check every "
            "access of the array.";
    }
    if (access.kind == FailureKind::bank_conflicts) {
        const std::string banks =
            relaunch ? describe_banks(verdict, access, failure.place.line, relaunch) : "";
        explain_banks_of_column(failure, verdict.source, banks);
    }
    if (!access.ideal_cost && relaunch) explain_scattered_vectors(failure, verdict, relaunch);
    if (crosses_sector_boundary(*verdict.counters, access, verdict.counted_shape))
        explain_sector_crossing(failure, access);
    return failure;
}

/// Averages over the global memory accesses of the first warp in the first block.
struct WarpWork {
    double lanes = 0;           ///< active lanes per access; 0 if there are no accesses
    double bytes_per_lane = 0;  ///< bytes per active lane
};

WarpWork measure_warp_work(const Verdict& verdict, bool counts_stores,
                           const RelaunchFunction& relaunch) {
    const Trial trial = relaunch({.shape = verdict.counted_shape, .traced = kFirstWarp});
    WarpWork warp_work;
    double accesses = 0;
    for (const simulated::Access& access : trial.accesses) {
        if (access.is_shared || access.is_store != counts_stores || access.active == 0) continue;
        warp_work.lanes += std::popcount(access.active);
        warp_work.bytes_per_lane += access.bytes_per_lane;
        ++accesses;
    }
    if (accesses == 0) return {};
    return {warp_work.lanes / accesses, warp_work.bytes_per_lane / accesses};
}

/// Reports whether one of the first warps of the first block stores with fewer than 32 lanes.
bool stores_with_idle_lanes(Shape shape, const RelaunchFunction& relaunch) {
    constexpr unsigned most_warps = 8;
    unsigned warps = 1;
    for (unsigned warp = 0; warp < std::min(warps, most_warps); ++warp) {
        const Trial trial =
            relaunch({.shape = shape, .traced = {.warp = warp, .limit = kMaxTracedAccesses}});
        warps = static_cast<unsigned>((trial.launch.threads() + 31) / 32);
        for (const simulated::Access& access : trial.accesses) {
            const bool is_partial = access.active != 0 && ~access.active != 0;
            if (!access.is_shared && access.is_store && is_partial) return true;
        }
    }
    return false;
}

/// Explains stores in which few lanes take part. The kernel stores each element once.
void explain_idle_lanes_of_stores(Failure& failure, const Verdict& verdict, double requests) {
    failure.kind = FailureKind::lanes_idle;
    failure.headline += " On average, only " +
                        format_cost(element_count(verdict.counted_shape) / requests) +
                        " of the 32 threads of a warp take part in a store.";
    failure.advice =
        "Let all 32 threads of a warp take part in each store: a warp costs the same with 1 active "
        "thread as with 32.";
    std::vector<int> lines;
    for (const LineCounters& line : verdict.lines) {
        if (line.counters.store_requests > 0) lines.push_back(line.line);
    }
    if (lines.size() != 2) return;
    std::sort(lines.begin(), lines.end());
    failure.advice = "Lines " + std::to_string(lines[0]) + " and " + std::to_string(lines[1]) +
                     " share the elements between them, and each leaves lanes idle: move the "
                     "elements with one store in which all 32 lanes take part.";
}

/// Explains why there are more accesses to global memory than necessary: the kernel moves elements
/// more than once, few lanes are active, or each lane moves fewer bytes than it could.
void explain_extra_requests(Failure& failure, const Verdict& verdict, const AccessKind& access,
                            const RelaunchFunction& relaunch) {
    const auto request_count = static_cast<double>(*verdict.counters.*access.requests);
    const auto solution_requests = static_cast<double>(*verdict.solution_counters.*access.requests);
    const bool counts_stores = access.requests == &Counters::store_requests;
    WarpWork warp_work = measure_warp_work(verdict, counts_stores, relaunch);
    // If the first warp is not like the others, its lanes do not even suffice for the matrix.
    if (request_count * warp_work.lanes * warp_work.bytes_per_lane <
        0.99 * element_count(verdict.counted_shape) * sizeof(float)) {
        warp_work.lanes = std::min(kLanes, element_count(verdict.counted_shape) * sizeof(float) /
                                               (request_count * warp_work.bytes_per_lane));
    }
    const double bytes = request_count * warp_work.lanes * warp_work.bytes_per_lane;
    const double repetitions = bytes / (element_count(verdict.counted_shape) * sizeof(float));
    const double extra_factor = request_count / solution_requests;
    if (repetitions > 1.9) {
        failure.kind = FailureKind::work_repeated;
        failure.headline += " Elements seem to be moved more than once.";
        failure.advice = "Move each element only once: which other thread moves the same element?";
    } else if (repetitions > 1.01 && warp_work.lanes == kLanes && counts_stores &&
               warp_work.bytes_per_lane == sizeof(float) &&
               stores_with_idle_lanes(verdict.counted_shape, relaunch)) {
        // Two threads that store the same element would have been reported as a race.
        explain_idle_lanes_of_stores(failure, verdict, request_count);
    } else if (repetitions > 1.01 && warp_work.lanes == kLanes) {
        failure.kind = FailureKind::work_repeated;
        failure.headline += " About " + std::to_string(std::lround(100 * (repetitions - 1))) +
                            " % of the elements are moved more often than needed.";
        failure.advice =
            "Which elements are moved by two blocks, by two threads, or twice by one thread?";
        const std::string code = code_for_search(verdict.source);
        if (code.find("data[") != code.npos && code.find("!=") == code.npos) {
            failure.headline +=
                " A tile on the diagonal is both tiles of its pair: is it stored twice?";
            failure.advice = "Skip the second store where row and col are the same.";
        }
    } else if (warp_work.lanes > 0 && warp_work.lanes < 0.75 * kLanes) {
        failure.kind = FailureKind::lanes_idle;
        failure.headline += " Only " + format_cost(warp_work.lanes) +
                            " of the 32 threads of a warp " +
                            (warp_work.lanes == 1 ? "takes" : "take") + " part in each access.";
        failure.advice =
            "Give every thread a share of the work: a warp costs the same with 1 active thread as "
            "with 32.";
    } else if (verdict.bulk_copies.load_requests + verdict.bulk_copies.store_requests > 0) {
        failure.advice =
            "Copy a whole row of the tile with each bulk copy: at least 128 bytes, which are a "
            "cache line.";
    } else if (warp_work.lanes > 0 && (extra_factor == 2 || extra_factor == 4)) {
        const std::string width = format_cost(warp_work.bytes_per_lane * extra_factor);
        failure.advice = "Each lane moves " + format_cost(warp_work.bytes_per_lane) +
                         " bytes at a time. Move " + width + " bytes with one access, as a float" +
                         format_cost(warp_work.bytes_per_lane * extra_factor / sizeof(float)) + ".";
    } else {
        failure.advice = "Fill the warps: each access should use all 32 lanes.";
    }
}

/// The maximum number of elements that one call of printf reads from a tile.
constexpr std::uint64_t kLoadsPerPrintCall = 4;

/// One request to a barrier in shared memory, such as cuda::barrier, is allowed for each group of
/// this many other requests. A warp that moves a 64 x 64 tile together with other warps arrives at
/// the barrier once per 16 requests.
constexpr std::uint64_t kRequestsPerBarrierAccess = 12;

/// The sectors of a request in which each lane moves 16 bytes, and of the smallest bulk copy that is
/// compared with such requests (a cache line).
constexpr std::uint64_t kMaxSectorsOfRequest = 16, kMinSectorsOfBulkCopy = 4;

/// Returns the number of requests, for a comparison with the solution. A bulk copy is one request,
/// whether it moves a row or a whole tile, so bulk copies count by their sectors, unless the kernel
/// moves more sectors than the solution.
std::uint64_t count_comparable_requests(const Verdict& verdict, const AccessKind& access) {
    const std::uint64_t request_count = *verdict.counters.*access.requests;
    if (access.ideal_cost) return request_count;
    const bool counts_stores = access.requests == &Counters::store_requests;
    const BulkCopies& copies = verdict.bulk_copies;
    const std::uint64_t bulk_requests =
        counts_stores ? copies.store_requests : copies.load_requests;
    const std::uint64_t bulk_sectors = counts_stores ? copies.store_sectors : copies.load_sectors;
    const bool exceeds_sectors =
        *verdict.counters.*access.cost > *verdict.solution_counters.*access.cost;
    if (exceeds_sectors || bulk_sectors < kMinSectorsOfBulkCopy * bulk_requests)
        return request_count;
    return request_count - bulk_requests +
           (bulk_sectors + kMaxSectorsOfRequest - 1) / kMaxSectorsOfRequest;
}

/// Returns a failure if the kernel makes more accesses than the solution, although their cost per
/// request is within the limit.
std::optional<Failure> find_too_many_requests(const Verdict& verdict, const AccessKind& access,
                                              const RelaunchFunction& relaunch) {
    if (!verdict.solution_counters) return std::nullopt;
    const std::uint64_t request_count = count_comparable_requests(verdict, access);
    const std::uint64_t solution_requests = *verdict.solution_counters.*access.requests;
    if (request_count <= solution_requests) return std::nullopt;
    if (access.ideal_cost) {
        // Even if the solution has no tile, allow the accesses that a tile needs. Also allow loads
        // of values that the kernel prints.
        const bool is_printed =
            request_count <= solution_requests + kLoadsPerPrintCall * verdict.print_call_count;
        const bool is_barrier =
            request_count <= solution_requests + solution_requests / kRequestsPerBarrierAccess;
        if (solution_requests == 0 || is_printed || is_barrier ||
            !exceeds_solution_in_total(verdict, access))
            return std::nullopt;
    }
    Failure failure{.kind = FailureKind::too_many_requests,
                    .place = {verdict.file, 0, 0},
                    .shape = verdict.counted_shape};
    const auto requests = [&](const Counters& counters) { return counters.*access.requests; };
    if (const LineCounters* line = find_costliest_line(verdict.lines, access, requests))
        failure.place.line = line->line;
    failure.headline = (access.ideal_cost ? "the warps execute a " : "the warps ") +
                       std::string(access.verb) + " " + std::to_string(request_count) +
                       " times, where " + std::to_string(solution_requests) + " are enough.";
    const SharedArray tile = find_shared_array(verdict.source, 0);
    const bool has_scalar_tile =
        !tile.name.empty() && vector_width(code_on_line(verdict.source, tile.line)) == 1 &&
        code_on_line(verdict.source, failure.place.line).find("float2") == std::string::npos;
    const double elements = static_cast<double>(request_count) * kLanes;
    if (access.ideal_cost && has_scalar_tile && request_count == 4 * solution_requests &&
        elements <= element_count(verdict.counted_shape)) {
        // The accesses move each element once, four bytes at a time.
        failure.headline += " Each lane moves only 4 bytes with each of them.";
        failure.advice =
            "Declare a tile of float4, and let each lane move a whole float4 with each access: "
            "combine its four components in registers.";
    } else if (access.ideal_cost) {
        failure.advice = "Access each element once: which elements are accessed twice?";
    } else {
        explain_extra_requests(failure, verdict, access, relaunch);
    }
    return failure;
}

/// Global atomics that are this much rarer than stores do not store the result. For example, they
/// hand out tiles to blocks.
constexpr std::uint64_t kMinStoresPerAtomic = 16;

bool has_few_atomics(const Counters& counters) {
    return kMinStoresPerAtomic * counters.atomic_requests <= counters.store_requests;
}

/// Returns a failure if the kernel uses atomic operations, although its solution needs none. The
/// counters in `verdict` must still count atomics and stores separately.
std::optional<Failure> find_needless_atomics(const Verdict& verdict) {
    const auto& solution = verdict.solution_counters;
    if (!solution || has_few_atomics(*verdict.counters) || solution->atomic_requests > 0) {
        return std::nullopt;
    }
    Failure failure{
        .kind = FailureKind::needless_atomics,
        .headline =
            "the result is stored with " + std::to_string(verdict.counters->atomic_requests) +
            " atomic operations that are not needed: no two threads store to the same element.",
        .place = {verdict.file, 0, 0},
        .shape = verdict.counted_shape,
        .advice = "Store with a plain assignment: out[...] = value."};
    for (const LineCounters& line : verdict.lines) {
        if (line.counters.atomic_requests > 0) failure.place.line = line.line;
    }
    return failure;
}

/// Adds the atomics to the stores, because the cost of an atomic is at least that of a store.
void move_atomics_to_stores(Counters& counters) {
    if (has_few_atomics(counters)) counters.atomic_requests = counters.atomic_sectors = 0;
    counters.store_requests += std::exchange(counters.atomic_requests, 0);
    counters.store_sectors += std::exchange(counters.atomic_sectors, 0);
    counters.shared_store_requests += std::exchange(counters.shared_atomic_requests, 0);
    counters.shared_store_wavefronts += std::exchange(counters.shared_atomic_wavefronts, 0);
    counters.shared_store_ideal += std::exchange(counters.shared_atomic_ideal, 0);
}

Verdict count_atomics_as_stores(Verdict verdict) {
    move_atomics_to_stores(*verdict.counters);
    if (verdict.solution_counters) move_atomics_to_stores(*verdict.solution_counters);
    for (LineCounters& line : verdict.lines) move_atomics_to_stores(line.counters);
    return verdict;
}

/// Above this multiple of the solution's instruction count, no reasonable way to write the kernel
/// explains the cost.
constexpr std::uint64_t kMaxInstructionRatio = 16;

/// Returns a failure if the kernel executes far too many instructions. A kernel could pass data bit
/// by bit, between warps through counting barriers or mbarrier phases, or between lanes. No access
/// counter would reveal this, but it takes many instructions.
std::optional<Failure> find_too_many_instructions(const Verdict& verdict) {
    if (!verdict.solution_counters) return std::nullopt;
    const std::uint64_t instruction_count = verdict.counters->warp_instructions;
    const std::uint64_t solution_instructions = verdict.solution_counters->warp_instructions;
    if (instruction_count <= kMaxInstructionRatio * solution_instructions) return std::nullopt;
    return Failure{.kind = FailureKind::work_repeated,
                   .headline = "the warps execute " + std::to_string(instruction_count) +
                               " instructions, but the solution needs only " +
                               std::to_string(solution_instructions) + ".",
                   .place = {verdict.file, 0, 0},
                   .shape = verdict.counted_shape,
                   .advice = "Look for loop iterations that move nothing."};
}

std::optional<Failure> find_single_block(const Verdict& verdict, const LaunchShape& launch) {
    if (launch.blocks() > 1) return std::nullopt;
    return Failure{.kind = FailureKind::multiprocessors_idle,
                   .headline =
                       "a single block moves the whole matrix: one multiprocessor of the GPU "
                       "works, and all others are idle.",
                   .place = {verdict.file, find_configure_line(verdict.source, ".grid"), 0},
                   .shape = verdict.counted_shape,
                   .advice = "Launch a block for each tile."};
}

/// Explains why there are too many threads: there are more blocks than tiles, or the blocks are too
/// large.
void explain_too_many_threads(Failure& failure, const Verdict& verdict, const LaunchShape& launch,
                              const Limits& limits) {
    constexpr double common_tile_elements = 32 * 32;
    const double tile = std::max(limits.elements_per_block, common_tile_elements);
    // The tile in the learner's file may be smaller than the lesson's. In a pipeline of copies, a
    // block processes several tiles.
    const auto side = constant_value(verdict.source, "TILE_DIM");
    const double solution_tile = side ? static_cast<double>(*side * *side) : tile;
    if (solution_tile < limits.elements_per_block && limits.copies_in_flight == 0) {
        failure.kind = FailureKind::tile_too_small;
        failure.headline = "the tile has " + format_cost(solution_tile) +
                           " elements; this lesson asks for " +
                           format_cost(limits.elements_per_block) + " per block.";
        failure.place.line = find_constant_line(verdict.source, "TILE_DIM");
        failure.advice = "Make the tile larger, and the grid smaller by the same factor.";
        return;
    }
    const bool is_block_small =
        static_cast<double>(launch.threads()) * limits.elements_per_thread <= tile;
    failure.kind = FailureKind::too_many_threads;
    failure.place.line = find_configure_line(verdict.source, is_block_small ? ".grid" : ".block");
    failure.advice = "Launch fewer threads for the same tile, and loop over its rows.";
    if (!is_block_small) return;
    failure.headline =
        std::to_string(launch.blocks()) + " blocks are too many: " + failure.headline;
    failure.advice =
        "In configure, divide the number of elements by the number that one block moves. In this "
        "lesson, a block moves " +
        std::to_string(static_cast<long long>(static_cast<double>(launch.threads()) *
                                              limits.elements_per_thread)) +
        " elements.";
}

/// The smallest average number of elements per thread, over the whole grid, that any exercise
/// allows. It is less than 1, because blocks may extend beyond the edges.
constexpr double kMinElementsPerThread = 0.4;

std::optional<Failure> find_too_little_work_per_block(const Verdict& verdict,
                                                      const LaunchShape& launch,
                                                      const Limits& limits) {
    const double block_elements =
        element_count(verdict.counted_shape) / static_cast<double>(launch.blocks());
    const double thread_elements = block_elements / static_cast<double>(launch.threads());
    Failure failure{.place = {verdict.file, find_configure_line(verdict.source, ".grid"), 0},
                    .shape = verdict.counted_shape,
                    .details = wrap("configure gives " + launch.text() + ".")};
    const auto require_at_least = [&](const char* noun, double actual_size, double required) {
        return std::string("there ") + (actual_size == 1 ? "is " : "are ") +
               format_cost(actual_size) + (actual_size == 1 ? " element" : " elements") +
               " for each " + noun + " of the grid; this lesson asks for " + format_cost(required) +
               ".";
    };
    if (thread_elements < kMinElementsPerThread) {
        failure.kind = FailureKind::too_many_threads;
        failure.headline =
            "there are " + format("%.0f", 1 / thread_elements) +
            " threads for each element, so most of these threads have nothing to do.";
        const bool has_tile = constant_value(verdict.source, "TILE_DIM").has_value();
        failure.advice =
            has_tile ? "Divide rows and cols by the side of the tile: ceil_div(cols, TILE_DIM)."
                     : "Count blocks, not elements: divide cols by the number of columns that "
                       "one block processes, and rows by its number of rows, with ceil_div.";
        return failure;
    }
    if (thread_elements < limits.elements_per_thread) {
        failure.headline = require_at_least("thread", thread_elements, limits.elements_per_thread);
        explain_too_many_threads(failure, verdict, launch, limits);
        return failure;
    }
    if (limits.most_elements_per_thread > 0 && thread_elements > limits.most_elements_per_thread) {
        const int rows = find_constant_line(verdict.source, "BLOCK_ROWS");
        failure.kind = FailureKind::multiprocessors_idle;
        failure.headline = require_at_least("thread", thread_elements, limits.elements_per_thread);
        failure.place.line = rows > 0 ? rows : find_configure_line(verdict.source, ".block");
        failure.advice =
            "Launch more threads for the same tile: with so few threads, each multiprocessor has "
            "fewer warps to hide the latency of the loads.";
        return failure;
    }
    if (block_elements < limits.elements_per_block) {
        failure.kind = FailureKind::tile_too_small;
        failure.headline = require_at_least("block", block_elements, limits.elements_per_block);
        failure.advice = "Make the tile larger, and the grid smaller by the same factor.";
        return failure;
    }
    return std::nullopt;
}

/// The largest accepted ratio of a kernel's cost to the solution's, on a large matrix or on one
/// with partial tiles. A kernel that moves float4 where it can, and single floats with the same
/// lanes at the edges, costs 4 times as much.
constexpr double kMaxRatioAtEdges = 5;

Failure explain_excess(const Verdict& verdict, const AccessKind& access, std::uint64_t actual_cost,
                       std::uint64_t solution_cost, const std::string& costs_elsewhere) {
    return {.kind = access.kind,
            .headline = std::string(access.noun) + " take " + std::to_string(actual_cost) + " " +
                        access.unit + ", but the solution needs only " +
                        std::to_string(solution_cost) + ". " + costs_elsewhere,
            .place = {verdict.file, 0, 0},
            .shape = verdict.counted_shape,
            .advice =
                "Make the kernel work the same way on every shape, and check bounds at the edges."};
}

/// Removes failures whose cause an earlier failure already names.
void remove_repeated_causes(std::vector<Failure>& failures) {
    for (std::size_t i = 0; i < failures.size(); ++i) {
        const Failure& kept_failure = failures[i];
        const auto is_repeated = [&](const Failure& other_failure) {
            return other_failure.headline == kept_failure.headline &&
                   other_failure.place == kept_failure.place;
        };
        failures.erase(std::remove_if(failures.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      failures.end(), is_repeated),
                       failures.end());
    }
}

}  // namespace

std::vector<Failure> find_costly_requests(const Verdict& verdict, const Limits& limits) {
    std::vector<Failure> failures;
    for (const AccessKind& access : kAccessKinds) {
        if (limits.*access.limit == 0) continue;
        auto failure = find_too_costly_requests(verdict, access, limits);
        if (failure) failures.push_back(std::move(*failure));
    }
    return failures;
}

std::optional<Failure> find_excess_over_solution(const Verdict& verdict,
                                                 const std::string& costs_elsewhere) {
    if (!verdict.counters || !verdict.solution_counters) return std::nullopt;
    const Verdict verdict_with_atomics = count_atomics_as_stores(verdict);
    const Counters &kernel_counters = *verdict_with_atomics.counters,
                   &solution = *verdict_with_atomics.solution_counters;
    const auto is_excess = [](std::uint64_t actual_cost, std::uint64_t solution_cost) {
        return static_cast<double>(actual_cost) >
               kMaxRatioAtEdges * static_cast<double>(solution_cost);
    };
    for (const AccessKind& access : kAccessKinds) {
        const std::uint64_t actual_cost = kernel_counters.*access.cost,
                            solution_cost = solution.*access.cost;
        // Loads and stores of shared memory are counted together, as for the other limits.
        const bool exceeds_solution =
            is_excess(actual_cost, solution_cost) &&
            (!access.ideal_cost ||
             (is_excess(count_wavefronts(kernel_counters), count_wavefronts(solution)) &&
              count_wavefronts(solution) > 0));
        if (!exceeds_solution) continue;
        Failure failure = explain_excess(verdict_with_atomics, access, actual_cost, solution_cost,
                                         costs_elsewhere);
        explain_by_costly_line(failure, verdict, {});
        return failure;
    }
    return find_too_many_instructions(verdict_with_atomics);
}

std::vector<Failure> find_exceeded_limits(const Verdict& verdict, const LaunchShape& launch,
                                          const Limits& limits, const RelaunchFunction& relaunch) {
    std::vector<Failure> failures;
    const auto add = [&](std::optional<Failure> failure) {
        if (failure) failures.push_back(std::move(*failure));
    };
    if (!verdict.counters) {
        add(find_too_little_work_per_block(verdict, launch, limits));
        return failures;
    }
    const Verdict verdict_with_atomics = count_atomics_as_stores(verdict);
    for (const AccessKind& access : kAccessKinds)
        add(find_too_costly_requests(verdict_with_atomics, access, limits, relaunch));
    add(find_needless_atomics(verdict));
    add(find_too_little_work_per_block(verdict, launch, limits));
    for (const AccessKind& access : kAccessKinds)
        add(find_too_many_requests(verdict_with_atomics, access, relaunch));
    add(find_copies_not_async(verdict, limits));
    add(find_copies_not_overlapped(verdict, limits));
    add(find_loads_not_overlapped(verdict, limits));
    add(find_single_block(verdict, launch));
    add(find_too_many_instructions(verdict));
    for (Failure& failure : failures) explain_by_costly_line(failure, verdict, launch);
    remove_repeated_causes(failures);
    return failures;
}

}  // namespace coalesce
