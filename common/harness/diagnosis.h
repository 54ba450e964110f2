// From the cells that are bad to the mistake that explains them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "harness/hypotheses.h"
#include "harness/values.h"
#include "harness/verify.h"

namespace coalesce {

/// What the first look at an output saw, on top of what the comparison keeps.
struct Overview {
    /// The rows and columns of the output below which everything that was written lies.
    std::int64_t written_rows = 0, written_cols = 0;
    bool input_is_changed = false;
};

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

/// Gathers what the bad cells have in common, one after the other; then says what it looks like.
/// Several may gather at once, each its share, and be merged.
class Diagnosis {
public:
    Diagnosis(const Comparison& comparison, const Overview& overview);

    /// A cell of the output that is not right, and what it holds.
    void look_at(Cell out, Bits held, bool is_untouched);
    void merge(const Diagnosis& other);
    /// What it looks like, with a sentence about a cell that shows it.
    Finding conclude() const;

private:
    static constexpr int sides = std::size(tile_sides);
    /// Rows and columns are counted modulo this; a tile's pattern repeats within it.
    static constexpr int period = 64;

    bool is_looked_at_closely(std::int64_t index) const;
    void look_at_place(Cell out);
    void look_at_value(const Look& look, const Look& in_matrix);
    Finding conclude_untouched() const;
    Finding conclude_wrong() const;
    std::optional<Finding> best_hypothesis() const;
    std::optional<Finding> changed_value() const;
    std::optional<Finding> edge(Fault fault) const;
    std::optional<Finding> part_of_tile() const;
    std::optional<Finding> part_of_tile(bool by_rows) const;
    std::optional<Finding> missed_batches() const;
    std::optional<Finding> half_exchanged() const;
    std::uint64_t matrices() const;
    std::optional<Finding> barrier() const;
    std::optional<Finding> scrambled() const;
    std::optional<Finding> wrong_tile() const;
    std::uint64_t cells_of_bad_tiles() const;
    Finding say(Fault fault, const Tally& example, const std::string& meaning) const;

    const Comparison& comparison_;
    Overview overview_;
    Problem problem_;
    Problem matrix_;  ///< one of a batch; else the same as `problem_`
    Pattern pattern_;

    std::uint32_t one_in_;  ///< so many wrong cells is one looked at closely
    std::array<Cell, sides>
        full_tiles_end_;              ///< where the last full tile ends, in rows and columns
    std::vector<Tally> explained_;    ///< by each hypothesis, of the wrong cells
    Tally bad_;                       ///< all of them
    Tally wrong_, guard_, foreign_;   ///< written and wrong; with foreign bits
    std::array<Tally, 6> changes_{};  ///< by ValueChange
    std::array<std::uint64_t, sides> inside_{};  ///< bad cells before the last full tile's end
    std::array<Tally, sides> wrong_tile_{}, same_tile_{};
    std::array<std::uint64_t, period> bad_rows_{}, bad_cols_{};
    std::array<std::uint64_t, 2> beside_diagonal_{};  ///< bad cells above it, below it
    std::vector<bool> bad_tiles_;  ///< 32 x 32 tiles of the output with a bad cell
};

}  // namespace coalesce
