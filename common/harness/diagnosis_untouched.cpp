// Diagnoses outputs that have unwritten cells, but no wrong ones.
#include "base/first_found.h"
#include "harness/diagnosis.h"
#include "harness/rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// Counts the numbers below `length` that have the given remainder modulo `period`.
std::uint64_t count_with_remainder(std::int64_t length, std::int64_t period,
                                   std::int64_t remainder) {
    return static_cast<std::uint64_t>((length + period - 1 - remainder) / period);
}

/// Describes a pattern of rows or columns, such as "in every 4 rows of out, the 4th is never
/// written". `is_bad` says which rows or columns of a period belong to the pattern.
std::string describe_lines(const std::vector<bool>& is_bad, const std::string& lines,
                           const std::string& state) {
    const auto first_bad = std::find(is_bad.begin(), is_bad.end(), true);
    const auto first_good_after = std::find(first_bad, is_bad.end(), false);
    const auto count = static_cast<std::size_t>(std::count(is_bad.begin(), is_bad.end(), true));
    const auto first_bad_line = static_cast<std::size_t>(first_bad - is_bad.begin());
    std::string text = "in every " + std::to_string(is_bad.size()) + " " + lines + ", ";
    if (count == 1) return text + "the " + ordinal(first_bad_line + 1) + " is " + state;
    if (count != static_cast<std::size_t>(first_good_after - first_bad)) {
        return text + std::to_string(count) + " are " + state;
    }
    const std::string position_word = first_bad_line == 0                ? "first"
                                      : first_good_after == is_bad.end() ? "last"
                                                                         : "";
    if (!position_word.empty())
        return text + "the " + position_word + " " + std::to_string(count) + " are " + state;
    return text + "the " + ordinal(first_bad_line + 1) + " to the " +
           ordinal(first_bad_line + count) + " are " + state;
}

/// Returns a guess at what is missing in the kernel. A lost component of a vector looks the same as
/// a loop that is too short.
std::string guess_missing_part(std::size_t period, std::size_t bad_count) {
    if (period <= 4) return "A loop or a vector component may be missing, or may not fit the tile";
    if (bad_count < 16) return "A loop over the tile may be missing, or may end too early";
    return "A loop over the tile may be missing or end too early, or these cells have no block";
}

/// Reports whether the chosen tiles are exactly those on the diagonal.
bool is_exactly_diagonal(Cell tiles, const std::vector<bool>& chosen_tiles) {
    for (std::int64_t i = 0; i < tiles.row * tiles.col; ++i) {
        if (chosen_tiles[static_cast<std::size_t>(i)] != (i / tiles.col == i % tiles.col))
            return false;
    }
    return true;
}

}  // namespace

Finding Diagnosis::conclude_untouched() const {
    if (comparison_.right == 0 || comparison_.written_rows == 0) return conclude_nothing_written();
    const auto finding =
        first_found({&Diagnosis::find_missed_batches, &Diagnosis::find_half_exchanged,
                     &Diagnosis::find_missed_edge, &Diagnosis::find_written_rectangle,
                     &Diagnosis::find_missed_tiles},
                    *this);
    if (finding) return *finding;
    if (comparison_.right == static_cast<std::uint64_t>(std::min(problem_.rows, problem_.cols)) &&
        above_diagonal_ + below_diagonal_ == bad_cells_.count) {
        return make_finding(Fault::never_written, bad_cells_,
                            "only the cells on the diagonal were written. Do the row and the "
                            "column have the same value in every thread?");
    }
    const std::uint64_t other_count = bad_cells_.count - 1;
    if (other_count == 0)
        return make_finding(Fault::never_written, bad_cells_, "no other cell is affected");
    const std::string verb_text = problem_.is_in_place()
                                      ? (other_count == 1 ? "so is " : "so are ")
                                      : (other_count == 1 ? "nor was " : "nor were ");
    return make_finding(Fault::never_written, bad_cells_,
                        verb_text + format_count(other_count, "other cell"), "Look at the map");
}

Finding Diagnosis::conclude_nothing_written() const {
    if (comparison_.input_is_changed) {
        return make_finding(
            Fault::arguments_exchanged, bad_cells_,
            "the kernel wrote to its input instead; the destination is the first argument");
    }
    if (problem_.elements() == 1) {
        return make_finding(
            Fault::nothing_written, bad_cells_,
            "this is the only cell. Was the kernel launched, and does it store anything?");
    }
    return make_finding(
        Fault::nothing_written, bad_cells_,
        problem_.is_in_place()
            ? "all other cells are unchanged too. Was the kernel launched, does it store "
              "anything, or is each pair swapped twice?"
            : "no other cell was written either. Was the kernel launched, and does it store "
              "anything?");
}

/// Recognizes outputs that are correct up to some row and some column, and unwritten beyond them.
/// If the same rows or columns of each tile are bad, find_missed_part_of_tile() explains the output
/// instead.
std::optional<Finding> Diagnosis::find_written_rectangle() const {
    const std::int64_t rows = comparison_.written_rows, cols = comparison_.written_cols;
    const bool is_rectangle = comparison_.right == static_cast<std::uint64_t>(rows * cols);
    const std::int64_t shorter_side = std::min(problem_.rows, problem_.cols);
    const char* const state_text = problem_.is_in_place() ? "is right" : "was written";
    if (is_rectangle && problem_.rows != problem_.cols && rows == shorter_side &&
        cols == shorter_side) {
        return make_finding(Fault::bounds_exchanged, bad_cells_,
                            "only the " + std::to_string(shorter_side) + " x " +
                                std::to_string(shorter_side) + " square " + state_text,
                            "Perhaps rows and cols are swapped in the bounds check or in the grid");
    }
    if (auto finding = find_missed_part_of_tile()) return finding;
    if (!is_rectangle) return std::nullopt;
    const std::string rows_text = rows == 1 ? "row" : std::to_string(rows) + " rows";
    return make_finding(
        Fault::grid_too_small, bad_cells_,
        "only the first " + rows_text + " and " + format_count(cols, "column") + " of " +
            out_matrix() + (problem_.is_in_place() ? " are right" : " were written"),
        "Is the grid too small, is a bounds check too strict, or do blocks store the same cells?");
}

/// Recognizes outputs with bad cells only beyond the last full tile.
std::optional<Finding> Diagnosis::find_missed_edge() const {
    for (const TileTallies& tiles : tiles_) {
        const auto [rows, cols] = tiles.full_end;
        const std::int64_t full_tile_cells =
            rows * cols * static_cast<std::int64_t>(count_matrices());
        // With a side of 2 or 4, only 1 to 3 rows and columns lie beyond the last full tile. If
        // these rows and columns are bad, the cause may well have nothing to do with tiles.
        const bool has_edge =
            tiles.side >= 8 && full_tile_cells > 0 && full_tile_cells < problem_.elements();
        if (!has_edge || tiles.bad_in_full_tiles > 0) continue;
        const std::uint64_t edge_cells =
            static_cast<std::uint64_t>(problem_.elements() - full_tile_cells);
        // One edge is on the right and one at the bottom. At least one of the edges must be
        // entirely bad.
        if (2 * bad_cells_.count < edge_cells) continue;
        return make_finding(comparison_.wrong > 0 ? Fault::edge_wrong : Fault::ragged_edge_missed,
                            bad_cells_,
                            "only cells at the right or bottom edge, beyond the last multiple of " +
                                std::to_string(tiles.side) +
                                ", are wrong or unwritten. Is the grid rounded up, "
                                "and are the bounds checked for each element?");
    }
    return std::nullopt;
}

/// Recognizes outputs in which the same rows or columns of each tile are bad.
std::optional<Finding> Diagnosis::find_missed_part_of_tile() const {
    const BadLines lines = bad_lines();
    if (lines.text.empty()) return std::nullopt;
    return make_finding(Fault::part_of_each_tile, bad_cells_, lines.text,
                        guess_missing_part(lines.period, lines.bad_count));
}

BadLines Diagnosis::find_bad_lines(const LineCounts& lines, bool are_wrong) const {
    BadLines row_lines = find_bad_lines(lines, are_wrong, true);
    return row_lines.text.empty() ? find_bad_lines(lines, are_wrong, false) : row_lines;
}

/// Finds a period and remainders such that exactly the rows (or columns) with these remainders are
/// entirely bad, and all others are entirely correct.
BadLines Diagnosis::find_bad_lines(const LineCounts& line_counts, bool are_wrong,
                                   bool is_along_rows) const {
    const auto& counts = is_along_rows ? line_counts.rows : line_counts.cols;
    const std::int64_t length = is_along_rows ? matrix_.out_rows() : matrix_.out_cols();
    const std::int64_t line_length = is_along_rows ? matrix_.out_cols() : matrix_.out_rows();
    for (std::int64_t side = 2; side <= kLinePeriod && 2 * side <= length; side *= 2) {
        std::vector<bool> bad(static_cast<std::size_t>(side));
        std::size_t bad_line_count = 0, full_line_count = 0;
        for (std::int64_t remainder = 0; remainder < side; ++remainder) {
            std::uint64_t count = 0;
            for (std::int64_t i = remainder; i < kLinePeriod; i += side) {
                count += counts[static_cast<std::size_t>(i)];
            }
            const std::uint64_t line_cells = count_with_remainder(length, side, remainder) *
                                             static_cast<std::uint64_t>(line_length) *
                                             count_matrices();
            bad[static_cast<std::size_t>(remainder)] = count > 0;
            bad_line_count += count > 0;
            full_line_count += is_nearly_all(count, line_cells);
        }
        if (bad_line_count != full_line_count || bad_line_count == 0 ||
            bad_line_count == bad.size())
            continue;
        const std::string lines =
            std::string(is_along_rows ? "rows of " : "columns of ") + out_matrix();
        const char* const state = are_wrong                ? "wrong"
                                  : problem_.is_in_place() ? "unchanged"
                                                           : "never written";
        return {describe_lines(bad, lines, state), bad.size(), bad_line_count};
    }
    return {};
}

/// Recognizes batches in which the first matrices (or arrays) are correct, and all others were
/// never written.
std::optional<Finding> Diagnosis::find_missed_batches() const {
    const Permutation axes = problem_.axes();
    if (!problem_.is_permuted() || axes.order[0] != 0) return std::nullopt;
    const std::uint64_t size = static_cast<std::uint64_t>(problem_.elements() / axes.extents[0]);
    const auto first_bad_index = static_cast<std::uint64_t>(bad_cells_.first);
    if (first_bad_index % size != 0 || comparison_.right != first_bad_index) return std::nullopt;
    return make_finding(
        Fault::batches_missed, bad_cells_,
        "only the first " + std::to_string(first_bad_index / size) + " of " +
            std::to_string(axes.extents[0]) +
            " slices along the first axis were written. Are there blocks for the other "
            "slices, and does each block move both pointers to its own slice?");
}

/// Recognizes outputs in which each tile is either correct or unwritten.
std::optional<Finding> Diagnosis::find_missed_tiles() const {
    if (problem_.is_permuted()) return std::nullopt;
    for (const std::int64_t side : {64, 32, 16}) {
        const TileGrid grid = out_tiles(side);
        if (cells_of_bad_tiles(side) != bad_cells_.count || grid.count() < 4) continue;
        const std::vector<bool> bad = bad_tiles(side);
        const auto count = static_cast<std::uint64_t>(std::count(bad.begin(), bad.end(), true));
        // The rules number tiles row by row in the input, whereas the grid describes the output.
        const Cell tiles = problem_.swaps_rows_and_cols() ? Cell{grid.tiles().col, grid.tiles().row}
                                                          : grid.tiles();
        std::vector<bool> missed_tiles(bad.size());
        for (std::int64_t i = 0; i < grid.count(); ++i) {
            const Cell tile{i / grid.tiles().col, i % grid.tiles().col};
            const std::int64_t tile_index =
                problem_.swaps_rows_and_cols() ? tile.col * tiles.col + tile.row : i;
            missed_tiles[static_cast<std::size_t>(tile_index)] = bad[static_cast<std::size_t>(i)];
        }
        const std::string rule = find_missed_tiles_rule(tiles, missed_tiles);
        const bool is_diagonal = is_exactly_diagonal(tiles, missed_tiles);
        const std::string tiles_text = " of " + std::to_string(grid.count()) + " tiles (" +
                                       size_text(side) + ") of " + out_matrix();
        return make_finding(
            Fault::never_written, bad_cells_,
            std::to_string(count) + tiles_text +
                (problem_.is_in_place() ? count == 1 ? " is unchanged" : " are unchanged"
                 : count == 1           ? " was never written"
                                        : " were never written") +
                "; the others are right" +
                (is_diagonal ? ". The missing tiles are on the diagonal"
                 : rule.empty()
                     ? ""
                     : std::string(". ") + kPatternResults + "block n processes the tile at " +
                           rule + ", where there are R rows and C columns of tiles"),
            is_diagonal
                ? "Does each of these tiles have a block, and does that block store the tile?"
            : rule.empty() ? "Do two blocks process the same tile, or do these tiles have no block?"
                           : "");
    }
    return std::nullopt;
}

/// Recognizes in-place outputs that are correct on one side of the diagonal, and almost nowhere on
/// the other side.
std::optional<Finding> Diagnosis::find_half_exchanged() const {
    if (!problem_.is_in_place() || problem_.rows != problem_.cols) return std::nullopt;
    const auto side = static_cast<std::uint64_t>(problem_.rows);
    // Tiles on the diagonal may be correct. They make up half of the matrix if there are only two
    // tiles per side.
    const bool is_one_half_right = (above_diagonal_ == 0) != (below_diagonal_ == 0) &&
                                   2 * (above_diagonal_ + below_diagonal_) >= side * (side - 1) / 2;
    if (!is_one_half_right) return std::nullopt;
    // In the tiles on the diagonal, the cells on the other side may be right, too.
    const std::string right_side_text =
        std::string("all cells ") + (above_diagonal_ == 0 ? "above" : "below") +
        " the diagonal are right, but most cells on the other side are not";
    const std::size_t best = find_best_hypothesis();
    if (hypotheses()[best].fault == Fault::tile_not_moved &&
        is_nearly_all(explained_[best].count, wrong_cells_.count)) {
        return make_finding(Fault::half_exchanged, explained_[best],
                            right_side_text +
                                ": each tile there was transposed, but stayed where it was. Is "
                                "one tile of a pair stored twice?");
    }
    return make_finding(
        Fault::half_exchanged, bad_cells_,
        right_side_text + ". Load both cells of a pair before you store either cell");
}

}  // namespace coalesce
