// From the cells that are bad to the mistake that explains them.
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

/// How many cells something is true of, and the first of them.
struct Tally {
    std::uint64_t count = 0;
    std::int64_t first = -1;  ///< its index; -1: none
    Bits held;                ///< what it holds
    bool is_untouched = false;

    void note(std::int64_t index, Bits what, bool untouched);
    void note(const Look& look) { note(look.index, look.held, look.is_untouched); }
    void merge(const Tally& other);
};

/// Whether it is the share of the wrong cells that a mistake must explain to be the one that was
/// made. Less than all: at the edges of a matrix other things happen too.
inline bool is_nearly_all(std::uint64_t count, std::uint64_t of) {
    return count > 0 && 10 * count >= 9 * of;
}

/// Which of each so many rows or columns are bad as a whole.
struct BadLines {
    std::string text;  ///< "of every 4 rows of out the 4th is bad"; "": there are none
    std::size_t period = 0, bad = 0;  ///< 4 and 1
};

/// The tiles of a matrix, whole ones and those at its edges.
struct TileGrid {
    std::int64_t rows, cols;  ///< of the matrix
    std::int64_t side;        ///< of a tile

    Cell tiles() const { return {(rows + side - 1) / side, (cols + side - 1) / side}; }
    std::int64_t count() const { return tiles().row * tiles().col; }
    std::size_t number_of(Cell cell) const {
        return static_cast<std::size_t>(cell.row / side * tiles().col + cell.col / side);
    }
    std::uint64_t cells_of(std::int64_t number) const {
        const std::int64_t row = number / tiles().col * side, col = number % tiles().col * side;
        return static_cast<std::uint64_t>(std::min(side, rows - row) * std::min(side, cols - col));
    }
};

/// Gathers what the bad cells have in common, one after the other; then says what it looks like.
/// Several may gather at once, each its share, and be merged.
class Diagnosis {
public:
    /// `comparison` has what the first look at the output saw.
    explicit Diagnosis(const Comparison& comparison);

    /// A cell of the output that is not right, and what it holds.
    void look_at(Cell out, Bits held, bool is_untouched);
    void merge(const Diagnosis& other);
    /// What it looks like, with a sentence about a cell that shows it.
    Finding conclude() const;

private:
    /// Rows and columns are counted modulo this; a tile's pattern repeats within it.
    static constexpr int kPeriod = 64;

    /// How many cells something is true of, by row and by column.
    struct Lines {
        std::array<std::uint64_t, kPeriod> rows{}, cols{};

        void note(std::int64_t row, std::int64_t col);
        void merge(const Lines& other);
    };

    /// What is known of tiles of one side.
    struct Tiles {
        std::int64_t side;
        Cell full_end;             ///< where the last full tile ends, in rows and columns
        std::uint64_t inside = 0;  ///< bad cells before that
        Tally wrong{}, unturned{}, same{};
        void merge(const Tiles& other);
    };
    /// Side of the tiles of the output that are looked at one by one; others are made of these.
    static constexpr std::int64_t kSmallestTile = 16;

    // Gathering.
    bool is_looked_at_closely(std::int64_t index) const;
    void look_at_place(Cell out, bool is_untouched);
    void look_at_value(const Look& look, const Look& in_matrix);
    void look_at_change(const Look& look);
    void add_to_sample(const Look& look, const Look& in_matrix);

    // Nothing wrong, but not everything written: diagnosis_untouched.cpp.
    Finding conclude_untouched() const;
    Finding nothing_written() const;
    std::optional<Finding> rectangle() const;
    std::optional<Finding> edge() const;
    std::optional<Finding> part_of_tile() const;
    BadLines bad_lines() const { return lines_of(bad_lines_, comparison_.wrong > 0); }
    BadLines lines_of(const Lines& lines, bool are_wrong) const;
    BadLines lines_of(const Lines& lines, bool are_wrong, bool by_rows) const;
    std::optional<Finding> missed_batches() const;
    std::optional<Finding> missed_tiles() const;
    std::optional<Finding> half_exchanged() const;

    // Wrong cells: diagnosis_wrong.cpp.
    Finding conclude_wrong() const;
    std::optional<Finding> stored_to_one_line() const;
    std::optional<Finding> read_outside() const;
    std::optional<Finding> not_of_input() const;
    std::optional<Finding> pattern() const;
    std::optional<Finding> batches() const;
    std::size_t best_hypothesis() const;
    bool fits_right_cells(const Hypothesis& hypothesis) const;
    std::string not_everywhere() const;
    double share_wrong_after(const Hypothesis& hypothesis) const;
    Explanation best_rule() const;
    std::optional<Finding> computed_value() const;
    std::optional<Finding> lost_bits() const;
    std::optional<Finding> mixed() const;
    bool is_of_component() const;
    std::optional<Finding> component_lost() const;
    std::optional<Finding> stored_over() const;
    std::optional<Finding> scrambled() const;
    std::optional<Finding> wrong_tile() const;
    Finding scattered() const;
    std::optional<Finding> whole_tiles() const;
    bool has_whole_tiles(std::int64_t side) const;
    std::string tiles_meaning(const Tally& example, std::int64_t side, bool is_turned) const;
    std::string rule_of_tiles(std::int64_t side) const;

    // Both.
    bool is_rare() const;
    std::uint64_t matrices() const;
    TileGrid out_tiles(std::int64_t side) const {
        return {problem_.out_rows(), problem_.out_cols(), side};
    }
    std::vector<bool> bad_tiles(std::int64_t side) const;
    std::uint64_t cells_of_bad_tiles(std::int64_t side) const;
    /// "out", or in place "data".
    const char* out_matrix() const { return problem_.is_in_place() ? "data" : "out"; }
    Finding say(Fault fault, const Tally& example, const std::string& meaning,
                const std::string& guess = "") const;
    Finding say(const Explanation& explanation) const;

    const Comparison& comparison_;
    Problem problem_;
    Problem matrix_;  ///< one of a batch; else the same as `problem_`
    Pattern pattern_;

    std::uint32_t one_in_;            ///< so many wrong cells is one looked at closely
    std::vector<Tally> explained_;    ///< by each hypothesis, of the wrong cells
    Tally bad_;                       ///< all of them
    Tally wrong_, guard_, foreign_;   ///< written and wrong; with foreign bits
    std::array<Tally, 7> changes_{};  ///< by ValueChange
    std::vector<Tiles> tiles_;        ///< by kTileSides
    Tally sum_;                       ///< what belongs there plus what the output held
    std::array<Tally, 3> integer_{};  ///< what belongs there as an integer, by Integer
    Tally whole_;                     ///< of these, those that are not zero
    Sample sample_;                   ///< places in `matrix_`
    Lines bad_lines_, untouched_lines_;
    Sample in_array_;  ///< of a batch: the same cells' places in all of it
    std::uint64_t above_diagonal_ = 0, below_diagonal_ = 0;  ///< bad cells there
    std::vector<bool> bad_tiles_;  ///< tiles of the output with a bad cell
};

}  // namespace coalesce
