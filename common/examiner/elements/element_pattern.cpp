#include <algorithm>
#include <set>

#include "examiner/elements/element_rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using Indices = std::vector<std::int64_t>;

std::string format_range(const char* noun, std::int64_t first, std::int64_t last) {
    if (first == last) return std::string(noun) + " " + std::to_string(first);
    return std::string(noun) + "s " + std::to_string(first) + " to " + std::to_string(last);
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

bool is_contiguous(const Indices& indices) {
    return indices.back() - indices.front() + 1 == static_cast<std::int64_t>(indices.size());
}

/// Describes the bad indices among `count` indices, for example as "the last 13 of 1000 elements".
/// `noun` is the word for what an index refers to ("element"). Returns "" if the indices have no
/// simple pattern.
std::string describe_indices(const Indices& bad_indices, std::int64_t count, const char* noun) {
    const auto index_count = static_cast<std::int64_t>(bad_indices.size());
    if (index_count == count) return "";
    const std::string of_count = " of " + format_count(count, noun);
    if (index_count == 1)
        return std::string("only ") + noun + " " + std::to_string(bad_indices.front());
    if (is_contiguous(bad_indices)) {
        if (bad_indices.front() == 0) return "the first " + std::to_string(index_count) + of_count;
        if (bad_indices.back() == count - 1)
            return "the last " + std::to_string(index_count) + of_count;
        return format_range(noun, bad_indices.front(), bad_indices.back());
    }
    if (const std::int64_t step = common_step(bad_indices); step > 1) {
        return "every " + ordinal(static_cast<std::uint64_t>(step)) + " " + noun + ", from index " +
               std::to_string(bad_indices.front()) + " on";
    }
    // Check whether every n-th element is good and all others are bad.
    Indices good_indices;
    for (std::int64_t i = 0, k = 0; i < count; ++i) {
        if (k < index_count && bad_indices[static_cast<std::size_t>(k)] == i) {
            ++k;
        } else {
            good_indices.push_back(i);
        }
    }
    if (good_indices.size() == 1) {
        return std::string("all but ") + noun + " " + std::to_string(good_indices.front());
    }
    if (const std::int64_t step = common_step(good_indices); step > 1) {
        return "all but every " + ordinal(static_cast<std::uint64_t>(step)) + " " + noun +
               ", from index " + std::to_string(good_indices.front()) + " on";
    }
    return "";
}

/// Describes the positions of the bad elements within a block, if they are the same in every block.
/// Otherwise returns "".
std::string describe_place_in_blocks(const Indices& bad_indices, std::int64_t count,
                                     std::int64_t threads) {
    if (threads <= 1 || count <= 2 * threads) return "";
    std::set<std::int64_t> thread_indices;
    for (const std::int64_t index : bad_indices) thread_indices.insert(index % threads);
    const auto blocks = static_cast<std::size_t>(count / threads);
    const bool are_in_most_blocks =
        bad_indices.size() + thread_indices.size() >= thread_indices.size() * blocks;
    if (static_cast<std::int64_t>(thread_indices.size()) > threads / 2 || !are_in_most_blocks)
        return "";
    const std::string positions_text =
        describe_indices({thread_indices.begin(), thread_indices.end()}, threads, "position");
    return positions_text.empty() ? ""
                                  : positions_text + " in each run of " + std::to_string(threads);
}

/// Describes which rows, or else which columns, contain the bad elements. Returns "" if neither has
/// a pattern.
std::string describe_lines(const OutputComparison& output, const Indices& bad_indices) {
    const std::int64_t cols = output.extents.back();
    const std::int64_t rows = output.count() / cols;
    if (rows == 1 || cols == 1) return "";
    std::set<std::int64_t> bad_rows, bad_cols;
    for (const std::int64_t index : bad_indices) {
        bad_rows.insert(index / cols);
        bad_cols.insert(index % cols);
    }
    const auto count = [](const std::set<std::int64_t>& set) {
        return static_cast<std::int64_t>(set.size());
    };
    // "All but row 3" says that all elements of the other rows are bad.
    const auto is_true = [&](const std::string& lines_text, std::int64_t elements) {
        return !lines_text.empty() && (!lines_text.starts_with("all but") ||
                                       elements == static_cast<std::int64_t>(bad_indices.size()));
    };
    if (count(bad_rows) < rows) {
        const std::string rows_text =
            describe_indices({bad_rows.begin(), bad_rows.end()}, rows, "row");
        if (is_true(rows_text, count(bad_rows) * cols)) return rows_text;
    }
    if (count(bad_cols) < cols) {
        const std::string cols_text =
            describe_indices({bad_cols.begin(), bad_cols.end()}, cols, "column");
        if (is_true(cols_text, count(bad_cols) * rows)) return cols_text;
    }
    return "";
}

}  // namespace

std::string describe_bad_elements(const OutputComparison& output, const LaunchShape& launch) {
    const Indices bad_indices = output.bad_elements();
    const std::string bad_count = format_count(output.count_bad(), "element");
    const std::string count_text = bad_count + " of " + std::to_string(output.count());
    if (output.count_bad() == output.count()) {
        return output.count() == 1 ? "its only element" : "all " + bad_count;
    }
    std::string pattern;
    if (output.extents.size() > 1) pattern = describe_lines(output, bad_indices);
    if (pattern.empty()) pattern = describe_indices(bad_indices, output.count(), "element");
    if (pattern.empty())
        pattern = describe_place_in_blocks(bad_indices, output.count(), launch.threads());
    if (pattern.empty()) return count_text;
    return pattern.starts_with("only element") ? pattern : pattern + " (" + count_text + ")";
}

std::int64_t start_of_bad_tail(const OutputComparison& output) {
    const Indices bad_indices = output.bad_elements();
    const bool is_tail_wrong = !bad_indices.empty() && is_contiguous(bad_indices) &&
                               bad_indices.back() == output.count() - 1 && bad_indices.front() > 0;
    return is_tail_wrong ? bad_indices.front() : -1;
}

std::optional<CellMap> make_cell_map(const OutputComparison& output) {
    if (output.extents.size() != 2) return std::nullopt;
    CellMap map(output.extents[0], output.extents[1]);
    for (std::int64_t i = 0; i < output.count(); ++i) {
        map.note({i / output.extents[1], i % output.extents[1]},
                 output.states[static_cast<std::size_t>(i)]);
    }
    return map;
}

}  // namespace coalesce
