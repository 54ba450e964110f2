// Finds the mistake that explains the bad cells of an output.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "harness/hypotheses.h"
#include "harness/rules.h"
#include "harness/values.h"
#include "harness/verify.h"

namespace coalesce {

/// A count of cells that have something in common, and the first of them.
struct Tally {
    std::uint64_t count = 0;
    std::int64_t first = -1;  ///< the index of the first counted cell; -1 if there is none
    Bits actual_bits;         ///< the contents of that cell
    bool is_untouched = false;

    void note(std::int64_t index, Bits bits, bool is_cell_untouched);
    void note(const ObservedCell& observed_cell) {
        note(observed_cell.index, observed_cell.actual_bits, observed_cell.is_untouched);
    }
    void merge(const Tally& other);
};

/// Reports whether `count` is at least 90 % of `total`. A mistake that explains 90 % of the wrong
/// cells is considered the cause of all of them. The other cells may be at the edges of a matrix,
/// where the pattern may differ.
inline bool is_nearly_all(std::uint64_t count, std::uint64_t total) {
    return count > 0 && 10 * count >= 9 * total;
}

/// A repeating pattern of rows or columns that are entirely bad.
struct BadLines {
    std::string text;  ///< a phrase such as "in every 4 rows of out, the 4th is bad", or ""
    /// The numbers of lines and of bad lines in the pattern. For "in every 4 rows of out, the 4th
    /// is bad", they are 4 and 1.
    std::size_t period = 0, bad_count = 0;
};

/// The division of a matrix into tiles, including the incomplete tiles at its edges.
struct TileGrid {
    std::int64_t rows, cols;  ///< the size of the matrix
    std::int64_t side;        ///< the side of a tile

    Cell tiles() const { return {(rows + side - 1) / side, (cols + side - 1) / side}; }
    std::int64_t count() const { return tiles().row * tiles().col; }
    std::size_t tile_index(Cell cell) const {
        return static_cast<std::size_t>(cell.row / side * tiles().col + cell.col / side);
    }
    std::uint64_t cell_count(std::int64_t tile_number) const {
        const std::int64_t row = tile_number / tiles().col * side,
                           col = tile_number % tiles().col * side;
        return static_cast<std::uint64_t>(std::min(side, rows - row) * std::min(side, cols - col));
    }
};

/// A diagnosis of an output. The diagnosis collects bad cells one by one, and then determines which
/// mistake explains them. Each thread may collect some of the cells in its own Diagnosis. The
/// caller then merges the Diagnoses.
class Diagnosis {
public:
    /// Starts a diagnosis. `comparison` is the result of the first pass over the output.
    explicit Diagnosis(const Comparison& comparison);

    /// Records a bad cell of the output and its contents.
    void record_cell(Cell out, Bits actual_bits, bool is_untouched);
    void merge(const Diagnosis& other);
    /// Returns the most likely mistake, described by a sentence that includes an example cell.
    Finding conclude() const;

private:
    /// The positions of bad rows and columns are recorded modulo this number, which is a multiple
    /// of the usual tile sides.
    static constexpr int kLinePeriod = 64;

    /// Counts of cells per row and per column, where rows and columns are numbered modulo
    /// kLinePeriod.
    struct LineCounts {
        std::array<std::uint64_t, kLinePeriod> rows{}, cols{};

        void note(std::int64_t row, std::int64_t col);
        void merge(const LineCounts& other);
    };

    /// Counts of bad cells, by their position relative to tiles of `side` x `side` cells.
    struct TileTallies {
        std::int64_t side;
        Cell full_end;                        ///< the row and the column after the last full tile
        std::uint64_t bad_in_full_tiles = 0;  ///< the number of bad cells within full tiles
        Tally wrong{}, from_untransposed_tile{}, in_same_tile{};
        void merge(const TileTallies& other);
    };
    /// The side of the smallest tiles that are searched for bad cells. Larger tiles consist of
    /// several of them.
    static constexpr std::int64_t kSmallestTile = 16;

    // The following functions are called while bad cells are recorded.
    bool is_examined(std::int64_t index) const;
    void record_position(Cell out, bool is_untouched);
    void record_value(const ObservedCell& observed_cell, const ObservedCell& cell_in_matrix);
    void record_value_change(const ObservedCell& observed_cell);
    void add_to_sample(const ObservedCell& observed_cell, const ObservedCell& cell_in_matrix);

    // The following functions diagnose outputs that have unwritten cells but no wrong cells. See
    // diagnosis_untouched.cpp.
    Finding conclude_untouched() const;
    Finding conclude_nothing_written() const;
    std::optional<Finding> find_written_rectangle() const;
    std::optional<Finding> find_missed_edge() const;
    std::optional<Finding> find_missed_part_of_tile() const;
    BadLines bad_lines() const { return find_bad_lines(bad_lines_, comparison_.wrong > 0); }
    BadLines find_bad_lines(const LineCounts& lines, bool are_wrong) const;
    BadLines find_bad_lines(const LineCounts& lines, bool are_wrong, bool is_along_rows) const;
    std::optional<Finding> find_missed_batches() const;
    std::optional<Finding> find_missed_tiles() const;
    std::optional<Finding> find_half_exchanged() const;

    // The following functions diagnose outputs with wrong cells. See diagnosis_wrong.cpp.
    Finding conclude_wrong() const;
    std::optional<Finding> find_stores_to_one_line() const;
    std::optional<Finding> find_read_outside() const;
    std::optional<Finding> find_foreign_values() const;
    std::optional<Finding> find_rule_for_pattern() const;
    std::optional<Finding> find_wrong_batches() const;
    std::size_t find_best_hypothesis() const;
    bool fits_right_cells(const Hypothesis& hypothesis) const;
    std::string describe_exceptions() const;
    std::optional<Finding> find_partial_exchange(Fault fault) const;
    double fraction_of_cells_made_wrong(const Hypothesis& hypothesis) const;
    Explanation find_best_rule() const;
    std::optional<Finding> find_computed_value() const;
    std::optional<Finding> find_lost_bits() const;
    std::optional<Finding> find_mixed_tiles() const;
    bool is_of_component() const;
    std::optional<Finding> find_lost_component() const;
    std::optional<Finding> find_overwritten_cells() const;
    std::optional<Finding> find_scrambled_cells() const;
    std::optional<Finding> find_wrong_tile() const;
    Finding conclude_scattered() const;
    std::optional<Finding> find_whole_tiles() const;
    bool has_whole_tiles(std::int64_t side) const;
    std::string describe_tiles(const Tally& example, std::int64_t side, bool is_transposed) const;
    std::string describe_tile_moves(std::int64_t side) const;

    // conclude_untouched() and conclude_wrong() both use the following functions.
    bool has_too_few_bad_cells() const;
    std::uint64_t count_matrices() const;
    TileGrid out_tiles(std::int64_t side) const {
        return {problem_.out_rows(), problem_.out_cols(), side};
    }
    std::vector<bool> bad_tiles(std::int64_t side) const;
    std::uint64_t cells_of_bad_tiles(std::int64_t side) const;
    /// Returns the name of the output in messages: "out", or "data" for an in-place transpose.
    const char* out_matrix() const { return problem_.is_in_place() ? "data" : "out"; }
    Finding make_finding(Fault fault, const Tally& example, const std::string& meaning,
                         const std::string& guess = "") const;
    Finding make_finding(const Explanation& explanation) const;

    const Comparison& comparison_;
    Problem problem_;
    Problem matrix_;  ///< the problem for one matrix of the batch; `problem_` if there is no batch
    Pattern pattern_;

    /// on average, one of this many wrong cells is examined
    std::uint32_t sampling_interval_;
    std::vector<Tally> explained_;  ///< for each hypothesis, the wrong cells that it explains
    Tally bad_cells_;               ///< all bad cells
    /// The cells that were written with wrong values. `guard_values_` counts those with the guard's
    /// bytes, and `foreign_values_` those with a value that is not in the input.
    Tally wrong_cells_, guard_values_, foreign_values_;
    std::array<Tally, 7> value_changes_{};  ///< counts of changed values, indexed by ValueChange
    std::vector<TileTallies> tiles_;        ///< the counts for each tile side in kTileSides
    /// Cells that contain the sum of the expected value and the output's old value.
    Tally sum_values_;
    /// For each integer type, the cells that contain the expected value converted to that type.
    std::array<Tally, 3> converted_values_{};
    Tally nonzero_converted_values_;  ///< the cells in converted_values_ that are not zero
    Sample sample_;                   ///< a sample of wrong cells, with positions in their matrix
    LineCounts bad_lines_, untouched_lines_;
    Sample array_sample_;  ///< the same sample, with positions in the whole batch
    /// The number of bad cells above and below the diagonal.
    std::uint64_t above_diagonal_ = 0, below_diagonal_ = 0;
    std::vector<bool> bad_tiles_;  ///< for each tile of the output, whether it contains a bad cell
};

}  // namespace coalesce
