#include <algorithm>
#include <set>

#include "examiner/elements/element_rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using Indices = std::vector<std::int64_t>;

std::string numbered(const char* one, std::int64_t first, std::int64_t last) {
    if (first == last) return std::string(one) + " " + std::to_string(first);
    return std::string(one) + "s " + std::to_string(first) + " to " + std::to_string(last);
}

/// Returns the distance between neighbouring indices if there are at least three indices and all
/// distances are equal. Otherwise returns 0.
std::int64_t common_step(const Indices& indices) {
    if (indices.size() < 3) return 0;
    const std::int64_t step = indices[1] - indices[0];
    for (std::size_t i = 2; i < indices.size(); ++i) {
        if (indices[i] - indices[i - 1] != step) return 0;
    }
    return step;
}

bool is_run(const Indices& indices) {
    return indices.back() - indices.front() + 1 == static_cast<std::int64_t>(indices.size());
}

/// Describes the bad indices among `count` indices, for example as "the last 13 of 1000 elements".
/// `one` is the word for what an index refers to ("element"). Returns "" if the indices have no
/// simple pattern.
std::string describe_indices(const Indices& bad, std::int64_t count, const char* one) {
    const auto all = static_cast<std::int64_t>(bad.size());
    if (all == count) return "";
    const std::string of = " of " + format_count(count, one);
    if (all == 1) return std::string("only ") + one + " " + std::to_string(bad.front());
    if (is_run(bad)) {
        if (bad.front() == 0) return "the first " + std::to_string(all) + of;
        if (bad.back() == count - 1) return "the last " + std::to_string(all) + of;
        return numbered(one, bad.front(), bad.back());
    }
    if (const std::int64_t step = common_step(bad); step > 1) {
        return "every " + ordinal(static_cast<std::uint64_t>(step)) + " " + one + ", from index " +
               std::to_string(bad.front()) + " on";
    }
    // Check whether every n-th element is good and all others are bad.
    Indices good;
    for (std::int64_t i = 0, k = 0; i < count; ++i) {
        if (k < all && bad[static_cast<std::size_t>(k)] == i) {
            ++k;
        } else {
            good.push_back(i);
        }
    }
    if (good.size() == 1) {
        return std::string("all but ") + one + " " + std::to_string(good.front());
    }
    if (const std::int64_t step = common_step(good); step > 1) {
        return "all but every " + ordinal(static_cast<std::uint64_t>(step)) + " " + one +
               ", from index " + std::to_string(good.front()) + " on";
    }
    return "";
}

/// Describes the positions of the bad elements within a block, if they are the same in every block.
/// Otherwise returns "".
std::string describe_place_in_blocks(const Indices& bad, std::int64_t count, std::int64_t threads) {
    if (threads <= 1 || count <= 2 * threads) return "";
    std::set<std::int64_t> places;
    for (const std::int64_t index : bad) places.insert(index % threads);
    const auto blocks = static_cast<std::size_t>(count / threads);
    const bool is_in_most = bad.size() + places.size() >= places.size() * blocks;
    if (static_cast<std::int64_t>(places.size()) > threads / 2 || !is_in_most) return "";
    const std::string where = describe_indices({places.begin(), places.end()}, threads, "position");
    return where.empty() ? "" : where + " in each run of " + std::to_string(threads);
}

/// Describes which rows, or else which columns, contain the bad elements. Returns "" if neither has
/// a pattern.
std::string describe_lines(const OutputComparison& output, const Indices& bad) {
    const std::int64_t cols = output.extents.back();
    const std::int64_t rows = output.count() / cols;
    if (rows == 1 || cols == 1) return "";
    std::set<std::int64_t> bad_rows, bad_cols;
    for (const std::int64_t index : bad) {
        bad_rows.insert(index / cols);
        bad_cols.insert(index % cols);
    }
    const auto count = [](const std::set<std::int64_t>& set) {
        return static_cast<std::int64_t>(set.size());
    };
    if (count(bad_rows) < rows) {
        const std::string which = describe_indices({bad_rows.begin(), bad_rows.end()}, rows, "row");
        if (!which.empty()) return which;
    }
    if (count(bad_cols) < cols) {
        return describe_indices({bad_cols.begin(), bad_cols.end()}, cols, "column");
    }
    return "";
}

}  // namespace

std::string describe_bad_elements(const OutputComparison& output, const LaunchShape& launch) {
    const Indices bad = output.bad_elements();
    const std::string bad_count = format_count(output.bad(), "element");
    const std::string counts = bad_count + " of " + std::to_string(output.count());
    if (output.bad() == output.count()) {
        return output.count() == 1 ? "its only element" : "all " + bad_count;
    }
    std::string pattern;
    if (output.extents.size() > 1) pattern = describe_lines(output, bad);
    if (pattern.empty()) pattern = describe_indices(bad, output.count(), "element");
    if (pattern.empty()) pattern = describe_place_in_blocks(bad, output.count(), launch.threads());
    if (pattern.empty()) return counts;
    return pattern.starts_with("only element") ? pattern : pattern + " (" + counts + ")";
}

std::int64_t start_of_bad_tail(const OutputComparison& output) {
    const Indices bad = output.bad_elements();
    const bool is_tail =
        !bad.empty() && is_run(bad) && bad.back() == output.count() - 1 && bad.front() > 0;
    return is_tail ? bad.front() : -1;
}

std::optional<CellMap> map_of(const OutputComparison& output) {
    if (output.extents.size() != 2) return std::nullopt;
    CellMap map(output.extents[0], output.extents[1]);
    for (std::int64_t i = 0; i < output.count(); ++i) {
        map.note({i / output.extents[1], i % output.extents[1]},
                 output.states[static_cast<std::size_t>(i)]);
    }
    return map;
}

}  // namespace coalesce
