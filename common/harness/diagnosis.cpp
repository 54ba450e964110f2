#include "harness/diagnosis.h"

#include <algorithm>

namespace coalesce {
namespace {

/// The approximate number of wrong cells that are examined closely. Examining a cell takes a
/// microsecond.
constexpr std::uint64_t kClosely = 1 << 20;
/// The number of wrong cells that each thread examines at the start of its share. For this reason,
/// the example in a message is one of the first wrong cells.
constexpr std::uint64_t kFirst = 1024;
/// The approximate number of examined cells that are stored for the rules in rules.h.
constexpr std::uint64_t kSample = 1 << 14;

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

Diagnosis::Diagnosis(const Comparison& comparison)
    : comparison_(comparison),
      problem_(comparison.problem),
      matrix_(problem_.of_one_matrix()),
      pattern_(problem_.element_size, problem_.seed),
      one_in_(static_cast<std::uint32_t>(1 + comparison.wrong / kClosely)),
      explained_(hypotheses().size()),
      bad_tiles_(static_cast<std::size_t>(out_tiles(kSmallestTile).count())) {
    for (const std::int64_t side : kTileSides) {
        tiles_.push_back(
            {side, {matrix_.out_rows() / side * side, matrix_.out_cols() / side * side}});
    }
}

/// Reports whether to examine a wrong cell. Selects the first cells and a pseudorandom sample of
/// the rest, which preserves any pattern of tiles.
bool Diagnosis::is_looked_at_closely(std::int64_t index) const {
    if (wrong_.count < kFirst) return true;
    return mix(static_cast<std::uint32_t>(index)) % one_in_ == 0;
}

void Diagnosis::look_at(Cell out, Bits held, bool is_untouched) {
    const std::int64_t index = out.row * problem_.out_cols() + out.col;
    bad_.note(index, held, is_untouched);
    look_at_place(out, is_untouched);
    if (is_untouched || !is_looked_at_closely(index)) return;
    const Look look(problem_, pattern_, index, held, is_untouched);
    wrong_.note(look);
    const Look in_matrix = look.within(matrix_);
    look_at_value(look, in_matrix);
    look_at_change(look);
    add_to_sample(look, in_matrix);
    for (std::size_t i = 0; i < explained_.size(); ++i) {
        const Hypothesis& hypothesis = hypotheses()[i];
        const Look& seen = hypothesis.is_of_array ? look : in_matrix;
        if (hypothesis.explains(seen)) explained_[i].note(look);
    }
}

void Diagnosis::Lines::note(std::int64_t row, std::int64_t col) {
    ++rows[static_cast<std::size_t>(row % kPeriod)];
    ++cols[static_cast<std::size_t>(col % kPeriod)];
}

void Diagnosis::Tiles::merge(const Tiles& other) {
    inside += other.inside;
    wrong.merge(other.wrong);
    unturned.merge(other.unturned);
    same.merge(other.same);
}

void Diagnosis::Lines::merge(const Lines& other) {
    for (std::size_t i = 0; i < kPeriod; ++i) {
        rows[i] += other.rows[i];
        cols[i] += other.cols[i];
    }
}

void Diagnosis::look_at_place(Cell out, bool is_untouched) {
    const std::int64_t row = out.row % matrix_.out_rows();
    bad_lines_.note(row, out.col);
    if (is_untouched) untouched_lines_.note(row, out.col);
    bad_tiles_[out_tiles(kSmallestTile).number_of(out)] = true;
    for (Tiles& tiles : tiles_) {
        tiles.inside += row < tiles.full_end.row && out.col < tiles.full_end.col;
    }
    above_diagonal_ += out.row < out.col;
    below_diagonal_ += out.row > out.col;
}

void Diagnosis::look_at_value(const Look& look, const Look& in_matrix) {
    if (look.holds_guard()) guard_.note(look);
    if (look.is_foreign()) foreign_.note(look);
    for (Tiles& tiles : tiles_) {
        if (is_of_wrong_tile(in_matrix, tiles.side)) tiles.wrong.note(look);
        if (is_of_unturned_tile(in_matrix, tiles.side)) tiles.unturned.note(look);
        if (is_of_same_tile(in_matrix, tiles.side)) tiles.same.note(look);
    }
}

/// Classifies how the value in the cell differs from the expected one.
void Diagnosis::look_at_change(const Look& look) {
    if (!look.expected) return;
    const std::size_t size = problem_.element_size;
    const Bits right = pattern_.at(static_cast<std::uint64_t>(problem_.index(*look.expected)));
    changes_[static_cast<std::size_t>(change_of(right, look.held, size))].note(look);
    // A value that occurs in the input was moved, not computed.
    if (look.source) return;
    const Bits before = problem_.is_in_place() ? pattern_.at(static_cast<std::uint64_t>(look.index))
                                               : pattern_.poison();
    // A sum that is a NaN can come from many different values, so do not use it as the example.
    if (is_sum(look.held, right, before, size) && !is_nan(look.held, size)) sum_.note(look);
    bool is_whole = false;
    for (const Integer type : {Integer::signed_32, Integer::unsigned_32, Integer::signed_64}) {
        if (!is_converted(look.held, right, size, type)) continue;
        integer_[static_cast<std::size_t>(type)].note(look);
        is_whole = !is_zero(look.held, size);
    }
    if (is_whole) whole_.note(look);
}

void Diagnosis::add_to_sample(const Look& look, const Look& in_matrix) {
    if (look.holds_guard()) return;
    const std::uint64_t close = std::min(comparison_.wrong, kClosely);
    const auto one_in = static_cast<std::uint32_t>(1 + close / kSample);
    if (mix(static_cast<std::uint32_t>(look.index)) / one_in_ % one_in != 0) return;
    ++sample_.count;
    ++in_array_.count;
    if (look.source && problem_.batches() > 0) {
        in_array_.cells.push_back({look.index, problem_.index(*look.source)});
    }
    if (!in_matrix.source) return;
    sample_.cells.push_back(
        {in_matrix.index, matrix_.index(*in_matrix.source), look.index - in_matrix.index});
}

void Diagnosis::merge(const Diagnosis& other) {
    const auto merge_all = [](auto& mine, const auto& theirs) {
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i].merge(theirs[i]);
    };
    merge_all(explained_, other.explained_);
    merge_all(changes_, other.changes_);
    merge_all(tiles_, other.tiles_);
    merge_all(integer_, other.integer_);
    sum_.merge(other.sum_);
    whole_.merge(other.whole_);
    const auto add_sample = [](Sample& mine, const Sample& theirs) {
        mine.count += theirs.count;
        mine.cells.insert(mine.cells.end(), theirs.cells.begin(), theirs.cells.end());
    };
    add_sample(sample_, other.sample_);
    add_sample(in_array_, other.in_array_);
    bad_.merge(other.bad_);
    wrong_.merge(other.wrong_);
    guard_.merge(other.guard_);
    foreign_.merge(other.foreign_);
    bad_lines_.merge(other.bad_lines_);
    untouched_lines_.merge(other.untouched_lines_);
    above_diagonal_ += other.above_diagonal_;
    below_diagonal_ += other.below_diagonal_;
    for (std::size_t i = 0; i < bad_tiles_.size(); ++i) {
        if (other.bad_tiles_[i]) bad_tiles_[i] = true;
    }
}

Finding Diagnosis::say(Fault fault, const Tally& example, const std::string& meaning,
                       const std::string& guess) const {
    const Look look(problem_, pattern_, example.first, example.held, example.is_untouched);
    return {fault, look.text() + ": " + meaning, guess};
}

Finding Diagnosis::conclude() const {
    return comparison_.wrong == 0 ? conclude_untouched() : conclude_wrong();
}

Finding Diagnosis::say(const Explanation& explanation) const {
    const auto [index, source, before] = explanation.example;
    Tally example;
    example.note(before + index, pattern_.at(static_cast<std::uint64_t>(before + source)), false);
    return say(explanation.fault, example, explanation.meaning);
}

/// Reports whether there are too few bad cells to show a pattern. A mistake in a kernel affects
/// many threads, so a pattern among a few cells would be chance.
bool Diagnosis::is_rare() const {
    return bad_.count < 2 || 64 * bad_.count < static_cast<std::uint64_t>(problem_.elements());
}

/// Returns the number of matrices in the output.
std::uint64_t Diagnosis::matrices() const {
    return static_cast<std::uint64_t>(problem_.elements() / matrix_.elements());
}

/// Reports for each tile with sides of this length whether it contains a bad cell. The length must
/// be a multiple of kSmallestTile.
std::vector<bool> Diagnosis::bad_tiles(std::int64_t side) const {
    const TileGrid small = out_tiles(kSmallestTile), large = out_tiles(side);
    std::vector<bool> bad(static_cast<std::size_t>(large.count()));
    for (std::size_t i = 0; i < bad_tiles_.size(); ++i) {
        if (!bad_tiles_[i]) continue;
        const auto number = static_cast<std::int64_t>(i);
        bad[large.number_of({number / small.tiles().col * kSmallestTile,
                             number % small.tiles().col * kSmallestTile})] = true;
    }
    return bad;
}

std::uint64_t Diagnosis::cells_of_bad_tiles(std::int64_t side) const {
    const std::vector<bool> bad = bad_tiles(side);
    const TileGrid grid = out_tiles(side);
    std::uint64_t cells = 0;
    for (std::size_t i = 0; i < bad.size(); ++i) {
        if (!bad[i]) continue;
        const auto number = static_cast<std::int64_t>(i);
        cells += grid.cells_of(number);
        // In an in-place transpose, a cell on the diagonal stays where it is, so it is correct even
        // if the kernel does nothing.
        const std::int64_t row = number / grid.tiles().col, col = number % grid.tiles().col;
        if (problem_.is_in_place() && row == col) {
            cells -= static_cast<std::uint64_t>(std::min(side, grid.rows - row * side));
        }
    }
    return cells;
}

}  // namespace coalesce
