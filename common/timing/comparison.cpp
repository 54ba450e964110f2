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
struct Difference {
    /// The ratio of the two values, which is at least 1 and measures how much the difference
    /// explains.
    double weight = 0;
    std::string text;
};

/// Compares the bytes in flight. Generates text such as "21 KB are in flight instead of 3.4 KB".
Difference compare_bytes_in_flight(const Prediction& fast, const Prediction& slow) {
    if (!has_bytes_in_flight(fast) || !has_too_few_bytes_in_flight(slow)) return {};
    std::string text = bytes_text(fast.bytes_in_flight) +
                       " are in flight per multiprocessor instead of " +
                       bytes_text(slow.bytes_in_flight);
    text += ", and " + bytes_text(slow.bytes_needed) + " are needed (Little's law)";
    // More bytes in flight than memory needs bring no benefit.
    const double needed =
        is_nonzero_count(fast.bytes_needed) ? fast.bytes_needed : slow.bytes_needed;
    return {std::min(fast.bytes_in_flight, needed) / slow.bytes_in_flight, text};
}

/// A fraction of the time, or of a warp's lifetime, that is lost for one reason.
struct LostFraction {
    double fraction = 0;
    std::string text_before;  ///< text before the fraction, such as "warps wait at barriers for"
    /// The text if the faster launch loses nothing, such as "warps do not wait at barriers; before,
    /// they waited for".
    std::string text_if_none;
    std::string text_after;  ///< text after the fraction, such as " of their lives"
};

/// Compares lost fractions. The weight of the difference is the ratio of the fractions that are not
/// lost.
Difference compare_lost_time(const LostFraction& fast, double slow) {
    if (!is_nonzero_fraction(slow) || !(fast.fraction >= 0) || !(slow - fast.fraction >= 0.05))
        return {};
    const std::string text = is_nonzero_fraction(fast.fraction)
                                 ? fast.text_before + " " + percent_text(fast.fraction) +
                                       fast.text_after + " instead of " + percent_text(slow)
                                 : fast.text_if_none + " " + percent_text(slow) + fast.text_after;
    return {(1 - fast.fraction) / std::max(1 - slow, 0.01), text};
}

double life_fraction(const Prediction& p, double WarpLife::*cycles) {
    return is_nonzero_count(p.life.sum()) ? p.life.*cycles / p.life.sum() : 0;
}

Difference compare_barrier_waits(const Prediction& fast, const Prediction& slow) {
    return compare_lost_time(
        {.fraction = life_fraction(fast, &WarpLife::barrier),
         .text_before = "warps wait at barriers for",
         .text_if_none = "warps do not wait at barriers; before, they waited for",
         .text_after = " of their lives"},
        life_fraction(slow, &WarpLife::barrier));
}

Difference compare_start_waits(const Prediction& fast, const Prediction& slow) {
    return compare_lost_time({.fraction = life_fraction(fast, &WarpLife::start),
                              .text_before = "warps wait to start for",
                              .text_if_none = "warps do not wait to start; before, they waited for",
                              .text_after = " of their lives"},
                             life_fraction(slow, &WarpLife::start));
}

Difference compare_time_without_loads(const Prediction& fast, const Prediction& slow) {
    return compare_lost_time(
        {.fraction = fast.fraction_without_loads,
         .text_before = "nothing is in flight for",
         .text_if_none = "something is always in flight; before, nothing was in flight for",
         .text_after = " of the time"},
        slow.fraction_without_loads);
}

/// Returns how full the rounds are: the fraction of all block slots in them that the grid fills. A
/// round is a set of blocks that the GPU runs at the same time. The last round may be incomplete.
double round_fullness(const Prediction& p) {
    return std::isfinite(p.rounds) && p.rounds > 0 ? p.rounds / std::ceil(p.rounds) : 0;
}

Difference compare_round_fullness(const Prediction& fast, const Prediction& slow) {
    const double has = round_fullness(fast), had = round_fullness(slow);
    if (!is_nonzero_fraction(had) || !(has - had >= 0.05)) return {};
    return {has / had, "the grid fills " + percent_text(has) + " of its waves instead of " +
                           percent_text(had)};
}

/// Compares the numbers of blocks if the slower launch is limited by the rate at which blocks
/// start.
Difference compare_block_starts(const Prediction& fast, const Prediction& slow) {
    const double has = fast.rounds * fast.resident_blocks;
    const double had = slow.rounds * slow.resident_blocks;
    if (slow.bottleneck != Bottleneck::blocks || !is_nonzero_count(has) || !is_nonzero_count(had))
        return {};
    return {had / has, "a multiprocessor starts " + number_text(has) + " blocks instead of " +
                           number_text(had)};
}

/// Compares a unit that was busy in the slower launch and has less work in the faster launch.
/// Compares busy times instead of fractions, because the launches' total times differ.
Difference compare_busy_times(const Prediction& fast, const Prediction& slow, double Busy::*what,
                              const std::string& name) {
    const double has = fast.busy.*what * fast.ms, had = slow.busy.*what * slow.ms;
    const bool is_much = is_nonzero_fraction(slow.busy.*what) && slow.busy.*what >= 0.5;
    if (!is_much || !is_nonzero_fraction(fast.busy.*what) || had < kNotableRatio * has) return {};
    return {had / has, name + " is busy for " + time_text(has) + " instead of " + time_text(had)};
}

Difference compare_traffic(const Prediction& fast, const Prediction& slow) {
    if (!is_nonzero_count(fast.memory_bytes) || !is_nonzero_count(slow.memory_bytes) ||
        slow.memory_bytes < kNotableRatio * fast.memory_bytes) {
        return {};
    }
    return {slow.memory_bytes / fast.memory_bytes,
            "memory moves " + traffic_text(fast.memory_bytes) + " instead of " +
                traffic_text(slow.memory_bytes)};
}

Difference compare_run_lengths(const Prediction& fast_one, const Prediction& slow_one,
                               double Prediction::*bytes, const std::string& what) {
    const double fast = fast_one.*bytes, slow = slow_one.*bytes;
    if (!(slow_one.busy.memory >= kNotableUtilization) || !is_short_run(slow) ||
        !is_nonzero_count(fast) || fast < 1.5 * slow)
        return {};
    // Doubling the length of runs gains about 10 % if memory is the only limit.
    return {1 + 0.1 * std::log2(std::min(fast, kLongRunBytes) / slow),
            "memory " + what + " runs of " + bytes_text(fast) + " instead of " + bytes_text(slow)};
}

Difference compare_resident_warps(const Prediction& fast, const Prediction& slow) {
    const int has = fast.resident_blocks * fast.warps_per_block;
    const int had = slow.resident_blocks * slow.warps_per_block;
    if (had <= 0 || has * 2 < had * 3) return {};
    return {static_cast<double>(has) / had,
            "a multiprocessor holds " + blocks_text(fast) + " instead of " + blocks_text(slow)};
}

/// Returns the differences that matter only if the slower launch waits for memory. In other
/// launches, such differences may be effects rather than causes: for example, few loads are in
/// flight if stores delay the warps.
std::vector<Difference> compare_waiting(const Prediction& fast, const Prediction& slow) {
    return {compare_bytes_in_flight(fast, slow),    compare_barrier_waits(fast, slow),
            compare_time_without_loads(fast, slow), compare_start_waits(fast, slow),
            compare_round_fullness(fast, slow),     compare_block_starts(fast, slow),
            compare_resident_warps(fast, slow)};
}

std::vector<Difference> compare_work(const Prediction& fast, const Prediction& slow) {
    return {compare_busy_times(fast, slow, &Busy::shared, "the unit of shared memory and L1 cache"),
            compare_busy_times(fast, slow, &Busy::issue, "instruction issue"),
            compare_busy_times(fast, slow, &Busy::l2_read, "the load path from the cache"),
            compare_busy_times(fast, slow, &Busy::l2_write, "the store path to the cache"),
            compare_traffic(fast, slow),
            compare_run_lengths(fast, slow, &Prediction::run_bytes_read, "reads"),
            compare_run_lengths(fast, slow, &Prediction::run_bytes_written, "writes")};
}

/// Returns the two differences that best explain the ratio of the times.
std::vector<std::string> find_main_reasons(const Prediction& fast, const Prediction& slow) {
    std::vector<Difference> all = compare_work(fast, slow);
    if (is_latency_bound(slow)) {
        for (Difference& one : compare_waiting(fast, slow)) all.push_back(std::move(one));
    }
    std::stable_sort(all.begin(), all.end(), [](const Difference& one, const Difference& other) {
        return one.weight > other.weight;
    });
    std::vector<std::string> said;
    for (const Difference& one : all) {
        if (said.size() < 2 && one.weight > 1.05) said.push_back(one.text);
    }
    return said;
}

/// The names of the two launches in a sentence: the names of their kernels, if these differ.
struct Names {
    std::string one = "the first", other = "the second";
};

/// Capitalizes a name at the start of a sentence, unless it is the name of a kernel.
std::string at_start(const std::string& name) {
    return name.substr(0, 4) == "the " ? capitalize(name) : name;
}

Names names_of(const Prediction& one, const Prediction& other) {
    if (one.kernel.empty() || other.kernel.empty() || one.kernel == other.kernel) return {};
    return {replace_non_ascii(one.kernel), replace_non_ascii(other.kernel)};
}

std::string describe_gpus(const Prediction& one, const Prediction& other) {
    const std::string label = prediction_label(one);
    if (label == prediction_label(other)) return " (" + label + ")";
    const Names names = names_of(one, other);
    return " (" + names.one + ": " + label + "; " + names.other + ": " + prediction_label(other) +
           ")";
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
std::string describe_common_unknowns(const Prediction& one, const Prediction& other) {
    std::vector<std::string> said;
    for (const Prediction* p : {&one, &other}) {
        for (const Unknown unknown : p->unknown) {
            const std::string words = phrase_for(unknown);
            if (std::find(said.begin(), said.end(), words) == said.end()) said.push_back(words);
        }
    }
    return said.empty() ? "" : " The model does not know " + join_as_list(said) + ".";
}

}  // namespace

std::string compare_predictions(const Prediction& one, const Prediction& other) {
    const Names names = names_of(one, other);
    if (!has_time(one) || !has_time(other)) {
        return at_start(has_time(one) ? names.other : names.one) + " has no predicted time.";
    }
    const bool is_first = one.ms <= other.ms;
    const Prediction &fast = is_first ? one : other, &slow = is_first ? other : one;
    const std::string& faster = is_first ? names.one : names.other;
    const std::string& slower = is_first ? names.other : names.one;
    const std::string times = at_start(faster) + " takes about " + time_text(fast.ms) + ", " +
                              slower + " " + time_text(slow.ms);
    if (slow.ms < kMinTimeRatio * fast.ms) {
        return times + describe_gpus(one, other) + ": the model cannot tell which is faster." +
               describe_common_unknowns(one, other);
    }
    std::string text = times + ": " + times_text(slow.ms / fast.ms) + " times as fast" +
                       describe_gpus(one, other) + ".";
    if (one.gpu != other.gpu) return text + describe_common_unknowns(one, other);
    const std::vector<std::string> why = find_main_reasons(fast, slow);
    text += why.empty() ? " " + explain_bottlenecks(fast, slow)
                        : " Why: " + why[0] + (why.size() > 1 ? "; " + why[1] : "") + ".";
    return text + describe_common_unknowns(one, other);
}

}  // namespace coalesce::timing
