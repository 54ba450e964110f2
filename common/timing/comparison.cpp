#include "timing/comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "timing/facts.h"
#include "timing/figures.h"
#include "timing/words.h"

namespace coalesce::timing {
namespace {

/// The smallest ratio of two predicted times at which the model predicts their order reliably.
constexpr double kToldApart = 1.05;

/// A difference between two Predictions, with the sentence about the faster one.
struct Difference {
    double weight = 0;  ///< the ratio of the values, at least 1: how much the difference explains
    std::string text;
};

/// Compares bytes in flight: "21 KB are in flight instead of 3.4 KB".
Difference in_flight(const Prediction& fast, const Prediction& slow) {
    if (!is_on_its_way(fast) || !is_too_little(slow)) return {};
    std::string text = bytes_text(fast.bytes_on_their_way) +
                       " are in flight per multiprocessor instead of " +
                       bytes_text(slow.bytes_on_their_way);
    text += ", and " + bytes_text(slow.bytes_needed) + " are needed (Little's law)";
    // More bytes in flight than memory needs gain nothing.
    const double needed = is_count(fast.bytes_needed) ? fast.bytes_needed : slow.bytes_needed;
    return {std::min(fast.bytes_on_their_way, needed) / slow.bytes_on_their_way, text};
}

/// A fraction of the time, or of a warp's life, that is lost.
struct Lost {
    double part = 0;
    std::string now;   ///< "warps wait at barriers for", before the fraction
    std::string none;  ///< "warps do not wait at barriers; before, they did for"
    std::string of;    ///< " of their lives"
};

/// Compares lost fractions. The weight is the ratio of the fractions that are not lost.
Difference less_lost(const Lost& fast, double slow) {
    if (!is_part(slow) || !(fast.part >= 0) || !(slow - fast.part >= 0.05)) return {};
    const std::string text = is_part(fast.part) ? fast.now + " " + percent_text(fast.part) +
                                                      fast.of + " instead of " + percent_text(slow)
                                                : fast.none + " " + percent_text(slow) + fast.of;
    return {(1 - fast.part) / std::max(1 - slow, 0.01), text};
}

double part_of_life(const Prediction& p, double WarpLife::*cycles) {
    return is_count(p.life.sum()) ? p.life.*cycles / p.life.sum() : 0;
}

Difference at_barriers(const Prediction& fast, const Prediction& slow) {
    return less_lost({.part = part_of_life(fast, &WarpLife::barrier),
                      .now = "warps wait at barriers for",
                      .none = "warps do not wait at barriers; before, they did for",
                      .of = " of their lives"},
                     part_of_life(slow, &WarpLife::barrier));
}

Difference starting(const Prediction& fast, const Prediction& slow) {
    return less_lost({.part = part_of_life(fast, &WarpLife::start),
                      .now = "warps wait for their start for",
                      .none = "warps do not wait for their start; before, they did for",
                      .of = " of their lives"},
                     part_of_life(slow, &WarpLife::start));
}

Difference nothing_under_way(const Prediction& fast, const Prediction& slow) {
    return less_lost({.part = fast.nothing_on_its_way,
                      .now = "nothing is in flight for",
                      .none = "something is always in flight; before, nothing was for",
                      .of = " of the time"},
                     slow.nothing_on_its_way);
}

/// Returns the fraction of the launch's rounds that the grid's blocks fill.
double fullness(const Prediction& p) {
    return std::isfinite(p.rounds) && p.rounds > 0 ? p.rounds / std::ceil(p.rounds) : 0;
}

Difference fuller_rounds(const Prediction& fast, const Prediction& slow) {
    const double has = fullness(fast), had = fullness(slow);
    if (!is_part(had) || !(has - had >= 0.05)) return {};
    return {has / had, "blocks fill " + percent_text(has) + " of their rounds instead of " +
                           percent_text(had)};
}

/// Compares the number of blocks, if the slower launch is limited by starting them.
Difference fewer_starts(const Prediction& fast, const Prediction& slow) {
    const double has = fast.rounds * fast.resident_blocks;
    const double had = slow.rounds * slow.resident_blocks;
    if (slow.binds != Binds::blocks || !is_count(has) || !is_count(had)) return {};
    return {had / has, "a multiprocessor starts " + number_text(has) + " blocks instead of " +
                           number_text(had)};
}

/// Compares a unit that was busy in the slower launch and has less work in the faster one. The
/// comparison uses busy times, because the fractions refer to different total times.
Difference less_work(const Prediction& fast, const Prediction& slow, double Busy::*what,
                     const std::string& name) {
    const double has = fast.busy.*what * fast.ms, had = slow.busy.*what * slow.ms;
    const bool is_much = is_part(slow.busy.*what) && slow.busy.*what >= 0.5;
    if (!is_much || !is_part(fast.busy.*what) || had < kNotablyMore * has) return {};
    return {had / has, name + " is busy " + time_text(has) + " instead of " + time_text(had)};
}

Difference traffic(const Prediction& fast, const Prediction& slow) {
    if (!is_count(fast.memory_bytes) || !is_count(slow.memory_bytes) ||
        slow.memory_bytes < kNotablyMore * fast.memory_bytes) {
        return {};
    }
    return {slow.memory_bytes / fast.memory_bytes,
            "memory moves " + traffic_text(fast.memory_bytes) + " instead of " +
                traffic_text(slow.memory_bytes)};
}

Difference runs(const Prediction& fast_one, const Prediction& slow_one, double Prediction::*bytes,
                const std::string& what) {
    const double fast = fast_one.*bytes, slow = slow_one.*bytes;
    if (!(slow_one.busy.memory >= kBusy) || !is_short(slow) || !is_count(fast) || fast < 1.5 * slow)
        return {};
    // Doubling the length of runs gains about 10 % if memory is the only limit.
    return {1 + 0.1 * std::log2(std::min(fast, kLongRun) / slow),
            "memory " + what + " runs of " + bytes_text(fast) + " instead of " + bytes_text(slow)};
}

Difference more_warps(const Prediction& fast, const Prediction& slow) {
    const int has = fast.resident_blocks * fast.warps_of_block;
    const int had = slow.resident_blocks * slow.warps_of_block;
    if (had <= 0 || has * 2 < had * 3) return {};
    return {static_cast<double>(has) / had,
            "a multiprocessor holds " + blocks_text(fast) + " instead of " + blocks_text(slow)};
}

/// Returns differences that matter only if the slower launch waits. In other launches they are not
/// a cause: if stores delay the warps, for example, few loads are in flight.
std::vector<Difference> of_waiting(const Prediction& fast, const Prediction& slow) {
    return {in_flight(fast, slow), at_barriers(fast, slow),   nothing_under_way(fast, slow),
            starting(fast, slow),  fuller_rounds(fast, slow), fewer_starts(fast, slow),
            more_warps(fast, slow)};
}

std::vector<Difference> of_work(const Prediction& fast, const Prediction& slow) {
    return {less_work(fast, slow, &Busy::shared, "the unit of shared memory and first-level cache"),
            less_work(fast, slow, &Busy::issue, "issue"),
            less_work(fast, slow, &Busy::l2_read, "the path of loads from the cache"),
            less_work(fast, slow, &Busy::l2_write, "the path of stores to the cache"),
            traffic(fast, slow),
            runs(fast, slow, &Prediction::run_bytes_read, "reads"),
            runs(fast, slow, &Prediction::run_bytes_written, "writes")};
}

/// Returns the two differences that explain the most.
std::vector<std::string> reasons(const Prediction& fast, const Prediction& slow) {
    std::vector<Difference> all = of_work(fast, slow);
    if (waits(slow)) {
        for (Difference& one : of_waiting(fast, slow)) all.push_back(std::move(one));
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

/// The names of the two launches in a sentence: their kernels, if those differ.
struct Names {
    std::string one = "the first", other = "the second";
};

/// Capitalizes a name at the start of a sentence, except a kernel's.
std::string at_start(const std::string& name) {
    return name.substr(0, 4) == "the " ? capital(name) : name;
}

Names names_of(const Prediction& one, const Prediction& other) {
    if (one.kernel.empty() || other.kernel.empty() || one.kernel == other.kernel) return {};
    return {printable(one.kernel), printable(other.kernel)};
}

std::string labels_of(const Prediction& one, const Prediction& other) {
    const std::string label = label_of(one);
    if (label == label_of(other)) return " (" + label + ")";
    const Names names = names_of(one, other);
    return " (" + names.one + ": " + label + "; " + names.other + ": " + label_of(other) + ")";
}

/// Explains two predictions without a notable difference.
std::string what_binds(const Prediction& fast, const Prediction& slow) {
    if (fast.binds == slow.binds) {
        return "The predictions do not show why. Both are limited by " + limit_of(fast) + ".";
    }
    return "The faster one is limited by " + limit_of(fast) + ", the slower one by " +
           limit_of(slow) + ".";
}

/// Returns a sentence about what the model does not know about either launch.
std::string unknown_of_both(const Prediction& one, const Prediction& other) {
    std::vector<std::string> said;
    for (const Prediction* p : {&one, &other}) {
        for (const Unknown unknown : p->unknown) {
            const std::string words = words_for(unknown);
            if (std::find(said.begin(), said.end(), words) == said.end()) said.push_back(words);
        }
    }
    return said.empty() ? "" : " The model does not know " + listed(said) + ".";
}

}  // namespace

std::string compared(const Prediction& one, const Prediction& other) {
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
    if (slow.ms < kToldApart * fast.ms) {
        return times + labels_of(one, other) + ": the model cannot tell which is faster." +
               unknown_of_both(one, other);
    }
    std::string text = times + ": " + times_text(slow.ms / fast.ms) + " times as fast" +
                       labels_of(one, other) + ".";
    if (one.gpu != other.gpu) return text + unknown_of_both(one, other);
    const std::vector<std::string> why = reasons(fast, slow);
    text += why.empty() ? " " + what_binds(fast, slow)
                        : " Why: " + why[0] + (why.size() > 1 ? "; " + why[1] : "") + ".";
    return text + unknown_of_both(one, other);
}

}  // namespace coalesce::timing
