#include "harness/diagnosis.h"

#include <algorithm>

#include "harness/text.h"

namespace coalesce {
namespace {

/// The share of the wrong cells that a mistake must explain to be the one that was made. Less than
/// all: at the edges of a matrix other things happen too.
constexpr double kNearlyAll = 0.9;
/// About so many wrong cells are looked at closely; each takes a microsecond.
constexpr std::uint64_t kClosely = 1 << 20;
/// So many of a share at least, so that the sentence is about one of the first.
constexpr std::uint64_t kFirst = 1024;
/// Side of the tiles that are looked at one by one.
constexpr std::int64_t kTile = 32;

bool is_nearly_all(std::uint64_t count, std::uint64_t of) {
    return count > 0 && static_cast<double>(count) >= kNearlyAll * static_cast<double>(of);
}

/// How many of 0 ... length - 1 leave that remainder.
std::uint64_t with_remainder(std::int64_t length, std::int64_t period, std::int64_t remainder) {
    return static_cast<std::uint64_t>((length + period - 1 - remainder) / period);
}

std::int64_t tiles_across(const Problem& problem) {
    return (problem.out_cols() + kTile - 1) / kTile;
}

std::string size_text(int side) {
    return std::to_string(side) + " x " + std::to_string(side);
}

std::int64_t tile_count(const Problem& problem) {
    return (problem.out_rows() + kTile - 1) / kTile * tiles_across(problem);
}

}  // namespace

void Tally::note(std::int64_t index, Bits what, bool untouched) {
    ++count;
    if (first >= 0 && first <= index) return;
    first = index;
    held = what;
    is_untouched = untouched;
}

void Tally::merge(const Tally& other) {
    const std::uint64_t sum = count + other.count;
    if (other.first >= 0 && (first < 0 || other.first < first)) *this = other;
    count = sum;
}

Diagnosis::Diagnosis(const Comparison& comparison, const Overview& overview)
    : comparison_(comparison),
      overview_(overview),
      problem_(comparison.problem),
      matrix_(problem_.of_one_matrix()),
      pattern_(problem_.element_size, problem_.seed),
      one_in_(static_cast<std::uint32_t>(1 + comparison.wrong / kClosely)),
      explained_(hypotheses().size()),
      bad_tiles_(static_cast<std::size_t>(tile_count(problem_))) {
    for (std::size_t i = 0; i < sides; ++i) {
        const std::int64_t side = tile_sides[i];
        full_tiles_end_[i] = {matrix_.out_rows() / side * side, matrix_.out_cols() / side * side};
    }
}

/// The first wrong cells, and of very many an even share that no pattern of tiles can hide from.
bool Diagnosis::is_looked_at_closely(std::int64_t index) const {
    if (wrong_.count < kFirst) return true;
    return mix(static_cast<std::uint32_t>(index)) % one_in_ == 0;
}

void Diagnosis::look_at(Cell out, Bits held, bool is_untouched) {
    const std::int64_t index = out.row * problem_.out_cols() + out.col;
    bad_.note(index, held, is_untouched);
    look_at_place(out);
    if (is_untouched || !is_looked_at_closely(index)) return;
    const Look look(problem_, pattern_, index, held, is_untouched);
    wrong_.note(look);
    const Look in_matrix = look.within(matrix_);
    look_at_value(look, in_matrix);
    for (std::size_t i = 0; i < explained_.size(); ++i) {
        const Hypothesis& hypothesis = hypotheses()[i];
        const Look& seen = hypothesis.is_of_array ? look : in_matrix;
        if (hypothesis.explains(seen, hypothesis.tile)) explained_[i].note(look);
    }
}

void Diagnosis::look_at_place(Cell out) {
    ++bad_rows_[static_cast<std::size_t>(out.row % matrix_.out_rows() % period)];
    ++bad_cols_[static_cast<std::size_t>(out.col % period)];
    const std::int64_t tile = out.row / kTile * tiles_across(problem_) + out.col / kTile;
    bad_tiles_[static_cast<std::size_t>(tile)] = true;
    const std::int64_t row = out.row % matrix_.out_rows();
    for (std::size_t i = 0; i < sides; ++i) {
        inside_[i] += row < full_tiles_end_[i].row && out.col < full_tiles_end_[i].col;
    }
    beside_diagonal_[0] += out.row < out.col;
    beside_diagonal_[1] += out.row > out.col;
}

void Diagnosis::look_at_value(const Look& look, const Look& in_matrix) {
    if (look.holds_guard()) guard_.note(look);
    if (look.is_foreign()) foreign_.note(look);
    if (look.expected) {
        const auto index = static_cast<std::uint64_t>(problem_.index(*look.expected));
        const ValueChange change = change_of(pattern_.at(index), look.held, problem_.element_size);
        changes_[static_cast<std::size_t>(change)].note(look);
    }
    for (std::size_t i = 0; i < sides; ++i) {
        if (is_of_wrong_tile(in_matrix, tile_sides[i])) wrong_tile_[i].note(look);
        if (is_of_same_tile(in_matrix, tile_sides[i])) same_tile_[i].note(look);
    }
}

void Diagnosis::merge(const Diagnosis& other) {
    const auto merge_all = [](auto& mine, const auto& theirs) {
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i].merge(theirs[i]);
    };
    const auto add_all = [](auto& mine, const auto& theirs) {
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += theirs[i];
    };
    merge_all(explained_, other.explained_);
    merge_all(changes_, other.changes_);
    merge_all(wrong_tile_, other.wrong_tile_);
    merge_all(same_tile_, other.same_tile_);
    bad_.merge(other.bad_);
    wrong_.merge(other.wrong_);
    guard_.merge(other.guard_);
    foreign_.merge(other.foreign_);
    add_all(inside_, other.inside_);
    add_all(bad_rows_, other.bad_rows_);
    add_all(bad_cols_, other.bad_cols_);
    add_all(beside_diagonal_, other.beside_diagonal_);
    for (std::size_t i = 0; i < bad_tiles_.size(); ++i) {
        if (other.bad_tiles_[i]) bad_tiles_[i] = true;
    }
}

Finding Diagnosis::say(Fault fault, const Tally& example, const std::string& meaning) const {
    const Look look(problem_, pattern_, example.first, example.held, example.is_untouched);
    return {fault, look.text() + ": " + meaning};
}

Finding Diagnosis::conclude() const {
    return comparison_.wrong == 0 ? conclude_untouched() : conclude_wrong();
}

// ---- nothing wrong, but not everything written ----

Finding Diagnosis::conclude_untouched() const {
    if (comparison_.right == 0 || overview_.written_rows == 0) {
        if (overview_.input_is_changed) {
            return say(Fault::arguments_exchanged, bad_,
                       "the kernel wrote to its input instead; the destination comes first");
        }
        return say(Fault::nothing_written, bad_,
                   problem_.is_in_place()
                       ? "nor is any other cell. Was the kernel launched, does it store anything, "
                         "or is each pair exchanged twice?"
                       : "nor was any other cell. Was the kernel launched, and does it store "
                         "anything?");
    }
    if (const auto found = missed_batches()) return *found;
    if (const auto found = half_exchanged()) return *found;
    if (const auto found = edge(Fault::ragged_edge_missed)) return *found;

    const std::int64_t rows = overview_.written_rows, cols = overview_.written_cols;
    const bool is_rectangle = comparison_.right == static_cast<std::uint64_t>(rows * cols);
    const std::int64_t shorter = std::min(problem_.rows, problem_.cols);
    if (is_rectangle && problem_.rows != problem_.cols && rows == shorter && cols == shorter) {
        return say(Fault::bounds_exchanged, bad_,
                   "only the square " + std::to_string(shorter) + " x " + std::to_string(shorter) +
                       " was: rows and cols are exchanged in the check of the bounds");
    }
    if (const auto found = part_of_tile()) return *found;
    if (is_rectangle) {
        return say(Fault::grid_too_small, bad_,
                   "only the first " + std::to_string(rows) + " rows and " + std::to_string(cols) +
                       " columns of out were. The grid is too small, or a check of the bounds too "
                       "strict");
    }
    return say(Fault::never_written, bad_,
               "nor were others, without a simple pattern. Look at the map");
}

/// Everything before the last full tile's end is right, and what lies beyond is bad.
std::optional<Finding> Diagnosis::edge(Fault fault) const {
    for (std::size_t i = 0; i < sides; ++i) {
        const std::int64_t side = tile_sides[i];
        const std::int64_t rows = matrix_.out_rows() / side * side;
        const std::int64_t cols = matrix_.out_cols() / side * side;
        const std::int64_t full = rows * cols * static_cast<std::int64_t>(matrices());
        // A tile side of 2 or 4 would find an edge nearly everywhere.
        const bool has_edge = side >= 8 && full > 0 && full < problem_.elements();
        if (!has_edge || inside_[i] > 0) continue;
        const std::uint64_t beyond = static_cast<std::uint64_t>(problem_.elements() - full);
        // At least a whole edge, of the two that there may be.
        if (2 * bad_.count < beyond) continue;
        return say(fault, bad_,
                   "only cells beyond the last full tile (" + std::to_string(side) + " x " +
                       std::to_string(side) +
                       ") are bad. Round the grid up, and check the bounds of each element");
    }
    return std::nullopt;
}

std::optional<Finding> Diagnosis::part_of_tile() const {
    if (auto found = part_of_tile(true)) return found;
    return part_of_tile(false);
}

/// Rows (or columns) with some remainders are all bad, the others all right.
std::optional<Finding> Diagnosis::part_of_tile(bool by_rows) const {
    const auto& bad = by_rows ? bad_rows_ : bad_cols_;
    const std::int64_t length = by_rows ? matrix_.out_rows() : matrix_.out_cols();
    const std::int64_t other = by_rows ? matrix_.out_cols() : matrix_.out_rows();
    for (std::int64_t side = 2; side <= period && 2 * side <= length; side *= 2) {
        std::int64_t good = 0, touched = 0;
        for (std::int64_t remainder = 0; remainder < side; ++remainder) {
            std::uint64_t count = 0;
            for (std::int64_t i = remainder; i < period; i += side) {
                count += bad[static_cast<std::size_t>(i)];
            }
            const std::uint64_t all = with_remainder(length, side, remainder) *
                                      static_cast<std::uint64_t>(other) * matrices();
            good += count == 0;
            touched += count > 0 && is_nearly_all(count, all);
        }
        if (good + touched != side || good == 0 || touched == 0) continue;
        const std::string lines = by_rows ? "rows" : "columns";
        return say(Fault::part_of_each_tile, bad_,
                   "of every " + std::to_string(side) + " " + lines + " of out only " +
                       std::to_string(good) + (good == 1 ? " is" : " are") +
                       " right. A loop over the tile is missing, or ends too early");
    }
    return std::nullopt;
}

/// Of how many matrices the output consists.
std::uint64_t Diagnosis::matrices() const {
    return static_cast<std::uint64_t>(problem_.elements() / matrix_.elements());
}

/// The first matrices (or arrays) are right, and nothing after them was written.
std::optional<Finding> Diagnosis::missed_batches() const {
    const Permutation axes = problem_.axes();
    if (!problem_.is_permuted() || axes.order[0] != 0) return std::nullopt;
    const std::uint64_t size = static_cast<std::uint64_t>(problem_.elements() / axes.extents[0]);
    const auto first = static_cast<std::uint64_t>(bad_.first);
    if (first % size != 0 || comparison_.right != first) return std::nullopt;
    return say(Fault::batches_missed, bad_,
               "only the first " + std::to_string(first / size) + " of " +
                   std::to_string(axes.extents[0]) +
                   " along the first axis were. Are there blocks for all of them?");
}

/// In place, and on one side of the diagonal all is right, on the other nearly nothing.
std::optional<Finding> Diagnosis::half_exchanged() const {
    if (!problem_.is_in_place() || problem_.rows != problem_.cols) return std::nullopt;
    const auto side = static_cast<std::uint64_t>(problem_.rows);
    const auto [above, below] = beside_diagonal_;
    // Tiles on the diagonal may be right as a whole: of two tiles a side they are half of it.
    const bool is_half =
        (above == 0) != (below == 0) && 2 * (above + below) >= side * (side - 1) / 2;
    if (!is_half) return std::nullopt;
    return say(Fault::half_exchanged, bad_,
               std::string("only the cells ") + (above == 0 ? "above" : "below") +
                   " the diagonal are right. Keep both cells of a pair before you store either, "
                   "then store both");
}

// ---- wrong cells ----

Finding Diagnosis::conclude_wrong() const {
    if (const auto found = best_hypothesis()) return *found;
    if (const auto found = half_exchanged()) return *found;
    if (2 * guard_.count >= wrong_.count) {
        return say(Fault::read_outside, guard_, "the kernel read outside of its input");
    }
    if (const auto found = changed_value()) return *found;
    if (const auto found = edge(Fault::edge_wrong)) return *found;
    if (const auto found = scrambled()) return *found;
    if (const auto found = part_of_tile()) return *found;
    if (const auto found = barrier()) return *found;
    if (const auto found = wrong_tile()) return *found;
    if (2 * foreign_.count >= wrong_.count) {
        return say(Fault::value_not_of_input, foreign_,
                   "the input does not hold this anywhere. Was it computed, or read from "
                   "memory that nothing wrote?");
    }
    return say(Fault::scattered, wrong_,
               "no simple mistake explains the wrong cells. Look at the map");
}

std::optional<Finding> Diagnosis::best_hypothesis() const {
    // What a cell at the edge holds that came from outside is no argument against a mistake.
    const std::uint64_t cells = wrong_.count - guard_.count;
    std::size_t best = 0;
    for (std::size_t i = 1; i < explained_.size(); ++i) {
        if (explained_[i].count > explained_[best].count) best = i;
    }
    if (!is_nearly_all(explained_[best].count, cells)) return std::nullopt;
    return say(hypotheses()[best].fault, explained_[best], hypotheses()[best].meaning);
}

std::optional<Finding> Diagnosis::changed_value() const {
    const auto of = [&](ValueChange change) -> const Tally& {
        return changes_[static_cast<std::size_t>(change)];
    };
    const Tally &nan = of(ValueChange::nan_changed), &zero = of(ValueChange::negative_zero_lost),
                &subnormal = of(ValueChange::subnormal_flushed), &close = of(ValueChange::close),
                &range = of(ValueChange::lost_range);
    const std::uint64_t special = nan.count + zero.count + subnormal.count;
    if (is_nearly_all(special, wrong_.count)) {
        const std::string cure = ". Move the bits, compute nothing with them";
        if (subnormal.count >= nan.count && subnormal.count >= zero.count) {
            return say(Fault::subnormal_flushed, subnormal, "subnormal numbers became zero" + cure);
        }
        if (nan.count >= zero.count) {
            return say(Fault::nan_changed, nan, "NaNs became other NaNs" + cure);
        }
        return say(Fault::negative_zero_lost, zero, "-0.0 became 0.0" + cure);
    }
    const bool is_rounded = is_nearly_all(special + close.count + range.count, wrong_.count) &&
                            20 * close.count >= wrong_.count;
    if (!is_rounded) return std::nullopt;
    return say(Fault::value_rounded, close,
               "nearly right, so it was converted to fewer bits on the way");
}

std::uint64_t Diagnosis::cells_of_bad_tiles() const {
    std::uint64_t cells = 0;
    for (std::size_t i = 0; i < bad_tiles_.size(); ++i) {
        if (!bad_tiles_[i]) continue;
        const std::int64_t row = static_cast<std::int64_t>(i) / tiles_across(problem_) * kTile;
        const std::int64_t col = static_cast<std::int64_t>(i) % tiles_across(problem_) * kTile;
        cells += static_cast<std::uint64_t>(std::min(kTile, problem_.out_rows() - row) *
                                            std::min(kTile, problem_.out_cols() - col));
    }
    return cells;
}

/// Leftovers of shared memory in tiles of which other cells are right.
std::optional<Finding> Diagnosis::barrier() const {
    std::uint64_t stale = 0;
    for (const Tally& tally : wrong_tile_) stale = std::max(stale, tally.count);
    // Were whole tiles bad, something else than the order of a block's warps would be to blame.
    const bool is_mixed = 100 * bad_.count < 97 * cells_of_bad_tiles();
    if (!is_mixed || !is_nearly_all(stale + foreign_.count, wrong_.count)) return std::nullopt;
    return say(Fault::barrier_missing, wrong_,
               "right cells of a tile stand among leftovers of shared memory. Is a __syncthreads() "
               "missing between writing the tile and reading it?");
}

std::optional<Finding> Diagnosis::scrambled() const {
    for (std::size_t i = 0; i < sides; ++i) {
        if (tile_sides[i] > 64 || !is_nearly_all(same_tile_[i].count, wrong_.count)) continue;
        return say(Fault::scrambled_in_tile, same_tile_[i],
                   "the right tile (" + size_text(tile_sides[i]) +
                       "), but another place within it. Is it read in the way in which it was "
                       "written?");
    }
    return std::nullopt;
}

std::optional<Finding> Diagnosis::wrong_tile() const {
    for (std::size_t i = 0; i < sides; ++i) {
        if (!is_nearly_all(wrong_tile_[i].count, wrong_.count)) continue;
        return say(Fault::wrong_tile, wrong_tile_[i],
                   "the right place within a tile (" + size_text(tile_sides[i]) +
                       "), but of another tile. Look at how block indices become tiles");
    }
    return std::nullopt;
}

}  // namespace coalesce
