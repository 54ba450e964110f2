#include "timing/words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "timing/facts.h"
#include "timing/figures.h"

namespace coalesce::timing {
namespace {

// ---- the bottleneck ----

std::string unit_busy_text(const std::string& unit, double fraction) {
    return is_nonzero_fraction(fraction)
               ? ": " + unit + " busy " + percent_text(std::min(fraction, 1.0)) + " of the time"
               : "";
}

/// Returns a phrase such as ": 3.4 KB are in flight per multiprocessor, but 16 KB are needed
/// (Little's law)".
std::string bytes_in_flight_text(const Prediction& p) {
    std::string text;
    if (has_bytes_in_flight(p)) {
        text = ": " + bytes_text(p.bytes_in_flight) + " are in flight per multiprocessor";
        if (has_too_few_bytes_in_flight(p))
            text += ", but " + bytes_text(p.bytes_needed) + " are needed";
        if (has_too_few_bytes_in_flight(p)) text += " (Little's law)";
    }
    if (is_nonzero_fraction(p.fraction_without_loads)) {
        text += (text.empty() ? ": " : "; ") + percent_text(p.fraction_without_loads) +
                " of the time nothing is in flight";
    }
    return text;
}

std::string memory_verdict(const Prediction& p) {
    std::string text = "memory is the limit" + unit_busy_text("it is", p.utilization.memory);
    const bool has_short_reads = is_short_run(p.run_bytes_read),
               has_short_writes = is_short_run(p.run_bytes_written);
    if (!has_short_reads && !has_short_writes) return text;
    const bool is_read =
        has_short_reads && !(has_short_writes && p.run_bytes_written < p.run_bytes_read);
    return text + (is_read ? ", reading runs of " + bytes_text(p.run_bytes_read)
                           : ", writing runs of " + bytes_text(p.run_bytes_written));
}

std::string cache_verdict(const Prediction& p) {
    const bool is_load_path = p.utilization.l2_read >= p.utilization.l2_write;
    return "the path between multiprocessors and the L2 cache is the limit" +
           unit_busy_text(is_load_path ? "for loads it is" : "for stores it is",
                          is_load_path ? p.utilization.l2_read : p.utilization.l2_write);
}

std::string block_start_verdict(const Prediction& p, const Gpu& gpu) {
    std::string text = "blocks end faster than new ones can start";
    if (is_nonzero_count(gpu.block_interval_cycles)) {
        text += ": a multiprocessor starts a block every " +
                number_text(gpu.block_interval_cycles) + " cycles at best";
    }
    if (is_nonzero_count(p.warp_life.start)) {
        text += (is_nonzero_count(gpu.block_interval_cycles) ? ", and" : ":") +
                std::string(" a warp spends ") + number_text(p.warp_life.start) + " of its " +
                number_text(p.warp_life.sum()) + " cycles waiting to start";
    }
    return text;
}

std::string few_blocks_verdict(const Prediction& p) {
    if (!std::isfinite(p.rounds) || p.rounds <= 0)
        return "there are too few blocks to fill the GPU";
    const double whole_rounds = std::floor(p.rounds), last_round_fraction = p.rounds - whole_rounds;
    if (!is_nonzero_fraction(last_round_fraction))
        return "there are too few blocks to fill the GPU";
    if (whole_rounds == 0) {
        return "too few blocks: the grid has only " + percent_text(last_round_fraction) +
               " of the blocks that the GPU can hold at once";
    }
    return "too few blocks in the last wave: the last of " + number_text(whole_rounds + 1) +
           " waves fills " + percent_text(last_round_fraction) + " of the GPU";
}

std::string describe_verdict(const Prediction& p, const Gpu& gpu) {
    switch (p.bottleneck) {
        case Bottleneck::memory: return memory_verdict(p);
        case Bottleneck::flight: return "the kernel waits for its loads" + bytes_in_flight_text(p);
        case Bottleneck::barrier: return "the kernel waits at barriers" + bytes_in_flight_text(p);
        case Bottleneck::shared:
            return describe_bottleneck(p) + " is the limit" +
                   unit_busy_text("it is", p.utilization.shared);
        case Bottleneck::cache: return cache_verdict(p);
        case Bottleneck::stores:
            return "stores that write partial sectors are the limit" +
                   unit_busy_text("the store path to the L2 cache is", p.utilization.l2_write);
        case Bottleneck::issue:
            return "instructions are the limit" +
                   unit_busy_text("the schedulers are", p.utilization.issue);
        case Bottleneck::blocks: return block_start_verdict(p, gpu);
        case Bottleneck::few_blocks: return few_blocks_verdict(p);
    }
    return "";
}

// ---- reasons ----

/// Returns a phrase that names what limits the number of resident blocks.
std::string occupancy_limit_text(const Prediction& p, const Gpu& gpu) {
    switch (p.occupancy_limit) {
        case OccupancyLimit::threads:
            return "another block would exceed its limit of " + std::to_string(gpu.max_warps * 32) +
                   " threads";
        case OccupancyLimit::blocks: return "it cannot hold more blocks, however small they are";
        case OccupancyLimit::registers:
            return "another block does not fit, because " +
                   (p.registers > 0
                        ? "each thread needs about " + std::to_string(p.registers) + " registers"
                        : std::string("its threads need too many registers"));
        case OccupancyLimit::shared_memory:
            return "another block does not fit, because each block needs too much shared memory";
        case OccupancyLimit::grid: return "the grid has no more blocks";
    }
    return "";
}

/// Returns a sentence such as "A multiprocessor holds 2 blocks of 1024 threads at a time: another
/// block would exceed its limit of 2048 threads."
std::string occupancy_text(const Prediction& p, const Gpu& gpu) {
    if (p.resident_blocks <= 0) return "";
    return "A multiprocessor holds " + resident_blocks_text(p) +
           " at a time: " + occupancy_limit_text(p, gpu) + ".";
}

/// Returns a sentence such as "A warp lives about 2370 cycles: 350 until it starts, 940 waiting for
/// loads, ...".
std::string warp_life_text(const Prediction& p) {
    const double total_cycles = p.warp_life.sum();
    if (!is_nonzero_count(total_cycles)) return "";
    std::string at_barriers = "waiting at barriers";
    if (p.warps_per_block > 1) {
        at_barriers += " for the slowest of " + std::to_string(p.warps_per_block) + " warps";
    }
    const std::pair<double, std::string> state_phrases[] = {
        {p.warp_life.start, "until it starts"},
        {p.warp_life.issue, "executing instructions"},
        {p.warp_life.loads, "waiting for loads"},
        {p.warp_life.shared, "waiting for shared memory"},
        {p.warp_life.barrier, at_barriers},
        {p.warp_life.stores, "waiting until stores are accepted"},
    };
    std::vector<std::string> phrases;
    double other_cycles = total_cycles;
    for (const auto& [state_cycles, phrase] : state_phrases) {
        // Omit waits of less than a twentieth of the warp's life.
        if (!is_nonzero_count(state_cycles) || state_cycles < total_cycles / 20) continue;
        phrases.push_back(number_text(state_cycles) + " " + phrase);
        other_cycles -= state_cycles;
    }
    if (phrases.empty()) return "";
    if (other_cycles >= total_cycles / 20)
        phrases.push_back(number_text(other_cycles) + " for everything else");
    return "A warp lives about " + number_text(total_cycles) + " cycles: " + join_as_list(phrases) +
           ".";
}

/// Returns a sentence about Little's law with its three numbers, two of which the kernel can
/// change.
std::string littles_law_text(const Prediction& p) {
    if (!has_too_few_bytes_in_flight(p) || !is_nonzero_count(p.latency_cycles)) return "";
    const double bytes_per_cycle = p.bytes_in_flight / p.latency_cycles;
    if (!is_nonzero_fraction(bytes_per_cycle)) return "";
    return "A load takes about " + number_text(p.latency_cycles) + " cycles, so " +
           bytes_text(p.bytes_in_flight) + " in flight give a multiprocessor " +
           ratio_text(bytes_per_cycle) + " bytes per cycle.";
}

/// Lists the units that are busy for at least a tenth of the time, except for the unit that the
/// verdict names.
std::string busy_units_text(const Prediction& p) {
    std::vector<std::pair<double, std::string>> busy_units;
    const auto add_unit = [&](double fraction, const std::string& unit_name, bool is_mentioned) {
        if (is_nonzero_fraction(fraction) && fraction >= 0.1 && !is_mentioned)
            busy_units.emplace_back(fraction, unit_name);
    };
    add_unit(p.utilization.memory, "memory", p.bottleneck == Bottleneck::memory);
    add_unit(p.utilization.shared, "shared memory and L1 cache",
             p.bottleneck == Bottleneck::shared);
    add_unit(p.utilization.l2_read, "the load path from the cache",
             p.bottleneck == Bottleneck::cache);
    add_unit(p.utilization.l2_write, "the store path to the cache",
             p.bottleneck == Bottleneck::cache || p.bottleneck == Bottleneck::stores);
    add_unit(p.utilization.issue, "instruction issue", p.bottleneck == Bottleneck::issue);
    std::stable_sort(busy_units.begin(), busy_units.end(),
                     [](const auto& one, const auto& other) { return one.first > other.first; });
    std::vector<std::string> phrases;
    for (const auto& [fraction, unit_name] : busy_units) {
        if (phrases.size() < 3)
            phrases.push_back(unit_name + " " + percent_text(std::min(fraction, 1.0)));
    }
    return phrases.empty() ? "" : "Busy: " + join_as_list(phrases) + " of the time.";
}

std::string useful_traffic_text(const Prediction& p, double useful_bytes) {
    if (!is_nonzero_count(p.memory_bytes) || !is_nonzero_count(useful_bytes)) return "";
    if (p.memory_bytes > kNotableRatio * useful_bytes) {
        return "Memory moves " + traffic_text(p.memory_bytes) + "; " + traffic_text(useful_bytes) +
               " would be enough.";
    }
    if (useful_bytes > kNotableRatio * p.memory_bytes) {
        return "Memory moves " + traffic_text(p.memory_bytes) + " of the " +
               traffic_text(useful_bytes) +
               " that are read and written; the cache serves the rest.";
    }
    return "";
}

/// Returns an upper bound on the factor by which runs of `run` bytes slow memory down: the table's
/// value for the next shorter length.
double max_slowdown(const RunCosts& run_costs, const std::vector<double>& excess_costs,
                    double run_bytes) {
    double slowdown = 0;
    for (std::size_t i = 0; i < std::min(run_costs.bytes.size(), excess_costs.size()); ++i) {
        if (i == 0 || run_costs.bytes[i] <= run_bytes) slowdown = excess_costs[i];
    }
    return slowdown;
}

/// Describes the run lengths in memory, unless memory is so idle that they do not matter.
std::string run_lengths_text(const Prediction& p, const Gpu& gpu) {
    if (p.bottleneck != Bottleneck::memory && !(p.utilization.memory >= kNotableUtilization))
        return "";
    std::vector<std::string> phrases;
    const auto add_direction = [&](const std::string& direction, double run_bytes,
                                   const std::vector<double>& excess_costs) {
        if (!is_short_run(run_bytes)) return;
        phrases.push_back(direction + " in runs of " + bytes_text(run_bytes));
        const double slowdown = max_slowdown(gpu.run_costs, excess_costs, run_bytes);
        if (is_nonzero_fraction(slowdown)) {
            phrases.back() += " (up to " + percent_text(slowdown) + " slower than long runs)";
        }
    };
    add_direction("reads", p.run_bytes_read, gpu.run_costs.extra_read_time);
    add_direction("writes", p.run_bytes_written, gpu.run_costs.extra_write_time);
    return phrases.empty() ? "" : "Memory sees " + join_as_list(phrases) + ".";
}

std::vector<std::string> list_reasons(const Prediction& p, const Gpu& gpu, double useful_bytes) {
    std::vector<std::string> main_reasons{occupancy_text(p, gpu), warp_life_text(p),
                                          is_latency_bound(p) ? littles_law_text(p) : ""};
    std::vector<std::string> other_reasons{useful_traffic_text(p, useful_bytes),
                                           run_lengths_text(p, gpu), busy_units_text(p)};
    if (!is_latency_bound(p)) std::swap(main_reasons, other_reasons);
    main_reasons.insert(main_reasons.end(), other_reasons.begin(), other_reasons.end());
    std::vector<std::string> sentences;
    for (const std::string& sentence : main_reasons) {
        if (!sentence.empty()) sentences.push_back(sentence);
    }
    return sentences;
}

// ---- what could help ----

/// Returns advice on how to fit more resident blocks, which is appended to other advice.
std::string more_blocks_advice(const Prediction& p) {
    switch (p.occupancy_limit) {
        case OccupancyLimit::threads: return "";
        case OccupancyLimit::blocks:
            return " Or make blocks larger, because the number of blocks is the limit.";
        case OccupancyLimit::registers:
            return " Or use fewer registers per thread, so that more blocks fit.";
        case OccupancyLimit::shared_memory:
            return " Or use less shared memory per block, so that more blocks fit.";
        case OccupancyLimit::grid:
            return " Or launch more blocks, because the GPU has room for them.";
    }
    return "";
}

/// A sentence about how to make a kernel faster.
struct Remedy {
    std::string text;
    bool is_advice = true;  ///< false if only moving fewer bytes would make the kernel faster
};

Remedy memory_remedy(const Prediction& p, const Gpu& gpu, double useful_bytes) {
    if (is_nonzero_count(useful_bytes) && p.memory_bytes > kNotableRatio * useful_bytes) {
        return {"Use every byte of each sector that memory moves, and move each sector once."};
    }
    constexpr double near_copy_fraction = 0.93;
    const auto fraction = fraction_of_copy(p, gpu, useful_bytes);
    if (fraction && *fraction >= near_copy_fraction)
        return {.text =
                    "The kernel is nearly as fast as a copy; only moving fewer bytes would make it "
                    "faster.",
                .is_advice = false};
    if (is_short_run(p.run_bytes_read) || is_short_run(p.run_bytes_written)) {
        return {
            "Access longer runs of memory in each block, or in blocks that run at the same time."};
    }
    return {.text = "Only moving fewer bytes would make the kernel faster.", .is_advice = false};
}

/// Returns advice on bank conflicts, or "" if they cost less than a tenth of the time.
std::string conflict_remedy(const Prediction& p) {
    const bool costs_time = is_nonzero_count(p.ms_without_conflicts * 1e6) &&
                            p.ms > kNotableRatio * p.ms_without_conflicts;
    return costs_time ? "Avoid the bank conflicts: without them, the predicted time is about " +
                            time_text(p.ms_without_conflicts) + "."
                      : "";
}

/// Returns advice on a bottleneck other than memory.
std::string advice_on_bottleneck(const Prediction& p) {
    switch (p.bottleneck) {
        case Bottleneck::memory: return "";
        case Bottleneck::flight:
            return "Load several values in each thread before using the first one, or load wider "
                   "values." +
                   more_blocks_advice(p);
        case Bottleneck::barrier:
            return "Load several values in each thread before a barrier, or make blocks smaller, "
                   "so "
                   "that other blocks can load while one waits. In a loop, load the next values "
                   "before the barrier." +
                   more_blocks_advice(p);
        case Bottleneck::shared:
            return "Make each access cheaper: avoid bank conflicts in shared memory, and make "
                   "neighbouring lanes access neighbouring addresses in global memory. Then move "
                   "more bytes with each access.";
        case Bottleneck::cache:
            return "Request fewer sectors from the cache: use every byte of each sector, and "
                   "request each sector once.";
        case Bottleneck::stores:
            return "Make the lanes of a warp write whole sectors of 32 bytes together.";
        case Bottleneck::issue:
            return "Use fewer instructions per element: process several elements in each thread, "
                   "use wider accesses, and compute indices only once.";
        case Bottleneck::blocks: return "Give each block more work, so that fewer blocks start.";
        case Bottleneck::few_blocks:
            return p.rounds < 1 ? "Divide the work among more blocks."
                                : "Divide the work so that the last wave of blocks is full, or use "
                                  "smaller blocks.";
    }
    return "";
}

Remedy choose_remedy(const Prediction& p, const Gpu& gpu, double useful_bytes) {
    if (const std::string cure = conflict_remedy(p); !cure.empty()) return {cure};
    if (p.bottleneck == Bottleneck::memory) return memory_remedy(p, gpu, useful_bytes);
    return {advice_on_bottleneck(p)};
}

// ---- the predicted time and its error band ----

std::string describe_time(const Prediction& p, const Gpu& gpu, double useful_bytes) {
    if (!has_predicted_time(p)) return "no time";
    std::string text = "about " + time_text(p.ms);
    if (const auto fraction = fraction_of_copy(p, gpu, useful_bytes);
        fraction && is_nonzero_fraction(*fraction)) {
        return text + ", " + percent_text(*fraction) + " of a copy";
    }
    if (!is_nonzero_count(p.memory_bytes)) return text;
    const double gbps = p.memory_bytes / (p.ms * 1e6);
    text += "; memory moves " + traffic_text(p.memory_bytes) + " in this time";
    if (is_nonzero_count(gpu.copy_gbps) && is_nonzero_fraction(gbps / gpu.copy_gbps)) {
        text += ", at " + percent_text(gbps / gpu.copy_gbps) + " of a copy's speed";
    }
    return text;
}

std::string unknown_text(const Prediction& p, Unknown unknown) {
    return "The model does not know " + phrase_for(unknown) + ": " +
           (is_nonzero_fraction(p.error_band)
                ? "the prediction may be wrong by more than " + percent_text(p.error_band) + "."
                : "the error is unknown.");
}

}  // namespace

std::string replace_non_ascii(const std::string& name) {
    std::string text = name;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

std::string describe_bottleneck(const Prediction& prediction) {
    switch (prediction.bottleneck) {
        case Bottleneck::memory: return "memory";
        case Bottleneck::flight: return "too few bytes in flight";
        case Bottleneck::barrier: return "waiting at barriers";
        case Bottleneck::shared:
            return prediction.shared_bytes > 0 ? "shared memory" : "the L1 cache";
        case Bottleneck::cache: return "the path to the L2 cache";
        case Bottleneck::stores: return "stores that write partial sectors";
        case Bottleneck::issue: return "instructions";
        case Bottleneck::blocks: return "blocks that start too slowly";
        case Bottleneck::few_blocks: return "too few blocks";
    }
    return "";
}

std::string phrase_for(OccupancyLimit what) {
    switch (what) {
        case OccupancyLimit::threads: return "threads";
        case OccupancyLimit::blocks: return "the number of blocks";
        case OccupancyLimit::registers: return "registers";
        case OccupancyLimit::shared_memory: return "shared memory";
        case OccupancyLimit::grid: return "the grid";
    }
    return "";
}

std::string phrase_for(Unknown unknown) {
    switch (unknown) {
        case Unknown::atomics: return "how long atomics to the same address wait for each other";
        case Unknown::local_memory: return "what local memory costs";
        case Unknown::unlike_blocks:
            return "how many blocks behave differently from the recorded blocks";
        case Unknown::waits: return "how long blocks wait for each other";
        case Unknown::parts:
            return "whether stores to parts of a sector are combined before they reach memory";
        case Unknown::registers:
            return "how many blocks fit, because the register count is an estimate";
        case Unknown::half_lines: return "how long memory takes for runs shorter than a cache line";
        case Unknown::tensor_cores: return "how long matrix products take on tensor cores";
        case Unknown::constants:
            return "how many different constants the lanes of a warp read together";
        case Unknown::first_level:
            return "how much of the data that is read again stays in the L1 cache";
    }
    return "";
}

std::string prediction_label(const Prediction& prediction) {
    std::string text = prediction.is_gpu_measured ? "predicted" : "predicted, unverified";
    text += ", " + (prediction.gpu.empty() ? "a GPU without a name" : prediction.gpu);
    if (!is_nonzero_fraction(prediction.error_band)) return text + ", error unknown";
    return text + ", " +
           (prediction.unknown.empty()
                ? "within " + percent_text(prediction.error_band)
                : "off by " + percent_text(prediction.error_band) + " or more");
}

std::optional<double> fraction_of_copy(const Prediction& prediction, const Gpu& gpu,
                                       double useful_bytes) {
    if (!has_predicted_time(prediction) || !is_nonzero_count(useful_bytes) ||
        !is_nonzero_count(gpu.copy_gbps))
        return {};
    return useful_bytes / (gpu.copy_gbps * 1e6) / prediction.ms;
}

TimeExplanation explain_prediction(const Prediction& prediction, const Gpu& gpu,
                                   double useful_bytes) {
    TimeExplanation explanation{.kernel = replace_non_ascii(prediction.kernel),
                                .time = describe_time(prediction, gpu, useful_bytes),
                                .label = prediction_label(prediction),
                                .verdict = "the model cannot predict a time for this launch",
                                .reasons = {},
                                .unknown = {},
                                .cure = ""};
    if (has_predicted_time(prediction)) {
        explanation.verdict = describe_verdict(prediction, gpu);
        explanation.reasons = list_reasons(prediction, gpu, useful_bytes);
        const Remedy remedy = choose_remedy(prediction, gpu, useful_bytes);
        explanation.cure = remedy.text;
        explanation.cure_is_advice = remedy.is_advice;
    }
    for (const Unknown unknown : prediction.unknown) {
        explanation.unknown.push_back(unknown_text(prediction, unknown));
    }
    return explanation;
}

std::string TimeExplanation::headline() const {
    const std::string beginning = kernel.empty() ? capitalize(time) : kernel + ": " + time;
    return beginning + " (" + label + "). " + capitalize(verdict) + ".";
}

std::string TimeExplanation::text() const {
    std::string text = headline() + "\n", paragraph;
    for (const std::string& sentence : reasons)
        paragraph += (paragraph.empty() ? "" : " ") + sentence;
    for (const std::string& paragraph_or_cure : {paragraph, cure}) {
        if (!paragraph_or_cure.empty()) text += paragraph_or_cure + "\n";
    }
    for (const std::string& sentence : unknown) text += sentence + "\n";
    return text;
}

}  // namespace coalesce::timing
