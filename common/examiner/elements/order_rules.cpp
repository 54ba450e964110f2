#include <algorithm>
#include <functional>
#include <map>

#include "examiner/elements/value_rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The fewest elements at which an order is not a coincidence.
constexpr std::int64_t kFewestOrdered = 16;

using Numbers = std::vector<double>;

Numbers numbers_of(const WrongOutput& seen, bool is_actual) {
    Numbers all;
    for (std::int64_t i = 0; i < seen.count(); ++i) {
        all.push_back(is_actual ? seen.actual_number(i) : seen.expected_number(i));
    }
    return all;
}

/// Reports whether the output should be an array of scalars in ascending order.
bool should_be_sorted(const WrongOutput& seen) {
    if (seen.output().type.components > 1 || seen.output().extents.size() != 1) return false;
    const Numbers wanted = numbers_of(seen, false);
    return wanted.size() >= 3 && std::is_sorted(wanted.begin(), wanted.end()) &&
           wanted.front() < wanted.back();
}

std::string format_number(double number) {
    return format("%.9g", number);
}

/// Returns the length of the longest sequences, a power of two, into which the output is sorted:
/// each is in ascending or in descending order. Returns 0 if no sequences are sorted.
std::size_t find_sorted_sequences(const Numbers& has) {
    const auto is_monotone = [&](std::size_t begin, std::size_t end) {
        const auto first = has.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = has.begin() + static_cast<std::ptrdiff_t>(end);
        return std::is_sorted(first, last) || std::is_sorted(first, last, std::greater<>());
    };
    std::size_t longest = 0;
    for (std::size_t length = 4; length < has.size(); length *= 2) {
        for (std::size_t begin = 0; begin < has.size(); begin += length) {
            if (!is_monotone(begin, std::min(begin + length, has.size()))) return longest;
        }
        longest = length;
    }
    return longest;
}

/// The two nested loops of a sorting network: over the sizes of the sequences, and over the
/// distances between partners.
struct NetworkLoops {
    Loop sizes, distances;
};

std::optional<NetworkLoops> find_network_loops(const std::string& text) {
    const std::vector<Loop> loops = find_loops(text);
    for (const Loop& inner : loops) {
        for (const Loop& outer : loops) {
            const bool is_inside = outer.first_line < inner.first_line &&
                                   inner.last_line <= outer.last_line && !inner.counter.empty() &&
                                   !outer.counter.empty() && inner.counter != outer.counter;
            const std::string head = code_on_line(text, inner.first_line);
            if (is_inside && contains_word(head, outer.counter)) return NetworkLoops{outer, inner};
        }
    }
    return std::nullopt;
}

/// Finds sorting networks in which the direction does not depend on the size of the sequences.
/// Such a network exchanges the pairs of a distance, `t ^ distance`.
void explain_direction(Failure& failure, const WrongOutput& seen) {
    const auto loops = find_network_loops(seen.source());
    if (!loops) return;
    const std::string &size = loops->sizes.counter, &distance = loops->distances.counter;
    static const TextPattern grows(R"(\*=\s*2|<<=\s*1|=\s*\w+\s*(\*\s*2|<<\s*1))");
    if (contains(code_on_line(seen.source(), loops->distances.first_line), grows)) {
        failure.place.line = loops->distances.first_line;
        failure.next = "The distance `" + distance +
                       "` grows here. A bitonic merge begins with half of `" + size +
                       "`, and halves the distance in each step until it is 1.";
        return;
    }
    const TextPattern partner(R"(\^\s*)" + distance + "\\b"), tested("&\\s*" + distance + "\\b");
    bool has_partner = false;
    int line_of_test = 0;
    for (int line = loops->distances.first_line; line <= loops->distances.last_line; ++line) {
        const std::string code = code_on_line(seen.source(), line);
        if (line > loops->distances.first_line && contains_word(code, size)) return;
        has_partner |= contains(code, partner);
        if (line_of_test == 0 && contains(code, tested)) line_of_test = line;
    }
    if (!has_partner) return;
    failure.place.line = line_of_test > 0 ? line_of_test : loops->distances.first_line;
    failure.next = "No comparison in the loop depends on `" + size +
                   "`. In a bitonic network, the direction of a pair depends on `" + size +
                   "`, the length of the sequence, and not on `" + distance + "`: (t & " + size +
                   ") == 0 means ascending.";
}

/// Explains an output that has all numbers, but in the wrong order.
Failure explain_order(const WrongOutput& seen, const Numbers& has) {
    const std::string& name = seen.output().name;
    if (std::is_sorted(has.begin(), has.end(), std::greater<>())) {
        return seen.make(FailureKind::wrong_elements,
                         "`" + name + "` is in descending order, but should be ascending.",
                         "Reverse the comparison that decides whether two elements are exchanged.");
    }
    const std::size_t length = find_sorted_sequences(has);
    if (length > 0 && has.size() >= 2 * length) {
        const std::string number = std::to_string(length);
        Failure failure =
            seen.make(FailureKind::wrong_elements,
                      "`" + name + "` consists of sorted sequences of " + number +
                          " elements, which are not merged.",
                      "Does the outer loop reach the last length? Its last step must merge two "
                      "halves into a sequence of at least " +
                          format_count(seen.count(), "element") + ".");
        if (const auto loops = find_network_loops(seen.source())) {
            failure.place.line = loops->sizes.first_line;
        }
        return failure;
    }
    Failure failure = seen.make(
        FailureKind::wrong_elements,
        "`" + name + "` has the right numbers, but in the wrong order.",
        "No number is lost, so look at the comparisons: which pair is never compared, or compared "
        "in the wrong direction?");
    explain_direction(failure, seen);
    return failure;
}

/// Explains an output in which some numbers occur too often, and others are missing.
std::optional<Failure> explain_lost_number(const WrongOutput& seen, const Numbers& has,
                                           const Numbers& wanted) {
    std::map<double, std::int64_t> excess;
    for (const double number : has) ++excess[number];
    for (const double number : wanted) {
        const auto at = excess.find(number);
        if (at != excess.end()) --at->second;
    }
    const auto is_of_inputs = [&](const auto& one) {
        return std::ranges::count(wanted, one.first) > 0;
    };
    const auto most = std::ranges::max_element(excess, {}, [](auto& one) { return one.second; });
    const auto missing =
        std::ranges::find_if(wanted, [&](double number) { return !excess.contains(number); });
    if (most->second < 1 || missing == wanted.end() || !std::ranges::all_of(excess, is_of_inputs)) {
        return std::nullopt;
    }
    const auto times = [](std::int64_t count) {
        return count == 1 ? std::string("once") : std::to_string(count) + " times";
    };
    return seen.make(
        FailureKind::wrong_elements,
        "`" + seen.output().name + "` loses numbers: " + format_number(*missing) +
            " is missing, and " + format_number(most->first) + " occurs " +
            times(std::ranges::count(has, most->first)) + " instead of " +
            times(std::ranges::count(wanted, most->first)) + ".",
        "Is a number overwritten before it is saved, or do two threads store to the same place?");
}

}  // namespace

std::optional<Failure> find_equal_places(const WrongOutput& seen) {
    const OutputComparison& output = seen.output();
    if (!seen.wrong().empty() || !should_be_sorted(seen)) return std::nullopt;
    const Numbers wanted = numbers_of(seen, false);
    // The number of threads for a place is the number of equal elements, so either the first place
    // of each group is right or the last one is.
    Indices after_first, before_last;
    for (std::size_t i = 0; i + 1 < wanted.size(); ++i) {
        if (wanted[i] != wanted[i + 1]) continue;
        before_last.push_back(static_cast<std::int64_t>(i));
        after_first.push_back(static_cast<std::int64_t>(i) + 1);
    }
    const Indices bad = output.bad_elements();
    const bool is_after = bad == after_first;
    if (bad.empty() || (!is_after && bad != before_last)) return std::nullopt;
    const std::int64_t other = bad[0] + (is_after ? -1 : 1);
    return seen.make(Fault::never_written,
                     "equal numbers get the same place: " + output.name_of(bad[0]) + " and " +
                         output.name_of(other) + " should both be " +
                         output.value_of(output.expected, other) +
                         ", but only the second of the two is.",
                     "Among equal numbers, let the one with the smaller index come first: its "
                     "place also counts the equal numbers before it.");
}

std::optional<Failure> find_wrong_order(const WrongOutput& seen) {
    if (seen.count() < kFewestOrdered || !should_be_sorted(seen)) return std::nullopt;
    const Numbers has = numbers_of(seen, true), wanted = numbers_of(seen, false);
    Numbers sorted = has;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == wanted && has != wanted) return explain_order(seen, has);
    return seen.wrong().empty() ? std::nullopt : explain_lost_number(seen, has, wanted);
}

}  // namespace coalesce
