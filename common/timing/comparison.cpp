#include "timing/comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "timing/facts.h"
#include "timing/figures.h"
#include "timing/words.h"

namespace coalesce::timing {
namespace {

/// The minimum ratio of two predicted times at which the model reliably predicts which launch is
/// faster.
constexpr double kMinTimeRatio = 1.05;

/// A difference between two Predictions, with the sentence that states it for the faster launch.
struct ExplainedDifference {
    /// The ratio of the two values, which is at least 1 and measures how much the difference
    /// explains.
    double explained_ratio = 0;
    std::string text;
};

/// Compares the bytes in flight. Generates text such as "21 KB are in flight instead of 3.4 KB".
ExplainedDifference compare_bytes_in_flight(const Prediction& fast, const Prediction& slow) {
    if (!has_bytes_in_flight(fast) || !has_too_few_bytes_in_flight(slow)) return {};
    std::string text = bytes_text(fast.bytes_in_flight) +
                       " are in flight per multiprocessor instead of " +
                       bytes_text(slow.bytes_in_flight);
    text += ", and " + bytes_text(slow.bytes_needed) + " are needed (Little's law)";
    // More bytes in flight than memory needs bring no benefit.
    const double needed_bytes =
        is_nonzero_count(fast.bytes_needed) ? fast.bytes_needed : slow.bytes_needed;
    return {std::min(fast.bytes_in_flight, needed_bytes) / slow.bytes_in_flight, text};
}

/// A fraction of the time, or of a warp's lifetime, that is lost for one reason.
struct LostFraction {
    double fraction = 0;
    /// Text before the fraction, such as "warps wait at barriers for".
    std::string text_before_fraction;
    /// The text if the faster launch loses nothing, such as "warps do not wait at barriers; before,
    /// they waited for".
    std::string text_without_loss;
    std::string text_after_fraction;  ///< text after the fraction, such as " of their lives"
};

/// Compares lost fractions. The weight of the difference is the ratio of the fractions that are not
/// lost.
ExplainedDifference compare_lost_time(const LostFraction& fast, double slow) {
    if (!is_nonzero_fraction(slow) || !(fast.fraction >= 0) || !(slow - fast.fraction >= 0.05))
        return {};
    const std::string text =
        is_nonzero_fraction(fast.fraction)
            ? fast.text_before_fraction + " " + percent_text(fast.fraction) +
                  fast.text_after_fraction + " instead of " + percent_text(slow)
            : fast.text_without_loss + " " + percent_text(slow) + fast.text_after_fraction;
    return {(1 - fast.fraction) / std::max(1 - slow, 0.01), text};
}

double warp_cycle_fraction(const Prediction& p, double WarpLife::*state_cycles) {
    return is_nonzero_count(p.warp_life.sum()) ? p.warp_life.*state_cycles / p.warp_life.sum() : 0;
}

ExplainedDifference compare_barrier_waits(const Prediction& fast, const Prediction& slow) {
    return compare_lost_time(
        {.fraction = warp_cycle_fraction(fast, &WarpLife::barrier),
         .text_before_fraction = "warps wait at barriers for",
         .text_without_loss = "warps do not wait at barriers; before, they waited for",
         .text_after_fraction = " of their lives"},
        warp_cycle_fraction(slow, &WarpLife::barrier));
}

ExplainedDifference compare_start_waits(const Prediction& fast, const Prediction& slow) {
    return compare_lost_time(
        {.fraction = warp_cycle_fraction(fast, &WarpLife::start),
         .text_before_fraction = "warps wait to start for",
         .text_without_loss = "warps do not wait to start; before, they waited for",
         .text_after_fraction = " of their lives"},
        warp_cycle_fraction(slow, &WarpLife::start));
}

ExplainedDifference compare_time_without_loads(const Prediction& fast, const Prediction& slow) {
    return compare_lost_time(
        {.fraction = fast.fraction_without_loads,
         .text_before_fraction = "nothing is in flight for",
         .text_without_loss = "something is always in flight; before, nothing was in flight for",
         .text_after_fraction = " of the time"},
        slow.fraction_without_loads);
}

/// Returns how full the rounds are: the fraction of all block slots in them that the grid fills. A
/// round is a set of blocks that the GPU runs at the same time. The last round may be incomplete.
double round_fullness(const Prediction& p) {
    return std::isfinite(p.rounds) && p.rounds > 0 ? p.rounds / std::ceil(p.rounds) : 0;
}

ExplainedDifference compare_round_fullness(const Prediction& fast, const Prediction& slow) {
    const double fast_fullness = round_fullness(fast), slow_fullness = round_fullness(slow);
    if (!is_nonzero_fraction(slow_fullness) || !(fast_fullness - slow_fullness >= 0.05)) return {};
    return {fast_fullness / slow_fullness, "the grid fills " + percent_text(fast_fullness) +
                                               " of its waves instead of " +
                                               percent_text(slow_fullness)};
}

/// Compares the numbers of blocks if the slower launch is limited by the rate at which blocks
/// start.
ExplainedDifference compare_block_starts(const Prediction& fast, const Prediction& slow) {
    const double fast_blocks = fast.rounds * fast.resident_blocks;
    const double slow_blocks = slow.rounds * slow.resident_blocks;
    if (slow.bottleneck != Bottleneck::blocks || !is_nonzero_count(fast_blocks) ||
        !is_nonzero_count(slow_blocks))
        return {};
    return {slow_blocks / fast_blocks, "a multiprocessor starts " + number_text(fast_blocks) +
                                           " blocks instead of " + number_text(slow_blocks)};
}

/// Compares a unit that was busy in the slower launch and has less work in the faster launch.
/// Compares busy times instead of fractions, because the launches' total times differ.
ExplainedDifference compare_busy_times(const Prediction& fast, const Prediction& slow,
                                       double UnitUtilization::*unit_member,
                                       const std::string& unit_name) {
    const double fast_busy_ms = fast.utilization.*unit_member * fast.ms,
                 slow_busy_ms = slow.utilization.*unit_member * slow.ms;
    const bool is_slow_unit_busy =
        is_nonzero_fraction(slow.utilization.*unit_member) && slow.utilization.*unit_member >= 0.5;
    if (!is_slow_unit_busy || !is_nonzero_fraction(fast.utilization.*unit_member) ||
        slow_busy_ms < kNotableRatio * fast_busy_ms)
        return {};
    return {slow_busy_ms / fast_busy_ms, unit_name + " is busy for " + time_text(fast_busy_ms) +
                                             " instead of " + time_text(slow_busy_ms)};
}

ExplainedDifference compare_traffic(const Prediction& fast, const Prediction& slow) {
    if (!is_nonzero_count(fast.memory_bytes) || !is_nonzero_count(slow.memory_bytes) ||
        slow.memory_bytes < kNotableRatio * fast.memory_bytes) {
        return {};
    }
    return {slow.memory_bytes / fast.memory_bytes,
            "memory moves " + traffic_text(fast.memory_bytes) + " instead of " +
                traffic_text(slow.memory_bytes)};
}

ExplainedDifference compare_run_lengths(const Prediction& fast, const Prediction& slow,
                                        double Prediction::*run_bytes_member,
                                        const std::string& verb) {
    const double fast_bytes = fast.*run_bytes_member, slow_bytes = slow.*run_bytes_member;
    if (!(slow.utilization.memory >= kNotableUtilization) || !is_short_run(slow_bytes) ||
        !is_nonzero_count(fast_bytes) || fast_bytes < 1.5 * slow_bytes)
        return {};
    // Doubling the length of runs gains about 10 % if memory is the only limit.
    return {1 + 0.1 * std::log2(std::min(fast_bytes, kLongRunBytes) / slow_bytes),
            "memory " + verb + " runs of " + bytes_text(fast_bytes) + " instead of " +
                bytes_text(slow_bytes)};
}

ExplainedDifference compare_resident_warps(const Prediction& fast, const Prediction& slow) {
    const int fast_warps = fast.resident_blocks * fast.warps_per_block;
    const int slow_warps = slow.resident_blocks * slow.warps_per_block;
    if (slow_warps <= 0 || fast_warps * 2 < slow_warps * 3) return {};
    return {static_cast<double>(fast_warps) / slow_warps,
            "a multiprocessor holds " + resident_blocks_text(fast) + " instead of " +
                resident_blocks_text(slow)};
}

/// Returns the differences that matter only if the slower launch waits for memory. In other
/// launches, such differences may be effects rather than causes: for example, few loads are in
/// flight if stores delay the warps.
std::vector<ExplainedDifference> compare_waiting(const Prediction& fast, const Prediction& slow) {
    return {compare_bytes_in_flight(fast, slow),    compare_barrier_waits(fast, slow),
            compare_time_without_loads(fast, slow), compare_start_waits(fast, slow),
            compare_round_fullness(fast, slow),     compare_block_starts(fast, slow),
            compare_resident_warps(fast, slow)};
}

std::vector<ExplainedDifference> compare_work(const Prediction& fast, const Prediction& slow) {
    return {
        compare_busy_times(fast, slow, &UnitUtilization::shared,
                           "the unit of shared memory and L1 cache"),
        compare_busy_times(fast, slow, &UnitUtilization::issue, "instruction issue"),
        compare_busy_times(fast, slow, &UnitUtilization::l2_read, "the load path from the cache"),
        compare_busy_times(fast, slow, &UnitUtilization::l2_write, "the store path to the cache"),
        compare_traffic(fast, slow),
        compare_run_lengths(fast, slow, &Prediction::run_bytes_read, "reads"),
        compare_run_lengths(fast, slow, &Prediction::run_bytes_written, "writes")};
}

/// Returns the two differences that best explain the ratio of the times.
std::vector<std::string> find_main_reasons(const Prediction& fast, const Prediction& slow) {
    std::vector<ExplainedDifference> differences = compare_work(fast, slow);
    if (is_latency_bound(slow)) {
        for (ExplainedDifference& difference : compare_waiting(fast, slow))
            differences.push_back(std::move(difference));
    }
    std::stable_sort(differences.begin(), differences.end(),
                     [](const ExplainedDifference& a, const ExplainedDifference& b) {
                         return a.explained_ratio > b.explained_ratio;
                     });
    std::vector<std::string> reasons;
    for (const ExplainedDifference& difference : differences) {
        if (reasons.size() < 2 && difference.explained_ratio > 1.05)
            reasons.push_back(difference.text);
    }
    return reasons;
}

/// The names of the two launches in a sentence: the names of their kernels, if these differ.
struct KernelNames {
    std::string first = "the first", second = "the second";
};

/// Capitalizes a name at the start of a sentence, unless it is the name of a kernel.
std::string capitalize_article(const std::string& name) {
    return name.substr(0, 4) == "the " ? capitalize(name) : name;
}

KernelNames find_kernel_names(const Prediction& first, const Prediction& second) {
    if (first.kernel.empty() || second.kernel.empty() || first.kernel == second.kernel) return {};
    return {replace_non_ascii(first.kernel), replace_non_ascii(second.kernel)};
}

std::string describe_gpus(const Prediction& first, const Prediction& second) {
    const std::string label = prediction_label(first);
    if (label == prediction_label(second)) return " (" + label + ")";
    const KernelNames names = find_kernel_names(first, second);
    return " (" + names.first + ": " + label + "; " + names.second + ": " +
           prediction_label(second) + ")";
}

/// Names the bottlenecks of two predictions between which no notable difference was found.
std::string explain_bottlenecks(const Prediction& fast, const Prediction& slow) {
    if (fast.bottleneck == slow.bottleneck) {
        return "The predictions do not show why. Both are limited by " + describe_bottleneck(fast) +
               ".";
    }
    return "The faster kernel is limited by " + describe_bottleneck(fast) +
           ", and the slower kernel by " + describe_bottleneck(slow) + ".";
}

/// Returns a sentence that lists what the model does not know about either launch.
std::string describe_common_unknowns(const Prediction& first, const Prediction& second) {
    std::vector<std::string> phrases;
    for (const Prediction* p : {&first, &second}) {
        for (const Unknown unknown : p->unknown) {
            const std::string phrase = phrase_for(unknown);
            if (std::find(phrases.begin(), phrases.end(), phrase) == phrases.end())
                phrases.push_back(phrase);
        }
    }
    return phrases.empty() ? "" : " The model does not know " + join_as_list(phrases) + ".";
}

}  // namespace

std::string compare_predictions(const Prediction& first, const Prediction& second) {
    const KernelNames names = find_kernel_names(first, second);
    if (!has_predicted_time(first) || !has_predicted_time(second)) {
        return capitalize_article(has_predicted_time(first) ? names.second : names.first) +
               " has no predicted time.";
    }
    const bool is_first_faster = first.ms <= second.ms;
    const Prediction &fast = is_first_faster ? first : second,
                     &slow = is_first_faster ? second : first;
    const std::string& faster_name = is_first_faster ? names.first : names.second;
    const std::string& slower_name = is_first_faster ? names.second : names.first;
    const std::string time_sentence = capitalize_article(faster_name) + " takes about " +
                                      time_text(fast.ms) + ", " + slower_name + " " +
                                      time_text(slow.ms);
    if (slow.ms < kMinTimeRatio * fast.ms) {
        return time_sentence + describe_gpus(first, second) +
               ": the model cannot tell which is faster." + describe_common_unknowns(first, second);
    }
    std::string text = time_sentence + ": " + ratio_text(slow.ms / fast.ms) + " times as fast" +
                       describe_gpus(first, second) + ".";
    if (first.gpu != second.gpu) return text + describe_common_unknowns(first, second);
    const std::vector<std::string> reasons = find_main_reasons(fast, slow);
    text += reasons.empty()
                ? " " + explain_bottlenecks(fast, slow)
                : " Why: " + reasons[0] + (reasons.size() > 1 ? "; " + reasons[1] : "") + ".";
    return text + describe_common_unknowns(first, second);
}

}  // namespace coalesce::timing
