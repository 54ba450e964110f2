// Judges what a kernel costs, counter by counter.
// Long: the rules are short, and share helpers for single kernels and comparisons.
#include "examiner/costs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

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
    const char* unit;  ///< such as "sectors"
    std::uint64_t Counters::*requests;
    std::uint64_t Counters::*cost;
    std::uint64_t Counters::*ideal;  ///< null if accesses of this kind have no ideal cost
    double Limits::*limit;
};

constexpr AccessKind kAccesses[] = {
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

constexpr double kLanes = 32, kFloatsInASector = 8;

constexpr auto kFormatNumber = format_short;

double ratio(const Counters& counters, const AccessKind& access) {
    const std::uint64_t requests = counters.*access.requests;
    return requests ? static_cast<double>(counters.*access.cost) / static_cast<double>(requests)
                    : 0;
}

/// Returns the line with the largest value of `figure`, or null if no line has accesses of this
/// kind.
const LineCounters* find_costliest_line(const std::vector<LineCounters>& lines,
                                        const AccessKind& access, const auto& figure) {
    const auto most = std::max_element(lines.begin(), lines.end(),
                                       [&](const LineCounters& one, const LineCounters& other) {
                                           return figure(one.counters) < figure(other.counters);
                                       });
    return most == lines.end() || most->counters.*access.requests == 0 ? nullptr : &*most;
}

/// Reports whether each lane accesses 16 bytes. Shared memory then serves 8 lanes at a time.
bool uses_16_byte_accesses(const Counters& counters, const AccessKind& access) {
    return access.ideal && counters.*access.ideal >= 4 * counters.*access.requests;
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
    const double ideal = static_cast<double>(std::max<std::uint64_t>(counters.*access.ideal, 1));
    const double ways = static_cast<double>(counters.*access.cost) / ideal;
    return kFormatNumber(ways) + "-way bank conflicts: ";
}

/// Returns the total number of shared-memory wavefronts for loads and stores. The learner may
/// choose whether the loads or the stores bear the cost of the transpose.
std::uint64_t wavefronts(const Counters& counters) {
    return counters.shared_load_wavefronts + counters.shared_store_wavefronts;
}

/// Reports whether the total cost of the accesses, not only their cost per request, is higher than
/// in the solution. Wide accesses cost more per request, but a kernel needs fewer of them.
bool exceeds_solution_in_total(const Verdict& found, const AccessKind& access) {
    const auto& solution = found.solution_counters;
    const std::uint64_t cost = *found.counters.*access.cost;
    if (access.ideal) {
        // With one active lane per access, there are no bank conflicts, but the total cost is as
        // high as with conflicts, because the kernel needs so many accesses. The total is also high
        // if a kernel reads its tile several times.
        if (solution && 2 * wavefronts(*found.counters) > 3 * wavefronts(*solution)) return true;
        return cost > *found.counters.*access.ideal &&
               (!solution || wavefronts(*found.counters) > wavefronts(*solution));
    }
    if (solution) return cost > *solution.*access.cost;
    return static_cast<double>(cost) * kFloatsInASector > element_count(found.counted);
}

/// Reports whether each access touches one sector more than necessary although neighbouring lanes
/// access neighbouring elements. The reason is that the rows do not start at sector boundaries.
bool crosses_sector_boundary(const Counters& counters, const AccessKind& access, Shape shape) {
    const auto requests = static_cast<double>(counters.*access.requests);
    const double least = element_count(shape) / kFloatsInASector;
    const bool is_full = requests * kLanes <= element_count(shape) * 1.2;
    return !access.ideal && is_full &&
           static_cast<double>(counters.*access.cost) <= least + requests * 1.05;
}

void explain_sector_crossing(Failure& failure, const AccessKind& access) {
    failure.headline += std::string(" The ") + access.verb +
                        "s access consecutive addresses, but these addresses do not begin at the "
                        "start of a sector: each access touches one sector more than necessary.";
    failure.next =
        "Work out where each warp begins in its row: every warp must begin at a multiple of 8 "
        "elements from the start of the buffer.";
}

/// Explains the distance between the banks of vertically adjacent elements in a tile. The tile's
/// declaration determines this distance.
void explain_banks_of_column(Failure& failure, const std::string& source) {
    constexpr long long banks = 32;
    const SharedArray tile = find_shared_array(source, failure.place.line);
    static const TextPattern distance(R"(\*\s*([a-z]\w*)\s*\+)");
    TextMatch found;
    const std::string code = code_on_line(source, failure.place.line);
    const std::string index = code.substr(std::min(code.size(), find_word(code, tile.name)));
    if (tile.lengths.size() == 1 && search(index, found, distance)) {
        const std::string name = found.str(1);
        const int set = find_assignment_line(source, name, failure.place.line);
        if (set == 0) return;
        failure.details += wrap("Rows of `" + tile.name + "` are `" + name + "` (line " +
                                std::to_string(set) + ") elements apart.");
        failure.next = "Where `" + name +
                       "` is even, vertically adjacent elements share banks: make it odd for every "
                       "width of the matrix.";
        return;
    }
    if (tile.lengths.size() != 2) return;
    const int width = vector_width(code_on_line(source, tile.line));
    const long long apart = tile.lengths[1] * width % banks;
    if (width == 2) {
        failure.next =
            "Element i of an array of float2 lies in the banks 2 * i and 2 * i + 1, modulo 32: "
            "choose the length of a row so that the lanes use different banks.";
    }
    failure.details += wrap(
        "A row of `" + tile.name + "` (line " + std::to_string(tile.line) + ") has " +
        std::to_string(tile.lengths[1]) + " elements: vertically adjacent elements are " +
        (apart == 0 ? "in the same bank." : std::to_string(apart) + " banks apart, modulo 32."));
}

std::optional<Failure> find_too_costly_requests(const Verdict& found, const AccessKind& access,
                                                const Limits& limits) {
    const double most = max_cost_per_request(access, limits, found.solution_counters);
    const double has = ratio(*found.counters, access);
    if (most == 0 || has <= most || !exceeds_solution_in_total(found, access)) {
        return std::nullopt;
    }
    // Wide accesses take several wavefronts even without conflicts. If the cost is ideal, there are
    // no conflicts to report.
    if (access.ideal && *found.counters.*access.cost <= *found.counters.*access.ideal) {
        return std::nullopt;
    }
    Failure failure{.kind = access.kind, .place = {found.file, 0, 0}, .shape = found.counted};
    Counters shown = *found.counters;
    // Report the line with the highest cost per request, even if another line is executed more
    // often.
    const auto dearness = [&](const Counters& counters) { return ratio(counters, access); };
    if (const LineCounters* line = find_costliest_line(found.lines, access, dearness)) {
        failure.place.line = line->line;
        shown = line->counters;
    }
    const std::string unit = access.unit;
    if (access.ideal) failure.headline = format_conflict_ways(shown, access);
    std::string cost = kFormatNumber(ratio(shown, access)), enough = kFormatNumber(most);
    if (cost == enough) {
        cost = format("%.4f", ratio(shown, access));
        enough = format("%.4f", most);
    }
    failure.headline += std::string("a ") + access.verb + " takes " + cost + " " + unit +
                        ", where " + enough + (most == 1 ? " is enough." : " are enough.");
    failure.details = wrap("Simulated: all lines together make " +
                           std::to_string(*found.counters.*access.requests) +
                           " requests, which take " + std::to_string(*found.counters.*access.cost) +
                           " " + unit + " (" + kFormatNumber(has) + " per request).");
    failure.next = advice_on_access(*found.counters, access);
    if (access.kind == FailureKind::bank_conflicts) explain_banks_of_column(failure, found.source);
    if (crosses_sector_boundary(*found.counters, access, found.counted))
        explain_sector_crossing(failure, access);
    return failure;
}

/// Averages over the global memory accesses of the first warp in the first block.
struct WarpWork {
    double lanes = 0;           ///< active lanes per access; 0 if there are no accesses
    double bytes_per_lane = 0;  ///< bytes per active lane
};

WarpWork measure_warp_work(const Verdict& found, bool of_stores, const RelaunchFunction& relaunch) {
    const Trial trial = relaunch({.shape = found.counted, .traced = kFirstWarp});
    WarpWork work;
    double accesses = 0;
    for (const simulated::Access& access : trial.accesses) {
        if (access.is_shared || access.is_store != of_stores || access.active == 0) continue;
        work.lanes += std::popcount(access.active);
        work.bytes_per_lane += access.bytes_per_lane;
        ++accesses;
    }
    if (accesses == 0) return {};
    return {work.lanes / accesses, work.bytes_per_lane / accesses};
}

/// Explains why there are more accesses to global memory than necessary: the kernel moves elements
/// more than once, few lanes are active, or each lane moves fewer bytes than it could.
void explain_extra_requests(Failure& failure, const Verdict& found, const AccessKind& access,
                            const RelaunchFunction& relaunch) {
    const auto has = static_cast<double>(*found.counters.*access.requests);
    const auto enough = static_cast<double>(*found.solution_counters.*access.requests);
    const bool of_stores = access.requests == &Counters::store_requests;
    const WarpWork work = measure_warp_work(found, of_stores, relaunch);
    const double bytes = has * work.lanes * work.bytes_per_lane;
    const double times = bytes / (element_count(found.counted) * sizeof(float));
    const double wider = has / enough;
    if (times > 1.9) {
        failure.kind = FailureKind::work_repeated;
        failure.headline += " Elements seem to be moved more than once.";
        failure.next = "Move each element only once: which other thread moves the same element?";
    } else if (times > 1.01 && work.lanes == kLanes) {
        failure.kind = FailureKind::work_repeated;
        failure.headline += " About " + std::to_string(std::lround(100 * (times - 1))) +
                            " % of the elements are moved more often than needed.";
        failure.next =
            "Which elements are moved by two blocks, by two threads, or twice by one thread?";
        const std::string code = code_for_search(found.source);
        if (code.find("data[") != code.npos && code.find("!=") == code.npos) {
            failure.headline +=
                " A tile on the diagonal is both tiles of its pair: is it stored twice?";
            failure.next = "Skip the second store where row and col are the same.";
        }
    } else if (work.lanes > 0 && work.lanes < 0.75 * kLanes) {
        failure.kind = FailureKind::lanes_idle;
        failure.headline += " Only " + kFormatNumber(work.lanes) + " of the 32 threads of a warp " +
                            (work.lanes == 1 ? "takes" : "take") + " part in each access.";
        failure.next =
            "Give every thread a share of the work: a warp costs the same with 1 active thread as "
            "with 32.";
    } else if (wider == 2 || wider == 4) {
        const std::string width = kFormatNumber(work.bytes_per_lane * wider);
        failure.next = "Each lane moves " + kFormatNumber(work.bytes_per_lane) +
                       " bytes at a time. Move " + width + " bytes with one access, as a float" +
                       kFormatNumber(work.bytes_per_lane * wider / sizeof(float)) + ".";
    } else {
        failure.next = "Fill the warps: each access should use all 32 lanes.";
    }
}

/// The maximum number of elements that one call of printf reads from a tile.
constexpr std::uint64_t kLoadsPerPrintCall = 4;

/// One request to a barrier in shared memory, such as cuda::barrier, is allowed for each group of
/// this many other requests. A warp that moves a 64 x 64 tile together with other warps arrives at
/// the barrier once per 16 requests.
constexpr std::uint64_t kRequestsPerBarrierAccess = 12;

/// Returns a failure if the kernel makes more accesses than the solution, although their cost per
/// request is within the limit.
std::optional<Failure> find_too_many_requests(const Verdict& found, const AccessKind& access,
                                              const RelaunchFunction& relaunch) {
    if (!found.solution_counters) return std::nullopt;
    const std::uint64_t has = *found.counters.*access.requests;
    const std::uint64_t enough = *found.solution_counters.*access.requests;
    if (has <= enough) return std::nullopt;
    if (access.ideal) {
        // Even if the solution has no tile, allow the accesses that a tile needs. Also allow loads
        // of values that the kernel prints.
        const bool is_printed = has <= enough + kLoadsPerPrintCall * found.print_calls;
        const bool is_barrier = has <= enough + enough / kRequestsPerBarrierAccess;
        if (enough == 0 || is_printed || is_barrier || !exceeds_solution_in_total(found, access))
            return std::nullopt;
    }
    Failure failure{.kind = FailureKind::too_many_requests,
                    .place = {found.file, 0, 0},
                    .shape = found.counted};
    const auto requests = [&](const Counters& counters) { return counters.*access.requests; };
    if (const LineCounters* line = find_costliest_line(found.lines, access, requests))
        failure.place.line = line->line;
    failure.headline = (access.ideal ? "the warps execute a " : "the warps ") +
                       std::string(access.verb) + " " + std::to_string(has) + " times, where " +
                       std::to_string(enough) + " are enough.";
    if (access.ideal) {
        failure.next = "Access each element once: which elements are accessed twice?";
    } else {
        explain_extra_requests(failure, found, access, relaunch);
    }
    return failure;
}

/// Returns a failure if the kernel uses atomic operations, although its solution needs none. The
/// counters in `found` must still count atomics and stores separately.
std::optional<Failure> find_needless_atomics(const Verdict& found) {
    const auto& solution = found.solution_counters;
    if (!solution || found.counters->atomic_requests == 0 || solution->atomic_requests > 0) {
        return std::nullopt;
    }
    Failure failure{
        .kind = FailureKind::needless_atomics,
        .headline =
            "the result is stored with " + std::to_string(found.counters->atomic_requests) +
            " atomic operations that are not needed: no two threads store to the same element.",
        .place = {found.file, 0, 0},
        .shape = found.counted,
        .next = "Store with a plain assignment: out[...] = value."};
    for (const LineCounters& line : found.lines) {
        if (line.counters.atomic_requests > 0) failure.place.line = line.line;
    }
    return failure;
}

/// Adds the atomics to the stores, because the cost of an atomic is at least that of a store.
void move_atomics_to_stores(Counters& counters) {
    counters.store_requests += std::exchange(counters.atomic_requests, 0);
    counters.store_sectors += std::exchange(counters.atomic_sectors, 0);
    counters.shared_store_requests += std::exchange(counters.shared_atomic_requests, 0);
    counters.shared_store_wavefronts += std::exchange(counters.shared_atomic_wavefronts, 0);
    counters.shared_store_ideal += std::exchange(counters.shared_atomic_ideal, 0);
}

Verdict count_atomics_as_stores(Verdict found) {
    move_atomics_to_stores(*found.counters);
    if (found.solution_counters) move_atomics_to_stores(*found.solution_counters);
    for (LineCounters& line : found.lines) move_atomics_to_stores(line.counters);
    return found;
}

/// Above this multiple of the solution's instruction count, no reasonable way to write the kernel
/// explains the cost.
constexpr std::uint64_t kMaxInstructionRatio = 16;

/// Returns a failure if the kernel executes far too many instructions. A kernel could pass data bit
/// by bit, between warps through counting barriers or mbarrier phases, or between lanes. No access
/// counter would reveal this, but it takes many instructions.
std::optional<Failure> find_too_many_instructions(const Verdict& found) {
    if (!found.solution_counters) return std::nullopt;
    const std::uint64_t has = found.counters->warp_instructions;
    const std::uint64_t enough = found.solution_counters->warp_instructions;
    if (has <= kMaxInstructionRatio * enough) return std::nullopt;
    return Failure{.kind = FailureKind::work_repeated,
                   .headline = "the warps execute " + std::to_string(has) +
                               " instructions, but the solution needs only " +
                               std::to_string(enough) + ".",
                   .place = {found.file, 0, 0},
                   .shape = found.counted,
                   .next = "Look for loop iterations that move nothing."};
}

std::optional<Failure> find_single_block(const Verdict& found, const LaunchShape& launch) {
    if (launch.blocks() > 1) return std::nullopt;
    return Failure{.kind = FailureKind::multiprocessors_idle,
                   .headline =
                       "a single block moves the whole matrix: one multiprocessor of the GPU "
                       "works, and all others are idle.",
                   .place = {found.file, find_configure_line(found.source, ".grid"), 0},
                   .shape = found.counted,
                   .next = "Launch a block for each tile."};
}

/// Explains why there are too many threads: there are more blocks than tiles, or the blocks are too
/// large.
void explain_too_many_threads(Failure& failure, const Verdict& found, const LaunchShape& launch,
                              const Limits& limits) {
    constexpr double common_tile = 32 * 32;
    const double tile = std::max(limits.elements_per_block, common_tile);
    // The tile in the learner's file may be smaller than the lesson's. In a pipeline of copies, a
    // block processes several tiles.
    const auto side = constant_value(found.source, "TILE_DIM");
    const double own = side ? static_cast<double>(*side * *side) : tile;
    if (own < limits.elements_per_block && limits.copies_in_flight == 0) {
        failure.kind = FailureKind::tile_too_small;
        failure.headline = "the tile has " + kFormatNumber(own) +
                           " elements; this lesson asks for " +
                           kFormatNumber(limits.elements_per_block) + " per block.";
        failure.place.line = find_constant_line(found.source, "TILE_DIM");
        failure.next = "Make the tile larger, and the grid smaller by the same factor.";
        return;
    }
    const bool is_block_small =
        static_cast<double>(launch.threads()) * limits.elements_per_thread <= tile;
    failure.kind = FailureKind::too_many_threads;
    failure.place.line = find_configure_line(found.source, is_block_small ? ".grid" : ".block");
    failure.next = "Launch fewer threads for the same tile, and loop over its rows.";
    if (!is_block_small) return;
    failure.headline =
        std::to_string(launch.blocks()) + " blocks are too many: " + failure.headline;
    failure.next =
        "In configure, divide the number of elements by the number that one block moves. In this "
        "lesson, a block moves " +
        std::to_string(static_cast<long long>(static_cast<double>(launch.threads()) *
                                              limits.elements_per_thread)) +
        " elements.";
}

/// The smallest average number of elements per thread, over the whole grid, that any exercise
/// allows. It is less than 1, because blocks may extend beyond the edges.
constexpr double kMinElementsPerThread = 0.4;

std::optional<Failure> find_too_little_work_per_block(const Verdict& found,
                                                      const LaunchShape& launch,
                                                      const Limits& limits) {
    const double a_block = element_count(found.counted) / static_cast<double>(launch.blocks());
    const double a_thread = a_block / static_cast<double>(launch.threads());
    Failure failure{.place = {found.file, find_configure_line(found.source, ".grid"), 0},
                    .shape = found.counted,
                    .details = wrap("configure gives " + launch.text() + ".")};
    const auto less = [&](const char* what, double has, double asked) {
        return std::string("there ") + (has == 1 ? "is " : "are ") + kFormatNumber(has) +
               (has == 1 ? " element" : " elements") + " for each " + what +
               " of the grid; this lesson asks for " + kFormatNumber(asked) + ".";
    };
    if (a_thread < kMinElementsPerThread) {
        failure.kind = FailureKind::too_many_threads;
        failure.headline =
            "there are " + format("%.0f", 1 / a_thread) +
            " threads for each element, so most of these threads have nothing to do.";
        const bool has_tile = constant_value(found.source, "TILE_DIM").has_value();
        failure.next =
            std::string("Divide rows and cols by the side of the tile: ceil_div(cols, ") +
            (has_tile ? "TILE_DIM" : "32") + ").";
        return failure;
    }
    if (a_thread < limits.elements_per_thread) {
        failure.headline = less("thread", a_thread, limits.elements_per_thread);
        explain_too_many_threads(failure, found, launch, limits);
        return failure;
    }
    if (limits.most_elements_per_thread > 0 && a_thread > limits.most_elements_per_thread) {
        const int rows = find_constant_line(found.source, "BLOCK_ROWS");
        failure.kind = FailureKind::multiprocessors_idle;
        failure.headline = less("thread", a_thread, limits.elements_per_thread);
        failure.place.line = rows > 0 ? rows : find_configure_line(found.source, ".block");
        failure.next =
            "Launch more threads for the same tile: with so few threads, each multiprocessor has "
            "fewer warps to hide the latency of the loads.";
        return failure;
    }
    if (a_block < limits.elements_per_block) {
        failure.kind = FailureKind::tile_too_small;
        failure.headline = less("block", a_block, limits.elements_per_block);
        failure.next = "Make the tile larger, and the grid smaller by the same factor.";
        return failure;
    }
    return std::nullopt;
}

/// The largest accepted ratio of a kernel's cost to the solution's, on a large matrix or on one
/// with partial tiles. A kernel that moves float4 where it can, and single floats with the same
/// lanes at the edges, costs 4 times as much.
constexpr double kMaxRatioAtEdges = 5;

Failure explain_excess(const Verdict& found, const AccessKind& access, std::uint64_t has,
                       std::uint64_t enough, const std::string& costs_elsewhere) {
    return {
        .kind = access.kind,
        .headline = std::string(access.verb) + "s take " + std::to_string(has) + " " + access.unit +
                    ", but the solution needs only " + std::to_string(enough) + ". " +
                    costs_elsewhere,
        .place = {found.file, 0, 0},
        .shape = found.counted,
        .next = "Make the kernel work the same way on every shape, and check bounds at the edges."};
}

/// Removes failures whose cause an earlier failure already names.
void remove_repeated_causes(std::vector<Failure>& failures) {
    for (std::size_t i = 0; i < failures.size(); ++i) {
        const Failure& first = failures[i];
        const auto is_repeated = [&](const Failure& other) {
            return other.headline == first.headline && other.place == first.place;
        };
        failures.erase(std::remove_if(failures.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                      failures.end(), is_repeated),
                       failures.end());
    }
}

}  // namespace

std::vector<Failure> find_costly_requests(const Verdict& found, const Limits& limits) {
    std::vector<Failure> failures;
    for (const AccessKind& access : kAccesses) {
        if (limits.*access.limit == 0) continue;
        auto failure = find_too_costly_requests(found, access, limits);
        if (failure) failures.push_back(std::move(*failure));
    }
    return failures;
}

std::optional<Failure> find_excess_over_solution(const Verdict& verdict,
                                                 const std::string& costs_elsewhere) {
    if (!verdict.counters || !verdict.solution_counters) return std::nullopt;
    const Verdict counted = count_atomics_as_stores(verdict);
    const Counters &mine = *counted.counters, &solution = *counted.solution_counters;
    const auto is_excess = [](std::uint64_t has, std::uint64_t enough) {
        return static_cast<double>(has) > kMaxRatioAtEdges * static_cast<double>(enough);
    };
    for (const AccessKind& access : kAccesses) {
        const std::uint64_t has = mine.*access.cost, enough = solution.*access.cost;
        // Loads and stores of shared memory are counted together, as for the other limits.
        const bool is_bad = is_excess(has, enough) &&
                            (!access.ideal || (is_excess(wavefronts(mine), wavefronts(solution)) &&
                                               wavefronts(solution) > 0));
        if (!is_bad) continue;
        Failure failure = explain_excess(counted, access, has, enough, costs_elsewhere);
        explain_by_costly_line(failure, verdict, {});
        return failure;
    }
    return find_too_many_instructions(counted);
}

std::vector<Failure> find_exceeded_limits(const Verdict& found, const LaunchShape& launch,
                                          const Limits& limits, const RelaunchFunction& relaunch) {
    std::vector<Failure> failures;
    const auto add = [&](std::optional<Failure> failure) {
        if (failure) failures.push_back(std::move(*failure));
    };
    if (!found.counters) {
        add(find_too_little_work_per_block(found, launch, limits));
        return failures;
    }
    const Verdict counted = count_atomics_as_stores(found);
    for (const AccessKind& access : kAccesses)
        add(find_too_costly_requests(counted, access, limits));
    add(find_needless_atomics(found));
    add(find_too_little_work_per_block(found, launch, limits));
    for (const AccessKind& access : kAccesses)
        add(find_too_many_requests(counted, access, relaunch));
    add(find_copies_not_async(found, limits));
    add(find_copies_not_overlapped(found, limits));
    add(find_loads_not_overlapped(found, limits));
    add(find_single_block(found, launch));
    add(find_too_many_instructions(found));
    for (Failure& failure : failures) explain_by_costly_line(failure, found, launch);
    remove_repeated_causes(failures);
    return failures;
}

}  // namespace coalesce
