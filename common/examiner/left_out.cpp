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
    std::string_view object_text = "";
    std::set<std::uint64_t> distinct_addresses =
        {};  ///< addresses of elements; cleared whenever a tile may be overwritten
    std::uint64_t elements = 0;  ///< number of different elements
    /// number of lanes that accessed new elements; lower than the number of elements if lanes
    /// access vectors
    std::uint64_t lanes = 0;
    std::uint64_t access_count = 0;  ///< accessed elements, counting repetitions
    int line = 0;                    ///< line of the first access

    bool includes_access(const Access& access) const {
        return access.is_shared == is_shared && access.is_store == is_store;
    }
    void add_access(const Access& access) {
        if (line == 0) line = access.line;
        for (const std::uint64_t begin : access.active_addresses()) {
            const std::uint64_t previous_elements = elements;
            for (unsigned byte = 0; byte < access.bytes_per_lane; byte += 4) {
                elements += distinct_addresses.insert((begin + byte) / 4).second;
                ++access_count;
            }
            lanes += elements > previous_elements;
        }
    }
    /// Reports whether the index probably ignores the counter of its loop. In that case, either
    /// stores write the same elements repeatedly, or fewer elements are loaded than stored.
    /// (Compilers load each element only once, and omit unused loads.)
    bool may_ignore_loop_counter(const WarpStage& store_stage) const {
        return is_store ? access_count > elements : elements < store_stage.elements;
    }
    /// Reports whether the stage accesses a simple fraction, such as a half or a quarter, of the
    /// elements of `total_stage`. Other fractions may be due to the edge of a tile, because not
    /// every stage accesses the edge.
    bool is_simple_fraction_of(const WarpStage& total_stage) const {
        return elements < total_stage.elements && lanes < total_stage.lanes &&
               total_stage.elements % elements == 0;
    }
};

using WarpStages = std::array<WarpStage, 4>;

/// Returns the stages through which the first warp moves elements.
WarpStages trace_warp_stages(const Trial& trial, const Evidence& evidence) {
    WarpStages stages = {{{false, false, "reads", "of `in`"},
                          {true, true, "writes", "of the tile"},
                          {true, false, "reads", "of the tile"},
                          {false, true, "stores", "of `out`"}}};
    const Trial unchecked_trial = evidence.launch_without_checks(trial.shape, kFirstWarp);
    if (unchecked_trial.accesses.size() == kMaxTracedAccesses) return {};
    for (const Access& access : unchecked_trial.accesses) {
        for (WarpStage& stage : stages) {
            if (stage.includes_access(access)) {
                stage.add_access(access);
            } else if (access.is_shared && stage.is_shared) {
                // After a tile has been read, it may be filled again.
                stage.distinct_addresses.clear();
            }
        }
    }
    return stages;
}

std::string format_left_out(const WarpStage& larger_stage, const WarpStage& smaller_stage) {
    const std::string verb =
        larger_stage.action == smaller_stage.action ? "" : std::string(smaller_stage.action) + " ";
    return "a warp " + std::string(larger_stage.action) + " " +
           format_count(larger_stage.elements, "element") + " " +
           std::string(larger_stage.object_text) + ", but " + verb + "only " +
           std::to_string(smaller_stage.elements) + " " + std::string(smaller_stage.object_text) +
           ".";
}

}  // namespace

std::optional<LeftOutStage> find_left_out_stage(const Trial& trial, const Evidence& evidence) {
    if (evidence.exercise.task().in_place) return std::nullopt;
    const WarpStages stages = trace_warp_stages(trial, evidence);
    const WarpStage* smallest_stage = nullptr;
    const WarpStage* largest_stage = nullptr;
    for (const WarpStage& stage : stages) {
        if (stage.elements == 0) continue;
        if (!smallest_stage || stage.elements < smallest_stage->elements) smallest_stage = &stage;
        if (!largest_stage || stage.elements > largest_stage->elements) largest_stage = &stage;
    }
    if (!smallest_stage || !smallest_stage->is_simple_fraction_of(*largest_stage) ||
        !smallest_stage->may_ignore_loop_counter(stages.back()))
        return std::nullopt;
    return LeftOutStage{
        .sentence = format_left_out(*largest_stage, *smallest_stage),
        .line = smallest_stage->line,
        .advice =
            find_innermost_loop(find_loops(evidence.source.text), smallest_stage->line) == nullptr
                ? "This line is not in a loop, so each thread moves only one element here. Repeat "
                  "the line for the thread's other elements."
            : smallest_stage->is_store
                ? "Does the index depend on the variable of its loop?"
                : "Does the index depend on the variable of its loop? If it does, look at how the "
                  "values are used: the compiler removes a load whose value is never used."};
}

}  // namespace coalesce
