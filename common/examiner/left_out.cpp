#include "examiner/rules.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Access;

/// A stage through which a warp moves elements. The stages lead from `in` to `out`, possibly
/// through shared memory.
struct WarpStage {
    bool is_shared = false, is_store = false;
    std::string_view action = "";  ///< such as "reads"
    std::string_view object = "";
    std::set<std::uint64_t> distinct_addresses =
        {};  ///< addresses of elements; cleared whenever a tile may be overwritten
    std::uint64_t elements = 0;  ///< number of different elements
    /// number of lanes that accessed new elements; lower than the number of elements if lanes
    /// access vectors
    std::uint64_t lanes = 0;
    std::uint64_t touched = 0;  ///< accessed elements, counting repetitions
    int line = 0;               ///< line of the first access

    bool has(const Access& access) const {
        return access.is_shared == is_shared && access.is_store == is_store;
    }
    void note(const Access& access) {
        if (line == 0) line = access.line;
        for (const std::uint64_t begin : access.active_addresses()) {
            const std::uint64_t before = elements;
            for (unsigned byte = 0; byte < access.bytes_per_lane; byte += 4) {
                elements += distinct_addresses.insert((begin + byte) / 4).second;
                ++touched;
            }
            lanes += elements > before;
        }
    }
    /// Reports whether the index probably ignores the counter of its loop. In that case, either
    /// stores write the same elements repeatedly, or fewer elements are loaded than stored.
    /// (Compilers load each element only once, and omit unused loads.)
    bool may_ignore_loop_counter(const WarpStage& stored) const {
        return is_store ? touched > elements : elements < stored.elements;
    }
    /// Reports whether the stage accesses a simple fraction, such as a half or a quarter, of the
    /// elements of `whole`. Other fractions may be due to the edge of a tile, because not every
    /// stage accesses the edge.
    bool is_simple_fraction_of(const WarpStage& whole) const {
        return elements < whole.elements && lanes < whole.lanes && whole.elements % elements == 0;
    }
};

using WarpStages = std::array<WarpStage, 4>;

/// Returns the stages through which the first warp moves elements.
WarpStages trace_warp_stages(const Trial& trial, const Evidence& evidence) {
    WarpStages way = {{{false, false, "reads", "of `in`"},
                       {true, true, "writes", "of the tile"},
                       {true, false, "reads", "of the tile"},
                       {false, true, "stores", "of `out`"}}};
    const Trial seen = evidence.launch_without_checks(trial.shape, kFirstWarp);
    if (seen.accesses.size() == kMaxTracedAccesses) return {};
    for (const Access& access : seen.accesses) {
        for (WarpStage& stage : way) {
            if (stage.has(access)) {
                stage.note(access);
            } else if (access.is_shared && stage.is_shared) {
                // After a tile has been read, it may be filled again.
                stage.distinct_addresses.clear();
            }
        }
    }
    return way;
}

std::string format_left_out(const WarpStage& most, const WarpStage& least) {
    const std::string verb = most.action == least.action ? "" : std::string(least.action) + " ";
    return "a warp " + std::string(most.action) + " " + format_count(most.elements, "element") +
           " " + std::string(most.object) + ", but " + verb + "only " +
           std::to_string(least.elements) + " " + std::string(least.object) + ".";
}

}  // namespace

std::optional<LeftOutStage> find_left_out_stage(const Trial& trial, const Evidence& evidence) {
    if (evidence.exercise.task().in_place) return std::nullopt;
    const WarpStages way = trace_warp_stages(trial, evidence);
    const WarpStage* least = nullptr;
    const WarpStage* most = nullptr;
    for (const WarpStage& stage : way) {
        if (stage.elements == 0) continue;
        if (!least || stage.elements < least->elements) least = &stage;
        if (!most || stage.elements > most->elements) most = &stage;
    }
    if (!least || !least->is_simple_fraction_of(*most) ||
        !least->may_ignore_loop_counter(way.back()))
        return std::nullopt;
    return LeftOutStage{
        .sentence = format_left_out(*most, *least),
        .line = least->line,
        .next =
            innermost_loop(find_loops(evidence.source.text), least->line) == nullptr
                ? "This line is not in a loop, so each thread moves only one element here. Repeat "
                  "the line for the thread's other elements."
            : least->is_store
                ? "Does the index depend on the variable of its loop?"
                : "Does the index depend on the variable of its loop? If it does, look at how the "
                  "values are used: the compiler removes a load whose value is never used."};
}

}  // namespace coalesce
